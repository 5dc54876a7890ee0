package audit

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

//go:embed rules/*.yaml
var embedded embed.FS

// Rules are the tables that calls are judged by. They do not change after loading: one value serves any number of
// goroutines.
type Rules struct {
	commands map[string]*spec
	tools    map[string]toolRule
	mcp      mcpRules
	env      envRules
	sqlSafe  map[string]bool  // functions that only compute
	lists    map[string]words // word lists that rules in code refer to
	strict   []strictRule     // of the user: may only make things worse
}

// Default returns the embedded tables. They are read once and never change.
func Default() *Rules { return defaultRules() }

var defaultRules = sync.OnceValue(func() *Rules {
	r, err := Load()
	if err != nil {
		// The embedded files are part of the program and parsed by its tests.
		panic(err)
	}
	return r
})

// Load returns the embedded tables and, on top, those of the user: the content of YAML files with the keys `commands`
// and `tools`. Such a file can only make calls unknown or write, never read; one that tries is an error, as is an
// unknown key.
func Load(extra ...[]byte) (*Rules, error) {
	r := &Rules{commands: map[string]*spec{}, tools: map[string]toolRule{}, sqlSafe: map[string]bool{},
		lists: map[string]words{}}
	names, err := fs.Glob(embedded, "rules/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("reading the embedded rules: %w", err)
	}
	for _, name := range names {
		data, err := embedded.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the embedded rules: %w", err)
		}
		if err := r.add(data); err != nil {
			return nil, fmt.Errorf("embedded rules %s: %w", name, err)
		}
	}
	for i, data := range extra {
		if err := r.addStrict(data); err != nil {
			return nil, fmt.Errorf("rules file %d: %w", i+1, err)
		}
	}
	return r, nil
}
