package account

import (
	"os"
	"path/filepath"
	"syscall"
)

// Owner is the user that a file belongs to, by number. Where the file itself cannot be looked at, the nearest folder
// above it that can be tells: it is the one that keeps others out. ok is false when nothing tells.
func Owner(path string) (uid int, ok bool) {
	for {
		if info, err := os.Stat(path); err == nil {
			st, ok := info.Sys().(*syscall.Stat_t)
			if !ok {
				return 0, false
			}
			return int(st.Uid), true
		}
		if path == filepath.Dir(path) {
			return 0, false
		}
		path = filepath.Dir(path)
	}
}

// OtherOwner says whether the account belongs to another user than the one with the number me: its .claude folder, or
// the jobs in it. A client that is run there by another user writes files that the owner cannot read any more [seen:
// state.json became root's, and the job was gone from its owner's list].
func (a *Account) OtherOwner(me int) (uid int, other bool) {
	for _, path := range []string{a.Dir, filepath.Join(a.Dir, "jobs")} {
		if uid, ok := Owner(path); ok && uid != me {
			return uid, true
		}
	}
	return 0, false
}
