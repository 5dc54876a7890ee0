package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
)

// The work folder's files. Its layout is known here and nowhere else.
const (
	// WorkDir is the work folder's name inside the .claude folder, where no other one is named.
	WorkDir       = "session-recovery"
	InventoryFile = "inventory.json"
	GroupsFile    = "groups.yaml"
	// FileName is the journal's name.
	FileName        = "journal.jsonl"
	journalLockFile = "journal.lock"
	lockFile        = "lock"
	eventsDir       = "events"
	// closedDir is where finished recoveries are kept.
	closedDir  = "closed"
	backupsDir = "backups"
)

// stamp is how a time stands in a file's name, with and without the part below a second.
const (
	stamp     = "20060102T150405Z"
	fineStamp = "20060102T150405.000000000Z"
)

// Work is the work folder: the saved inventory, the groups, events pages, backups, the journal with the finished
// recoveries, and the account's lock. What the files hold is the caller's; the folder knows where they are and how
// they are written.
type Work struct {
	dir string
	// Barred says why nothing may be written here; nil when it may. Every write answers it, and what is read stays
	// readable.
	Barred error
}

// WorkIn gives the work folder at dir; nothing is created before there is something to write.
func WorkIn(dir string) *Work { return &Work{dir: dir} }

// Dir is the folder.
func (w *Work) Dir() string { return w.dir }

// Path is where a file of the folder is, whether it is there or not.
func (w *Work) Path(name string) string { return filepath.Join(w.dir, name) }

// IsOwn says whether a name inside a work folder is one that recovery keeps there for itself.
func IsOwn(name string) bool {
	switch name {
	case InventoryFile, GroupsFile, FileName, journalLockFile, lockFile, eventsDir, closedDir, backupsDir:
		return true
	}
	return false
}

// Journal is the folder's journal.
func (w *Work) Journal(now func() time.Time) *Journal {
	j := At(w.dir, now)
	j.barred = w.Barred
	return j
}

// NotThereError says that something was not saved yet, and what saves it.
type NotThereError struct {
	What string
	Path string
	// Next is the command that makes it.
	Next string
}

func (e *NotThereError) Error() string { return "there is no " + e.What + " yet" }

// DamagedError says that a saved file cannot be read, and what to type to make it anew.
type DamagedError struct {
	What string
	Path string
	Next string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the saved %s in %s cannot be read (%v); make it anew: %s", e.What, e.Path, e.Err, e.Next)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// kept is one saved file: where it is, what it is in words, and the command that makes it.
type kept struct{ name, what, next string }

var inventoryKept = kept{InventoryFile, "inventory of this account", "recovery inventory"}

func eventsKept(short string) kept {
	return kept{
		filepath.Join(eventsDir, short+".json"), "events of " + short, "recovery queue-check --events " + short + "=FILE",
	}
}

// load reads a saved file. The errors are NotThereError and DamagedError.
func (w *Work) load(k kept, into any) error {
	path := w.Path(k.name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &NotThereError{What: k.what, Path: path, Next: k.next}
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return &DamagedError{What: k.what, Path: path, Next: k.next, Err: err}
	}
	return nil
}

// LoadInventory reads the saved inventory into a value. The errors are NotThereError and DamagedError.
func (w *Work) LoadInventory(into any) error { return w.load(inventoryKept, into) }

// SaveInventory saves the inventory.
func (w *Work) SaveInventory(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return w.save(InventoryFile, append(data, '\n'))
}

// LoadEvents reads the saved events pages of a session. The errors are NotThereError and DamagedError: a file that
// cannot be read is never taken for none, since what it holds may be the message that blocks a wake.
func (w *Work) LoadEvents(short string, into any) error { return w.load(eventsKept(short), into) }

// SaveEvents saves what the events pages of a session say.
func (w *Work) SaveEvents(short string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.save(eventsKept(short).name, data)
}

// Groups reads the groups file; path is where it is, and data is nil when there is none yet.
func (w *Work) Groups() (path string, data []byte, err error) {
	path = w.Path(GroupsFile)
	data, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return path, data, err
}

// SaveGroups replaces the groups file.
func (w *Work) SaveGroups(data []byte) error { return w.save(GroupsFile, data) }

// Backup keeps what a file of the account held before it is changed, and gives the copy's path.
func (w *Work) Backup(name string, data []byte, now time.Time) (path string, err error) {
	name = filepath.Join(backupsDir, name+"."+now.UTC().Format(fineStamp))
	return w.Path(name), w.save(name, data)
}

// SaveHandoff saves a hand-over under its time, and gives its path.
func (w *Work) SaveHandoff(data []byte, now time.Time) (path string, err error) {
	name := "handoff-" + now.UTC().Format(stamp) + ".md"
	return w.Path(name), w.save(name, data)
}

// Part is one file or folder of the work folder that a reader may want to look at.
type Part struct {
	Name string
	Path string
	What string
}

// Parts are those files that are there.
func (w *Work) Parts() []Part {
	var out []Part
	for _, p := range []Part{
		{Name: InventoryFile, What: "the inventory"},
		{Name: GroupsFile, What: "the groups of duplicates, the user's to edit"},
		{Name: eventsDir, What: "saved events pages, one file a session"},
		{Name: closedDir, What: "the records of finished recoveries"},
	} {
		p.Path = w.Path(p.Name)
		if exists(p.Path) {
			out = append(out, p)
		}
	}
	return out
}

// save writes a file of the folder whole or not at all. The folder is made, for its owner alone, when it is not there
// yet.
func (w *Work) save(name string, data []byte) error {
	if w.Barred != nil {
		return w.Barred
	}
	path := w.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the work folder: %w; choose another one with --work", err)
	}
	if err := renameio.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("writing %s: %w; make the folder writable or choose another one with --work", path, err)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
