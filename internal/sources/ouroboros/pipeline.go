package ouroboros

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"recovery/internal/sources"
)

// pipelines reads the automatic pipelines of a folder: data/auto_<hex>.json. They are in no event, so Ouroboros' own
// list does not have them. problem is set when the folder is there and cannot be read.
func pipelines(p place, all bool) (rows []sources.Row, finished map[string]int, problem *causeError) {
	finished = map[string]int{}
	if p.own == "" {
		return nil, finished, nil
	}
	dir := filepath.Join(p.own, "data")
	info, err := os.Stat(dir)
	if err != nil && missing(err) || err == nil && !info.IsDir() {
		return nil, finished, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		c := cause(err, dir)
		return nil, finished, &causeError{"its folder of pipelines (data) cannot be listed: " + c.cause, c.next}
	}
	for _, e := range entries {
		id, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON || !strings.HasPrefix(id, "auto_") {
			continue
		}
		r, state := pipelineRow(filepath.Join(dir, e.Name()), id)
		if r.Verdict == sources.Done {
			finished["pipeline "+state]++
			if !all {
				continue
			}
		}
		rows = append(rows, r)
	}
	return rows, finished, nil
}

const pipelineKind = "automatic pipeline"

func pipelineRow(file, id string) (r sources.Row, phase string) {
	r = sources.Row{Source: Name, ID: id, Store: file, Details: []sources.Detail{{Name: "kind", Text: pipelineKind}},
		Warnings: []string{}}
	look := command("ouroboros", "auto", "--status", "--resume", id)
	r.Commands = []sources.Command{{Command: look, Effect: "prints where the pipeline is; changes nothing"}}
	info, err := os.Stat(file)
	if err == nil {
		r.UpdatedAt = info.ModTime().UTC()
	}
	data, err := readSmall(file, biggestFile)
	bad := ""
	var kind kindError
	switch {
	case errors.As(err, &kind):
		bad = "it is " + kind.kind + ", not a file"
	case err != nil:
		bad = "it cannot be read: " + reason(err)
	case !gjson.ValidBytes(data):
		bad = "it is not JSON: its writer was cut short, or it is damaged"
	case !gjson.ParseBytes(data).IsObject():
		bad = "it is no JSON object"
	}
	if bad != "" {
		r.Verdict, r.Reason = sources.Unreadable, bad
		return r, ""
	}
	p := gjson.ParseBytes(data)
	r.Title, r.State = str(p, "goal"), cmp.Or(str(p, "phase"), "unknown")
	for _, d := range []struct{ name, path string }{{"session", "auto_session_id"}, {"progress", "last_progress_message"},
		{"error", "last_error"}} {
		if t := str(p, d.path); t != "" {
			r.Details = append(r.Details, sources.Detail{Name: d.name, Text: t})
		}
	}
	switch r.State {
	case "complete", "blocked", "failed":
		r.Verdict, r.Reason = sources.Done, "its phase "+r.State+" is final"
		return r, r.State
	case "created", "interview", "seed_generation", "review", "repair", "run", "ralph_handoff", "evaluate",
		"unstuck_lateral":
	default:
		r.Warnings = append(r.Warnings, "its phase is none that is known, so it counts as unfinished")
	}
	resume := sources.Command{Command: command("ouroboros", "auto", "--resume", id),
		Effect: "continues the pipeline; look first, since nothing records whether its process still runs", Acts: true}
	if q := strings.TrimSpace(str(p, "pending_question")); q != "" {
		r.WaitsFor, r.Verdict, r.Reason = "a person's answer: "+q, sources.Person, "it waits for the answer to its question"
		resume.Effect = "asks the question again and continues with the answer"
	} else {
		r.Verdict, r.Reason = sources.Person, "nothing records whether its process still runs: look before it is continued"
	}
	r.Commands = append(r.Commands, resume)
	return r, r.State
}
