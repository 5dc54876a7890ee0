package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Holder is who holds the account's lock; it is written into the lock file for the one who is turned away.
type Holder struct {
	PID     int       `json:"pid"`
	User    string    `json:"user"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// Name is the run as one reads it.
func (h *Holder) Name() string {
	return fmt.Sprintf("`recovery %s` of %s (process %d, since %s)", h.Command, h.User, h.PID,
		h.Since.UTC().Format(time.RFC3339))
}

// HeldError says that another run works on the account.
type HeldError struct {
	Path   string
	Holder *Holder
}

func (e *HeldError) Error() string {
	who := "another run"
	if h := e.Holder; h != nil {
		who = h.Name()
	}
	return fmt.Sprintf("the account is locked by %s; wait for it to end, then run this again (the lock is %s and goes "+
		"with its process)", who, e.Path)
}

// Lock takes the account's lock, or answers HeldError at once. release gives it back.
func (w *Work) Lock(me Holder) (release func(), err error) {
	if w.Barred != nil {
		return nil, w.Barred
	}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the work folder: %w; choose another one with --work", err)
	}
	path := w.Path(lockFile)
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the account (%s): %w; make the folder writable or choose another one with --work",
			path, err)
	}
	if !ok {
		return nil, &HeldError{Path: path, Holder: readHolder(path)}
	}
	if data, err := json.Marshal(me); err == nil {
		// The text only helps the one who is turned away; the lock itself does not depend on it.
		_ = os.WriteFile(path, append(data, '\n'), 0o600)
	}
	return func() {
		_ = os.Truncate(path, 0)
		_ = lock.Unlock()
	}, nil
}

// holderWait is how long the holder may take to write down who it is, right after it took the lock.
const holderWait = time.Second

func readHolder(path string) *Holder {
	for deadline := time.Now().Add(holderWait); ; time.Sleep(5 * time.Millisecond) {
		if h := holderIn(path); h != nil || time.Now().After(deadline) {
			return h
		}
	}
}

func holderIn(path string) *Holder {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var h Holder
	if json.Unmarshal(data, &h) != nil || h.PID == 0 {
		return nil
	}
	return &h
}

// HeldBy tells who works on the account now, without touching the lock: even a look at it could turn a run away that
// begins at this moment. A holder whose process is gone left its name behind when it was killed.
func (w *Work) HeldBy() (*Holder, bool) {
	h := holderIn(w.Path(lockFile))
	if h == nil {
		return nil, false
	}
	err := syscall.Kill(h.PID, 0)
	return h, err == nil || errors.Is(err, syscall.EPERM)
}
