package main

import (
	"path/filepath"
	"testing"

	"recovery/fixtures"
	"recovery/internal/account"
)

// holdInflight shows every verdict, every source that has nothing, and each that cannot be read.
func holdInflight(t *testing.T, h *holder) {
	b := inflightBench(t)
	_, plain := everySource(t, b)
	b.add(fixtures.Session{Name: "damaged", BadState: []byte("{")})
	b.sys.processes = func() account.Processes {
		p := account.ReadProcesses()
		p.ByPID[9_999_991] = account.Process{PID: 9_999_991, Start: "1", Args: []string{"/opt/claude/versions/2.1.332",
			"--resume", boundSession}}
		return p
	}
	for _, args := range [][]string{{"inflight"}, {"inflight", "--all"}, {"inflight", "--pick", "1"},
		{"inflight", "--pick", "0"}, {"inflight", "--source", "x"}, {"inflight", "--root", "no-such-folder"},
		{"inflight", "x"}} {
		h.run(b, args...)
	}
	b.inventory()
	h.run(b, "report")
	b.sys.processes = account.ReadProcesses
	h.run(b, "inflight")
	h.run(b, "report")
	b.sys.environ = []string{"HOME=" + t.TempDir()}
	h.run(b, "inflight")
	h.run(b, "inflight", "--root", plain.Cwd)
	home := t.TempDir()
	b.sys.environ = []string{"HOME=" + home}
	writeFile(t, filepath.Join(home, ".claude"), "")
	writeFile(t, filepath.Join(home, ".a5c", "runs"), "")
	writeFile(t, filepath.Join(home, ".os", "sessions"), "")
	sourceStore(t, "ouroboros", "corrupt.db", filepath.Join(home, ".ouroboros", "ouroboros.db"))
	b.sys.cwd = home
	h.run(b, "inflight")
	h.run(b, "inflight", "--source", "ouroboros")
}
