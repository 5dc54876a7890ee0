// Package message makes the texts that go to several sessions once they were reviewed: the merged plan of all owners
// with its work split, so that no two sessions do the same, and for each session whether it is to get one and how. It
// sends nothing: the user does, or a wake that asks for the plan of an offline owner.
package message
