package inventory

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/transcript"
)

// World is the account as it was seen at one moment.
type World struct {
	Account   *account.Account
	Jobs      *account.Jobs
	Log       *account.Log
	Witnesses *account.Witnesses
	// CleanupDays is after how many days of rest a transcript is deleted.
	CleanupDays int
	Boot        time.Time
	// BabysitterDir is the value of BABYSITTER_STATE_DIR: where state files may bind a run to a session.
	BabysitterDir string
	Now           time.Time
	Warnings      []string
	earlier       *World
	// threads gives the jobs of each thread, by the body of its id; found are those that only a transcript names, by
	// short.
	threads map[string][]string
	found   map[string][]string
	// named are the threads that a job's transcripts name, the newest last, where these were searched.
	named map[string][]string
	// resumed gives the jobs that go on with one session, by its id.
	resumed map[string][]string
}

// See looks at the account. processes is the process table of the same moment.
func See(a *account.Account, processes account.Processes, now time.Time) (*World, error) {
	jobs, err := a.Jobs()
	if err != nil {
		return nil, err
	}
	w := &World{Account: a, Jobs: jobs, Log: a.Log(), Witnesses: a.Witnesses(processes), Boot: processes.Boot, Now: now}
	days, warning := a.CleanupDays()
	w.CleanupDays = days
	if warning != "" {
		w.Warnings = append(w.Warnings, warning)
	}
	w.Warnings = append(w.Warnings, jobs.Warnings...)
	w.Warnings = append(w.Warnings, w.Log.Warnings...)
	w.Warnings = append(w.Warnings, w.Witnesses.Warnings...)
	w.threads, w.found, w.resumed = map[string][]string{}, map[string][]string{}, map[string][]string{}
	w.named = map[string][]string{}
	for _, j := range jobs.List {
		if id := resumed(j); id != "" {
			w.resumed[id] = append(w.resumed[id], j.Short)
		}
		if j.BridgeBody != "" {
			w.threads[j.BridgeBody] = append(w.threads[j.BridgeBody], j.Short)
		}
	}
	return w, nil
}

// Facts is all that is known of one job without reading its transcript whole.
type Facts struct {
	Job      *account.Job
	Live     account.Liveness
	Location transcript.Location
	Tail     transcript.Tail
	Head     transcript.Ledger
	// Bytes and Modified are the transcript's; zero when there is none.
	Bytes    int64
	Modified time.Time
	// Problem says why the transcript cannot be relied on; empty when it can.
	Problem string
	// Folder is where the session works; FolderGone says that it is not there, FolderProblem that it cannot be looked at.
	Folder        string
	FolderGone    bool
	FolderProblem string
	// Threads are the bodies of the ids of its threads that are known so far, the newest last.
	Threads []string
	// SharedWith are the other jobs of its threads, or of its conversation.
	SharedWith []string
	// Elsewhere are transcripts that may hold its conversation, where its own does not.
	Elsewhere []string
	// LastUse is when it was last in use by the supervisor's log; zero when that cannot be told.
	LastUse time.Time
}

// Facts reads what there is to know of one job.
func (w *World) Facts(j *account.Job) Facts {
	f := Facts{Job: j, Live: w.Liveness(j), Location: transcript.Locate(w.Account, j)}
	f.Problem = f.Location.Problem
	switch {
	case f.Location.Path != "":
		f.readTranscript(w)
	case j.Problem != "":
		// Where it would stand is in the file that cannot be read: that none was found says nothing.
		f.Problem = ""
		f.Tail = transcript.Tail{Turn: transcript.UnknownTurn, Why: "state.json " + j.Problem +
			": its transcript cannot be looked for"}
	default:
		f.Tail.Turn, f.Tail.Why = transcript.Empty, f.Problem
	}
	f.identity(w)
	f.Folder = j.Cwd
	if f.Folder == "" {
		return f
	}
	if !filepath.IsAbs(f.Folder) {
		f.FolderProblem = "it is no absolute path"
		return f
	}
	info, err := w.Account.Stat(f.Folder)
	switch {
	case os.IsNotExist(err):
		f.FolderGone = true
	case err != nil:
		f.FolderProblem = err.Error()
	case !info.IsDir():
		f.FolderGone, f.FolderProblem = true, "it is no folder"
	}
	return f
}

func (f *Facts) readTranscript(w *World) {
	fail := func(err error) {
		f.Problem = err.Error()
		f.Tail = transcript.Tail{Turn: transcript.UnknownTurn, Why: err.Error()}
	}
	t, err := transcript.Open(w.Account.Door, f.Location.Path)
	if err != nil {
		fail(fmt.Errorf("opening the transcript: %w", err))
		return
	}
	defer func() { _ = t.Close() }()
	f.Bytes = t.Size
	var info fs.FileInfo
	if info, err = w.Account.Stat(f.Location.Path); err == nil {
		f.Modified = info.ModTime().UTC()
	}
	if f.Tail, err = t.Tail(); err != nil {
		fail(err)
		return
	}
	if f.Head, err = t.Head(); err != nil {
		fail(err)
		return
	}
	if f.Location.Path == f.Job.LinkScanPath && t.Size < f.Job.LinkScanOffset {
		f.Problem = fmt.Sprintf("the transcript has %d bytes and the client has read %d: its end is lost", t.Size,
			f.Job.LinkScanOffset)
		f.Tail.Turn, f.Tail.Why = transcript.UnknownTurn, f.Problem
		return
	}
	// What the job says of a question is only used to tell two kinds of a cut turn apart, never to call one complete.
	if f.Tail.Turn == transcript.MidTurn && f.Tail.OpenTool != "" && f.Job.Tempo == "blocked" {
		f.Tail.Turn = transcript.Waiting
		f.Tail.Why = fmt.Sprintf("it waited at a "+claude.PermissionPrompt+" for %s", f.Tail.OpenTool)
	}
}

// ExpiresAt is when the client deletes the transcript; zero when there is none.
func (w *World) ExpiresAt(f Facts) time.Time {
	if f.Modified.IsZero() {
		return time.Time{}
	}
	return f.Modified.Add(time.Duration(w.CleanupDays) * 24 * time.Hour)
}

// settleLook is how long a lost worker may take to be started again by a living supervisor; it was seen within 10 s.
const settleLook = 15 * time.Second

// SeeTwice looks at the account, and again after 15 s when a living supervisor may be about to start a lost worker.
// With shorts, only those jobs are waited for. sleep returns early when the run is interrupted.
func SeeTwice(see func() (*World, error), sleep func(time.Duration), shorts ...string) (*World, error) {
	w, err := see()
	if err != nil {
		return nil, err
	}
	owed := false
	for _, j := range w.Jobs.List {
		asked := len(shorts) == 0
		for _, s := range shorts {
			asked = asked || s == j.Short
		}
		owed = owed || asked && w.Witnesses.Of(j, w.Log).LookAgain
	}
	if !owed {
		return w, nil
	}
	sleep(settleLook)
	second, err := see()
	if err != nil {
		return nil, err
	}
	return second.After(w), nil
}

// After says that w is a later look than earlier.
func (w *World) After(earlier *World) *World {
	w.earlier = earlier
	return w
}

// Liveness answers for one job. One look is not enough for a job whose worker may be started again: it has to be
// offline in every look since one that is at least 15 s older.
func (w *World) Liveness(j *account.Job) account.Liveness {
	l := w.Witnesses.Of(j, w.Log)
	if !l.LookAgain {
		return l
	}
	for e := w.earlier; e != nil && e.Witnesses.Of(j, e.Log).State == account.Offline; e = e.earlier {
		if w.Now.Sub(e.Now) >= settleLook {
			l.Evidence = append(l.Evidence, "looked at twice, 15 s apart")
			return l
		}
	}
	l.State = account.Unknown
	return l
}

// SupervisorVersion says whether the account's supervisor runs, and which version it has.
func (w *World) SupervisorVersion() (up bool, version string) { return w.Witnesses.SupervisorVersion() }
