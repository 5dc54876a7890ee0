package inventory

import "strings"

// class says how far an id proves that two sessions are about one item.
type class int

const (
	// classItem is a thing that exists once: a ticket, an incident, an invoice.
	classItem class = iota
	// classChange is a pull request: several may belong to one item.
	classChange
	// classAlert is an alert rule or a monitor: it fires again, and is then another item.
	classAlert
)

// kind is one sort of numbered thing, as people name it before its number.
type kind struct {
	name  string
	class class
	// digits is how many digits the number has at least when neither # nor "no." stands before it: "order 500 flyers" names none.
	digits int
	// local says that the number counts within its repository.
	local bool
	words string
}

// kinds are the sorts of things whose number is named in words, in several languages. Words are split at commas.
var kinds = []kind{
	{"pr", classChange, 1, true, "pull request,pull-request,pr,拉取请求"},
	{"mr", classChange, 1, true, "merge request,merge-request,mr,合并请求"},
	{"issue", classItem, 1, true, "issue"},
	{"alert", classAlert, 2, false, "alert,alarm,alerta,alerte,allarme,meldung,monitor,告警,报警,アラート"},
	{"incident", classItem, 2, false, "incident,vorfall,störung,incidencia,incidente,故障,事件,障害,инцидент"},
	{"ticket", classItem, 3, false, "ticket,vorgang,chamado,solicitud,工单,チケット,заявка,тикет"},
	{"case", classItem, 4, false, "case,caso,fall,案例"},
	{"invoice", classItem, 4, false, "invoice,rechnung,factura,facture,fatura,fattura,发票,請求書,счёт,счет"},
	{"order", classItem, 4, false, "order,bestellung,auftrag,pedido,commande,ordine,订单,注文,заказ"},
	{"work item", classItem, 3, false, "work item,workitem"},
	{"story", classItem, 3, false, "story"},
	{"bug", classItem, 3, false, "bug,defect"},
	{"claim", classItem, 4, false, "claim,dispute,schadenfall"},
	{"contract", classItem, 4, false, "contract,vertrag,contrato,contrat,合同,契約,договор"},
	{"quote", classItem, 4, false, "quote,quotation,angebot,presupuesto,devis,报价单"},
	{"shipment", classItem, 4, false, "shipment,parcel,sendung,paket,envío,colis,包裹"},
	{"application", classItem, 4, false, "application,antrag"},
	{"complaint", classItem, 4, false, "complaint,beschwerde,reklamation,reclamación,réclamation,投诉"},
	{"booking", classItem, 4, false, "booking,buchung,reservation,reserva,réservation"},
}

// globalNumber is how long a number is at least that counts for the whole service, not for one repository.
const globalNumber = 7

// notTickets are well-known names, periods, versions and places that look like a ticket's id: many sessions name them and are
// not one work.
var notTickets = wordSet(`UTF UCS UTC GMT SHA MD MD5 CRC FNV XXH BLAKE HMAC PBKDF RSA AES DES ED EC ECDSA CURVE BASE CP LATIN ASCII ISO IEC IEEE RFC ITU
	ANSI DIN EN NIST FIPS PCI SOC HIPAA OWASP CWE CVSS CAPEC MITRE PEP JSR ECMA POSIX HTTP HTTPS TLS SSL TCP UDP IPV IP USB WPA WIFI OAUTH OIDC HTML CSS ES SQL
	PHP PYTHON PY NODE JAVA JDK GO GOLANG RUST RUBY RAILS DJANGO REACT VUE ANGULAR NEXT RHEL CENTOS UBUNTU DEBIAN FEDORA ALPINE WINDOWS WIN MACOS IOS ANDROID
	GPT CLAUDE OPUS SONNET HAIKU GEMINI LLAMA QWEN MISTRAL GROK DEEPSEEK PHI BERT O1 O3 COVID SARS MP MPEG H264 AV WAV HL UL MIL SP X86 ARM AMD INTEL RTX GTX
	Q1 Q2 Q3 Q4 H1 H2 FY CY CW KW WK WEEK DAY MONTH YEAR JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC VERSION VER REV RELEASE BUILD STEP PHASE PART LEVEL
	TIER STAGE SPRINT ROUND SEV PRIO PRIORITY TOP PAGE LINE CHAPTER SECTION FIG TABLE OPTION PLAN VARIANT LISTING EAST WEST NORTH SOUTH ZONE PORT VLAN CPU GPU
	A4 DPI MHZ GHZ KB MB GB TB PC NO NR AM PM`)

// plainWords are short words that a number often follows: no keys of tickets written small.
var plainWords = wordSet(`at on in to of is by no or and the for up as an be do go if it my so we us am pm from with than page step day week part line port room
	row rows top all last next over under about after until since about only plus and und der die das von bis um am im zu ca nr el la los las de del en por con
	le les des du et un une version exit code error line test level rate took took size max min`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// referCues stand before an id that is only referred to; laterCues before an item that was made by the way.
var (
	referCues = []string{"like ", "similar", "same way", "same as", "as in ", "also", "related", "blocked by", "blocks ", "depends on", "waits for", "wait for", "waits on", "after ", "before ", "once ", "as soon as", "until ", "when ",
		"part of", "epic", "parent", "child of", "history", "instead of", "unlike", "example", "e.g.", "cf.", "compare", "duplicate of", "not ", "besides", "process in",
		"ähnlich", "wie in", "sobald", "siehe auch", "vgl", "blockiert", "hängt ab", "teil von", "außer", "beispiel", "como ", "cuando ", "parecid", "véase también", "depende de",
		"después de", "bloquead", "parte de", "comme ", "dès que", "voir aussi", "dépend de", "après ", "类似", "一旦", "参考", "另见", "依赖", "之后", "例如", "参照", "関連", "похож", "зависит"}
	laterCues = []string{"filed", "opened", "created", "raised", "follow-up", "angelegt", "eröffnet", "erstellt", "abierto", "creado", "créé", "新建", "创建"}
	afterCues = []string{"also ", "is similar", "is unrelated", "is done already", "was closed", "is closed", "is blocked", "ships first"}
)
