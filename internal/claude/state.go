package claude

// Values of state in a job's state file that decide. It is not liveness, and other values come.
const (
	StateStarting = "starting"
	StateWorking  = "working"
	StateRunning  = "running"
	StateResuming = "resuming"
	StateBlocked  = "blocked"
	StateDone     = "done"
	StateFailed   = "failed"
	StateStopped  = "stopped"
	StateCrashed  = "crashed"
)

// Terminal says whether the supervisor starts no lost worker again in this state, as the client 2.1.332 lists them.
// "crashed" is none of them: it was seen with the detail "exit 1; respawning".
func Terminal(state string) bool {
	return state == StateDone || state == StateFailed || state == StateStopped
}

// StatusWaiting is the status of a registered process that stands at a question; TempoBlocked is the state file's word.
const (
	StatusWaiting = "waiting"
	TempoBlocked  = "blocked"
)

// Keys of inFlight in a job's state file.
const (
	InFlightQueued = "queued"
	InFlightTasks  = "tasks"
)
