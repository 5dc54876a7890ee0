package inventory

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// strictKey is a text that is an id like AB-101 and nothing else.
var strictKey = regexp.MustCompile(`^[A-Z][A-Z0-9]{1,9}-\d{1,7}$`)

// linkID reads the link of an item: of the well-known trackers, code hosts and alert systems, by the shape of its path.
func linkID(raw string) (itemID, bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return itemID{}, false
	}
	host := strings.ToLower(u.Hostname())
	parts := strings.FieldsFunc(path.Clean(u.Path), func(r rune) bool { return r == '/' })
	if key := keyOnly(u.Query().Get("selectedIssue")); key != "" {
		return keyID(key, host), true
	}
	if len(parts) > 0 {
		last := parts[len(parts)-1]
		if n := u.Query().Get("id"); digits(n) && (strings.HasPrefix(last, "show_bug") || last == "view.php") {
			return itemID{name: "bug " + n, space: "bug"}, true
		}
		if strictKey.MatchString(last) && !notTickets[strings.TrimPrefix(keySpace(last), "key ")] {
			return keyID(last, host), true
		}
	}
	for i, p := range parts {
		if payment.FindString(p) == p {
			return itemID{name: p, space: "payment"}, true
		}
		if advisory.FindString(p) == p {
			return itemID{name: strings.ToUpper(p), space: "advisory"}, true
		}
		if i+1 == len(parts) {
			break
		}
		value := parts[i+1]
		number := digits(value)
		owner := strings.ToLower(strings.Trim(strings.TrimSuffix(strings.Join(parts[:i], "/"), "/-"), "/"))
		switch p {
		case "pull", "pulls", "pull-requests", "pullrequest":
			if number {
				return itemID{name: "pr " + value, space: "pr", class: classChange, scope: owner}, true
			}
		case "merge_requests":
			if number {
				return itemID{name: "mr " + value, space: "mr", class: classChange, scope: owner}, true
			}
		case "issues":
			if number && (len(value) >= globalNumber || strings.Contains(host, "sentry")) {
				return itemID{name: "issue " + value, space: "issue"}, true
			}
			if number {
				id := itemID{name: "issue " + value, space: "issue", scope: owner}
				if owner == "" {
					id.also = []string{"bug " + value, "ticket " + value} // one tracker for a whole house
				}
				return id, true
			}
		}
		if id, ok := trackerID(host, p, value, parts, i); ok {
			return id, true
		}
	}
	return itemID{}, false
}

// trackerID reads one step of a link's path that is followed by an item's id.
func trackerID(host, step, value string, parts []string, i int) (itemID, bool) {
	number := digits(value)
	switch {
	case step == "browse" || step == "issue" || step == "issues" || step == "agiles":
		if key := keyOnly(value); key != "" {
			return keyID(key, host), true
		}
	case step == "incidents" || step == "incident":
		return opaqueID("incident", classItem, value), len(value) >= 2
	case (step == "alert" || step == "alerts") && opaque(value):
		return opaqueID("alert", classAlert, value), true
	case step == "alert" && value == "detail" && i+2 < len(parts):
		return opaqueID("alert", classAlert, parts[i+2]), true
	case step == "+":
		return itemID{name: "change " + value, space: "change", class: classChange}, number && len(value) >= 3
	case (step == "bugs" || step == "bug" || step == "defects") && number:
		return itemID{name: "bug " + value, space: "bug"}, true
	case step == "conversation" || step == "conversations" || step == "pulses" || step == "requests" || step == "faults":
		return itemID{name: step + " " + value, space: step}, number && len(value) >= 4
	case step == "runs" || step == "pipelines" || step == "builds" || step == "jobs":
		return itemID{name: "run " + value, space: "run"}, number && len(value) >= globalNumber
	case step == "monitors" || step == "alerts" || step == "alert":
		return itemID{name: "alert " + value, space: "alert", class: classAlert}, number
	case step == "tickets" || step == "ticket":
		return itemID{name: "ticket " + value, space: "ticket"}, number
	case step == "cases" || step == "case":
		return itemID{name: "case " + value, space: "case"}, number
	case step == "invoices":
		return itemID{name: "invoice " + value, space: "invoice"}, number
	case step == "orders":
		return itemID{name: "order " + value, space: "order"}, number
	case step == "edit" && i > 0 && parts[i-1] == "_workitems":
		return itemID{name: "work item " + value, space: "work item"}, number
	case step == "story":
		return itemID{name: "story " + value, space: "story"}, number
	case step == "c" && host == "trello.com":
		return itemID{name: "card " + value, space: "card"}, true
	case step == "t" && host == "app.clickup.com":
		return itemID{name: "task " + value, space: "task"}, true
	case step == "archives" && i+2 < len(parts) && strings.HasPrefix(parts[i+2], "p"):
		return itemID{name: "thread " + value + "/" + parts[i+2], space: "thread"}, true
	case host == "app.asana.com" && i+2 == len(parts):
		return itemID{name: "task " + value, space: "task"}, number
	}
	return itemID{}, false
}

func keyID(key, host string) itemID {
	return counted(itemID{name: key, space: keySpace(key), host: host, proof: true})
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// keyOnly is s when all of it is an id like AB-101, in whatever case.
func keyOnly(s string) string {
	up := strings.ToUpper(s)
	if strictKey.MatchString(up) {
		return up
	}
	return ""
}

func keySpace(key string) string {
	key, _, _ = strings.Cut(key, "-")
	return "key " + key
}
