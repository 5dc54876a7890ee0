package review

import "testing"

// TestSoundReviewsStand: a review whose text says in its own words what its block says is no contradiction, in
// whatever language and shape.
func TestSoundReviewsStand(t *testing.T) {
	none := []string{
		"none", "None.", "- _none_", "*none*", "`none`", "✅ none", "“none”", "", "—", "n/a", "n.a.", "no", "No.", "nope",
		"nil", "false", "zero euros", "0", "0 EUR", "€0", "EUR 0.00", "0,00 €", "$0",
		"there is none", "There's none.", "I see none", "I found nobody", "not applicable",
		"not any more: the refund was booked", "not that I can see", "as far as I can see, nothing",
		"the refund was paid on 3 Nov, so none", "none (invoice 7 was paid)", "all paid", "everything was paid back",
		"already refunded, nothing left", "all invoices are settled",
		"the customer was answered on 3 Nov", "answered on 3 Nov", "everybody got a reply", "everyone was answered",
		"Kim was answered on Monday, so nobody",
		"keine", "keiner", "kein Geld", "nichts", "niemand", "Nein", "entfällt", "aucun", "aucune somme", "rien", "personne",
		"néant", "non", "pas de risque", "sans objet",
		"It was 129 EUR; refunded on 3 Nov.", "never was any", "unlikely", "no longer", "none known",
		"the 129.00 EUR refund has been paid.", "Kim thanked us on Tuesday, closed", "❌ no",
	}
	for _, said := range none {
		for _, shape := range []string{"### Flags\nMoney at risk: ", "- **Money at risk:** ", "- A person waits: ",
			"**Person never answered:** "} {
			stands(t, VerdictDone, shape+said)
		}
	}
	open := []string{
		"- none", "- _none_", "- (none)", "1. None", "* `none`", "- [ ] none", "- No open items", "- There is nothing left",
		"- There are no open items", "- All items are done", "- All done.", "- Everything is closed and merged",
		"- Nothing: Kim has the report", "- I see nothing open", "- 0", "- Zero items", "- Empty", "- n.a.",
		"- Without open items", "- ~~send the mail~~ (sent)", "- ✅ mail sent", "- ✔ all merged", "- [x] send the mail",
		"- Done: the mail was sent", "- mail to Kim: sent", "- the mail was sent",
		"- All work is finished; nothing waits for anybody.", "- None. For the record:\n  - the flag was removed in 4.1",
		"Nothing is open.\n\n- the flag was removed",
		"- Es ist nichts offen.", "- Alles erledigt", "- Keine offenen Punkte", "- Offen ist nichts", "- Entfällt",
		"- Fertig", "- leer", "- Gibt es nicht", "- ./.",
		"- Rien", "- Il ne reste rien", "- Il n'y a rien à faire", "- Aucun", "- Néant", "- Plus rien", "- Tout est fait",
		"- Pas d'élément ouvert", "- Sans objet", "- Plus aucun point ouvert.", "- It is all done.", "- We are done here.",
		"- The work is complete.",
	}
	for _, said := range open {
		stands(t, VerdictDone, "### Open\n\n"+said)
		stands(t, VerdictDone, "**Open items**\n"+said)
	}
	for _, said := range []string{
		"No money at risk: the invoice is paid.", "There is no money at risk - the refund is booked.",
		"No person is waiting: the ticket was closed.", "I found no sign that money is at risk: every payment has a receipt",
		"not a single person waiting: good", "Is money at risk: no. Is a person waiting: no.",
		"Money at risk? No. A person waits? No.", "Money at risk is none.",
		"Money at risk / a person waiting / acts twice: none",
		"Money at risk, a person who was never answered, another session that would act twice: none of these.",
		"Money at risk: 0 EUR; A person waits: nobody since 3 Nov",
		"| Flag | Value |\n|---|---|\n| Money at risk | none |\n| A person waits | nobody |",
		"| Money at risk | A person waits | Acts twice |\n|---|---|---|\n| none | nobody | - |",
		"The verdict is held in the block below.", "The verdict is at the end.", "Verdict: Done ✅", "Verdict\u00a0: DONE",
	} {
		stands(t, VerdictDone, "### Flags\n"+said)
	}
	for _, said := range []string{
		"The verdict DONE would be wrong here: the refund is unpaid.", "The verdict is DONE only after the refund is paid.",
		"The final verdict is owner-dependent.", "Verdict: not DONE", "Verdict: DONE | OWNER | DUPLICATE | HELD, here OWNER",
		"Verdict: DONE/OWNER", "**Verdict: OWNER** (not DONE)", "Earlier verdict: DONE",
		"- verdict DONE means that nothing is open, which is not so here", "The verdict held last week was DONE.",
		"Verdict: DONE cannot be said while the refund is open, so OWNER.", "Verdict: would be DONE, but the refund is open",
		"### DONE\n- mail", "Status: done",
	} {
		stands(t, VerdictOwner, said)
	}
}

func stands(t *testing.T, verdict, reply string) {
	t.Helper()
	if got := contradiction(&Verdict{Verdict: verdict}, reply); got != "" {
		t.Errorf("%q: %s", reply, got)
	}
}

// TestContradictionsAreSeen: what a text says outright against its block is seen, whatever small words stand near it.
func TestContradictionsAreSeen(t *testing.T) {
	seen := func(verdict, reply string) {
		t.Helper()
		if contradiction(&Verdict{Verdict: verdict}, reply) == "" {
			t.Errorf("%q is not seen", reply)
		}
	}
	for _, said := range []string{"400 EUR", "€400, unpaid", "the refund of 129.00", "yes",
		"400 EUR, nobody has approved it", "0.50 EUR", "up to 10 000 EUR", "the customer paid twice",
		"the invoice was paid twice", "No. 7 is unpaid"} {
		seen(VerdictDone, "- **Money at risk:** "+said)
		seen(VerdictDone, "| Money at risk | "+said+" |")
	}
	for _, said := range []string{"Kim since Monday", "the customer", "yes", "Kim, nobody answered her", "Notar Meier",
		"Nonna Rossi", "All of the platform team", "the customer was not answered", "Kim was promised an answer"} {
		seen(VerdictDone, "A person waits: "+said)
	}
	for _, said := range []string{"- send the mail to Kim", "1. pay", "- [ ] send the mail",
		"- All tests must be run again", "- All invoices have to be paid", "- Notify Kim", "- Non-blocking: rename the flag",
		"- No-op migration 7 has to be run", "- 3 mails",
		"- Mail Kim, nothing else", "- none of the mails was sent", "- Nobody has told Kim",
		"- [x] paid\n- [ ] send the mail", "- the mail was not sent"} {
		seen(VerdictDone, "### Open\n\n"+said)
		seen(VerdictDone, "## 3. Open (1)\n"+said)
	}
	seen(VerdictDone, "### Open\n- none from the code side\n\n### Flags\nMoney at risk: 400 EUR")
	for _, said := range []string{"Verdict: DONE because nothing is open", "**Verdict: DONE** - all merged",
		"My verdict is **DONE**.", "Verdict – DONE", "Verdict : DONE.", "The verdict is DONE, since it was merged.",
		"| Verdict | DONE |", "**Final verdict:** done"} {
		seen(VerdictOwner, said)
	}
}
