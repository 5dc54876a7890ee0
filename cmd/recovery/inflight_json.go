package main

import (
	"time"

	"recovery/inflight"
	"recovery/internal/sources"
	"recovery/internal/text"
)

// inflightItem is one row of inflight's JSON.
type inflightItem struct {
	Number          int               `json:"number"`
	Short           *string           `json:"short"`
	ID              string            `json:"id"`
	Source          string            `json:"source"`
	Title           string            `json:"title"`
	State           *string           `json:"state"`
	Verdict         sources.Verdict   `json:"verdict"`
	Reason          string            `json:"reason"`
	WaitsFor        *string           `json:"waits_for"`
	AgeSeconds      *int64            `json:"age_seconds"`
	UpdatedAt       *time.Time        `json:"updated_at"`
	Cwd             *string           `json:"cwd"`
	ClaudeSessionID *string           `json:"claude_session_id"`
	Claude          *inflightSession  `json:"claude"`
	Store           string            `json:"store"`
	Details         []sources.Detail  `json:"details"`
	Warnings        []string          `json:"warnings"`
	Commands        []sources.Command `json:"commands"`
	Next            string            `json:"next"`
	FormatInferred  bool              `json:"format_inferred"`
}

type inflightSession struct {
	Short *string `json:"short"`
	Title string  `json:"title"`
	Live  string  `json:"live"`
}

type inflightProblem struct {
	Source string `json:"source"`
	Store  string `json:"store"`
	Cause  string `json:"cause"`
	Next   string `json:"next"`
}

// inflightJSON is the object; first is the number of the first row.
func (x *command) inflightJSON(l *inflight.List, first int) any {
	items := []inflightItem{}
	for i, r := range l.Rows {
		it := inflightItem{
			Number: first + i, Short: known(r.Short()), ID: r.ID, Source: r.Source, Title: r.Title, State: known(r.State),
			Verdict: r.Verdict, Reason: r.Reason,
			WaitsFor: known(r.WaitsFor), Cwd: known(r.Cwd), ClaudeSessionID: known(r.ClaudeSessionID), Store: r.Store,
			Next: r.Next(), FormatInferred: r.FormatInferred,
			Details: append([]sources.Detail{}, r.Details...), Warnings: append([]string{}, r.Warnings...),
			Commands: append([]sources.Command{}, r.Commands...),
		}
		if !r.UpdatedAt.IsZero() {
			at, age := r.UpdatedAt.UTC(), int64(x.now().Sub(r.UpdatedAt)/time.Second)
			it.UpdatedAt, it.AgeSeconds = &at, &age
		}
		if s := r.Claude; s != nil {
			it.Claude = &inflightSession{Short: known(s.Short), Title: s.Title, Live: string(s.Live)}
		}
		items = append(items, it)
	}
	problems := []inflightProblem{}
	for _, p := range l.Problems {
		problems = append(problems, inflightProblem{p.Source, p.Store, p.Cause, p.Next})
	}
	return map[string]any{
		"items": items, "found": l.Found, "left_out": l.LeftOut, "problems": problems, "none": l.None, "looked": l.Looked,
		"warnings": l.Warnings, "as_of": x.now().UTC(),
	}
}

// known is a text, or null for an empty one.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// oneLine is a foreign text on one line.
func oneLine(s string) string { return text.Line(s) }
