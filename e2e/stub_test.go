//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// stubPort is free in the namespace, which holds nothing else.
const stubPort = 8099

// serveStub stands in for the model service until its standard input ends: a test that is killed takes its stub with
// it. The rules are read anew for each request, so a test can add some while sessions run.
func serveStub(rulesFile, logFile string) error {
	logs, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", stubPort))
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = l.Close()
	}()
	fmt.Println("ready")
	s := &stub{rules: rulesFile, log: logs}
	if err := http.Serve(l, s); err != nil && !strings.Contains(err.Error(), "use of closed") {
		return err
	}
	return nil
}

type stub struct {
	rules  string
	log    io.Writer
	serial atomic.Int64
}

// block is one part of an answer's content.
type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

type request struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []message         `json:"messages"`
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.Method != http.MethodPost, !strings.HasPrefix(r.URL.Path, "/v1/messages"):
		reply(w, http.StatusOK, "application/json", []byte("{}"))
		return
	case strings.Contains(r.URL.Path, "count_tokens"):
		reply(w, http.StatusOK, "application/json", []byte(`{"input_tokens":100}`))
		return
	}
	var req request
	_ = json.Unmarshal(body, &req) // the client's own requests; what cannot be read gets the answer to an empty one
	a := answer{status: http.StatusOK, stop: "end_turn"}
	if len(req.Tools) > 0 {
		a = plan(req.Messages, loadRules(s.rules), s.newID)
	} else {
		a.content = []block{{Type: "text", Text: sideAnswer(req.Messages)}}
	}
	s.record(req, a)
	select {
	case <-time.After(a.delay):
	case <-r.Context().Done():
		return
	}
	if a.status != http.StatusOK {
		// Without this the client tries for minutes before it gives the turn up.
		w.Header().Set("x-should-retry", "false")
		data, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": a.kind,
			"message": a.problem}})
		reply(w, a.status, "application/json", data)
		return
	}
	head := map[string]any{"id": s.newID("msg"), "type": "message", "role": "assistant", "model": req.Model,
		"stop_sequence": nil,
		"usage": map[string]int{"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0,
			"cache_read_input_tokens": 0}}
	if !req.Stream {
		head["content"], head["stop_reason"] = a.content, a.stop
		data, _ := json.Marshal(head)
		reply(w, http.StatusOK, "application/json", data)
		return
	}
	head["content"], head["stop_reason"] = []block{}, nil
	reply(w, http.StatusOK, "text/event-stream", stream(head, a))
}

func reply(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("content-type", kind)
	w.Header().Set("request-id", "req_stub")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// stream is a whole answer as server-sent events.
func stream(head map[string]any, a answer) []byte {
	var b strings.Builder
	event := func(kind string, data map[string]any) {
		data["type"] = kind
		text, _ := json.Marshal(data)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, text)
	}
	event("message_start", map[string]any{"message": head})
	for i, c := range a.content {
		start, delta := c, map[string]any{"type": "text_delta", "text": c.Text}
		if c.Type == "tool_use" {
			start.Input = json.RawMessage("{}")
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(c.Input)}
			event("content_block_start", map[string]any{"index": i, "content_block": start})
		} else {
			event("content_block_start", map[string]any{"index": i, "content_block": map[string]any{"type": "text", "text": ""}})
		}
		event("content_block_delta", map[string]any{"index": i, "delta": delta})
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": a.stop, "stop_sequence": nil},
		"usage": map[string]int{"output_tokens": 5}})
	event("message_stop", map[string]any{})
	return []byte(b.String())
}

func (s *stub) newID(kind string) string {
	return fmt.Sprintf("%s_%d_%d", kind, time.Now().UnixNano(), s.serial.Add(1))
}

func (s *stub) record(req request, a answer) {
	last := ""
	if n := len(req.Messages); n > 0 {
		last = req.Messages[n-1].text()
	}
	if len(last) > 200 {
		last = last[len(last)-200:]
	}
	line, _ := json.Marshal(map[string]any{"at": time.Now().UTC(), "tools": len(req.Tools), "messages": len(req.Messages),
		"status": a.status, "last": last, "content": a.content})
	_, _ = s.log.Write(append(line, '\n'))
}
