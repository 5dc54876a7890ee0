// Package review reads what a woken session did: the reply to a wake prompt, its verdict block, and every tool call
// with its class, from where the transcript ended before the wake to the first message of a person.
package review
