package message

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"recovery/internal/claude"
	"recovery/inventory"
)

// task is one open item as it is compared with others.
type task struct {
	text    string
	keys    []key // what names one thing: tickets, changes, files, ids
	words   []string
	numbers []string
	// holder is the session that has it.
	holder string
}

// key names one thing. A pull request's number and a file count in a repository: an empty scope means that it is not
// known in which. A weak key is in a spelling that a word and a number can look like.
type key struct {
	name, scope string
	weak        bool
}

func (k key) is(o key) bool {
	return k.name == o.name && !(k.weak && o.weak) && (k.scope == o.scope || k.scope == "" || o.scope == "" ||
		k.scope == everywhere || o.scope == everywhere)
}

// everywhere is the scope of what exists once.
const everywhere = "*"

// nowhere stands for a repository that is not known.
const nowhere = "?"

var (
	filePath = regexp.MustCompile(`(?:^|[\s"'(\x60])((?:~|\.{1,` +
		`2})?/?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7}|(?:~|\.{1,2})?/(?:[\w.@+-]+/)+[\w.@+-]+)`)
	longID   = regexp.MustCompile(`(?i)\b(?:` + claude.UUIDPattern + `|[0-9a-f]{7,40})\b`)
	spokenID = regexp.MustCompile(
		`(?i)\b(ticket|issue|case|request|incident|task|job|order|invoice|alert|change|mr|pr)\s*(?:no\.?|nr\.?|number|` +
			`id)?\s*[#:]?\s*(\d{2,})\b`)
	hashNumber = regexp.MustCompile(`(?:^|[\s(])#(\d{1,7})\b`)
	fileName   = regexp.MustCompile(
		`(?i)^[\w@+.-]{2,}\.(?:go|py|js|ts|tsx|jsx|md|txt|ya?ml|jsonl?|csv|tsv|toml|sql|sh|html?|css|xml|java|kt|rs|cc?|` +
			`cpp|hp?p?|rb|php|ini|conf|cfg|log|pdf|xlsx?|docx?|png|jpe?g|svg|lock|tf|env|ipynb|zip|gz|tar|mod|sum)$`)
	numbered = regexp.MustCompile(`^(?:pr|mr|issue) (\d+)$`)
	branch   = regexp.MustCompile(`(?:^|[\s"'(\x60])(?:[Bb]ranch ` +
		`["'\x60]?([\w.-]+/[\w./-]+|[\w.-]*[-_\d][\w./-]*)|([a-z]{3,}/[\w./-]*[-_\d][\w./-]*))`)
	amount = regexp.MustCompile(`^\d+(?:[.,]\d+)*$`)
)

// filler are words that say nothing of what is done.
var filler = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("a an the to of for in on at by with and or from into it its this that is are be " +
		"still then now please step item open todo our your my all der die das den dem und zu für von mit im am") {
		out[w] = true
	}
	return out
}()

// taskOf reads an item of a session that works in a repository, empty when it works in none, and in a folder.
func taskOf(text, repo, cwd string) *task {
	t := &task{text: text}
	here := repo
	if here == "" {
		here = nowhere
	}
	ids, weak := inventory.ItemIDs(text, here)
	for i, id := range append(ids, weak...) {
		k := key{name: id, scope: everywhere, weak: i >= len(ids)}
		if name, scope, ok := strings.Cut(id, " of "); ok {
			k.name, k.scope = name, strings.TrimPrefix(strings.TrimPrefix(scope, "|"), nowhere)
			// "#12" names it too, whatever it is.
			if m := numbered.FindStringSubmatch(name); m != nil {
				t.keys = append(t.keys, key{name: "#" + m[1], scope: k.scope})
			}
		}
		t.keys = append(t.keys, k)
	}
	for _, m := range filePath.FindAllStringSubmatch(text, -1) {
		if path := strings.TrimRight(m[1], ".,;:"); strings.Contains(path, "/") || fileName.MatchString(path) {
			t.keys = append(t.keys, fileKey(path, repo, cwd))
		}
	}
	for _, id := range longID.FindAllString(text, -1) {
		if strings.ContainsAny(id, "0123456789") && strings.ContainsAny(strings.ToLower(id), "abcdef") {
			t.keys = append(t.keys, key{name: "id " + strings.ToLower(id), scope: everywhere})
		}
	}
	for _, m := range spokenID.FindAllStringSubmatch(text, -1) {
		k := key{name: strings.ToLower(m[1]) + " " + m[2], scope: everywhere}
		switch strings.ToLower(m[1]) {
		case "pr", "mr", "issue":
			k.scope = repo
			fallthrough
		case "ticket", "case", "request", "task":
			t.keys = append(t.keys, key{name: "#" + m[2], scope: repo})
		}
		t.keys = append(t.keys, k)
	}
	for _, m := range hashNumber.FindAllStringSubmatch(text, -1) {
		t.keys = append(t.keys, key{name: "#" + m[1], scope: repo})
	}
	for _, m := range branch.FindAllStringSubmatch(text, -1) {
		t.keys = append(t.keys, key{name: "branch " + strings.TrimRight(m[1]+m[2], ".,;:"), scope: repo})
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != ',' && r != '-'
	}) {
		w = strings.Trim(w, ".,-")
		switch {
		case w == "" || filler[w]:
		case amount.MatchString(w):
			w = strings.TrimSuffix(strings.TrimSuffix(strings.ReplaceAll(w, ",", "."), ".00"), ".0")
			t.numbers = append(t.numbers, w)
			t.words = append(t.words, w)
		default:
			if len(w) > 4 && !strings.HasSuffix(w, "ss") {
				w = strings.TrimSuffix(w, "s")
			}
			t.words = append(t.words, w)
		}
	}
	slices.Sort(t.words)
	t.words = slices.Compact(t.words)
	slices.Sort(t.numbers)
	t.numbers = slices.Compact(t.numbers)
	return t
}

// fileKey makes a path of one session comparable with that of another.
func fileKey(path, repo, cwd string) key {
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") {
		for _, root := range []string{cwd, repo} {
			if rest, ok := strings.CutPrefix(path, root+"/"); ok && root != "" {
				return key{name: "file " + rest, scope: repo}
			}
		}
		return key{name: "file " + path, scope: everywhere}
	}
	return key{name: "file " + strings.TrimPrefix(path, "./"), scope: repo}
}

const (
	// nearly is how alike the words of two items are that are one; related is enough for sessions that work on one thing.
	nearly  = 0.7
	related = 0.5
)

// same says whether two sessions' items are one piece of work.
func (t *task) same(o *task, sameWork bool) bool {
	if slices.ContainsFunc(t.keys, func(k key) bool { return slices.ContainsFunc(o.keys, k.is) }) {
		return true
	}
	doubtful := slices.ContainsFunc(t.keys, func(k key) bool {
		return slices.ContainsFunc(o.keys, func(x key) bool { return k.weak && x.weak && k.name == x.name })
	})
	if len(t.keys) > 0 && len(o.keys) > 0 && !doubtful {
		return false // each names its own thing
	}
	if len(t.numbers) > 0 && len(o.numbers) > 0 && !slices.Equal(t.numbers, o.numbers) {
		return false
	}
	if strings.EqualFold(strings.Join(strings.Fields(t.text), " "), strings.Join(strings.Fields(o.text), " ")) {
		return true
	}
	want := nearly
	if sameWork {
		want = related
	}
	if len(t.words) >= 2 && len(o.words) >= 2 && overlap(t.words, o.words) >= want {
		return true
	}
	if within(t.words, o.words) || within(o.words, t.words) {
		return true
	}
	// Scripts without spaces, and words that are spelled a little differently.
	a, b := pairs(t.words), pairs(o.words)
	return len(a) >= 6 && len(b) >= 6 && overlap(a, b) >= nearly
}

// within says that one item says all that another one says and more: three words, or two of which one is a name with
// a number.
func within(small, large []string) bool {
	if len(small) < 2 || len(small) > len(large) || len(small) == 2 && !slices.ContainsFunc(small,
		func(w string) bool { return nameNumber.MatchString(w) }) {
		return false
	}
	return !slices.ContainsFunc(small, func(w string) bool { return !slices.Contains(large, w) })
}

// nameNumber is a word such as web01.
var nameNumber = regexp.MustCompile(`[a-z][a-z-]*\d`)

// overlap is how much of two sets is common, between 0 and 1.
func overlap(a, b []string) float64 {
	common := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			common++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// pairs are the pairs of letters that stand beside each other, each once.
func pairs(words []string) []string {
	var out []string
	for _, w := range words {
		r := []rune(w)
		for i := 0; i+1 < len(r) && len(out) < 400; i++ {
			if p := string(r[i : i+2]); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}
