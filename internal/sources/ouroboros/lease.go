package ouroboros

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// drift is how far a recorded start may be from the process's own for both to be the same process.
const drift = 2 * time.Second

// owner says whether the process that started a session is there.
type owner int

const (
	gone owner = iota
	alive
	unsure
)

// lease is what the files of a session say of its owner.
type lease struct {
	owner    owner
	text     string // what was seen, in words
	warnings []string
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)

// fileName is the name under which Ouroboros keeps a session's lease: an id that is no plain name is hashed.
func fileName(session string) string {
	if plainID.MatchString(session) {
		return session
	}
	sum := sha256.Sum256([]byte(session))
	return "__invalid_session_id__" + hex.EncodeToString(sum[:])
}

// parseLease reads `<pid>:<start in seconds since 1970>` or `<pid>`. The start is zero when none is recorded.
func parseLease(text string) (pid int, start time.Time, ok bool) {
	first, rest, has := strings.Cut(strings.TrimSpace(text), ":")
	n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 32)
	if err != nil || n <= 0 {
		return 0, time.Time{}, false
	}
	if !has {
		return int(n), time.Time{}, true
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
	if err != nil || math.IsNaN(seconds) || seconds < 0 || seconds > 1e11 {
		return 0, time.Time{}, false
	}
	whole, part := math.Modf(seconds)
	return int(n), time.Unix(int64(whole), int64(part*1e9)), true
}

// readLease looks at the lease of a session in each folder; one live owner is enough. A folder that is not there is
// left so.
func readLease(m sources.Machine, folders []string, session string) lease {
	best := lease{owner: gone, text: "no lease: no process holds the session"}
	for _, folder := range folders {
		l, ok := readOneLease(m, filepath.Join(folder, "locks", fileName(session)))
		if !ok {
			continue
		}
		l.warnings = append(best.warnings, l.warnings...)
		if l.owner == alive {
			return l
		}
		if best.owner == gone {
			best = l
		}
		best.warnings = l.warnings
	}
	return best
}

// readOneLease reads one file; false when there is none.
func readOneLease(m sources.Machine, path string) (lease, bool) {
	data, err := files.ReadSmall(path, 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return lease{}, false
	}
	if err != nil && err != files.ErrTooBig {
		return lease{owner: unsure, text: "its lease cannot be read",
			warnings: []string{"the lease cannot be read, so whether its owner lives is not known: " + reason(err)}}, true
	}
	pid, start, ok := parseLease(string(data))
	if !ok || err != nil {
		return lease{owner: gone, text: "a malformed lease counts as none",
			warnings: []string{"its lease is malformed and counts as none, as it does for Ouroboros"}}, true
	}
	owner, words := ownerOf(m, pid, start)
	return lease{owner: owner, text: fmt.Sprintf(words, pid)}, true
}

// ownerOf says whether a process is the one that took the lease, in words with a place for its id.
func ownerOf(m sources.Machine, pid int, start time.Time) (owner, string) {
	p := m.Process(pid)
	off := p.Started.Sub(start)
	switch {
	case !p.Running:
		return gone, "its owner, process %d, is gone"
	case start.IsZero():
		return alive, "process %d runs; its lease records no start, so it may be another one"
	case p.Started.IsZero():
		return alive, "process %d runs; when it started cannot be seen"
	case off <= drift && off >= -drift:
		return alive, "its owner, process %d, runs"
	case m.Getenv("WSL_DISTRO_NAME") != "" || m.Getenv("WSL_INTEROP") != "":
		return unsure, "process %d runs, and its start differs from the lease's; clocks drift under WSL, so it may be the " +
			"owner"
	}
	return gone, "its owner is gone: process %d is another one, which started at another time"
}

// cancellation reads a request to cancel that its owner has not acted on; in words, empty when there is none.
func cancellation(folders []string, session string) string {
	for _, folder := range folders {
		data, err := files.ReadSmall(filepath.Join(folder, "cancellations", fileName(session)), 1<<20)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		words := "a cancellation was asked for"
		p := gjson.ParseBytes(data)
		if err != nil || !gjson.ValidBytes(data) || !p.IsObject() {
			return words + " (its file cannot be read)"
		}
		if by := str(p, "cancelled_by"); by != "" {
			words += " by " + by
		}
		if why := str(p, "reason"); why != "" {
			words += ": " + why
		}
		return words
	}
	return ""
}
