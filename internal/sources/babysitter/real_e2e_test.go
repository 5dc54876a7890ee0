//go:build e2e

package babysitter

import (
	stdcmp "cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// sdks are the versions that are tried. Not every version that exists is on the registry; one that is not there is
// skipped.
var sdks = []string{"0.0.187", "6.0.0"}

const processFile = `exports.process = async (inputs, ctx) => {
  if (inputs.mode === "breakpoint") return await ctx.breakpoint({ question: "Review the plan?", title: "Plan" });
  if (inputs.mode === "sleep") { await ctx.sleepUntil("2099-01-01T00:00:00.000Z"); return { slept: true }; }
  if (inputs.mode === "throw") throw new Error("process blew up");
  if (inputs.mode === "halt") { if (ctx.halt) return await ctx.halt("needs a decision"); return { halted: false }; }
  return { done: true };
};
`

// install puts a version of the program into a folder of its own. Its dependencies' own programs are not run.
func install(t *testing.T, version string) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed: the real program cannot be tried")
	}
	top := t.TempDir()
	write(t, filepath.Join(top, "package.json"), `{"private":true}`)
	cmd := exec.Command(npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "@a5c-ai/babysitter-sdk@"+version)
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("@a5c-ai/babysitter-sdk@%s cannot be installed: %v\n%s", version, err, out)
	}
	return top
}

// TestRealRuns makes runs with the program's own command line and compares what it says of them with what is listed
// here.
func TestRealRuns(t *testing.T) {
	for _, version := range sdks {
		t.Run(version, func(t *testing.T) {
			top := install(t, version)
			home, work := filepath.Join(top, "home"), filepath.Join(top, "work")
			mkdir(t, home)
			write(t, filepath.Join(work, "code", "main.js"), processFile)
			program := filepath.Join(top, "node_modules", ".bin", "babysitter")
			run := func(args ...string) ([]byte, error) {
				cmd := exec.Command(program, args...)
				cmd.Dir = work
				// An empty BABYSITTER_RUNS_DIR is a value to 0.0.x, so the variables have to go.
				cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
					return strings.HasPrefix(v, "BABYSITTER_") || strings.HasPrefix(v, "AGENT_") || strings.HasPrefix(v, "CLAUDE_")
				}), "HOME="+home)
				return cmd.Output()
			}
			made := map[string]string{}
			for _, mode := range []string{"created", "breakpoint", "sleep", "throw", "halt", "completed"} {
				write(t, filepath.Join(work, mode+".json"), `{"mode":"`+mode+`"}`)
				out, err := run("run:create", "--process-id", "demo/"+mode, "--entry", "./code/main.js#process", "--inputs",
					mode+".json", "--run-id", "run-"+mode, "--prompt", "Demo "+mode, "--json")
				var created struct{ RunDir string }
				if err != nil || json.Unmarshal(out, &created) != nil || created.RunDir == "" {
					t.Fatalf("run:create: %v %s", err, out)
				}
				made[mode] = files.Real(created.RunDir)
				if mode != "created" {
					_, _ = run("run:iterate", "run-"+mode, "--json") // a process that throws ends it with an error
				}
			}
			before := fingerprint(t, work)
			m := machine()
			m.Home, m.Cwd, m.All, m.Now = home, work, true, time.Now()
			rows := map[string]sources.Row{}
			for _, r := range Find(m).Rows {
				rows[r.Store] = r
			}
			if d := cmp.Diff(before, fingerprint(t, work)); d != "" {
				t.Errorf("the look changed something: %s", d)
			}
			for mode, dir := range made {
				out, err := run("run:status", dir, "--json")
				var said struct {
					State         string
					PendingByKind map[string]int
				}
				if err != nil || json.Unmarshal(out, &said) != nil {
					t.Errorf("%s: run:status: %v %s", mode, err, out)
					continue
				}
				r, ok := rows[dir]
				pending := readJournal(dir).pendingByKind()
				t.Logf("%s %s: run:status says %s %v; listed as %s %v, %s: %s", version, mode, said.State, said.PendingByKind,
					r.State, pending, r.Verdict, stdcmp.Or(r.WaitsFor, r.Reason))
				if !ok || r.State != said.State {
					t.Errorf("%s: state %q, want %q", mode, r.State, said.State)
				}
				if d := cmp.Diff(said.PendingByKind, pending); d != "" {
					t.Errorf("%s: pending %s", mode, d)
				}
				if len(r.Warnings) > 0 {
					t.Errorf("%s: warnings about an untouched run: %v", mode, r.Warnings)
				}
				for _, c := range r.Commands {
					if strings.HasPrefix(c.Command, "babysitter ") && (strings.Contains(c.Effect, "changes nothing")) &&
						!strings.Contains(c.Command, "recover-process-error") {
						if out, err := exec.Command("bash", "-c", program+strings.TrimPrefix(c.Command, "babysitter")).CombinedOutput(); err != nil {
							t.Errorf("%s: %v %s", c.Command, err, out)
						}
					}
				}
			}
			if !strings.Contains(rows[made["breakpoint"]].WaitsFor, "Review the plan?") ||
				rows[made["sleep"]].Verdict != sources.Time {
				t.Errorf("%+v %+v", rows[made["breakpoint"]], rows[made["sleep"]])
			}
		})
	}
}
