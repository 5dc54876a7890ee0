package wake

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/message"
	"recovery/prompts"
	"recovery/queuecheck"
	"recovery/review"
	"recovery/standing"
)

// ready is a session that every guard let pass, with what will be sent.
type ready struct {
	world    *inventory.World
	facts    inventory.Facts
	job      *account.Job
	state    *journal.Session
	all      *journal.State
	events   []journal.Event
	plan     *message.Plan // of all owners; nil for a review
	verdict  queuecheck.Result
	subject  standing.Subject
	promptID string
	kind     string
	prompt   string
	expected string
	cwd      string
	jobs     map[string]bool // the shorts that there were before the call
}

// refusal is why a session is not woken, and what to type next.
type refusal struct {
	outcome journal.Outcome
	saved   bool
	reason  string
	next    standing.Next
}

func refuse(next standing.Next, format string, args ...any) *refusal {
	return &refusal{outcome: journal.Refused, reason: fmt.Sprintf(format, args...), next: next}
}

// guard works out everything anew that could forbid to wake a session. It sends nothing and writes nothing.
func (r *Run) guard(ctx context.Context, short string) (*ready, *refusal) {
	w, err := inventory.SeeTwice(r.See, func(d time.Duration) { r.Clock.Sleep(ctx, d) }, short)
	if err != nil {
		return nil, refuse(r.rerun(short), "the account cannot be read: %v", err)
	}
	events, err := r.Journal.Read()
	if err != nil {
		return nil, refuse(standing.Run("status"), "%v", err)
	}
	job := w.Jobs.ByShort[short]
	if job == nil {
		return nil, refuse(standing.Run("inventory"), "its job is gone")
	}
	if r.Inventory, err = r.Reload(); err != nil {
		return nil, refuse(standing.Run("inventory"), "%v", err)
	}
	g := &ready{world: w, job: job, all: journal.Replay(events), events: events, jobs: map[string]bool{}}
	g.state = g.all.Session(short)
	for s := range w.Jobs.ByShort {
		g.jobs[s] = true
	}
	w.Know(r.Inventory)
	g.facts = w.Facts(job)
	if ref := r.allowed(g); ref != nil {
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

// allowed obeys the queue check, which holds every reason not to wake this session as the account is now (invariants
// 1, 2, 3, 12 and 13). What this run itself did, and what a prep or a nudge needs, come behind it.
func (r *Run) allowed(g *ready) *refusal {
	short := g.job.Short
	saved := g.state.SavedPrompt()
	own := saved != "" && g.job.QueuedPrompt == saved
	events, err := r.Events(short)
	s := queuecheck.Subject{Account: r.Account, World: g.world, Facts: g.facts, Inventory: r.Inventory, Events: events,
		EventsErr: err, Journal: g.state,
		Defects: r.defects(g), Self: r.Self, MaxAge: r.Options.MaxAge, DefaultCwd: r.Options.DefaultCwd,
		Again: r.Options.Again, Named: r.Options.Named}
	switch {
	case r.Options.Nudge:
		s.Prompt = queuecheck.Nudge
	case r.Options.Prep:
		s.Prompt = queuecheck.Prep
	}
	g.verdict = queuecheck.Now(s)
	g.cwd = g.verdict.Folder
	g.subject = standing.Subject{Short: short, Link: g.facts.Link(), Folder: g.cwd, Wake: r.wakeArgs(short)}
	if len(s.Defects) > 0 {
		g.subject.Defect = &s.Defects[0]
	}
	if g.job.Cwd == "" {
		g.subject.DefaultCwd = r.Options.DefaultCwd
	}
	if own && !r.Options.Nudge && g.verdict.Verdict != queuecheck.Blocked {
		return &refusal{outcome: journal.Saved, saved: true, reason: "its review is saved in it for the next start; a " +
			"second one is not sent",
			next: standing.Run("resume", "--nudge", short)}
	}
	switch g.verdict.Verdict {
	case queuecheck.Pass, queuecheck.Confirmed:
	case queuecheck.Check:
		return &refusal{outcome: journal.Refused, reason: "queue check: " + said(g.verdict),
			next: standing.ForResult(g.verdict, g.subject)}
	default:
		return &refusal{outcome: outcomeOf(g), saved: own, reason: "blocked: " + said(g.verdict) + "; nothing was sent",
			next: standing.ForResult(g.verdict, g.subject)}
	}
	if r.Options.Nudge && !own {
		return &refusal{outcome: journal.Refused, reason: "no prompt of recovery's is saved in it, so there is nothing to " +
			"nudge", next: standing.Run(r.wakeArgs(short)...)}
	}
	if other := r.taken(g); other != "" {
		return &refusal{outcome: journal.Refused, reason: fmt.Sprintf("session %s has its thread or its conversation and "+
			"is woken in this run: two of them awake take each other's messages", other),
			next: standing.Run("read", other)}
	}
	if r.Options.Prep {
		return r.mayPlan(g)
	}
	return nil
}

// defects are those of the session that nobody closed: on record, and in a review that nobody has read yet.
func (r *Run) defects(g *ready) []journal.DefectData {
	open := g.all.DefectsOf(g.job.Short)
	if rev, err := review.Of(g.world, r.Rules, g.state); err == nil {
		open = append(open, review.Unrecorded(g.events, g.job.Short, &rev)...)
	}
	return open
}

// outcomeOf is the outcome of a session that the queue check blocks: two of its reasons have one of their own, where
// nothing else blocks.
func outcomeOf(g *ready) journal.Outcome {
	only := ""
	if len(g.verdict.Blocked) == 1 {
		only = g.verdict.Blocked[0]
	}
	switch {
	case only == "untrusted":
		return journal.Untrusted
	case only == "folder-gone" && g.job.Cwd == "":
		return journal.MissingCwd
	}
	return journal.Refused
}

// taken is the session of the same thread or conversation that this run has begun already; empty when there is none.
func (r *Run) taken(g *ready) string {
	for _, other := range g.verdict.SharedWith {
		if r.woken[other] {
			return other
		}
	}
	return ""
}

// said are the reasons of a verdict, in words.
func said(v queuecheck.Result) string {
	parts := make([]string, len(v.Reasons))
	for i, r := range v.Reasons {
		parts[i] = r.Text
	}
	return strings.Join(parts, "; ")
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
		return refuse(standing.Do("look at claude --version, and update the client").Then(r.wakeArgs(short)...), "%v",
			r.versionErr)
	}
	if up, version := g.world.SupervisorVersion(); up {
		if _, err := claude.CheckVersion("supervisor", version); err != nil {
			return refuse(standing.Do("claude daemon stop").Then(r.wakeArgs(short)...), "%v", err)
		}
	}
	free, err := r.Memory()
	if err != nil {
		return refuse(r.rerun(short), "%v", err)
	}
	if free-memoryReserve < perSession {
		return refuse(standing.Do("free some memory").Then(r.wakeArgs(short)...),
			"only %d MiB of memory are available; a session takes about %d MiB and %d MiB stay free",
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
		p := prompts.Review{Short: short, Known: g.job.OtherIDs(), PromptID: g.promptID, Casualty: g.verdict.Casualty}
		p.DuplicateOf, p.OwnerOpen = r.duplicate(g)
		if d, ok := r.Options.Dupes[short]; ok {
			p.DuplicateText, p.OwnerOpen = d.Text, nil
		}
		g.prompt, err = prompts.RenderReview(p)
		g.expected = g.prompt
	}
	if err != nil {
		return refuse(standing.Do("correct the text").Then(r.wakeArgs(short)...), "%v", err)
	}
	return nil
}
