package babysitter

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"recovery/internal/account"
	"recovery/internal/sources/files"
)

// maxEvents bounds a journal. Real ones have tens of events; a folder of millions is no journal.
const maxEvents = 100_000

// maxJournal bounds the bytes of a journal that are read.
const maxJournal = 256 << 20

// maxShown bounds how many oddities of one kind a row tells; the rest is a count.
const maxShown = 5

// readJournal replays the journal of a run. No folder, or an empty one, is a run of which nothing is recorded:
// run:status calls it created.
func readJournal(run string) *replay {
	r := newReplay()
	dir := filepath.Join(run, "journal")
	entries, more, err := files.List(dir, maxEvents)
	switch {
	case files.Nothing(dir, err):
		r.missing = true
		return r
	case err != nil:
		r.damage("the journal folder %s", files.Cause(err))
		return r
	case more:
		r.limit("the journal has more than %d files: not read", maxEvents)
		return r
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var stray []string
	temp, size, cut := 0, 0, false
	for _, e := range entries {
		switch name := e.Name(); {
		case !strings.HasSuffix(name, ".json") && strings.Contains(name, ".tmp-"):
			temp++
		case !strings.HasSuffix(name, ".json"):
			stray = append(stray, name)
		case size > maxJournal:
			if !cut {
				r.limit("the journal is larger than %d MiB: not read beyond %s", maxJournal>>20, name)
			}
			cut = true
		default:
			data, err := readEvent(filepath.Join(dir, name), e)
			r.add(name, data, err)
			size += len(data)
		}
	}
	r.warn(temp > 0, "The journal has %d unfinished temporary files, which a writer that was cut off left behind; they "+
		"are ignored.", temp)
	r.warn(len(stray) > 0, "The journal has %d stray files, which are ignored: %s.", len(stray), some(stray))
	r.warn(len(r.badSums) > 0, "The checksum of %d events does not fit, so they were changed after they were written; "+
		"Babysitter itself does not look: %s.", len(r.badSums), some(r.badSums))
	r.warn(r.noSums > 0, "%d events have no checksum.", r.noSums)
	r.warn(r.badTimes > 0, "The time of %d events cannot be read.", r.badTimes)
	return r
}

// readEvent reads one event file; what the folder itself says is a regular file needs no second look.
func readEvent(path string, e fs.DirEntry) ([]byte, error) {
	if e.Type().IsRegular() {
		return account.Door{}.ReadFile(path)
	}
	data, _, err := files.Read(path)
	return data, err
}

// some names the first few.
func some(list []string) string {
	if len(list) > maxShown {
		return strings.Join(list[:maxShown], ", ") + fmt.Sprintf(" and %d more", len(list)-maxShown)
	}
	return strings.Join(list, ", ")
}

// eventName reads <seq>.<ulid>.json. A name without a number or without the second part ends run:status.
func eventName(name string) (seq int, ulid string, ok bool) {
	parts := strings.Split(strings.TrimSuffix(name, ".json"), ".")
	if len(parts) < 2 || parts[1] == "" {
		return 0, "", false
	}
	number := strings.TrimSpace(parts[0])
	if number == "" {
		return 0, parts[1], true // JavaScript's number of an empty text
	}
	seq, err := strconv.Atoi(number)
	return seq, parts[1], err == nil
}

// add takes the next event file, in the order of the names. A damage stops run:status; here the rest is read on, to
// tell everything that is wrong.
func (r *replay) add(name string, data []byte, err error) {
	r.files++
	seq, ulid, ok := eventName(name)
	switch {
	case !ok:
		r.damage("Invalid journal filename: %s", name)
		return
	case err != nil && tooBig(err):
		r.limit("the journal file %s %s", name, files.Cause(err))
		return
	case err != nil:
		r.damage("Failed to read journal file %s: it %s", name, files.Cause(err))
		return
	case !account.ValidJSON(data):
		r.damage("Failed to parse journal file %s: it %s", name, files.ErrNotJSON)
		return
	}
	v := gjson.ParseBytes(data)
	if v.Type == gjson.Null {
		r.damage("Failed to parse journal file %s: it is null", name)
		return
	}
	r.inOrder(name, seq, ulid)
	o := files.ObjectOf(v)
	e := event{name: name, kind: wordOr(o["type"], "UNKNOWN"), at: files.Time(o.Text("recordedAt")),
		data: o.Object("data")}
	if e.at.IsZero() {
		r.badTimes++
	}
	r.sdk = cmp.Or(o.Text("sdkVersion"), r.sdk)
	switch sum := o.Text("checksum"); {
	case sum == "":
		r.noSums++
	case !sumFits(data, sum):
		r.badSums = append(r.badSums, name)
	}
	r.apply(e)
}

// inOrder holds the events to 1, 2, 3, ... and to rising ULIDs. The texts are the program's own.
func (r *replay) inOrder(name string, seq int, ulid string) {
	want := r.files + r.shift
	switch {
	case seq <= 0:
		r.damage("Invalid journal sequence number in %s", name)
	case seq != want && r.ulid == "":
		r.damage("Journal seq mismatch at %s (expected %d, got %d)", name, want, seq)
	case seq != want && seq == r.seq:
		r.damage("Journal sequence gap detected at %s (expected %d, got %d): two events have the number %d", name, want, seq,
			seq)
	case seq != want:
		r.damage("Journal sequence gap detected at %s (expected %d, got %d)", name, want, seq)
	case r.ulid != "" && ulid <= r.ulid:
		r.damage("Journal ULID order regression at %s (%s <= %s)", name, ulid, r.ulid)
	}
	r.shift = seq - r.files // so that one gap is told once
	r.seq, r.ulid = seq, ulid
}

// sumFits checks an event against its checksum: the SHA-256 of the same text without the checksum member, which is
// the last.
func sumFits(data []byte, sum string) bool {
	body, ok := strings.CutSuffix(string(data), ",\n  \"checksum\": \""+sum+"\"\n}\n")
	hash := sha256.Sum256([]byte(body + "\n}\n"))
	return ok && hex.EncodeToString(hash[:]) == strings.ToLower(sum)
}
