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
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Journal is one account's journal. Appends take the journal's own lock for the moment, so several commands may write.
type Journal struct {
	dir string
	now func() time.Time
	// Told receives what the user must know, such as a torn line that was cut off.
	Told func(string)
	// Probe, when set, is called right before and right after each write: a test ends the process there.
	Probe func(point string)
	// barred says why nothing may be written here; nil when it may.
	barred error
	// unkept tells once that something was left out.
	unkept sync.Once

	mu    sync.Mutex
	cache replayed
}

// replayed is what was read so far: events are only ever added, so what was read is not read again.
type replayed struct {
	file   os.FileInfo
	events []Event
	good   int64
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
		"Look at the line; to go on by hand, copy the file away, then restore it from a backup or move the whole work "+
		"folder aside "+
		"and start again with `recovery inventory` (sessions that already hold a review are still recognised by its marker)",
		e.Path, e.Line, e.Cause)
}

// Read gives every event, in order. A torn last line is left out; it is cut off at the next append.
func (j *Journal) Read() ([]Event, error) {
	events, _, err := j.read()
	return events, err
}

func (j *Journal) read() (events []Event, good int64, err error) {
	f, err := os.Open(j.Path())
	if errors.Is(err, fs.ErrNotExist) {
		j.forget()
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading the journal: %w", err)
	}
	defer func() { _ = f.Close() }()
	events, good, _, err = j.catchUp(f)
	return events, good, err
}

// catchUp reads what was added since the last reading. size is the file's length, with a torn last line.
func (j *Journal) catchUp(f *os.File) (events []Event, good, size int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, 0, fmt.Errorf("reading the journal: %w", err)
	}
	if info.Size() < j.cache.good || j.cache.file != nil && !os.SameFile(info, j.cache.file) {
		j.cache = replayed{}
	}
	j.cache.file = info
	data, err := io.ReadAll(io.NewSectionReader(f, j.cache.good, info.Size()-j.cache.good))
	if err != nil {
		return nil, 0, 0, fmt.Errorf("reading the journal: %w", err)
	}
	added, n, err := parse(j.Path(), data, int64(len(j.cache.events)))
	if err != nil {
		j.cache = replayed{}
		return nil, 0, 0, err
	}
	j.cache.events = append(j.cache.events, added...)
	j.cache.good += n
	return j.cache.events[:len(j.cache.events):len(j.cache.events)], j.cache.good, info.Size(), nil
}

func (j *Journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cache = replayed{}
}

// Parse reads a journal's bytes; good is the length of its whole lines. Only the last line may lack its newline.
func Parse(path string, data []byte) (events []Event, good int64, err error) {
	return parse(path, data, 0)
}

// parse reads lines that follow the first before lines of the journal.
func parse(path string, data []byte, before int64) (events []Event, good int64, err error) {
	for n := before + 1; len(data) > 0; n++ {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return events, good, nil
		}
		e, err := decode(data[:i])
		if err != nil {
			return nil, good, &BrokenError{Path: path, Line: int(n), Cause: err.Error()}
		}
		if e.Seq != n {
			cause := fmt.Sprintf("it has the number %d where %d should stand: a line is missing", e.Seq, n)
			if e.Seq < n {
				cause = fmt.Sprintf("it has the number %d where %d should stand: a line is repeated", e.Seq, n)
			}
			return nil, good, &BrokenError{Path: path, Line: int(n), Cause: cause}
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

// AppendIf is Append unless unless says, of the events so far, that nothing is to be written. In a folder where
// nothing may be written, what was merely seen is left out, and an act is refused with the reason.
func (j *Journal) AppendIf(t Type, session string, data any, unless func([]Event) bool) error {
	if j.barred != nil {
		if t.seen() {
			j.unkept.Do(func() { j.Told(fmt.Sprintf("what was found is not recorded: %v", j.barred)) })
			return nil
		}
		return j.barred
	}
	err := j.append(t, session, data, unless)
	if err != nil {
		var broken *BrokenError
		if errors.As(err, &broken) {
			return err
		}
		return fmt.Errorf("writing %q to the journal in %s: %w; make the folder writable and free some space, then run it "+
			"again", t, j.dir, err)
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
	events, good, size, err := j.catchUp(f)
	if err != nil {
		return err
	}
	if torn := size - good; torn > 0 {
		if err := f.Truncate(good); err != nil {
			return err
		}
		j.Told(fmt.Sprintf("the journal's last line was torn (%d bytes, a run was cut off while it wrote); it was removed",
			torn))
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
	lock := flock.New(filepath.Join(j.dir, journalLockFile), flock.SetPermissions(0o600))
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
