package claude

import (
	"reflect"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const own, other = "261c700b", "0e30a1f7"
	for said, want := range map[string]Printed{
		"": {},
		"note: woke session " + own + " with its saved options (-n).\nbackgrounded · " + own +
			" · fix it": {Shorts: []string{own}, Started: true, Woke: true},
		"backgrounded · " + other + "\nnote: session " + own + " is already running in the background, so this started a " +
			"copy as " + other + ".": {
			Shorts: []string{other, other}, Started: true, Copied: true},
		"note: another background session already uses the id " + own + ", so this started a copy as -": {Copied: true},
		"Workspace not trusted. Run `claude` in /w once and accept the trust prompt, then retry. " +
			"Your message is saved and will be delivered when session " + own + " next starts.": {Refused: true, Untrusted: true,
			Saved: true},
		"Workspace not trusted. /w could not be resolved on disk.": {Refused: true, Untrusted: true, Gone: true},
		"Failed to resume the conversation":                        {Refused: true},
		"Not logged in · Please run /login":                        {Refused: true},
		"panic: a thing that nobody knows":                         {},
	} {
		if got := Read(said); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
	}
	if got := StripANSI("\x1b[1mbackgrounded\x1b[22m · \x1b[36m" + own + "\x1b[39m\x1b]0;title\x07"); got != "backgrounded · "+own {
		t.Errorf("%q", got)
	}
}

func TestCheckVersion(t *testing.T) {
	for said, ok := range map[string]bool{
		"2.1.332 (Claude Code)": true, "2.1.257": true, "2.1.256": false, "2.0.999": false, "1.9.300": false, "2.2.0": true,
		"3.0.0": true,
		"":      false, "latest": false, "2.1": false,
	} {
		if _, err := CheckVersion("client", said); (err == nil) != ok {
			t.Errorf("%q: %v", said, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	kept := []string{"HOME=/home/ann", EnvConfigDir + "=/c", "ANTHROPIC_API_KEY=k", "CLAUDE_CODE_OAUTH_TOKEN=t",
		"CLAUDE_CODE_USE_BEDROCK=1"}
	for name := range sessionVars {
		if got := CleanEnv(append([]string{name + "=1"}, kept...)); !reflect.DeepEqual(got, kept) {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, prefix := range append([]string{"CLAUDE_CODE_REMOTE"}, sessionPrefixes...) {
		if got := CleanEnv(append(append([]string{}, kept...), prefix+"=1")); !reflect.DeepEqual(got, kept) {
			t.Errorf("%s: %v", prefix, got)
		}
	}
	if InSession(kept) || InSession([]string{"CLAUDECODE="}) {
		t.Error("no session is around")
	}
	for _, name := range inSession {
		if !InSession([]string{name + "=1"}) {
			t.Errorf("%s is a session's", name)
		}
	}
}

// TestMarkers: each marker with a text as it stands in a transcript.
func TestMarkers(t *testing.T) {
	texts := []string{
		"<command-name>/clear</command-name>", "<command-message>clear</command-message>",
		"<local-command-stdout></local-command-stdout>",
		"<bash-input>ls</bash-input>", "<task-notification>\n<task-id>b1f00d</task-id>", "<system-reminder>\nAs you answer",
		"[Request interrupted by user]", "<cross-session-message from=\"0e30a1f7\">", "<teammate-message teammate_id=\"a\">",
		"<scheduled-task name=\"x\">",
	}
	for _, m := range markers {
		found := false
		for _, s := range texts {
			if strings.HasPrefix(s, m.prefix) {
				found = true
				if author, ok := MarkedBy(" \n" + s); !ok || author != m.author {
					t.Errorf("%q is by %q", s, author)
				}
			}
		}
		if !found {
			t.Errorf("the marker %q has no sample", m.prefix)
		}
	}
	for _, s := range []string{"", "yes, go", "look at <task-notification>",
		"<pasted_content id=\"1\">x</pasted_content>"} {
		if author, ok := MarkedBy(s); ok {
			t.Errorf("%q is by %q", s, author)
		}
	}
	if !Isolated("<tool_use_error>This background session hasn't isolated its changes yet. Enter a worktree "+
		"first.</tool_use_error>") || Isolated("it says isolated") {
		t.Error("the guard's refusal is not told from other results")
	}
	if !AsksApproval("approve Bash: touch x") || AsksApproval("approved by Ann") || AsksApproval("") {
		t.Error("a permission prompt is not told from other needs")
	}
	for _, stop := range StopReasons() {
		if !EndsTurn(stop) {
			t.Errorf("%s ends a turn", stop)
		}
	}
	if EndsTurn("tool_use") || EndsTurn("pause_turn") || EndsTurn("") {
		t.Error("a turn goes on after a call")
	}
}

// TestBehindAReminder: who said what stands behind the client's reminders is who is behind the text.
func TestBehindAReminder(t *testing.T) {
	const reminder = "<system-reminder>\nAs you answer\n</system-reminder>"
	for said, want := range map[string]Author{
		reminder:                               AuthorInjected,
		reminder + "\n" + reminder:             AuthorInjected,
		"<system-reminder>\nnever closed yes":  AuthorInjected,
		reminder + "\nyes, go":                 "",
		reminder + reminder + " yes":           "",
		reminder + "\n<task-notification>x":    AuthorNotification,
		"yes\n" + reminder:                     "",
		reminder + "\n[Request interrupted by": AuthorInterrupted,
	} {
		if author, _ := MarkedBy(said); author != want {
			t.Errorf("%q is by %q, want %q", said, author, want)
		}
	}
}

// TestWhatWasTyped: commands and shell lines as the client 2.1.332 wrote them.
func TestWhatWasTyped(t *testing.T) {
	const line = "<command-message>plugin:session-wrap</command-message>\n" +
		"<command-name>/plugin:session-wrap</command-name>\n<command-args>done mode</command-args>"
	for _, c := range []struct {
		said, name, args string
		ok               bool
	}{
		{line, "plugin:session-wrap", "done mode", true},
		{"<command-name>/cost</command-name>", "cost", "", true},
		{"<command-name>/cut", "", "", true},
		{"<local-command-stdout>x</local-command-stdout>", "", "", false},
		{"see <command-name>/cost</command-name>", "", "", false},
	} {
		if name, args, ok := CommandLine(c.said); name != c.name || args != c.args || ok != c.ok {
			t.Errorf("%q: %q %q %v", c.said, name, args, ok)
		}
	}
	if line, ok := ShellLine("\n<bash-input>ls -l</bash-input>"); !ok || line != "ls -l" {
		t.Errorf("a shell line is %q, %v", line, ok)
	}
	if _, ok := ShellLine("<bash-stdout>x</bash-stdout>"); ok {
		t.Error("an output is no line")
	}
	if !LocalOutput("<local-command-stdout></local-command-stdout>") || !LocalOutput(" <local-command-stderr>x") ||
		LocalOutput("<local-command-caveat>x") {
		t.Error("the output of a command is not told from its caveat")
	}
}

func TestIDs(t *testing.T) {
	const id = "261c700b-5c0d-4f0e-9a6b-0123456789ab"
	if ShortOf(id) != "261c700b" || ShortOf("261c700b") != "261c700b" || !IsShort(ShortOf(id)) || IsShort("261C700B") ||
		!IsUUID(id) || IsUUID(strings.ToUpper(id)) {
		t.Error("ids are misread")
	}
	for in, want := range map[string]string{"cse_01abc": "01abc", "session_01abc": "01abc", "01abc": "01abc", "": ""} {
		if got := Body(in); got != want {
			t.Errorf("%q has the body %q", in, got)
		}
		if IsThread(in) != (in != want) {
			t.Errorf("%q is a thread's id: %v", in, IsThread(in))
		}
	}
	if Link("01abc") != "https://claude.ai/code/session_01abc" || Link("") != "" {
		t.Error("links are wrong")
	}
}

func TestParseLogLine(t *testing.T) {
	const stamp = "2026-11-29T12:01:43.816Z"
	for line, want := range map[string]LogLine{
		"[" + stamp + "] [bg] bg claimed-spare 261c700b (fleet)": {Kind: LogStarted, Short: "261c700b",
			Cause: "fleet"},
		"[" + stamp + "] [bg] bg retire 261c700b: idle-prompt, idle 61m": {Kind: LogRetired, Short: "261c700b",
			Cause: "idle-prompt", Idle: "61m"},
		"[" + stamp + "] [bg] bg settled 261c700b (crashed): exit 1": {Kind: LogSettled, Short: "261c700b",
			Cause: SettledCrashed, Detail: "exit 1"},
		"[" + stamp + "] [bg] bg spare spawned host pid=7":                  {},
		"[" + stamp + "] [supervisor] shutting down (cause=signal, live=2)": {Kind: LogShutdown, Cause: "signal"},
		"[" + stamp + "] [supervisor] ─── daemon start ─── version=2.1.332": {Kind: LogSupervisor},
		"[" + stamp + "] [supervisor] bg settled 261c700b (done)":           {},
	} {
		want.Stamp, want.Text = stamp, line
		if got := ParseLogLine(line); got != want {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
	if got := ParseLogLine("no stamp"); got != (LogLine{}) {
		t.Errorf("%+v", got)
	}
	for line, want := range map[string]string{
		"[" + stamp + "] [bg] bg retire 261c700b: memory-pressure, idle 61m [x]": "memory-pressure, idle 61m [x]",
		"bg retire 261c700b: idle-prompt, idle 8h":                               "idle-prompt, idle 8h",
		"bg settled 261c700b (done)":                                             "", "": "",
	} {
		if got := Retirement(line); got != want {
			t.Errorf("%q: retired %q, want %q", line, got, want)
		}
	}
	if adopted, respawned, dead, ok := Adoption("bg adopt: adopted=2 respawned=0 dead=1"); !ok || adopted != "2" ||
		respawned != "0" || dead != "1" {
		t.Error("an adoption is misread")
	}
}
