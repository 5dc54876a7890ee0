package wake

import (
	"recovery/internal/account"
	"recovery/inventory"
	"recovery/prompts"
)

// ParseDupes reads a dupes file, YAML or JSON: {short: text}, the text that a duplicate's review gets. Every error
// names its line, and an error anywhere means that nothing is woken.
func ParseDupes(name string, data []byte, jobs *account.Jobs) (map[string]inventory.SessionText, error) {
	f := inventory.TextsFile{Kind: "dupes file", Name: name, Then: "nothing was woken", MayBeEmpty: true,
		Check: prompts.CheckApproval}
	return f.Parse(data, jobs)
}
