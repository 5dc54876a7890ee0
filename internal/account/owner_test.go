package account

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOtherOwner(t *testing.T) {
	a := folder(t, nil)
	put(t, filepath.Join(a.Dir, "jobs", "x"), "")
	me := os.Geteuid()
	if uid, other := a.OtherOwner(me); other {
		t.Errorf("my own account is that of %d", uid)
	}
	if uid, other := a.OtherOwner(me + 1); !other || uid != me {
		t.Errorf("%d, %v", uid, other)
	}
	if me != 0 {
		t.Skip("only root gives files away")
	}
	if err := os.Chown(filepath.Join(a.Dir, "jobs"), 4711, -1); err != nil {
		t.Fatal(err)
	}
	for _, who := range []int{0, 4711} {
		if uid, other := a.OtherOwner(who); !other || uid == who {
			t.Errorf("jobs is another's than the folder: for %d it is that of %d, %v", who, uid, other)
		}
	}
}

// TestOwnerOfWhatIsNotThere: the nearest folder that is there tells.
func TestOwnerOfWhatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	if uid, ok := Owner(filepath.Join(dir, "a", "b")); !ok || uid != os.Geteuid() {
		t.Errorf("%d, %v", uid, ok)
	}
}

func TestTrustArgs(t *testing.T) {
	a := &Account{Home: "/home/ada"}
	for _, c := range []struct {
		cwd, given   string
		folder, args string
	}{
		{"/srv/shop", "", "/srv/shop", "trust 0000000a"},
		{"/srv/shop", "/srv/other", "/srv/shop", "trust 0000000a"},
		{"", "/srv/other", "/srv/other", "trust --default-cwd /srv/other 0000000a"},
		{"", "", "/home/ada", "trust --default-cwd /home/ada 0000000a"},
	} {
		j := &Job{Short: "0000000a", Cwd: c.cwd}
		if got := a.WakeFolder(j, c.given); got != c.folder {
			t.Errorf("%+v: %s", c, got)
		}
		if got := strings.Join(a.TrustArgs(j, c.given), " "); got != c.args {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
