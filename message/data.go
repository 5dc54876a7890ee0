package message

import (
	"recovery/internal/account"
	"recovery/inventory"
	"recovery/prompts"
)

// Data is what the user gives the sessions as text.
type Data struct {
	// All goes to each session that is meant, For to one, by its short.
	All []string
	For map[string][]string
}

// allKey is the key of the data for all; no short is spelled like it.
const allKey = "all"

// ParseData reads a data file, YAML or JSON: {short: text}, with the key all for what each session gets. Every error
// names its line, and an error anywhere means that no text is made.
func ParseData(name string, data []byte, jobs *account.Jobs) (Data, error) {
	f := inventory.TextsFile{Kind: "data file", Name: name, Then: "no text was made", All: allKey, Check: prompts.Data}
	texts, err := f.Parse(data, jobs)
	if err != nil {
		return Data{}, err
	}
	out := Data{For: map[string][]string{}}
	for key, t := range texts {
		if key == allKey {
			out.All = []string{t.Text}
		} else {
			out.For[key] = []string{t.Text}
		}
	}
	return out, nil
}
