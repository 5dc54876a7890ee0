package ouroboros

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

const (
	folderName = ".ouroboros"
	configName = "config.yaml"
	legacyName = "ouroboros.db"
	// biggestFile bounds the small files: configuration and pipelines.
	biggestFile = 8 << 20
)

// place is one store, or the reason why there is none to read.
type place struct {
	path string
	// folders are those with the leases, cancellations, seeds and pipelines of the store: its own, and the account's.
	folders []string
	// own is the folder that the store belongs to; empty when it was named by its path.
	own string
	// configured says that it is the one that the account's own commands use.
	configured bool
	// missing says that there is nothing, problem that something is there which is no store.
	missing bool
	problem *causeError
}

// places lists the stores to look at: the account's, then those that the user named, each once.
func places(m sources.Machine) []place {
	var out []place
	seen := map[string]bool{}
	add := func(p place) {
		if key := files.Real(p.path); !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	account := ""
	if m.Home != "" {
		account = filepath.Join(m.Home, folderName)
		p := inFolder(account, m.Home, account)
		p.configured = true
		add(p)
	}
	for _, root := range m.Roots {
		add(atRoot(m.Abs(root), m.Home, account))
	}
	return out
}

// atRoot tells what a named root is: a home, a folder of Ouroboros, or a database file.
func atRoot(root, home, account string) place {
	info, err := os.Stat(root)
	switch {
	case files.Absent(err):
		return place{path: root, missing: true}
	case err != nil:
		c := cause(err, root)
		return place{path: root, problem: &c}
	case info.Mode().IsRegular() && anothersFile(root):
		return place{path: root, missing: true}
	case !info.IsDir():
		return place{path: root, folders: folders(around(root), account)}
	}
	inside := filepath.Join(root, folderName)
	if _, err := os.Stat(inside); err == nil || !files.Absent(err) {
		return inFolder(inside, root, account)
	}
	if filepath.Base(root) == folderName || anyOf(root, legacyName, configName, filepath.Join("data", legacyName)) {
		if filepath.Base(root) == folderName {
			home = filepath.Dir(root)
		}
		return inFolder(root, home, account)
	}
	if filepath.Ext(root) == ".db" {
		c := cause(files.KindError{Kind: "a folder"}, root)
		return place{path: root, problem: &c}
	}
	return place{path: filepath.Join(inside, legacyName), missing: true}
}

// anothersFile says that a named file neither is a database nor is called like one: roots are named for all sources
// together.
func anothersFile(path string) bool {
	switch filepath.Ext(path) {
	case ".db", ".db3", ".sqlite", ".sqlite3":
		return false
	}
	f, _, err := files.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = journalMode(f)
	return err != nil
}

// anyOf says that one of these is in a folder.
func anyOf(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return files.Exists(filepath.Join(dir, n)) })
}

// around is the folder of Ouroboros that a database file lies in, empty when it lies elsewhere.
func around(file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == folderName {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func folders(own, account string) []string {
	var out []string
	for _, f := range []string{own, account} {
		if f != "" && (len(out) == 0 || out[0] != f) {
			out = append(out, f)
		}
	}
	return out
}

// inFolder finds the store of one folder by the rules of Ouroboros: what config.yaml names, if it is there or if the
// older place is empty, else the older place.
func inFolder(dir, home, account string) place {
	p := place{path: filepath.Join(dir, legacyName), own: dir, folders: folders(dir, account)}
	if info, err := os.Stat(dir); err != nil && !files.Absent(err) {
		c := cause(err, dir)
		c.cause = "its folder cannot be looked at: " + c.cause
		p.path, p.problem = dir, &c
		return p
	} else if err == nil && !info.IsDir() {
		p.path, p.problem = dir, &causeError{"it is a file where the folder of Ouroboros belongs", "look at what made it"}
		return p
	}
	configured, problem := configuredPath(filepath.Join(dir, configName))
	if problem != nil {
		p.path, p.problem = filepath.Join(dir, configName), problem
		return p
	}
	if configured != "" {
		configured = expand(configured, dir, home)
		if !nowhere(configured) || nowhere(p.path) {
			p.path = configured
		}
	}
	p.missing = nowhere(p.path)
	return p
}

// nowhere says that nothing is at a path; a link that leads to nothing counts as that.
func nowhere(path string) bool {
	_, err := os.Stat(path)
	return files.Absent(err)
}

func expand(path, dir, home string) string {
	if home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
		path = filepath.Join(home, strings.TrimPrefix(path, "~"))
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// configuredPath reads persistence.database_path; empty when the file or the key is not there. The wording of the
// problems is that of Ouroboros, which ends with status 2 on each.
func configuredPath(file string) (string, *causeError) {
	wrong := func(cause string) (string, *causeError) {
		return "", &causeError{cause, "correct it: Ouroboros does not start with it either; a store can be named by its path"}
	}
	data, err := files.ReadSmall(file, biggestFile)
	if files.Absent(err) {
		return "", nil
	}
	if err != nil {
		return wrong("invalid EventStore configuration: " + reason(err))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return wrong("invalid EventStore configuration: " + bounded(err.Error()))
	}
	if doc.Kind == 0 {
		return "", nil // an empty file says nothing
	}
	top := resolve(doc.Content[0])
	if top.Kind != yaml.MappingNode {
		return wrong("invalid EventStore configuration: its top level is not a mapping")
	}
	persistence, ok := value(top, "persistence")
	if !ok {
		return "", nil
	}
	if persistence.Kind != yaml.MappingNode {
		return wrong("config section 'persistence' must be a mapping")
	}
	path, ok := value(persistence, "database_path")
	if !ok {
		return "", nil
	}
	if path.Kind != yaml.ScalarNode || path.ShortTag() != "!!str" || strings.TrimSpace(path.Value) == "" ||
		strings.ContainsRune(path.Value, 0) {
		return wrong("config field 'persistence.database_path' must be a non-empty string")
	}
	return strings.TrimSpace(path.Value), nil
}

// value is a mapping's value for a key; the last one counts, as it does for Ouroboros' own parser.
func value(mapping *yaml.Node, key string) (*yaml.Node, bool) {
	for i := len(mapping.Content) - 2; i >= 0; i -= 2 {
		if k := resolve(mapping.Content[i]); k.Kind == yaml.ScalarNode && k.Value == key {
			return resolve(mapping.Content[i+1]), true
		}
	}
	return nil, false
}

func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}
