package remote

import "strings"

// Kind is what a session without a local job is.
type Kind string

// The kinds. Every field that tells them apart may be missing from a row.
const (
	KindBridge  Kind = "bridge"  // an interactive session of the command line, bridged to claude.ai
	KindCloud   Kind = "cloud"   // runs elsewhere, has no job on any machine of ours by design
	KindServer  Kind = "server"  // served by a Remote Control server
	KindDesktop Kind = "desktop" // the desktop app's
	KindIDE     Kind = "ide"     // an editor's
	KindUnknown Kind = "unknown"
)

// kindOf goes from the surest sign to the weakest: a cloud environment, the tags, the environment's id, the origin.
// The origin is only who created the session: a phone starts sessions on a Remote Control server too. idGiven says
// that the row has an environment_id at all, even an empty one.
func kindOf(s Session, idGiven bool) Kind {
	env := s.EnvironmentKind
	if env == "unspecified" || env == "unknown" {
		env = ""
	}
	if env == "anthropic_cloud" || env == "cloud" || env == "byoc" {
		return KindCloud
	}
	if kind := tagKind(s.Tags); kind != "" {
		return kind
	}
	origin := strings.ToLower(s.Origin)
	switch {
	case isIDE(origin):
		return KindIDE
	case env != "" && env != "bridge":
		if origin == "desktop_app" {
			return KindDesktop
		}
		return KindCloud
	case s.EnvironmentID != "":
		return KindServer
	case origin == "desktop_app":
		return KindDesktop
	case env == "bridge" && (idGiven || origin == "claude_code_cli"):
		return KindBridge
	}
	return KindUnknown
}

// tagKind reads the tags: "" when none of them speaks, unknown when they contradict each other.
func tagKind(tags []string) Kind {
	var kind Kind
	for _, tag := range tags {
		var k Kind
		switch tag = strings.ToLower(strings.TrimSpace(tag)); {
		case tag == "remote-control-repl":
			k = KindBridge
		case tag == "remote-control-sdk", tag == "remote-control-auto":
			k = KindServer
		case tag == "cowork", strings.HasPrefix(tag, "cowork-"):
			k = KindDesktop
		case isIDE(tag):
			k = KindIDE
		default:
			continue
		}
		if kind != "" && kind != k {
			return KindUnknown
		}
		kind = k
	}
	return kind
}

func isIDE(s string) bool {
	return strings.Contains(s, "vscode") || strings.Contains(s, "jetbrains") || s == "ide" ||
		strings.HasSuffix(s, "_ide") ||
		strings.HasSuffix(s, "-ide")
}
