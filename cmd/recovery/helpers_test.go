package main

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

func now() time.Time { return time.Now() }

// appendQueued puts more text behind a job's queued prompt, as a person's message that was typed meanwhile.
func appendQueued(t *testing.T, path, more string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	v["queuedPrompt"] = v["queuedPrompt"].(string) + more
	if data, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
