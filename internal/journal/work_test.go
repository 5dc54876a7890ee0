package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWorkLoadsWhatItSaved(t *testing.T) {
	w := WorkIn(filepath.Join(t.TempDir(), "work"))
	type thing struct{ Name string }
	var got thing
	for name, load := range map[string]func() error{
		"recovery inventory":                          func() error { return w.LoadInventory(&got) },
		"recovery queue-check --events 0000000a=FILE": func() error { return w.LoadEvents("0000000a", &got) },
	} {
		var none *NotThereError
		if err := load(); !errors.As(err, &none) || none.Next != name {
			t.Errorf("%v, next %+v", err, none)
		}
	}
	if _, data, err := w.Groups(); data != nil || err != nil {
		t.Errorf("groups %q, %v", data, err)
	}
	if _, err := os.Stat(w.Dir()); err == nil {
		t.Error("reading made the folder")
	}
	backup, err := w.Backup("claude.json", []byte("{}"), time.Unix(0, 7))
	if err := errors.Join(err, w.SaveInventory(thing{"inventory"}), w.SaveEvents("0000000a", thing{"events"}),
		w.SaveGroups([]byte{})); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(backup); err != nil || string(data) != "{}" {
		t.Errorf("backup %q, %v", data, err)
	}
	if err := w.LoadInventory(&got); err != nil || got.Name != "inventory" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := w.LoadEvents("0000000a", &got); err != nil || got.Name != "events" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, data, err := w.Groups(); data == nil || err != nil {
		t.Errorf("an empty groups file is one: %v, %v", data, err)
	}
	if info, err := os.Stat(w.Dir()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(w.Path(InventoryFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if err := w.LoadInventory(&got); !errors.As(err, &damaged) || damaged.Next != "recovery inventory" {
		t.Errorf("%v", err)
	}
}

// TestABarredFolderIsNotWritten: acts are refused with the reason, what was merely seen is left out, and nothing is
// created.
func TestABarredFolderIsNotWritten(t *testing.T) {
	w := WorkIn(filepath.Join(t.TempDir(), "work"))
	w.Barred = errors.New("it is another user's")
	j := w.Journal(time.Now)
	for _, typ := range []Type{RunStarted, Confirmed, Intended, Concluded, Settled, Acknowledged, Trusted, TurnedAway,
		"of-tomorrow"} {
		if err := j.Append(typ, "0000000a", RunData{}); !errors.Is(err, w.Barred) {
			t.Errorf("%s: %v", typ, err)
		}
	}
	for _, typ := range []Type{Inventoried, Checked, Reviewed, Defect, Wrapped, Deferred} {
		if err := j.Append(typ, "0000000a", RunData{}); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
	_, err := w.Lock(Holder{PID: 1})
	_, backupErr := w.Backup("x", nil, time.Now())
	_, handoffErr := w.SaveHandoff(nil, time.Now())
	for _, err := range []error{err, backupErr, handoffErr, w.SaveInventory(1), w.SaveEvents("0000000a", 1),
		w.SaveGroups(nil)} {
		if !errors.Is(err, w.Barred) {
			t.Errorf("%v", err)
		}
	}
	if path, err := j.Close(func([]Event) bool { return true }); path != "" || err != nil {
		t.Errorf("%q, %v", path, err)
	}
	if _, err := os.Stat(w.Dir()); err == nil {
		t.Error("something was created")
	}
}
