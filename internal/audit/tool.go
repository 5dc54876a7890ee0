package audit

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// toolRule is the rule for one built-in tool.
type toolRule struct {
	Class   Class  `yaml:"class"`
	Why     string `yaml:"why"`
	Show    string `yaml:"show"`
	Network bool   `yaml:"network"`
	Judge   string `yaml:"judge"`
}

func (t toolRule) check(name string) error {
	if _, err := parseClass(string(t.Class)); err != nil {
		return fmt.Errorf("tool %s: %w", name, err)
	}
	switch t.Judge {
	case "", "fetch", "shell", "powershell", "agent", "enter-worktree", "exit-worktree", "remote-trigger", "lsp":
		return nil
	}
	return fmt.Errorf("tool %s: no judge is named %q", name, t.Judge)
}

// Call judges one tool call by the tool's name and its raw JSON input. It sees only what the model asked for: whether
// the call was denied, and what it changed on the record of the client, is for the caller to add.
func (r *Rules) Call(name string, input []byte) Judgement {
	var in map[string]any
	valid := json.Unmarshal(input, &in) == nil && in != nil
	var v verdict
	summary := name
	switch rule, known := r.tools[name]; {
	case strings.HasPrefix(name, "mcp__"):
		v = r.mcpTool(name, in)
	case known:
		v = verdict{rule.Class, rule.Why, rule.Network}
		if valid {
			v = r.judgeTool(rule, in)
		}
		if s, ok := in[rule.Show].(string); ok && s != "" {
			summary = s
		}
	default:
		v = unknown("no tool of this name is known")
	}
	if !valid {
		v = v.atLeast(Unknown, "the input is not a JSON object")
	}
	v = r.strictTool(name, v)
	return Judgement{Class: v.class, Reason: v.reason, Network: v.network, Summary: summary}
}

// judgeTool applies the rule of a built-in tool to its input.
func (r *Rules) judgeTool(rule toolRule, in map[string]any) verdict {
	v := verdict{rule.Class, rule.Why, rule.Network}
	switch rule.Judge {
	case "shell":
		command, ok := in["command"].(string)
		if !ok {
			return unknown("there is no command text in the input")
		}
		if bg, has := in["run_in_background"]; has {
			if _, isBool := bg.(bool); !isBool {
				if _, isText := bg.(string); !isText {
					return unknown("run_in_background is neither true nor false")
				}
			}
		}
		v = r.shell(command)
		for _, key := range []string{"url", "ws", "websocket", "socket"} {
			if in[key] != nil {
				v = v.atLeast(Unknown, "opens a connection besides")
			}
		}
		if in["dangerouslyDisableSandbox"] == true {
			v.reason += " (asked to run outside the sandbox)"
		}
	case "powershell":
		command, _ := in["command"].(string)
		v = powershell(command)
	case "fetch":
		for _, key := range []string{"url", "query"} {
			if s, ok := in[key].(string); ok && smuggles(s) {
				return verdict{Unknown, "the address holds what looks like encoded data", true}
			}
		}
	case "agent":
		if isolation, ok := in["isolation"]; ok && isolation != "" && isolation != nil {
			return write("a subagent in a worktree of its own: the worktree is created")
		}
	case "lsp":
		if op, ok := in["operation"].(string); ok && !lspReads[op] {
			return unknown("the language server is asked for `" + op + "`")
		}
	case "enter-worktree":
		if path, ok := in["path"].(string); ok && path != "" {
			return unknown("enters a worktree that exists")
		}
	case "exit-worktree":
		return exitWorktree(in)
	case "remote-trigger":
		switch action, ok := in["action"].(string); {
		case !ok || action == "":
			return verdict{Unknown, "a routine of the service, action not given", true}
		case action == "list" || action == "get":
			return fetches("lists routines of the service")
		default:
			return verdict{Write, "changes or runs a routine of the service", true}
		}
	}
	return v
}

// lspReads are the questions to a language server that change nothing.
var lspReads = words(
	strings.Fields(`goToDefinition goToDeclaration goToTypeDefinition goToImplementation findReferences hover
	documentSymbol workspaceSymbol prepareCallHierarchy incomingCalls outgoingCalls diagnostics signatureHelp`)).set()

func exitWorktree(in map[string]any) verdict {
	v := read("leaves a worktree and keeps it")
	for key, val := range in {
		switch {
		case key == "action" && (val == "keep" || val == "exit"):
		case key == "action" && val == "remove":
			return write("removes a worktree")
		case strings.HasPrefix(key, "discard") && val == false:
		case strings.HasPrefix(key, "discard") && val == true:
			return write("discards the changes of a worktree")
		default:
			v = v.atLeast(Unknown, "leaves a worktree in a way that is not known")
		}
	}
	return v
}

var encoded = regexp.MustCompile(`[A-Za-z0-9+/_=%-]{80,}`)

// smuggles says whether a URL or query carries more than it needs to name a page: data can leave in a plain GET.
func smuggles(s string) bool {
	query := s
	if u, err := url.Parse(s); err == nil && u.Scheme != "" {
		query = u.RawQuery
		if u.User != nil {
			return true
		}
		for _, part := range strings.Split(u.Host, ".") {
			if len(part) > 40 {
				return true
			}
		}
		for _, part := range strings.Split(u.Path, "/") {
			if len(part) > 120 {
				return true
			}
		}
	}
	return len(query) > 400 || encoded.MatchString(query)
}

var (
	psVerbs = regexp.MustCompile(
		`(?i)^((get|select|test)-[a-z]+|(where|sort|group|compare|measure)-object|format-(table|list|wide|custom|hex))$`)
	psPlain = regexp.MustCompile(`^[A-Za-z0-9_ .,:/\\*"'|-]*$`)
)

// powershell lets only pipelines of plain words pass whose every command has a verb that reads.
func powershell(command string) verdict {
	if !psPlain.MatchString(command) {
		return unknown("PowerShell is not analysed beyond plain words")
	}
	for _, part := range strings.Split(command, "|") {
		f := strings.Fields(part)
		if len(f) == 0 || !psVerbs.MatchString(f[0]) {
			return unknown("PowerShell: a command that is not known to read")
		}
	}
	return read("PowerShell: verbs that read")
}
