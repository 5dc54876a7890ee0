package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"recovery/internal/account"
	"recovery/internal/text"
)

// accountOwner is the user that an account belongs to.
type accountOwner struct{ name, home string }

// whose finds out whether the account belongs to another user than the one who runs this. Then nothing but reading is
// done there, and nothing is written into its folders.
func (x *command) whose(p *place) {
	uid, other := p.account.OtherOwner(x.uid)
	if !other {
		return
	}
	p.owner = x.ownerOf(uid)
	line := x.sudo(p.owner, p.account.Dir)
	p.foreign = &commandError{outcome: needsUser, next: line, err: fmt.Errorf(
		"the account %s belongs to the user %s, and this runs as %s: there it only reads, "+
			"since a client that another user runs leaves files that the owner cannot read",
		p.account.Dir, p.owner.name, x.ownerOf(x.uid).name)}
	at, ok := account.Owner(p.work)
	if within(p.account.Dir, p.work) || ok && at == uid {
		p.folder.Barred, x.asOwner = p.foreign, line
	}
}

// mine refuses what is more than reading in another user's account.
func (x *command) mine(p *place) error { return p.foreign }

// ownerOf names a user; one without a name goes by its number, as sudo takes it.
func (x *command) ownerOf(uid int) accountOwner {
	name, home := x.userOf(uid)
	if name == "" {
		name = fmt.Sprintf("#%d", uid)
	}
	return accountOwner{name: name, home: home}
}

// sudo is the line that runs the command that was typed as the owner of an account. A folder that is not the owner's
// usual one is carried into the new shell, which starts without this one's environment.
func (x *command) sudo(o accountOwner, dir string) string {
	line := text.ShellLine("sudo", "-iu", o.name)
	if usual, err := realPath(filepath.Join(o.home, ".claude")); o.home == "" || err != nil || usual != dir {
		line += " env CLAUDE_CONFIG_DIR=" + text.ShellWord(dir)
	}
	return line + " " + text.ShellLine(append([]string{"recovery"}, x.typed...)...)
}

// noAccount is the error of an account that cannot be opened. One whose folder keeps this user out belongs to somebody.
func (x *command) noAccount(err error) error {
	var none *account.NoAccountError
	e := &commandError{outcome: failed, err: err}
	if errors.As(err, &none) && errors.Is(none.Err, fs.ErrPermission) {
		if uid, ok := account.Owner(none.Dir); ok && uid != x.uid {
			e.outcome, e.next = needsUser, x.sudo(x.ownerOf(uid), none.Dir)
		}
	}
	return e
}
