package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recovery/internal/text"
)

// maxMoments is the most that is drawn and listed of one story: the first ones and the last ones.
const maxMoments = 60

// storyView is a session's life, drawn as one line and told as a list.
type storyView struct {
	ID, Title string
	Label     string
	Now       *keyView
	Key       []keyView
	Spans     []span
	Marks     []mark
	Moments   []momentView
	LeftOut   int
	Moved     bool
}

// keyView explains a mark under the line.
type keyView struct{ Kind, Word, ISO, At string }

// span is a stretch of the line: what went on there. Its places are percents of the drawing.
type span struct{ Class, X1, X2, Text string }

// mark is a moment on the line.
type mark struct{ Kind, X, Text string }

// momentView is a moment of the list, with what went on from it to the next one.
type momentView struct {
	Kind, Word, Text string
	At               *instant
	Then             string
}

// momentWords are the kinds of moments as a person reads them.
var momentWords = map[string]string{MomentCreated: "Made", MomentActive: "Last active", MomentEnded: "Went offline",
	MomentWoken: "Woken", MomentReviewed: "Reviewed", MomentWrapped: "Wrapped"}

// after says what a session is doing from a moment of a kind on, up to one of the next kind: active, idle or offline.
// One that was made and is not known to have had a turn did nothing.
func after(kind, next string) string {
	switch {
	case kind == MomentCreated && next == MomentActive, kind == MomentWoken:
		return "active"
	case kind == MomentEnded:
		return "offline"
	}
	return "idle"
}

func kindAt(list []Moment, i int) string {
	if i < len(list) {
		return list[i].Kind
	}
	return ""
}

// The line's ends keep a mark's width free, and marks stand at least minGap percent apart, so that none hides another.
const (
	lineFrom, lineTo = 3.0, 97.0
	minGap           = 4.6
	shortTime        = "2 Jan, 15:04"
	// maxKey is the most marks that are explained right under the line: with more, the list is easier to read.
	maxKey = 12
)

// storyOf draws a story over the session's own life: from its first moment to its last, or to the report when that is
// later.
func storyOf(id string, story []Moment, asOf time.Time) *storyView {
	if len(story) == 0 {
		return nil
	}
	v := &storyView{ID: id, Title: "Story: " + text.Plural(len(story), "moment")}
	moments := slices.Clone(story)
	slices.SortStableFunc(moments, func(a, b Moment) int { return a.At.Compare(b.At) })
	if n := len(moments) - maxMoments; n > 0 {
		v.LeftOut = n
		moments = append(moments[:maxMoments/2:maxMoments/2], moments[len(moments)-maxMoments/2:]...)
	}
	var dated []Moment
	for _, m := range moments {
		if !m.At.IsZero() {
			dated = append(dated, m)
		}
	}
	v.draw(dated, asOf)
	for i, m := range moments {
		mv := momentView{Kind: kindOf(m.Kind), Word: word(m.Kind), Text: text.Clip(m.Text, maxLine),
			At: instantOf(m.At, asOf)}
		if mv.At != nil {
			words := after(m.Kind, kindAt(moments, i+1))
			switch {
			case i+1 < len(moments):
				mv.Then = words + " for " + text.AgeInWords(moments[i+1].At.Sub(m.At))
			case asOf.Sub(m.At) >= time.Minute:
				mv.Then = words + " for " + text.AgeInWords(asOf.Sub(m.At)) + ", up to this report"
			}
		}
		v.Moments = append(v.Moments, mv)
	}
	return v
}

// draw places the marks and stretches of the line.
func (v *storyView) draw(dated []Moment, asOf time.Time) {
	if len(dated) == 0 {
		return
	}
	first, last := dated[0].At, dated[len(dated)-1].At
	times := make([]time.Time, len(dated), len(dated)+1)
	for i, m := range dated {
		times[i] = m.At
	}
	if asOf.After(last) {
		last, times = asOf, append(times, asOf)
		v.Now = &keyView{"now", "This report", asOf.UTC().Format(time.RFC3339), asOf.UTC().Format(shortTime)}
	}
	at := make([]float64, len(times))
	whole := last.Sub(first).Seconds()
	for i, t := range times {
		at[i] = lineFrom
		if whole > 0 {
			at[i] += (lineTo - lineFrom) * t.Sub(first).Seconds() / whole
		}
	}
	placed := spread(at)
	v.Moved = !slices.Equal(at, placed)
	var said []string
	for i, m := range dated {
		to, until := lineTo, last
		if i+1 < len(times) {
			to, until = placed[i+1], times[i+1]
		}
		class := after(m.Kind, kindAt(dated, i+1))
		words := class + " for " + text.AgeInWords(until.Sub(m.At))
		if to > placed[i] && whole > 0 {
			v.Spans = append(v.Spans, span{class, percent(placed[i]), percent(to), words})
		}
		when := instantOf(m.At, asOf)
		v.Marks = append(v.Marks, mark{kindOf(m.Kind), percent(placed[i]), word(m.Kind) + ", " + when.Words})
		v.Key = append(v.Key, keyView{kindOf(m.Kind), word(m.Kind), when.ISO, m.At.UTC().Format(shortTime)})
		said = append(said, strings.ToLower(word(m.Kind))+" "+when.Words)
	}
	if len(v.Key) > maxKey {
		v.Key = nil
	}
	v.Label = "Line of time: " + strings.Join(said, "; ") + "."
}

// spread moves places apart where they would hide each other, and keeps their order.
func spread(at []float64) []float64 {
	out := slices.Clone(at)
	gap := minGap
	if n := len(out) - 1; n > 0 && float64(n)*gap > lineTo-lineFrom {
		gap = (lineTo - lineFrom) / float64(n)
	}
	for i := 1; i < len(out); i++ {
		out[i] = max(out[i], out[i-1]+gap)
	}
	for i, limit := len(out)-1, lineTo; i >= 0; i, limit = i-1, limit-gap {
		out[i] = min(out[i], limit)
	}
	return out
}

// kindOf is a kind that the page has a sign for.
func kindOf(kind string) string {
	if _, ok := momentWords[kind]; ok {
		return kind
	}
	return "other"
}

func word(kind string) string {
	if w, ok := momentWords[kind]; ok {
		return w
	}
	return cmp.Or(text.Clip(kind, 40), "Seen")
}
