package inventory

import "strings"

// phrases are single words, and what is found as a part of a text.
func phrases(list ...string) (words map[string]bool, parts []string) {
	words = map[string]bool{}
	for _, w := range list {
		if w[0] < 0xe0 && !strings.Contains(w, " ") { // letters with blanks between words: Latin and Cyrillic
			words[w] = true
		} else {
			parts = append(parts, w)
		}
	}
	return words, parts
}

// referCues stand before an id that is only referred to; laterCues before an item that was made by the way.
var (
	referCues = []string{"like ", "similar", "same way", "same as", "as in ", "also", "related", "blocked by", "blocks ",
		"depends on", "waits for", "wait for", "waits on",
		"after ", "before ", "once ", "as soon as", "until ", "when ", "part of", "epic", "parent", "child of", "history",
		"instead of", "unlike", "example",
		"e.g.", "cf.", "compare", "duplicate of", "not ", "besides", "process in", "as we did", "as done", "did for",
		"did in", "did with", "based on",
		"inspired", "modelled", "modeled", "follow-up to", "follow-up of", "following up on", "follow up on", "successor",
		"split from", "split off",
		"split out of", "spun off", "spun out", "now that", "since ", "introduced", "caused by", "came out of",
		"out of scope", "rather than", "other than",
		"unrelated", "without", "needs", "requires", "prerequisite", "(see ", "analogous", "on top of", "builds on",
		"copied from", "taken from", "ähnlich",
		"wie in", "wie bei", "genauso wie", "analog", "sobald", "nachdem", "seit ", "siehe auch", "(siehe", "vgl",
		"blockiert", "hängt ab", "teil von",
		"außer", "beispiel", "basierend", "anders als", "statt ", "ohne ", "voraussetzung", "nicht ", "folge von", "como ",
		"cuando ", "parecid",
		"véase también", "depende de", "después de", "bloquead", "parte de", "igual que", "ahora que", "ya que", "basado en",
		"en vez de", "comme ", "dès que",
		"voir aussi", "dépend de", "après ", "maintenant que", "depuis ", "basé sur", "au lieu de", "à la suite de", "dopo ",
		"come ", "depois d", "zoals ",
		"类似", "一旦", "参考", "另见", "依赖", "之后", "例如", "和之前", "参照", "関連", "と同じ", "похож", "зависит", "после ", "аналогично",
		"как в "}
	// clauseWord and clausePhrases open a clause that tells of something else than what is to be done: of a condition,
	// of what others do, of what is only supposed. Conjunctions are a closed class in each language. A comma ends the
	// clause.
	clauseWord, clausePhrases = phrases("once", "when", "whenever", "after", "before", "assuming", "supposing", "provided",
		"given that", "since", "as soon as", "until", "unless", "while",
		"now that", "although", "though", "whereas", "wenn", "sobald", "nachdem", "bevor", "weil", "falls", "während",
		"solange", "seit", "seitdem", "obwohl",
		"sofern", "angenommen", "une fois", "dès que", "quand", "lorsque", "après", "avant", "puisque", "pendant que",
		"tant que", "en attendant",
		"en supposant", "maintenant que", "una vez", "cuando", "después de", "antes de", "mientras", "ya que", "puesto que",
		"en cuanto", "hasta que",
		"suponiendo", "una volta", "quando", "dopo che", "prima che", "mentre", "finché", "appena", "poiché", "uma vez",
		"depois que", "assim que",
		"antes que", "enquanto", "zodra", "nadat", "voordat", "terwijl", "totdat", "gdy", "kiedy", "zanim", "когда",
		"после того", "как только", "пока",
		"если", "等", "当", "如果", "待", "someone else", "somebody else", "another session", "other session", "another agent",
		"colleague", "jemand anders",
		"kollege", "kollegin", "quelqu'un d'autre", "otra persona", "i think", "i guess", "i suspect", "probably", "maybe",
		"perhaps", "presumably",
		"vielleicht", "vermutlich", "wahrscheinlich", "ich glaube", "quizá", "creo que", "peut-être", "je pense", "forse",
		"talvez", "наверное", "可能", "たぶん")
	// workWords stand before a key that is a ticket's: one works on a ticket, and not on a flight.
	workWords = wordSet(
		`do implement finish complete close out reopen reopened fix resolve handle start continue take over pick prepare review status investigate reproduce
		answer triage merge revert ship build deliver bearbeite bearbeiten mach erledige behebe prüfe übernimm implementiere beende schließe fais termine
		traite corrige prends haz termina resuelve revisa cierra responde fai completa faça resolva doe maak сделай закрой исправь возьми`)
	// aboutWords stand before a key that the sentence is about.
	aboutWords = wordSet(
		`for on of about behind around into why whether warum ob pourquoi to re regarding concerning and or see at in under zu zum zur für fur bei an am von
		über uber und betrifft betreff wegen de del du des la le el para sobre por pour sur à au y et o su per di da e do no em na voor van over met aan bij
		dla w по для к за на о об в и`)
	// workPairs are work words of two.
	workPairs = []string{"work on", "works on", "working on", "follow up on", "status of", "rca for", "postmortem for",
		"timeline for", "arbeite an", "weiter mit", "was aus",
		"changes from", "changes in", "fix from", "code from", "work from", "änderungen aus", "umsetzung aus", "look up",
		"follow up", "on with",
		"forward with", "deal with", "care of", "look into", "look at", "check out", "dich um", "euch um", "ocúpate de",
		"occupe-toi de", "разберись с",
		"trabaja en", "travaille sur"}
	// workAfter stand after a key that is a ticket's: verbs at the end of a German sentence, a Japanese object's sign,
	// and what only tickets do.
	workAfter = []string{"bearbeiten", "erledigen", "lösen", "fertig", "abschließen", "übernehmen", "umsetzen", "を",
		"came back", "is back", "once more", "again", "reopened",
		"is still", "still ", "keeps ", "fails", "is failing", "is broken", "does not", "doesn't", "ist noch", "ist immer",
		"sigue ", "est toujours",
		"n'est pas", "follow-up", "continued"}
	// ticketKeys are prefixes that many trackers have, and that name nothing else.
	ticketKeys = wordSet(
		`INC CHG RITM REQ PRB SCTASK CAS CASE TICKET TKT INV RMA ORD PO BUG ISSUE TASK SUP SUPPORT HELP OPS DEVOPS DEV ENG SRE INFRA INFR PLAT PLATFORM SEC PAY
		BILL BILLING WEB APP API CORE MOB MOBILE UX DATA DOC DOCS QA PROJ FIN SHOP CHAT AUTH`)
	// anyMatter are words that are in many sessions and tell not what one is about.
	anyMatter = plainSet(
		`create find change show delete check look list draft update this that from into about what when where which does have take them they there their these
		after before than your with work session ticket mache diese dieser werden wird nach noch alle sobre para esta este pour dans avec cette`)
	laterCues = []string{"filed", "opened", "created", "raised", "follow-up", "angelegt", "eröffnet", "erstellt",
		"abierto", "creado", "créé", "新建", "创建"}
	// forItCues take the meaning of a laterCue back: the item was made for this very work.
	forItCues = []string{"for it", "for this", "for that", "to track it", "to track this", "dafür", "hierfür", "para ello",
		"para esto", "pour cela", "pour ça"}
	afterCues = []string{"also ", "is similar", "is unrelated", "is done already", "was closed", "is closed", "is blocked",
		"ships first", "is merged", "was merged", "is in",
		"got merged", "has landed", "landed", "has shipped", "shipped", "is out", "is live", "went live", "went out",
		"is deployed", "introduced", "added ",
		"already ", "is done, ", "was done", "went to ", "has been merged", "has been deployed", "is released",
		"was released", "is finished, ",
		"did the same", "did this", "did it", "ist gemergt", "ist fertig", "ist erledigt", "ist live", "ist durch",
		"ist draußen", "wurde gemergt", "ya está",
		"está cerrad", "est fini", "est terminé", "est en ligne", "と同様", "と同じ", "を参考", "を参照", "を元に", "をもとに", "に合わせ", "のように",
		"みたい", "之后", "以后", "上线", "のあと",
		"の後"}
)
