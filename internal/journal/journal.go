package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// FileName is the journal's name inside the work folder.
const FileName = "journal.jsonl"

// Journal is one account's journal. Appends take the journal's own lock for the moment, so several commands may write.
type Journal struct {
	dir string
	now func() time.Time
	// Told receives what the user must know, such as a torn line that was cut off.
	Told func(string)
	// Probe, when set, is called right before and right after each write: a test ends the process there.
	Probe func(point string)
}

// At gives the journal in a work folder; nothing is created before there is something to write.
func At(dir string, now func() time.Time) *Journal {
	return &Journal{dir: dir, now: now, Told: func(string) {}}
}

// Path is the journal's file.
func (j *Journal) Path() string { return filepath.Join(j.dir, FileName) }

// Dir is the work folder.
func (j *Journal) Dir() string { return j.dir }

// BrokenError names the line of a journal that cannot be relied on. Nothing is sent while it stands.
type BrokenError struct {
	Path  string
	Line  int
	Cause string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("the journal %s is broken at line %d: %s; nothing is sent while the record cannot be relied on. "+
		"Look at the line; to go on by hand, copy the file away, then restore it from a backup or move the whole work folder aside "+
		"and start again with `recovery inventory` (sessions that already hold a review are still recognised by its marker)",
		e.Path, e.Line, e.Cause)
}

// Read gives every event, in order. A torn last line is left out; it is cut off at the next append.
func (j *Journal) Read() ([]Event, error) {
	events, _, err := j.read()
	return events, err
}

func (j *Journal) read() (events []Event, good int64, err error) {
	data, err := os.ReadFile(j.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading the journal: %w", err)
	}
	return Parse(j.Path(), data)
}

// Parse reads a journal's bytes; good is the length of its whole lines. Only the last line may lack its newline.
func Parse(path string, data []byte) (events []Event, good int64, err error) {
	for n := 1; len(data) > 0; n++ {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return events, good, nil
		}
		e, err := decode(data[:i])
		if err != nil {
			return nil, good, &BrokenError{Path: path, Line: n, Cause: err.Error()}
		}
		if want := int64(len(events)) + 1; e.Seq != want {
			cause := fmt.Sprintf("it has the number %d where %d should stand: a line is missing", e.Seq, want)
			if e.Seq < want {
				cause = fmt.Sprintf("it has the number %d where %d should stand: a line is repeated", e.Seq, want)
			}
			return nil, good, &BrokenError{Path: path, Line: n, Cause: cause}
		}
		events = append(events, e)
		good += int64(i) + 1
		data = data[i+1:]
	}
	return events, good, nil
}

// appendWait is how long an append waits for another command's append.
const appendWait = 30 * time.Second

// Append writes one event and syncs it; when it returns, the event is on disk.
func (j *Journal) Append(t Type, session string, data any) error {
	return j.AppendIf(t, session, data, nil)
}

// AppendIf is Append unless unless says, of the events so far, that nothing is to be written.
func (j *Journal) AppendIf(t Type, session string, data any, unless func([]Event) bool) error {
	err := j.append(t, session, data, unless)
	if err != nil {
		var broken *BrokenError
		if errors.As(err, &broken) {
			return err
		}
		return fmt.Errorf("writing %q to the journal in %s: %w; make the folder writable and free some space, then run it again", t, j.dir, err)
	}
	return nil
}

func (j *Journal) append(t Type, session string, data any, unless func([]Event) bool) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if err := j.makeDir(); err != nil {
		return err
	}
	unlock, err := j.lockMoment()
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.OpenFile(j.Path(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	events, good, err := Parse(j.Path(), content)
	if err != nil {
		return err
	}
	if torn := int64(len(content)) - good; torn > 0 {
		if err := f.Truncate(good); err != nil {
			return err
		}
		j.Told(fmt.Sprintf("the journal's last line was torn (%d bytes, a run was cut off while it wrote); it was removed", torn))
	}
	if unless != nil && unless(events) {
		return nil
	}
	j.probe("before " + string(t))
	line, err := encode(Event{Seq: int64(len(events)) + 1, At: j.now().UTC(), Type: t, Session: session, Data: raw})
	if err != nil {
		return err
	}
	if _, err := f.Write(line); err != nil {
		// What was written in part would read as a torn line; it is taken back while the lock is held.
		_ = f.Truncate(good)
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if len(events) == 0 {
		if err := syncDir(j.dir); err != nil {
			return err
		}
	}
	j.probe("after " + string(t))
	return nil
}

func (j *Journal) probe(point string) {
	if j.Probe != nil {
		j.Probe(point)
	}
}

// makeDir makes the work folder for its owner alone: it holds texts of sessions.
func (j *Journal) makeDir() error {
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return err
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}

func (j *Journal) lockMoment() (func(), error) {
	lock := flock.New(filepath.Join(j.dir, "journal.lock"), flock.SetPermissions(0o600))
	deadline := time.Now().Add(appendWait)
	for {
		ok, err := lock.TryLock()
		if err != nil {
			return nil, err
		}
		if ok {
			return func() { _ = lock.Unlock() }, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("another command has held the journal's lock for %s", appendWait)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
