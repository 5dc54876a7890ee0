package remote

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

func seeds(f *testing.F, pages map[string]string) {
	for _, page := range pages {
		for _, wrap := range wrappings {
			f.Add([]byte(wrap(page)), "title", uint(3), uint(0))
		}
	}
	for _, s := range []string{overflow, persisted, desktop, limitNotice, `{"ccr":{}}`, "[]",
		`{"data":[{"id":"\ud800","created_at":"\udc00"}]}`,
		`[{"created_at":"x","user":{"uuid":"\ud83d"}}]`, "```\n{\n```", "data: {", "{\"ccr\"", "\xff\xfe{\x00",
		`"\"\\\"\""`} {
		f.Add([]byte(s), "a \ud7ff {\"ccr\" ```\n", uint(1), uint(9))
	}
}

// wrapAndCut puts a page into one of the wrappings and cuts it, by numbers that the fuzzer chose.
func wrapAndCut(page string, pick, cut uint) (whole, part string) {
	names := make([]string, 0, len(wrappings))
	for name := range wrappings {
		if name != "UTF-16" { // made for ASCII only
			names = append(names, name)
		}
	}
	slices.Sort(names)
	whole = wrappings[names[pick%uint(len(names))]](page)
	return whole, whole[:cut%uint(len(whole)+1)]
}

// FuzzReadSessions: no input panics, rows add up, and a page that was cut off never reads as one with fewer rows.
func FuzzReadSessions(f *testing.F) {
	seeds(f, shapes)
	f.Fuzz(func(t *testing.T, data []byte, title string, pick, cut uint) {
		if got, err := ReadSessions(file("f", string(data))); err == nil {
			if len(got.Rows) > got.Found || got.Pages == 0 || (got.Complete && got.NextID != "") {
				t.Fatalf("got %+v", got)
			}
		} else if len(got.Rows) > 0 {
			t.Fatalf("rows beside %v", err)
		}
		b, _ := json.Marshal(title)
		page := fmt.Sprintf(`{"ccr":{"data":[{"id":"session_1","title":%s,"created_at":%q},{"id":"session_2","title":%s}],`+
			`"has_more":true}}`, b, day(1), b)
		whole, part := wrapAndCut(page, pick, cut)
		if got, err := ReadSessions(file("f", whole)); err != nil || len(got.Rows) != 2 || got.Complete {
			t.Fatalf("whole: %v, %+v in %q", err, got, whole)
		}
		if got, err := ReadSessions(file("f", part)); err == nil && (len(got.Rows) != 2 || got.Complete) {
			t.Fatalf("cut: %+v in %q", got, part)
		}
	})
}

// FuzzReadEvents: the same, and no person's message gets lost.
func FuzzReadEvents(f *testing.F) {
	seeds(f, eventShapes)
	f.Fuzz(func(t *testing.T, data []byte, said string, pick, cut uint) {
		got, err := ReadEvents(file("f", string(data)))
		if err != nil && len(got.Items) > 0 {
			t.Fatalf("items beside %v", err)
		}
		for i, ev := range got.Items {
			if i > 0 && !ev.At.IsZero() && (got.Items[i-1].At.IsZero() || ev.At.Before(got.Items[i-1].At)) {
				t.Fatalf("order: %+v", got.Items)
			}
			if ev.Person && ev.Why != "" {
				t.Fatalf("a person with a reason against it: %+v", ev)
			}
		}
		b, _ := json.Marshal("x" + said)
		page := fmt.Sprintf(`{"ccr":{"data":[{"created_at":%q,"assistant":{"uuid":"a"}},{"created_at":%q,`+
			`"user":{"uuid":"b","message":{"content":%s}}}],"has_more":true,"first_id":"a"}}`, day(1), day(2), b)
		whole, part := wrapAndCut(page, pick, cut)
		if got, err := ReadEvents(file("f", whole)); err != nil || len(got.Items) != 2 || !got.HasMore ||
			!got.Items[1].Person {
			t.Fatalf("whole: %v, %+v in %q", err, got, whole)
		}
		if got, err := ReadEvents(file("f", part)); err == nil && (len(got.Items) != 2 || !got.HasMore ||
			!got.Items[1].Person) {
			t.Fatalf("cut: %+v in %q", got, part)
		}
	})
}
