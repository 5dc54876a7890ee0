// Package agentsession lists the unfinished sessions of the agent-session skill: .os/sessions/<agent>/<session
// id>/checkpoint.json below a project. The skill's text names what a checkpoint holds and gives no format, so the
// reader is tolerant of names and every row says that the format is inferred. Nothing in a checkpoint proves that a
// session lives, so none is ever called live.
package agentsession
