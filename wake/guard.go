package wake

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/message"
	"recovery/prompts"
	"recovery/queuecheck"
)

// ready is a session that every guard let pass, with what will be sent.
type ready struct {
	world    *inventory.World
	facts    inventory.Facts
	job      *account.Job
	state    *journal.Session
	all      *journal.State
	plan     *message.Plan // of all owners; nil for a review
	verdict  queuecheck.Result
	promptID string
	kind     string
	prompt   string
	expected string
	cwd      string
	jobs     map[string]bool // the shorts that there were before the call
}

// refusal is why a session is not woken, and what to type next.
type refusal struct {
	outcome Outcome
	saved   bool
	reason  string
	next    string
}

func refuse(next, format string, args ...any) *refusal {
	return &refusal{outcome: Refused, reason: fmt.Sprintf(format, args...), next: next}
}

// guard works out everything anew that could forbid to wake a session. It sends nothing and writes nothing.
func (r *Run) guard(ctx context.Context, short string) (*ready, *refusal) {
	w, err := inventory.SeeTwice(r.See, func(d time.Duration) { r.Clock.Sleep(ctx, d) }, short)
	if err != nil {
		return nil, refuse(r.retype(short), "the account cannot be read: %v", err)
	}
	events, err := r.Journal.Read()
	if err != nil {
		return nil, refuse("recovery status", "%v", err)
	}
	job := w.Jobs.ByShort[short]
	if job == nil {
		return nil, refuse("recovery inventory", "its job is gone")
	}
	if r.Inventory, err = r.Reload(); err != nil {
		return nil, refuse("recovery inventory", "%v", err)
	}
	g := &ready{world: w, job: job, all: journal.Replay(events), jobs: map[string]bool{}}
	g.state = g.all.Session(short)
	for s := range w.Jobs.ByShort {
		g.jobs[s] = true
	}
	if why := r.Inventory.Excluded(short); why != "" {
		return nil, refuse("", "the saved page shows it %s; message it in its thread, or save the page again and run `recovery inventory`", why)
	}
	g.facts = w.Facts(job)
	if saved := g.state.SavedPrompt(); saved != "" && job.QueuedPrompt == saved && !r.Options.Nudge {
		return g, &refusal{outcome: Saved, saved: true, reason: "its review is saved in it for the next start; a second one is not sent",
			next: "recovery resume --nudge " + short}
	}
	if ref := r.checkQueue(g); ref != nil {
		return g, ref
	}
	if ref := r.twice(g); ref != nil {
		return g, ref
	}
	if ref := r.folder(g); ref != nil {
		return g, ref
	}
	if !r.versionDone && !r.Options.DryRun {
		// Asking the client takes time: everything is looked at once more behind it.
		r.askVersion(ctx)
		return r.guard(ctx, short)
	}
	if ref := r.machine(g); ref != nil {
		return g, ref
	}
	return g, r.write(g)
}

// checkQueue is invariants 1 and 2: not live, and passed or confirmed, as the account is now.
func (r *Run) checkQueue(g *ready) *refusal {
	events, err := r.Events(g.job.Short)
	g.verdict = Verdict(r.Account, g.world, g.facts, r.Inventory, events, err, g.state, r.Self, r.Options.MaxAge)
	switch g.verdict.Verdict {
	case queuecheck.Pass, queuecheck.Confirmed:
		return nil
	case queuecheck.Check:
		return refuse("recovery queue-check --confirm "+g.job.Short, "queue check: %s", reasons(g.verdict))
	}
	next := "recovery queue-check " + g.job.Short
	if link := g.job.Link(); link != "" {
		next = "read its thread at " + link + ", then: " + next
	}
	return refuse(next, "blocked: %s", reasons(g.verdict))
}

// Verdict is the queue check of one session as a run needs it: from the account as w shows it and the saved evidence. Saved
// events that cannot be read (eventsErr) are no reason to believe that nothing waits.
func Verdict(a *account.Account, w *inventory.World, f inventory.Facts, inv *inventory.Inventory, events *remote.Events, eventsErr error, s *journal.Session, self queuecheck.Self, maxAge time.Duration) queuecheck.Result {
	in := queuecheck.Input{
		Facts: f, Hazards: w.Hazards(f.Job), Log: w.Log, Evidence: queuecheck.Gather(a, f, events), Events: events,
		Journal: s, Self: self, Now: w.Now, MaxAge: maxAge,
	}
	if eventsErr != nil {
		in.Evidence.Err = eventsErr
	}
	if it := inv.Find(f.Job.Short); it != nil {
		in.Remote = it.Remote
	}
	return queuecheck.Of(in)
}

func reasons(v queuecheck.Result) string {
	parts := make([]string, len(v.Reasons))
	for i, r := range v.Reasons {
		parts[i] = r.Text
	}
	return strings.Join(parts, "; ")
}

// twice is invariant 3: a session that holds a review, by the journal or by its own transcript, gets no second one unless
// a person wrote in it since, or the user says --again.
func (r *Run) twice(g *ready) *refusal {
	short := g.job.Short
	saved := g.state.SavedPrompt()
	own := g.job.Queued && saved != "" && g.job.QueuedPrompt == saved
	switch {
	case !own && r.Options.Nudge:
		return refuse(r.retype(short), "no prompt of recovery's is saved in it, so there is nothing to nudge")
	case own:
		return nil
	}
	if g.state.OpenWake() != nil {
		return refuse("recovery read "+short, "an earlier prompt is not settled yet")
	}
	if r.Options.Prep {
		return r.mayPlan(g)
	}
	if r.Options.Again {
		return nil
	}
	if g.verdict.SentAt < 0 && g.state.LastSent() == nil {
		return nil
	}
	from := g.verdict.SentAt
	if last := g.state.LastSent(); last != nil && from < 0 {
		from = last.Size
	}
	if g.verdict.LastPerson > from {
		return nil
	}
	why := "a review was sent to it already"
	if last := g.state.LastSent(); last != nil {
		why = fmt.Sprintf("a %s was sent to it at %s (%s)", last.Kind, last.At.UTC().Format(time.RFC3339), outcomeOf(last))
	}
	return refuse("recovery read "+short, "%s and no person wrote in it since; a second one needs --again", why)
}

func outcomeOf(w *journal.Wake) string {
	if w.Result == nil {
		return "not settled"
	}
	return w.Result.Outcome
}

// folder finds where the client is run, and whether it will start there without asking.
func (r *Run) folder(g *ready) *refusal {
	short := g.job.Short
	g.cwd = g.job.Cwd
	if g.cwd == "" {
		g.cwd = r.Options.DefaultCwd
	}
	if g.cwd == "" {
		g.cwd = r.Account.Home
	}
	if !filepath.IsAbs(g.cwd) {
		return refuse(r.retype("--default-cwd DIR "+short), "its folder %q is no absolute path", text.Line(g.cwd))
	}
	info, err := r.Account.Stat(g.cwd)
	if err != nil || !info.IsDir() {
		return &refusal{outcome: MissingCwd, reason: fmt.Sprintf("its folder is gone: %s; nothing was sent", text.Line(g.cwd)), next: "make the folder again, then: " + r.retype(short)}
	}
	trust := r.Account.Trust(g.cwd)
	if trust.Accepted {
		return nil
	}
	why := fmt.Sprintf("the folder %s is not trusted", text.Line(trust.Key))
	if trust.Problem != "" {
		why += " (" + trust.Problem + ")"
	}
	next := "recovery trust " + short + ", then: " + r.retype(short)
	if r.Options.Nudge {
		next = "recovery trust " + short + ", then: recovery resume --nudge " + short
	}
	return &refusal{outcome: Untrusted, reason: why + "; nothing was sent", next: next}
}

// askVersion asks the client for its version, once a run.
func (r *Run) askVersion(ctx context.Context) {
	r.versionDone = true
	said := r.Client(ctx, Call{Args: []string{"--version"}, Dir: r.Account.Dir, Env: claude.CleanEnv(r.Environ)})
	if said.Err != nil {
		r.versionErr = said.Err
		return
	}
	_, r.versionErr = claude.CheckVersion("client", claude.StripANSI(said.Stdout))
}

// machine checks the client's and the supervisor's version, and the memory.
func (r *Run) machine(g *ready) *refusal {
	short := g.job.Short
	if r.versionErr != nil {
		return refuse("claude --version", "%v", r.versionErr)
	}
	if up, version := g.world.SupervisorVersion(); up {
		if _, err := claude.CheckVersion("supervisor", version); err != nil {
			return refuse("claude daemon stop, then: "+r.retype(short), "%v", err)
		}
	}
	free, err := r.Memory()
	if err != nil {
		return refuse(r.retype(short), "%v", err)
	}
	if free-memoryReserve < perSession {
		return refuse("free some memory, then: "+r.retype(short), "only %d MiB of memory are available; a session takes about %d MiB and %d MiB stay free",
			free>>20, perSession>>20, memoryReserve>>20)
	}
	if g.facts.Bytes > bigTranscript {
		r.Tell("%s: its transcript has %d MiB; loading it can take several times that much memory", short, g.facts.Bytes>>20)
	}
	return nil
}

// write renders what will be sent. The final text is what the approval check sees (invariant 5).
func (r *Run) write(g *ready) *refusal {
	short := g.job.Short
	g.promptID = r.NewID()
	var err error
	switch {
	case r.Options.Nudge:
		n := prompts.Nudge{Short: short, PromptID: g.promptID}
		g.kind = journal.KindNudge
		if prompts.IsPrep(g.job.QueuedPrompt) {
			g.kind, n.Of = journal.KindPrepNudge, prompts.PrepMarker
		}
		g.prompt, err = prompts.RenderNudge(n)
		g.expected = g.job.QueuedPrompt + "\n\n" + g.prompt
	case r.Options.Prep:
		g.kind = journal.KindPrep
		g.prompt, err = r.planText(g)
		g.expected = g.prompt
	default:
		g.kind = journal.KindReview
		p := prompts.Review{Short: short, PromptID: g.promptID, Casualty: g.verdict.Casualty}
		p.DuplicateOf, p.OwnerOpen = r.duplicate(g)
		if d, ok := r.Options.Dupes[short]; ok {
			p.DuplicateText, p.OwnerOpen = d.Text, nil
		}
		g.prompt, err = prompts.RenderReview(p)
		g.expected = g.prompt
	}
	if err != nil {
		return refuse("correct the text, then: "+r.retype(short), "%v", err)
	}
	return nil
}
