package wake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"

	"github.com/google/renameio/v2"
	"github.com/tidwall/sjson"
)

// trustTries is how often the edit starts anew when a running client changed the file meanwhile.
const trustTries = 5

// AcceptTrust sets projects[key].hasTrustDialogAccepted in .claude.json and nothing else: the file is backed up into
// the work folder, replaced atomically, and keeps its mode. It gives the backup's path.
func AcceptTrust(a *account.Account, work *journal.Work, key string, now time.Time) (backup string, err error) {
	path, err := filepath.EvalSymlinks(a.ConfigFile)
	if err != nil {
		return "", fmt.Errorf("accepting the trust key of %s: %w", key, err)
	}
	for range trustTries {
		before, err := a.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("accepting the trust key of %s: %w", key, err)
		}
		after, err := withTrust(before, key)
		if err != nil {
			return "", fmt.Errorf("accepting the trust key of %s in %s: %w; nothing was changed", key, path, err)
		}
		if backup, err = work.Backup("claude.json", before, now); err != nil {
			return "", err
		}
		if current, err := a.ReadFile(path); err != nil || !bytes.Equal(current, before) {
			continue
		}
		if err := renameio.WriteFile(path, after, fs.FileMode(0o600), renameio.WithExistingPermissions(),
			renameio.WithTempDir(filepath.Dir(path))); err != nil {
			return "", fmt.Errorf("replacing %s: %w; it is unchanged, and its backup is %s", path, err, backup)
		}
		return backup, nil
	}
	return "", fmt.Errorf("accepting the trust key of %s: a running client kept changing %s; try it again", key, path)
}

// withTrust edits the text and proves that nothing else changed.
func withTrust(before []byte, key string) ([]byte, error) {
	var was map[string]any
	if err := decode(before, &was); err != nil {
		return nil, fmt.Errorf("it is not a valid JSON object: %w", err)
	}
	after, err := sjson.SetBytes(before, "projects."+pathEscape(key)+".hasTrustDialogAccepted", true)
	if err != nil {
		return nil, err
	}
	projects, ok := was["projects"].(map[string]any)
	if !ok {
		if was["projects"] != nil {
			return nil, errors.New("its projects are no object")
		}
		projects = map[string]any{}
		was["projects"] = projects
	}
	entry, ok := projects[key].(map[string]any)
	if !ok {
		if projects[key] != nil {
			return nil, errors.New("the project's entry is no object")
		}
		entry = map[string]any{}
		projects[key] = entry
	}
	entry["hasTrustDialogAccepted"] = true
	var is map[string]any
	if err := decode(after, &is); err != nil || !reflect.DeepEqual(was, is) {
		return nil, errors.New("the edit would have changed more than the one key")
	}
	return after, nil
}

func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// pathEscape makes a folder one element of an sjson path.
func pathEscape(key string) string {
	return strings.NewReplacer(`\`, `\\`, `.`, `\.`, `*`, `\*`, `?`, `\?`, `|`, `\|`, `#`, `\#`, `@`, `\@`, `!`, `\!`, `{`,
		`\{`, `[`, `\[`, `:`, `\:`).Replace(key)
}
