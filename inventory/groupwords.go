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
	// digits is how many digits the number has at least when neither # nor "no." stands before it: "order 500 flyers"
	// names none.
	digits int
	// local says that the number counts within its repository.
	local bool
	words string
}

// never is more digits than a number has: such a kind is named by "no." or # only, because its word is a common verb
// too.
const never = 99

// kinds are the sorts of things whose number is named in words, in several languages. Words are split at commas.
var kinds = []kind{
	{"pr", classChange, 1, true, "pull request,pull-request,pr,拉取请求,プルリクエスト,プルリク"},
	{"mr", classChange, 1, true, "merge request,merge-request,mr,合并请求,マージリクエスト"},
	{"change", classChange, 5, false, "change,changelist"},
	{"issue", classItem, 1, true, "issue,イシュー,이슈"},
	{"alert", classAlert, 2, false, "alert,alarm,alerta,alerte,allarme,melding,meldung,monitor,告警,报警,アラート,алерт,알림"},
	{"incident", classItem, 2, false,
		"incident,vorfall,störung,incidencia,incidente,incydent,storing,故障,事件,障害,インシデント,инцидент,장애"},
	{"ticket", classItem, 3, false,
		"ticket,vorgang,chamado,solicitud,richiesta,segnalazione,talep,tiquet,zgłoszenie,ärende," +
			"工单,チケット,問い合わせ,заявка,тикет,обращение,티켓,문의"},
	{"case", classItem, 4, false,
		"case,caso,fall,akte,aktenzeichen,dossier,expediente,pratica,processo,zaak,sprawa,matter,案例,案件,дело"},
	{"invoice", classItem, 4, false,
		"invoice,rechnung,factura,facture,fatura,fattura,factuur,faktura,发票,請求書,счёт,счет,счета,счёта,счету,счёту,청구서"},
	{"credit note", classItem, 4, false, "credit note,gutschrift,avoir,nota de crédito,nota di credito"},
	{"order", classItem, 4, false,
		"order,bestellung,bestell,auftrag,pedido,encomenda,commande,ordine,bestelling,zamówienie,sipariş,订单,注文,заказ,주문"},
	{"work item", classItem, 3, false, "work item,workitem"},
	{"purchase order", classItem, 4, false, "purchase order,po,bestellanforderung"},
	{"work order", classItem, 4, false, "work order,arbeitsauftrag"},
	{"story", classItem, 3, false, "story"},
	{"bug", classItem, 3, false, "bug,defect,バグ"},
	{"claim", classItem, 4, false,
		"claim,dispute,schaden,schadenfall,schadensfall,sinistre,siniestro,sinistro,litige,szkoda"},
	{"contract", classItem, 4, false, "contract,vertrag,contrato,contrat,contratto,umowa,合同,契約,договор,계약"},
	{"quote", classItem, 4, false, "quote,quotation,angebot,presupuesto,devis,preventivo,orçamento,offerte,报价单,見積,見積書"},
	{"shipment", classItem, 4, false,
		"shipment,parcel,tracking,sendung,paket,lieferung,envío,colis,spedizione,zending,包裹,посылка"},
	{"return", classItem, never, false, "return,retoure,rücksendung,devolución,retour,reso"},
	{"refund", classItem, never, false, "refund,erstattung,reembolso,remboursement,rimborso,返金,возврат"},
	{"payment", classItem, 6, false,
		"payment,transaction,transfer,charge,payout,zahlung,transaktion,überweisung,pago,paiement,pagamento,платёж,платеж"},
	{"request", classItem, never, false, "request,enquiry,inquiry,anfrage,demande"},
	{"task", classItem, never, false, "task,aufgabe,tarea,tâche,задача,задачу,задаче"},
	{"application", classItem, 4, false, "application,antrag"},
	{"complaint", classItem, 4, false,
		"complaint,beschwerde,reklamation,reclamación,réclamation,reclamo,reclamação,reklamacja,投诉,クレーム,жалоба"},
	{"booking", classItem, 4, false, "booking,buchung,reservation,reservierung,reserva,réservation,prenotazione,予約,бронь"},
}

// referenceKind is a number of which only "ref." says what it is.
var referenceKind = kind{"reference", classItem, 6, false, ""}

// compounds are words that German puts others before: Kundenauftrag, Stornorechnung.
var compounds = wordSet("rechnung auftrag bestellung vorgang ticket vertrag antrag gutschrift")

// noItems stand before an id of what many works are about: a customer, a machine.
var noItems = []string{"user", "tenant", "customer", "client", "account", "session", "device", "host", "org",
	"organisation", "organization", "workspace", "project", "kunde", "kundin",
	"konto", "nutzer", "cliente", "cuenta", "compte", "utilisateur", "клиент", "顧客", "客户", "commit"}

// globalNumber is how long a number is at least that counts for the whole service, not for one repository.
const globalNumber = 7

// notTickets are well-known names, periods, versions and places that look like a ticket's id: many sessions name them
// and are not one work.
var notTickets = wordSet(
	`UTF UCS UTC GMT SHA MD MD5 CRC FNV XXH BLAKE HMAC PBKDF RSA AES DES ED EC ECDSA CURVE BASE CP LATIN ASCII ISO IEC IEEE RFC ITU
	ANSI DIN EN NIST FIPS PCI SOC HIPAA OWASP CWE CVSS CAPEC MITRE PEP JSR ECMA POSIX HTTP HTTPS TLS SSL TCP UDP IPV IP USB WPA WIFI OAUTH OIDC HTML CSS ES SQL
	PHP PYTHON PY NODE JAVA JDK GO GOLANG RUST RUBY RAILS DJANGO REACT VUE ANGULAR NEXT RHEL CENTOS UBUNTU DEBIAN FEDORA ALPINE WINDOWS WIN MACOS IOS ANDROID
	GPT CLAUDE OPUS SONNET HAIKU GEMINI LLAMA QWEN MISTRAL GROK DEEPSEEK PHI BERT O1 O3 COVID SARS MP MPEG H264 AV WAV HL UL MIL SP X86 ARM AMD INTEL RTX GTX
	Q1 Q2 Q3 Q4 H1 H2 FY CY CW KW WK WEEK DAY MONTH YEAR JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC VERSION VER REV RELEASE BUILD STEP PHASE PART LEVEL
	TIER STAGE SPRINT ROUND SEV PRIO PRIORITY TOP PAGE LINE CHAPTER SECTION FIG TABLE OPTION PLAN VARIANT LISTING EAST WEST NORTH SOUTH ZONE PORT VLAN CPU GPU
	A4 DPI MHZ GHZ KB MB GB TB PC NO NR AM PM
	ORA TNS PLS ERR ERROR ERRNO WARN EXIT CODE STATUS SQL SQLCODE SQLSTATE EXC FAULT RUSTC TS ESLINT LNK MSB NETSDK ENOENT EXCEPTION
	RS RJ CR ESP LM NE WD BS VDE IFRS IAS HGB BGB STGB DSGVO GDPR ART ARTICLE PARAGRAPH VITAMIN OMEGA IK PT MQTT HDMI DDR PCIE SATA LTE WEB3 LGA AM4
	IPHONE IPAD PIXEL GALAXY PS XBOX BOEING AIRBUS ROUTE HIGHWAY FORM DIVISION GRADE CLASS MODEL TYPE TYP STUFE ETAGE RAUM TEIL KAPITEL SEITE`)

// plainWords are short words that a number often follows: no keys of tickets written small.
var plainWords = wordSet(
	`at on in to of is by no or and the for up as an be do go if it my so we us am pm from with than page step day week part line port room
	row rows top all last next over under about after until since about only plus and und der die das von bis um am im zu ca nr el la los las de del en por con
	le les des du et un une version exit code error line test level rate took took size max min`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}
