package ouroboros

import (
	"strings"

	"github.com/tidwall/gjson"
)

const (
	// countBudget bounds how many events are walked for the counts of criteria alone once the status is known.
	countBudget = 2000
	// wholeBudget is how many events are looked at one by one before those without a status are left to SQLite to skip.
	wholeBudget = 1000
)

// status is what replaying a session's events gives.
type status struct {
	state string // running, paused, completed, failed, cancelled
	// pause is the pause that still holds; row 0 when none does.
	pause event
	// done and total are the last known counts of acceptance criteria, -1 when none is known.
	done, total int
	// unknown is a runtime status newer than the one that counts, which Ouroboros does not know either.
	unknown string
	// bad are sentences about events that could not be read.
	bad []string
}

// word is the status that an event gives to its session, empty for none. A lifecycle event's type is enough. runtime
// is what a progress event says of its runtime in its own words.
func word(kind string, payload gjson.Result) (state, runtime string) {
	if state, ok := states[kind]; ok {
		return state, ""
	}
	for _, path := range []string{"progress.runtime_status", "runtime_status"} {
		s := strings.ToLower(strings.TrimSpace(whole(payload, path)))
		switch s {
		case "":
		case "running", "paused", "completed", "failed", "cancelled":
			return s, s
		default:
			return "", s
		}
	}
	return "", ""
}

// states are what a lifecycle event makes of its session.
var states = map[string]string{started: "running", paused: "paused", completed: "completed", failed: "failed",
	cancelled: "cancelled"}

func lifecycle(kind string) bool {
	return kind != progressUpdated && kind != workflowProgress
}

func terminal(state string) bool {
	return state == "completed" || state == "failed" || state == "cancelled"
}

// counts reads how many criteria are done of how many; -1 for what is not said.
func counts(payload gjson.Result) (done, total int) {
	get := func(name string) int {
		for _, path := range []string{name, "progress." + name} {
			if n := payload.Get(path); n.Type == gjson.Number && n.Num >= 0 && n.Num < 1e9 {
				return int(n.Num)
			}
		}
		return -1
	}
	return get("completed_count"), get("total_count")
}

// replayer folds events from the newest back to the oldest. Forwards, Ouroboros takes each status over from the one
// before; a "running" forgets a pause, and a terminal lifecycle event (which the caller looks for first) is final.
// Backwards that is: the newest status counts, and the pause that holds is the newest paused event with no "running"
// after it.
type replayer struct {
	status
	known   bool // the newest status is found
	settled bool // so is whether a pause holds
	after   int  // events walked since
}

// add takes one more event, older than those before; true when nothing older can change the answer.
func (r *replayer) add(e event, payload gjson.Result, bad string) bool {
	if bad != "" && len(r.bad) < 3 {
		r.bad = append(r.bad, "the event "+e.kind+" of "+e.when+" "+bad)
	}
	state, runtime := word(e.kind, payload)
	if state == "" && runtime != "" && !r.known && r.unknown == "" {
		r.unknown = runtime
	}
	if state != "" && !r.known {
		r.state, r.known = state, true
	}
	if state != "" && !r.settled {
		if e.kind == paused {
			r.pause = e
		}
		r.settled = state == "running" || lifecycle(e.kind)
	}
	if payload.IsObject() {
		done, total := counts(payload)
		if r.done < 0 {
			r.done = done
		}
		if r.total < 0 {
			r.total = total
		}
	}
	if r.settled {
		r.after++
	}
	return r.settled && (r.done >= 0 && r.total >= 0 || r.after > countBudget)
}

// result gives the answer once the events are through.
func (r *replayer) result() status {
	s := r.status
	if !r.known {
		s.state = "running"
	}
	// One worker's "completed" in the shared log is not the session's while criteria are open.
	if s.pause.row == 0 && terminal(s.state) && s.total > 0 && s.done >= 0 && s.done < s.total {
		s.state = "running"
	}
	return s
}

// replay works out the status of a session without a terminal lifecycle event.
func (v *view) replay(key any, execution string, start event) (status, error) {
	r := replayer{status: status{done: -1, total: -1}}
	h := v.history(key, execution, start)
	for i := 0; ; i++ {
		if i == wholeBudget {
			h.narrow(true)
		}
		if i > wholeBudget && r.done >= 0 && r.total >= 0 {
			h.narrow(false)
		}
		e, ok, err := h.next()
		if err != nil {
			return status{}, err
		}
		if !ok {
			return r.result(), nil
		}
		var payload gjson.Result
		bad := ""
		if !lifecycle(e.kind) {
			if payload, bad, err = v.payload(e.row); err != nil {
				return status{}, err
			}
		}
		if r.add(e, payload, bad) {
			return r.result(), nil
		}
	}
}
