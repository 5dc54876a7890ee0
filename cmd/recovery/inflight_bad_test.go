package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestInflightUnreadable: a store that cannot be read is 2 and hides nothing; a row that cannot is 3.
func TestInflightUnreadable(t *testing.T) {
	t.Parallel()
	b := inflightBench(t)
	sourceStore(t, "babysitter", "sdk-6.0.0/runs/waiting-breakpoint", filepath.Join(b.a.Home, ".a5c", "runs",
		"waiting-breakpoint"))
	if v := b.object(exitOK, "inflight"); len(items(v)) != 1 {
		t.Errorf("%v", items(v))
	}
	writeFile(t, filepath.Join(b.a.Home, ".a5c", "runs", "torn", "run.json"), `{"runId":`)
	if v := b.object(exitNeedsUser, "inflight"); len(items(v)) != 2 || len(list(v["problems"])) != 0 {
		t.Errorf("%v", v)
	}
	sourceStore(t, "ouroboros", "corrupt.db", filepath.Join(b.a.Home, ".ouroboros", "ouroboros.db"))
	v := b.object(exitUsage, "inflight")
	problem := members(list(v["problems"])[0])
	if len(items(v)) != 2 || problem["source"] != "ouroboros" || problem["cause"] == "" || problem["next"] == "" {
		t.Errorf("%v", v)
	}
	status, out, errs := b.run("inflight")
	if status != exitUsage || !strings.Contains(out, "V6-breakpoint") || !strings.Contains(errs, "warning: ouroboros: ") {
		t.Errorf("%d\n%s%s", status, out, errs)
	}
	writeFile(t, filepath.Join(b.a.Home, ".ouroboros", "config.yaml"), "persistence: 7\n")
	second := members(list(b.object(exitUsage, "inflight")["problems"])[0])
	if second["cause"] == problem["cause"] {
		t.Errorf("two causes are not told apart: %v", second)
	}
	// Of what nobody asked for, nothing is told.
	b.must(exitNeedsUser, "inflight", "--source", "babysitter")
}

// TestInflightWithoutAnything: what is not there is no error, and is not made.
func TestInflightWithoutAnything(t *testing.T) {
	t.Parallel()
	b := inflightBench(t)
	home := t.TempDir()
	b.sys.environ, b.sys.cwd = []string{"HOME=" + home}, filepath.Join(home, "project")
	writeFile(t, filepath.Join(home, "project", "readme"), "")
	before := folderPrint(t, home)
	status, out, errs := b.run("inflight")
	if status != exitOK || strings.Count(out, "none found at "+home) != len(sourceNames()) ||
		strings.Count(errs, "warning: ") != 1 {
		t.Errorf("%d\n%s%s", status, out, errs)
	}
	v := b.object(exitOK, "inflight", "--all", "--root", home)
	if len(items(v)) != 0 || len(list(v["none"])) != len(sourceNames()) || v["found"].(float64) != 0 {
		t.Errorf("%v", v)
	}
	if after := folderPrint(t, home); after != before {
		t.Errorf("something was made:\n%s", after)
	}
	// A .claude folder that cannot be read holds nothing up either.
	writeFile(t, filepath.Join(home, ".claude"), "a file")
	sourceStore(t, "ouroboros", "running.db", filepath.Join(home, ".ouroboros", "ouroboros.db"))
	if v := b.object(exitUsage, "inflight"); len(items(v)) != 1 || members(list(v["problems"])[0])["source"] != "claude" {
		t.Errorf("%v", v)
	}
	status, out, errs = b.run("inflight", "--source", "ouroboros")
	if status != exitOK || len(out) == 0 || strings.Count(errs, "warning: the account cannot be read") != 1 {
		t.Errorf("%d\n%s%s", status, out, errs)
	}
}
