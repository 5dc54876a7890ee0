//go:build e2e

// Package e2e runs the whole pipeline against the real Claude Code client: an account of its own under a temporary
// folder, a model stub in place of the service, and a network namespace with loopback alone, so that nothing which
// the client tries to reach outside is ever sent. It wants root, iproute2 and the client or npm; the README says how
// to run it and how a version of the client is picked. A pass is repeated from the test cache while the program is
// the same, so -count=1 is needed after the client changed. RECOVERY_E2E_KEEP=1 keeps the account of a run that
// failed.
package e2e
