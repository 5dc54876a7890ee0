package claude

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// samples are texts as the client wrote them, for each pattern of the package by its name.
var samples = map[string]struct {
	re    *regexp.Regexp
	texts []string
}{
	"notification": {notification, []string{agentEnded}},
	"tagged":       {tagged, []string{agentEnded}},
	"cutEarlier": {cutEarlier, []string{
		`Background command "sleep 600" didn't finish before the previous session ended`}},
	"versionNumber": {versionNumber, []string{"2.1.332 (Claude Code)"}},
	"backgrounded":  {backgrounded, []string{"backgrounded · 261c700b · fix the import"}},
	"copyNote": {copyNote, []string{
		"note: session 261c700b is already running in the background, so this started a copy as 0e30a1f7. `claude attach " +
			"261c700b` opens the original.",
		"note: background session 261c700b keeps its own saved options, so the flags you passed started a copy as " +
			"0e30a1f7. Without flags, the same command continues 261c700b itself.",
		"note: a restricted shell does not wake background session 261c700b in place, so this started a restricted copy " +
			"as 0e30a1f7",
	}},
	"copyOfNote": {copyOfNote, []string{"note: started a copy of that conversation as 0e30a1f7. To continue a session " +
		"under its own id, pass its full session id"}},
	"copyWords": {copyWords, []string{"note: another background session already uses the id 261c700b, so this " +
		"started a copy as -"}},
	"wokeNote":  {wokeNote, []string{"note: woke session 261c700b with its saved options (-n)."}},
	"savedNote": {savedNote, []string{"Your message is saved and will be delivered when session 261c700b next starts."}},
	"notTrusted": {notTrusted, []string{"Workspace not trusted. Run `claude` in /home/ann/work once and accept the " +
		"trust prompt, then retry."}},
	"notOnDisk": {notOnDisk, []string{"Workspace not trusted. /home/ann/gone could not be resolved on disk."}},
	"alreadyRuns": {alreadyRuns,
		[]string{"Session 261c700b is already running \u2014 `claude attach 261c700b` to join it"}},
	"ansi":       {ansi, []string{"\x1b[1mbackgrounded\x1b[22m · \x1b[36m261c700b\x1b[39m"}},
	"limitEpoch": {limitEpoch, []string{"Claude AI usage limit reached|1795990000"}},
	"limitISO":   {limitISO, []string{"limit reached until 2026-11-29T20:15:00+01:00"}},
	"limitClock": {limitClock, []string{"You've hit your session limit · resets 3pm (Europe/Berlin)"}},
	"limitAfter": {limitAfter, []string{"API Error: 429 rate_limit_error, retry after 90 seconds"}},
	"approve":    {approve, []string{"approve Bash: touch x"}},
	"shortForm":  {shortForm, []string{"261c700b"}},
	"uuidForm":   {uuidForm, []string{"261c700b-5c0d-4f0e-9a6b-0123456789ab"}},
	"logLine":    {logLine, []string{"[2026-11-29T12:01:43.816Z] [bg] bg spawned 261c700b (shell)"}},
	"logSpawned": {logSpawned, []string{"bg spawned 261c700b (shell)", "bg claimed-spare 261c700b (fleet)"}},
	"logRetire": {logRetire, []string{"bg retire 261c700b: idle-prompt, idle 61m", "bg retire 261c700b: settled, idle " +
		"8h [low memory]",
		"bg retire 261c700b: settled, idle 8h, worker 2.1.300 (daemon 2.1.332)"}},
	"logSettled": {logSettled, []string{"bg settled 261c700b (done)",
		"bg settled 261c700b (crashed): exit 1 before init"}},
	"logAdopted":  {logAdopted, []string{"bg adopt: adopted=0 respawned=0 dead=3"}},
	"logStart":    {logStart, []string{"─── daemon start ─── version=2.1.332 pid=4711"}},
	"logUpgrade":  {logUpgrade, []string{"binary changed on disk, self-restarting for upgrade"}},
	"logStop":     {logStop, []string{"shutdown requested via control socket"}},
	"logShutdown": {logShutdown, []string{"shutting down (cause=signal, live_workers=2)"}},
	"logGlued": {logGlued, []string{"[2026-11-29T12:01:43.816Z] [bg] bg sp[2026-11-29T12:04:00.001Z] [supervisor] " +
		"─── daemon start ─── version=2.1.332 pid=9"}},
}

// refusalSamples are what the client printed when it started nothing.
var refusalSamples = []string{
	"Workspace not trusted. Run `claude` in /home/ann/work once and accept the trust prompt, then retry.",
	"Workspace not trusted. /home/ann/gone could not be resolved on disk.",
	"Session 261c700b is already running \u2014 `claude attach 261c700b` to join it",
	"No conversation found with session ID: 261c700b-5c0d-4f0e-9a6b-0123456789ab",
	"Failed to resume the conversation",
	"Failed to resume session 261c700b-5c0d-4f0e-9a6b-0123456789ab",
	"error: unknown option '--bg'",
	"Background sessions are unavailable in a user delegated session, so nothing was started. Run the task in this " +
		"session instead.",
	"Couldn't reach the background service (ECONNREFUSED)",
	"Couldn't start a background session: the background service that is running is an older version.",
	"Couldn't tell whether -p is a flag or text here, so nothing was started. To start a background session put it " +
		"first: claude --bg <prompt>",
}

// errorSamples are errors as the client wrote them, with their kind.
var errorSamples = map[string]Kind{
	"Not logged in · Please run /login":                   KindSignIn,
	"Login expired · Please run /login":                   KindSignIn,
	"Login reached its time limit · Please run /login":    KindSignIn,
	"OAuth token revoked · Please run /login":             KindSignIn,
	"OAuth token has expired":                             KindSignIn,
	"Invalid API key · Fix external API key":              KindSignIn,
	"Invalid auth token · Fix external auth token":        KindSignIn,
	"Authentication required · Sign in again to continue": KindSignIn,
	`API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`:        KindSignIn,
	"Failed to authenticate: OAuth token revoked. Please log in again or contact your administrator.":              KindSignIn,
	"Your ANTHROPIC_API_KEY belongs to a disabled organization · Update or unset the environment variable":         KindSignIn,
	"Your organization has disabled API key authentication · Run /login to sign in with your claude.ai account":    KindSignIn,
	"Your organization has disabled Claude subscription access for Claude Code · Use an Anthropic API key instead": KindSignIn,
	"This organization has been disabled.": KindSignIn,
	"Could not refresh your login because another Claude Code process is refreshing it (or exited mid-refresh)": KindSignIn,
	"Anthropic profile login expired · Re-authenticate your Anthropic profile":                                  KindSignIn,
	"Google Cloud credentials expired or invalid":                                                               KindSignIn,
	"bg settled 261c700b (crashed): Unauthorized":                                                               KindSignIn,

	"You've hit your session limit · resets 3:40pm (UTC)":           KindLimit,
	"You've reached your weekly limit · resets Dec 4, 9am (UTC)":    KindLimit,
	"You've hit your limit · resets 7pm":                            KindLimit,
	"You've reached your Fable limit for this week. Switch models?": KindLimit,
	"Claude usage limit reached. Your limit will reset at 7pm":      KindLimit,
	"Claude AI usage limit reached|1795990000":                      KindLimit,
	"5-hour limit reached ∙ resets 3pm":                             KindLimit,
	"You're out of extra usage · resets 3pm":                        KindLimit,
	`API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your ` +
		`organization's rate limit"}}`: KindLimit,
	"API Error: Request rejected (429)": KindLimit,
	"API Error: Too many requests":      KindLimit,

	`API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`:                            KindBusy,
	"API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. Try again in a moment.": KindBusy,
	"API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited":                              KindBusy,
	"Opus is experiencing high load, please use /model to switch to Sonnet":                                                 KindBusy,
	"We are experiencing high demand for Opus.":                                                                             KindBusy,

	"Prompt is too long": KindTooLong,
	"Prompt is too long · the request is ~212000 tokens (limit 200000) and this conversation's own content is most of it.": KindTooLong,
	"prompt is too long: 212000 tokens > 200000 maximum":                                                                   KindTooLong,
	"API Error: The model has reached its context window limit.":                                                           KindTooLong,
	"Context limit reached · /compact or /clear to continue":                                                               KindTooLong,
	"API Error: 400 input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000":                           KindTooLong,
	"This model's maximum context length is 200000 tokens":                                                                 KindTooLong,
	"Input is too long for requested model.":                                                                               KindTooLong,
	"Request too large (max 32 MB). Double press esc to go back and remove attachments.":                                   KindTooLong,
	`API Error: 413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`:                   KindTooLong,
	"API Error: the request is over the size limit of 32 MB":                                                               KindTooLong,
	"API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the " +
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.": KindTooLong,
	"API Error: Claude's response exceeded the 32000 output token limit": KindTooLong,
	"Conversation is too long": KindTooLong,
	"PDF too large. Please double press esc to edit your message and try again.":                 KindTooLong,
	"An image in the conversation exceeds the dimension limit for many-image requests (2000px).": KindTooLong,
	"API Error: 400 messages.3.content.0.image.source.base64: image exceeds 5 MB maximum":        KindTooLong,

	"Credit balance is too low":                                                                           KindBilling,
	"You're out of usage credits. /model to switch models.":                                               KindBilling,
	"API Error: Usage credits ran out before the response was finished.":                                  KindBilling,
	"You've hit your monthly spend limit · /usage-credits to raise it":                                    KindBilling,
	"Your org is out of usage · add funds to continue":                                                    KindBilling,
	"Your org is out of usage · contact your admin":                                                       KindBilling,
	"Extra usage is required for long context":                                                            KindBilling,
	"Your seat type doesn't include extra usage":                                                          KindBilling,
	"Your seat type doesn't include usage":                                                                KindBilling,
	"You've hit your team's pooled group budget.":                                                         KindBilling,
	"Your group's usage limit is set to $0":                                                               KindBilling,
	"Your usage allocation has been disabled by your admin":                                               KindBilling,
	`API Error: 402 {"type":"error","error":{"type":"billing_error","message":"Payment required"}}`:       KindBilling,
	"Your account is on hold and can't use Claude Code. View details or appeal: https://claude.ai/appeal": KindBilling,

	"There's an issue with the selected model (claude-opus-9). It may not exist or you may not have access to it.": KindModel,
	"Claude Opus is not available with the Claude Pro plan.":                                                       KindModel,
	`API Error: 400 {"error":{"type":"invalid_request_error","message":"Invalid model name"}}`:                     KindModel,
	`API Error: 404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`:               KindModel,
	"The model claude-opus-9 is not available on your foundry deployment.":                                         KindModel,

	"API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy " +
		"(https://www.anthropic.com/legal/aup).": KindRefused,
	"API Error: Opus's safeguards flagged this message. This sometimes happens with safe, normal conversations.": KindRefused,
	`API Error: 400 {"error":{"message":"Output blocked by content filtering policy"}}`:                          KindRefused,
	"Opus can't respond to your last message with this content.":                                                 KindRefused,
	`API Error: 403 {"type":"error","error":{"type":"permission_error","message":"Not allowed"}}`:                KindRefused,
	"Gateway refused the request · check with your gateway administrator":                                        KindRefused,

	"API Error: Connection error.":                                         KindConnection,
	"Connection dropped (ECONNRESET)":                                      KindConnection,
	"Unable to connect to API (ECONNREFUSED)":                              KindConnection,
	"Unable to connect to API: SSL certificate verification failed":        KindConnection,
	"Request timed out. Check your internet connection and proxy settings": KindConnection,
	"API Error: The response could not be read (ERR_STREAM). Try again.":   KindConnection,
	"No data arrived for more than 5 minutes.":                             KindConnection,
	"TypeError: fetch failed":                                              KindConnection,
	"Error: socket hang up":                                                KindConnection,

	`API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}`: KindOther,
	"API Error: 400 due to tool use concurrency issues.":                                             KindOther,
	"API Error: the design in question is too large":                                                 KindOther,
	"a text that no client has written yet":                                                          KindOther,
}

func TestErrorKind(t *testing.T) {
	for s, want := range errorSamples {
		if got := ErrorKind(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
		if known := KnownError(s); want == KindOther && known != KindNone || want != KindOther && known != want {
			t.Errorf("%q is known as %q", s, known)
		}
	}
	for _, blank := range []string{"", " \n"} {
		if ErrorKind(blank) != KindNone {
			t.Errorf("%q is an error", blank)
		}
	}
}

func TestOverAndBrake(t *testing.T) {
	brakes := map[Kind]bool{KindSignIn: true, KindLimit: true, KindBusy: true, KindBilling: true}
	for _, k := range []Kind{KindSignIn, KindLimit, KindBusy, KindTooLong, KindRefused, KindBilling, KindModel,
		KindConnection, KindOther} {
		if !k.Over() {
			t.Errorf("a turn that met %q is not over", k)
		}
		if k.Brake() != brakes[k] {
			t.Errorf("%q stops the run: %v", k, k.Brake())
		}
	}
	if KindNone.Over() || KindNone.Brake() {
		t.Error("no error ends a turn")
	}
}

// TestEveryPatternHasASample walks the source: no pattern without the text it was made for.
func TestEveryPatternHasASample(t *testing.T) {
	for _, name := range patterns(t) {
		s, ok := samples[name]
		if !ok || len(s.texts) == 0 {
			t.Errorf("%s has no sample", name)
			continue
		}
		for _, text := range s.texts {
			if !s.re.MatchString(text) {
				t.Errorf("%s does not match %q", name, text)
			}
		}
	}
	for _, re := range refusals {
		for _, alternative := range alternatives(re.String()) {
			if !matched(alternative, refusalSamples) {
				t.Errorf("the refusal %q has no sample", alternative)
			}
		}
	}
	for _, row := range errorWords {
		var own []string
		for s, kind := range errorSamples {
			if kind == row.kind {
				own = append(own, s)
			}
		}
		for _, alternative := range alternatives(row.words.String()) {
			if !matched(alternative, own) {
				t.Errorf("%s: %q has no sample", row.kind, alternative)
			}
		}
	}
}

func matched(pattern string, texts []string) bool {
	re := regexp.MustCompile(pattern)
	for _, s := range texts {
		if re.MatchString(s) {
			return true
		}
	}
	return false
}

// alternatives are the parts of a pattern between its outermost bars, each with the pattern's flags.
func alternatives(pattern string) []string {
	flags := ""
	if rest, ok := strings.CutPrefix(pattern, "(?i)"); ok {
		flags, pattern = "(?i)", rest
	}
	var out []string
	depth, from := 0, 0
	for i := range len(pattern) {
		escaped := i > 0 && pattern[i-1] == '\\'
		switch c := pattern[i]; {
		case escaped:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			out, from = append(out, flags+pattern[from:i]), i+1
		}
	}
	return append(out, flags+pattern[from:])
}

// patterns are the names of the variables of this package that hold one pattern.
func patterns(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				v := spec.(*ast.ValueSpec)
				for i, value := range v.Values {
					if call, ok := value.(*ast.CallExpr); ok && callName(call) == "regexp.MustCompile" {
						out = append(out, v.Names[i].Name)
					}
				}
			}
		}
	}
	if len(out) < 20 {
		t.Fatalf("only %d patterns found", len(out))
	}
	return out
}

func callName(call *ast.CallExpr) string {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x, _ := sel.X.(*ast.Ident)
	if x == nil {
		return ""
	}
	return x.Name + "." + sel.Sel.Name
}

// agentEnded is the notification of an agent's end, as the client 2.1.332 writes it.
const agentEnded = "<task-notification>\n<task-id>a096f209e7975d7f4</task-id>\n" +
	"<output-file>/tmp/claude-0/tasks/a096f209e7975d7f4.output</output-file>\n" +
	"<status>completed</status>\n<summary>Agent \"cut work\" finished</summary>\n<result>sub done " +
	"<status>running</status></result>\n</task-notification>"

func TestNotifications(t *testing.T) {
	cut := strings.NewReplacer("completed", "killed", `Agent "cut work" finished`,
		"it didn't finish before the previous session ended").Replace(agentEnded)
	for _, c := range []struct {
		text  string
		ended []bool
	}{
		{"", nil},
		{"yes, <task-notification is a word", nil},
		{agentEnded, []bool{true}},
		{cut, []bool{false}},
		{strings.Replace(agentEnded, "completed", "running", 1) + agentEnded, []bool{false, true}},
	} {
		got := Notifications(c.text)
		if len(got) != len(c.ended) {
			t.Errorf("%q holds %d notifications", c.text, len(got))
			continue
		}
		for i, n := range got {
			if n.Ended != c.ended[i] || n.TaskID != "a096f209e7975d7f4" {
				t.Errorf("%+v", n)
			}
		}
	}
}
