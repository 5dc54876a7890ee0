package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"

	"github.com/urfave/cli/v2"
)

func (x *command) inventoryCommand() *cli.Command {
	return &cli.Command{
		Name:      "inventory",
		Usage:     "list the offline sessions, newest first",
		UsageText: "recovery inventory [--sessions FILE]... [--groups FILE] [FILE...]",
		Description: `Each FILE is a saved page of claude.ai sessions (what list_sessions printed, in any wrapping). With pages, the non-archived
disconnected sessions are listed, joined to their job here; those without a job are told apart by kind. Without pages,
every job without a live process is listed. The inventory is saved in the work folder. The first time, the groups of
duplicates that it proposes are written to groups.yaml there; from then on that file is yours and wins, and new groups
are proposed beside yours.

EXAMPLE:
   recovery inventory --sessions page1.json page2.json

EXIT STATUS:
   0 the list is whole; 1 the account or a page cannot be read, nothing was saved; 2 wrong usage; 3 the pages are not
   complete or a row cannot be read`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "sessions", Usage: "a saved page of sessions, `FILE`; may be given several times"},
			&cli.StringFlag{Name: "groups", Usage: "take the groups from `FILE` instead of groups.yaml in the work folder"},
		},
		Action: x.inventory,
	}
}

func (x *command) inventory(c *cli.Context) error {
	p, err := x.place(c)
	if err != nil {
		return err
	}
	var pages *remote.Sessions
	if files := append(c.StringSlice("sessions"), c.Args().Slice()...); len(files) > 0 {
		read, err := readPages(files)
		if err != nil {
			return err
		}
		got, err := remote.ReadSessions(read...)
		if err != nil {
			return failf("save the page again, then: recovery inventory "+strings.Join(files, " "), "%w", err)
		}
		pages = &got
	}
	w, err := x.seeTwice(p)
	if err != nil {
		return err
	}
	inv := inventory.Build(w, pages)
	inv.Account.User = p.owner.name
	proposal, err := applyGroups(p, w, &inv, c.String("groups"))
	if err != nil {
		return err
	}
	if err := x.saveInventory(p, w, inv, proposal); err != nil {
		return err
	}
	if x.json {
		if err := x.printJSON(inv); err != nil {
			return err
		}
	} else {
		x.showInventory(inv)
	}
	return ended(inventoryOutcome(inv, pages))
}

// saveInventory closes the recovery before this one when it is over, and saves the new inventory with the groups that
// it proposes. In another user's account it saves nothing and says so.
func (x *command) saveInventory(p *place, w *inventory.World, inv inventory.Inventory, proposal []byte) error {
	if p.folder.Barred != nil {
		x.say("nothing was saved: %v", p.folder.Barred)
		return nil
	}
	if err := x.closeFinished(p, w); err != nil {
		return err
	}
	if proposal != nil {
		if err := p.folder.SaveGroups(proposal); err != nil {
			return err
		}
	}
	if err := p.folder.SaveInventory(inv); err != nil {
		return err
	}
	return p.journal.Append(journal.Inventoried, "", journal.RunData{Command: "inventory", User: x.user,
		Agent: x.inSession(), Count: len(inv.Items)})
}

// applyGroups puts the user's groups in force, from a named file or from the one in the work folder. It gives what is
// to be saved there: the first proposal, or the user's file with new proposals below it; nil when nothing is new.
func applyGroups(p *place, w *inventory.World, inv *inventory.Inventory, named string) ([]byte, error) {
	path, data, err := p.folder.Groups()
	if named != "" {
		path = named
		data, err = os.ReadFile(path)
	}
	if err == nil && named == "" && data == nil {
		if len(inv.Groups) == 0 {
			return nil, nil
		}
		return inventory.WriteProposal(inv, nil), nil
	}
	if err != nil {
		return nil, failf("", "reading the groups: %w", err)
	}
	file, err := inventory.ParseGroups(path, data, w.Jobs)
	if err != nil {
		return nil, failf("", "%w", err)
	}
	var out []byte
	if named == "" {
		if out = inventory.WriteProposal(inv, file); bytes.Equal(out, data) {
			out = nil
		}
	}
	inv.ApplyGroups(file)
	return out, nil
}

// closeFinished keeps a recovery that is over under its date, so that a new one begins. One with anything open goes on.
func (x *command) closeFinished(p *place, w *inventory.World) error {
	path, err := p.journal.Close(func(events []journal.Event) bool { return x.finished(p, w, events) })
	if err != nil {
		return err
	}
	if path != "" {
		x.say("the recovery before this one was finished; its record is kept as %s", path)
	}
	return nil
}

func inventoryOutcome(inv inventory.Inventory, pages *remote.Sessions) outcome {
	if !inv.Complete || pages != nil && (pages.Skipped > 0 || len(pages.Warnings) > 0) {
		return needsUser
	}
	for _, it := range inv.Items {
		if it.Live == account.Unknown || it.Turn == string(transcript.UnknownTurn) || pages != nil && it.Remote == nil {
			return needsUser
		}
	}
	return allDone
}

// readPages reads saved pages whole: they are what one tool call printed.
func readPages(names []string) ([]remote.File, error) {
	var out []remote.File
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, failf("", "reading a saved page: %w", err)
		}
		data, err := io.ReadAll(f)
		info, statErr := f.Stat()
		_ = f.Close()
		if err := errors.Join(err, statErr); err != nil {
			return nil, failf("", "reading the saved page %s: %w", name, err)
		}
		out = append(out, remote.File{Name: name, Data: data, ModTime: info.ModTime()})
	}
	return out, nil
}

func (x *command) showInventory(inv inventory.Inventory) {
	for _, w := range inv.Warnings {
		x.say("warning: %s", w)
	}
	t := rows{header: []string{"SHORT", "LIVE", "TURN", "ENDED", "LAST ENTRY", "GROUP", "TITLE", "FOLDER", "TO KNOW"}}
	expiring := 0
	for _, it := range inv.Items {
		if it.ExpiresSoon() {
			expiring++
		}
		group := it.Group
		if it.Group != "" {
			group += " " + it.Role
		}
		t.add(it.Short, string(it.Live), turnWords(it), endedWords(it), x.when(it.LastEntryAt), dash(group), it.Title, it.Cwd,
			dash(strings.Join(append(x.hazardWords(it), it.Warnings...), ", ")))
	}
	if expiring > 0 {
		x.out("%d expire within a week and stand first: the client deletes their transcripts then", expiring)
	}
	if len(t.lines) > 0 {
		x.table(&t)
	}
	if len(inv.Unmatched) > 0 {
		x.out("without a job here:")
		t := rows{header: []string{"ID", "KIND", "UPDATED", "TITLE", "WHAT TO DO"}}
		for _, u := range inv.Unmatched {
			t.add(u.ID, u.Kind, x.when(u.UpdatedAt), u.Title, u.WhatToDo)
		}
		x.table(&t)
	}
	var left []string
	for _, l := range inv.LeftOut {
		left = append(left, fmt.Sprintf("%d %s", l.Count, l.Reason))
		if len(l.Shorts) > 0 {
			x.out("%s: %s; recovery inventory, without pages, lists them", l.Reason, strings.Join(l.Shorts, " "))
		}
	}
	x.out("the account of %s, %s", inv.Account.User, inv.Account.Dir)
	x.out("found %d: %d listed, %d without a job, left out: %s", inv.Found, len(inv.Items), len(inv.Unmatched),
		dash(strings.Join(left, ", ")))
	if !inv.Complete {
		x.out("the pages are not complete: save the next page (%s=%s) and run it again with all of them", inv.NextPage.Param,
			inv.NextPage.ID)
	}
	if len(inv.Items) == 0 {
		x.next("nothing is offline here; `recovery inventory` looks again")
		return
	}
	x.next("recovery queue-check")
}

// hazardWords are a row's hazards; one that expires soon says when.
func (x *command) hazardWords(it inventory.Item) []string {
	words := append([]string{}, it.Hazards...)
	for i, h := range words {
		if h == inventory.ExpiresSoonCode {
			words[i] = h + " (" + x.when(it.ExpiresAt) + ")"
		}
	}
	return words
}

// endedWords is a cause with what its line adds: how long it was idle, when a limit ends, what an error says. A live
// session did not end.
func endedWords(it inventory.Item) string {
	if it.Live == account.Live {
		return "-"
	}
	e := it.Ended
	words := string(e.Cause)
	switch e.Cause {
	case inventory.Retired:
		if how := claude.Retirement(e.Line); how != "" {
			words += " (" + how + ")"
		}
	case inventory.Limit, inventory.SignIn, inventory.APIError, inventory.Crashed:
		words += " (" + text.Clip(e.Line, 60) + ")"
	}
	return words
}

// turnWords says of a turn that was ended by the token limit that it was.
func turnWords(it inventory.Item) string {
	if it.Turn == string(transcript.Complete) && it.Stop == claude.StopMaxTokens {
		return it.Turn + " (" + it.Stop + ")"
	}
	return it.Turn
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
