//go:build e2e

package babysitter

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// askAll answers for every run of a folder what run:status would, by the SDK's own reader and index: its command line
// takes a second a run.
const askAll = `const fs = require("fs"), path = require("path"), sdk = process.argv[2], top = process.argv[3];
const { loadJournal } = require(sdk + "/dist/storage/journal"), { readRunMetadata } = require(sdk + "/dist/storage/runFiles");
const { buildEffectIndex } = require(sdk + "/dist/runtime/replay/effectIndex");
(async () => {
  const out = {};
  for (const name of fs.readdirSync(top)) {
    const runDir = path.join(top, name);
    try {
      if (!(await readRunMetadata(runDir))) throw new Error("no metadata");
      const events = await loadJournal(runDir), pending = {};
      const open = (await buildEffectIndex({ runDir, events })).listPendingEffects();
      for (const e of open) { const k = e.kind ?? "unknown"; pending[k] = (pending[k] ?? 0) + 1; }
      const last = events.map((e) => e.type).filter((t) => ["RUN_CREATED", "RUN_COMPLETED", "RUN_FAILED"].includes(t)).pop();
      const state = last === "RUN_COMPLETED" ? "completed" : last === "RUN_FAILED" ? "failed" : open.length ? "waiting" : "created";
      out[name] = { state, pending };
    } catch (e) { out[name] = { error: String(e.message || e) }; }
  }
  console.log(JSON.stringify(out));
})();`

// TestRealReplay damages thousands of journals at random and compares what is read of them with what the real reader
// says. Events that only 6.x knows are left out, since its SDK is not on the registry.
func TestRealReplay(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the real reader cannot be asked")
	}
	sdk := filepath.Join(install(t, "0.0.187"), "node_modules", "@a5c-ai", "babysitter-sdk")
	seed := int64(os.Getpid())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewSource(seed))
	top := t.TempDir()
	for n := range 2_000 {
		dir := filepath.Join(top, fmt.Sprintf("r%04d", n))
		makeRun(t, dir, nil, anyEvents(rng)...)
		if rng.Intn(3) > 0 {
			damage(t, rng, dir)
		}
	}
	script := filepath.Join(t.TempDir(), "ask.js")
	write(t, script, askAll)
	out, err := exec.Command(node, script, sdk, top).Output()
	var said map[string]struct {
		State, Error string
		Pending      map[string]int
	}
	if err != nil || json.Unmarshal(out, &said) != nil || len(said) != 2_000 {
		t.Fatalf("%v, %d answers", err, len(said))
	}
	states := map[string]int{}
	for name, w := range said {
		r := readRun(filepath.Join(top, name), machine().Process)
		why := r.unreadable()
		if (w.Error != "") != (why != "") || w.Error == "" && (w.State != r.state ||
			!cmp.Equal(w.Pending, r.journal.pendingByKind())) {
			t.Errorf("%s: the SDK says %q %v %q; read as %q %v %q", name, w.State, w.Pending, w.Error, r.state,
				r.journal.pendingByKind(), why)
		}
		states[w.State]++
	}
	t.Logf("%v", states)
}

func one[T any](rng *rand.Rand, of ...T) T { return of[rng.Intn(len(of))] }

// anyEvents is a journal that may ask for what was asked for, and answer what was not. A kind stays a text: of a list
// or an object JavaScript makes a text of its own.
func anyEvents(rng *rand.Rand) []ev {
	var events []ev
	for range rng.Intn(8) {
		e := ev{"PROCESS_LOG", map[string]any{"message": "x"}}
		switch rng.Intn(6) {
		case 0, 1:
			e = requested(fmt.Sprintf("e%d", rng.Intn(5)), one(rng, "agent", "node", "", "sleep"))
			if rng.Intn(12) == 0 {
				e.data[one(rng, "effectId", "invocationKey", "stepId", "taskId", "taskDefRef", "labels", "inputsRef", "label")] =
					one[any](rng, nil, 5, "", []any{"a", 1}, map[string]any{}, true)
			}
		case 2, 3:
			e = resolved(fmt.Sprintf("e%d", rng.Intn(5)), one(rng, "ok", "error", "ok", "ok", "perhaps", ""))
			if rng.Intn(8) == 0 {
				e.data[one(rng, "resultRef", "stdoutRef", "status", "effectId")] = one[any](rng, nil, 5, "", map[string]any{}, true,
					0)
			}
		case 4:
			e = ev{one(rng, "RUN_CREATED", "RUN_COMPLETED", "RUN_FAILED"), nil}
		}
		events = append(events, e)
	}
	return events
}

// damage does one thing to a run that a crash, a copy or a person might.
func damage(t *testing.T, rng *rand.Rand, dir string) {
	journal := filepath.Join(dir, "journal")
	names, err := os.ReadDir(journal)
	if err != nil || len(names) == 0 {
		return
	}
	path := filepath.Join(journal, one(rng, names...).Name())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	switch rng.Intn(10) {
	case 0:
		remove(path)
	case 1:
		write(t, path, string(data[:rng.Intn(len(data))]))
	case 2:
		write(t, path, one(rng, "null", "5", "[]", `"x"`, "{}", "", " ", "\ufeff{}", `{"type":null}`, `{"type":5,"data":5}`,
			`{"a":1,}`, "nul", `{"type":"RUN_COMPLETED","type":"RUN_FAILED"}`, "1e999", "-0", "01"))
	case 3:
		if err := os.Rename(path, filepath.Join(journal, one(rng, "readme.json", "0.A.json", ".A.json", "000001.json",
			"1.A.json", "000009.Z.json", "x.A.json", "-1.A.json", "000002..json", "2.01ZZ.json", "000001.01M8KZ.extra.json"))); err != nil {
			t.Fatal(err)
		}
	case 4:
		data[rng.Intn(len(data))] = byte(rng.Intn(128))
		write(t, path, string(data))
	case 5:
		write(t, filepath.Join(journal, one(rng, "x.txt", "000002.json.tmp-1-2-3", "000001.A.json", "a", "b.JSON")),
			string(data))
	case 6:
		mkdir(t, remove(path))
	case 7:
		write(t, remove(journal), "")
	case 8:
		write(t, filepath.Join(dir, "run.json"), one(rng, "", "{", "null", "{}", "[]", "5", "0", "true", "false", `"x"`,
			`""`))
	case 9:
		write(t, path, strings.Replace(string(data), `"data": {`, `"data": {"effectId": "twice", "kind": "q", `, 1))
	}
}
