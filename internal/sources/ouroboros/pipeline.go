package ouroboros

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// pipelines reads the automatic pipelines of a folder, data/auto_<hex>.json, and counts those that are finished. They
// are in no event, so Ouroboros' own list does not have them.
func pipelines(f *sources.Found, p place, all bool) (finished map[string]int) {
	finished = map[string]int{}
	if p.own == "" {
		return finished
	}
	dir := filepath.Join(p.own, "data")
	info, err := os.Stat(dir)
	if files.Absent(err) || err == nil && !info.IsDir() {
		return finished
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		c := cause(err, dir)
		f.Fail(Name, dir, "its folder of pipelines (data) cannot be listed: "+c.cause, c.next)
		return finished
	}
	for _, e := range entries {
		id, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON || !strings.HasPrefix(id, "auto_") {
			continue
		}
		r := pipelineRow(filepath.Join(dir, e.Name()), id)
		if r.Verdict == sources.Done {
			finished["pipeline "+r.State]++
			if !all {
				continue
			}
		}
		f.Rows = append(f.Rows, r)
	}
	return finished
}

const pipelineKind = "automatic pipeline"

// phases are those of a pipeline that goes on.
var phases = []string{"created", "interview", "seed_generation", "review", "repair", "run", "ralph_handoff", "evaluate",
	"unstuck_lateral"}

// badPipeline says why a pipeline's file cannot be read; empty when it can.
func badPipeline(data []byte, err error) string {
	kind, odd := errors.AsType[files.KindError](err)
	switch {
	case odd:
		return "it is " + kind.Kind + ", not a file"
	case err != nil:
		return "it cannot be read: " + reason(err)
	case !gjson.ValidBytes(data):
		return "it is not JSON: its writer was cut short, or it is damaged"
	case !gjson.ParseBytes(data).IsObject():
		return "it is no JSON object"
	}
	return ""
}

func pipelineRow(file, id string) sources.Row {
	r := sources.NewRow(Name, id, file)
	r.Add("kind", pipelineKind)
	r.Look(command("ouroboros", "auto", "--status", "--resume", id), "prints where the pipeline is; changes nothing")
	r.UpdatedAt = files.Modified(file)
	data, err := files.ReadSmall(file, biggestFile)
	if bad := badPipeline(data, err); bad != "" {
		r.Verdict, r.Reason = sources.Unreadable, bad
		return r
	}
	p := gjson.ParseBytes(data)
	r.Title, r.State = str(p, "goal"), cmp.Or(str(p, "phase"), "unknown")
	r.Add("session", str(p, "auto_session_id"))
	r.Add("progress", str(p, "last_progress_message"))
	r.Add("error", str(p, "last_error"))
	if slices.Contains([]string{"complete", "blocked", "failed"}, r.State) {
		r.Verdict, r.Reason = sources.Done, "its phase "+r.State+" is final"
		return r
	}
	if !slices.Contains(phases, r.State) {
		r.Warn("its phase is none that is known, so it counts as unfinished")
	}
	resume := command("ouroboros", "auto", "--resume", id)
	r.Verdict = sources.Person
	if q := strings.TrimSpace(str(p, "pending_question")); q != "" {
		r.WaitsFor, r.Reason = "a person's answer: "+q, "it waits for the answer to its question"
		r.Act(resume, "asks the question again and continues with the answer")
	} else {
		r.Reason = "nothing records whether its process still runs: look before it is continued"
		r.Act(resume, "continues the pipeline; look first, since nothing records whether its process still runs")
	}
	return r
}
