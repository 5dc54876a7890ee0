package babysitter

import (
	"strings"

	"recovery/internal/sources"
)

// minSecret is how long a text must be to be looked for: a completion proof has 32 characters.
const minSecret = 8

// hide takes the completion proof, a secret that the orchestrator checks, out of everything that was read, before any
// text is shortened: half a secret is one as well.
func (r *run) hide() {
	var pairs []string
	for _, s := range r.journal.secrets {
		if len(s) >= minSecret {
			pairs = append(pairs, s, "[withheld]")
		}
	}
	r.cut = strings.NewReplacer(pairs...).Replace
	if pairs == nil {
		return
	}
	j := r.journal
	for _, s := range []*string{&r.id, &r.process, &r.prompt, &r.harness, &r.sdk, &r.cwd, &r.parent, &r.revision,
		&r.layout, &j.errorName, &j.errorText,
		&j.taskError, &j.haltReason, &j.sealReason, &j.sessionID, &j.lastKind} {
		*s = r.cut(*s)
	}
	for _, e := range j.effects {
		e.kind, e.label = r.cut(e.kind), r.cut(e.label)
	}
	for i := range j.damages {
		j.damages[i] = r.cut(j.damages[i])
	}
}

// withhold is the same for a finished row, whatever its texts were made from.
func withhold(row *sources.Row, cut func(string) string) {
	for _, s := range []*string{&row.ID, &row.Title, &row.Reason, &row.WaitsFor, &row.Cwd, &row.ClaudeSessionID} {
		*s = cut(*s)
	}
	for i := range row.Details {
		row.Details[i].Text = cut(row.Details[i].Text)
	}
	for i := range row.Warnings {
		row.Warnings[i] = cut(row.Warnings[i])
	}
	for i := range row.Commands {
		row.Commands[i].Command, row.Commands[i].Effect = cut(row.Commands[i].Command), cut(row.Commands[i].Effect)
	}
}
