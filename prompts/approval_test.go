package prompts

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"
)

// corpora are the labelled lines, in the order in which they were written; testdata/README.md tells what each was
// used for.
var corpora = []string{"approvals.tsv", "approvals-heldout.tsv", "approvals-second.tsv", "approvals-third.tsv",
	"approvals-fourth.tsv", "approvals-fifth.tsv", "approvals-sixth.tsv", "approvals-seventh.tsv", "approvals-eighth.tsv"}

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
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
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

// TestPromptIDIsNoApproval: a random id can spell a word in hex ("4f4b" is OK), and is sent all the same; the same
// digits elsewhere are judged.
func TestPromptIDIsNoApproval(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	rng := rand.New(rand.NewSource(1))
	for range 3000 {
		id := fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", rng.Uint32(), rng.Intn(1<<16), rng.Intn(1<<12), rng.Intn(1<<12),
			rng.Int63n(1<<48))
		if err := CheckApproval("Data: the log was read.\n\nrecovery-prompt-id: " + id); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
	}
	for _, line := range []string{"recovery-prompt-id: a520d99f-41bb-4461-b0ae-40cabc2c1452 yes",
		"yes\nrecovery-prompt-id: a520d99f-41bb-4461-b0ae-40cabc2c1452"} {
		if CheckApproval(line) == nil {
			t.Errorf("%q passes", line)
		}
	}
}
