package prompts

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// corpora are the labelled lines, in the order in which they were written; testdata/README.md tells what each was used for.
var corpora = []string{"approvals.tsv", "approvals-heldout.tsv", "approvals-second.tsv", "approvals-third.tsv", "approvals-fourth.tsv", "approvals-fifth.tsv", "approvals-sixth.tsv", "approvals-seventh.tsv", "approvals-eighth.tsv"}

type labelledLine struct {
	refuse bool
	text   string
}

func corpus(t testing.TB, name string) (out []labelledLine) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		kind, text, ok := strings.Cut(sc.Text(), "\t")
		if !ok || kind != "refuse" && kind != "allow" {
			t.Fatalf("%s: bad line %q", name, sc.Text())
		}
		out = append(out, labelledLine{kind == "refuse", strings.ReplaceAll(text, "␤", "\n")})
	}
	return out
}

// TestCorpus measures the check on labelled lines: no approval passes, and few harmless lines are refused.
func TestCorpus(t *testing.T) {
	var allAllow, allLost int
	for _, name := range corpora {
		var refuse, caught, allow, lost int
		for _, l := range corpus(t, name) {
			err := CheckApproval(l.text)
			switch {
			case l.refuse:
				refuse++
				if err != nil {
					caught++
				} else {
					t.Errorf("%s: passes: %q", name, l.text)
				}
			default:
				allow++
				if err != nil {
					lost++
					t.Logf("%s: refused: %v", name, err)
				}
			}
		}
		t.Logf("%s: %d of %d approvals refused, %d of %d harmless lines refused", name, caught, refuse, lost, allow)
		allAllow, allLost = allAllow+allow, allLost+lost
	}
	if allLost*100 > allAllow*8 {
		t.Errorf("%d of %d harmless lines are refused", allLost, allAllow)
	}
}
