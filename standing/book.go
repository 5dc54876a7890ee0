package standing

import (
	"errors"
	"slices"
	"sync"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/prompts"
	"recovery/queuecheck"
	"recovery/review"
	"recovery/wrap"

	"github.com/sourcegraph/conc/pool"
)

// Source is the account and its record, of which a Book makes the standings.
type Source struct {
	World *inventory.World
	// Inventory is the saved one; nil when none was made yet.
	Inventory *inventory.Inventory
	State     *journal.State
	Rules     *audit.Rules
	// Check works out the queue check of a session now, with its open defects; nil when nobody asks whether it may be
	// woken.
	Check func(f inventory.Facts, defects []journal.DefectData) queuecheck.Result
	// Unrecorded gives the defects of a review that the journal does not hold; nil when nobody looks.
	Unrecorded func(short string, rev *review.Review) []journal.DefectData
}

// Book answers for the sessions of one command. Each session is looked at once, and every part of the command shows
// the same standing. It may be used by several goroutines.
type Book struct {
	Source
	mu    sync.Mutex
	pages map[string]*page
}

// page is one session in the book.
type page struct {
	once     sync.Once
	facts    *inventory.Facts
	standing Standing
	fresh    []journal.DefectData
}

// workers bounds how many transcripts are read at once: they are read from disk, not computed.
const workers = 8

// NewBook makes an empty book.
func NewBook(in Source) *Book { return &Book{Source: in, pages: map[string]*page{}} }

// Of is where a session stands.
func (b *Book) Of(short string) Standing { return b.page(short).standing }

// Facts are those of a session; nil when it has no job.
func (b *Book) Facts(short string) *inventory.Facts { return b.page(short).facts }

// Unrecorded are the defects of a session's review that nobody has read yet.
func (b *Book) FreshDefects(short string) []journal.DefectData { return b.page(short).fresh }

// Prepare looks at several sessions at once.
func (b *Book) Prepare(shorts []string) {
	p := pool.New().WithMaxGoroutines(workers)
	for _, short := range shorts {
		p.Go(func() { b.page(short) })
	}
	p.Wait()
}

func (b *Book) page(short string) *page {
	b.mu.Lock()
	p, ok := b.pages[short]
	if !ok {
		p = &page{}
		b.pages[short] = p
	}
	b.mu.Unlock()
	p.once.Do(func() { b.write(short, p) })
	return p
}

// write looks at one session.
func (b *Book) write(short string, p *page) {
	in := Input{Short: short, Seen: true, Journal: b.State.Sessions[short]}
	if in.Journal == nil {
		in.Journal = &journal.Session{Short: short}
	}
	in.Defects = b.State.DefectsOf(short)
	if b.Inventory != nil {
		in.Page, in.TakenAt = string(b.Inventory.Excluded(short)), b.Inventory.TakenAt
		in.Listed = b.Inventory.Find(short) != nil
	}
	if b.State.DeferredUntil.After(b.World.Now) {
		in.Deferred = b.State.DeferredUntil
	}
	in.Wrap = recordedWrap(in.Journal)
	if job := b.World.Jobs.ByShort[short]; job != nil {
		f := b.World.Facts(job)
		in.Facts, p.facts = &f, &f
		b.read(&in, p)
		if b.Check != nil {
			check := b.Check(f, in.Defects)
			in.Check = &check
		}
		b.wrap(&in)
	}
	p.standing = Of(in)
}

// read gives what the session did since its last prompt.
func (b *Book) read(in *Input, p *page) {
	rev, err := review.Of(b.World, b.Rules, in.Journal)
	var none *review.NotWokenError
	switch {
	case errors.As(err, &none):
		return
	case err != nil:
		in.ReviewErr = err
		in.Review = &review.Review{Unclear: err.Error(), Tools: []review.Tool{}, Defects: []review.Defect{}}
		return
	}
	in.Review = &rev
	if b.Unrecorded == nil {
		return
	}
	p.fresh = b.Unrecorded(in.Short, &rev)
	in.Defects = append(slices.Clone(in.Defects), p.fresh...)
}

// wrap reads the wrap as it stands now. A transcript that cannot be read says nothing of one.
func (b *Book) wrap(in *Input) {
	mark := prompts.WrapMark
	if w := in.Journal.Wrap; w != nil && w.Mark != "" {
		mark = w.Mark
	}
	if now := wrap.Look(b.World.Account, in.Facts.Job, mark); now.Path != "" || now.State == wrap.NotSent {
		in.Wrap = now
	}
}

// recordedWrap is the wrap as the journal last saw it.
func recordedWrap(s *journal.Session) wrap.Status {
	if s.Wrap == nil {
		return wrap.Status{State: wrap.NotSent}
	}
	return wrap.Status{State: wrap.State(s.Wrap.State), ClosingLine: s.Wrap.ClosingLine, Reason: s.Wrap.Reason}
}
