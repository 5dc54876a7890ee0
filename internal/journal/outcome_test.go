package journal

import "testing"

func TestOutcomesThatAreDefects(t *testing.T) {
	for outcome, want := range map[Outcome]string{Copy: DefectCopy, Joined: DefectJoined, Replayed: DefectReplay,
		Woken: "", Refused: "", Saved: "",
		Untrusted: "", MissingCwd: "", NotStarted: "", Uncertain: "", Planned: "", "from-the-future": ""} {
		if code, ok := outcome.Defect(); code != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", outcome, code, ok, want)
		}
	}
}
