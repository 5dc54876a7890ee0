package audit_test

import (
	"testing"

	"recovery/internal/audit"
	"recovery/internal/audit/corpus"
)

func judge(r *audit.Rules) func(string) (string, string) {
	return func(command string) (string, string) {
		j := r.Shell(command)
		return string(j.Class), j.Reason
	}
}

// TestCorpus holds the audit to its promise: no write and no unknown is ever called a read; of reads and of writes at
// least 95 % are recognised.
func TestCorpus(t *testing.T) {
	lines, err := corpus.Read("testdata/corpus.tsv")
	if err != nil {
		t.Fatal(err)
	}
	tally := corpus.Score(lines, judge(audit.Default()))
	t.Logf("%d lines\n%s", len(lines), tally)
	for _, m := range tally.CalledRead {
		t.Errorf("line %d: %q is %v, was called read (%s)", m.Line.Number, m.Line.Command, m.Line.Classes, m.Reason)
	}
	for _, m := range tally.Misses {
		t.Logf("line %d: %q is %v, got %s (%s)", m.Line.Number, m.Line.Command, m.Line.Classes, m.Got, m.Reason)
	}
	for _, class := range []string{"read", "write"} {
		if rate := tally.Rate(class); rate < 95 {
			t.Errorf("%.1f %% of the lines of class %s are recognised, want 95", rate, class)
		}
	}
}
