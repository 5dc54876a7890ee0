//go:build e2e

// Package e2e runs the whole pipeline against the real Claude Code client: an account of its own under a temporary folder,
// a model stub in place of the service, and a network namespace with loopback alone, so that nothing which the client tries
// to reach outside is ever sent. It wants root, iproute2 and the client or npm: go test -tags e2e ./e2e (with -count=1 after
// the client changed: a pass is repeated from the cache while the program is the same). The client is RECOVERY_E2E_CLIENT, else
// `claude` on PATH, else real-client/bin/claude in the temporary folder, else one that is installed from the npm registry for
// the run. RECOVERY_E2E_KEEP=1 keeps the account of a run that failed.
package e2e
