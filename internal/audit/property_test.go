package audit_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recovery/internal/audit"
	"recovery/internal/audit/corpus"
)

func rank(c audit.Class) int {
	switch c {
	case audit.Read:
		return 0
	case audit.Unknown:
		return 1
	}
	return 2
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// wraps are ways to write a line around another one; none of them makes it do less.
var wraps = []struct {
	name string
	wrap func(string) string
}{
	{"subshell", func(s string) string { return "( " + s + "\n)" }},
	{"group", func(s string) string { return "{ " + s + "\n}" }},
	{"if", func(s string) string { return "if true; then " + s + "\nfi" }},
	{"condition", func(s string) string { return "if " + s + "\nthen :; fi" }},
	{"else", func(s string) string { return "if false; then :; else " + s + "\nfi" }},
	{"loop", func(s string) string { return "while true; do " + s + "\ndone" }},
	{"for", func(s string) string { return "for zz in 1 2; do " + s + "\ndone" }},
	{"case", func(s string) string { return "case a in a) " + s + "\n;; esac" }},
	{"function", func(s string) string { return "zz() { " + s + "\n}; zz" }},
	{"bash", func(s string) string { return "bash -c " + quote(s) }},
	{"sh twice", func(s string) string { return "sh -c " + quote("bash -c "+quote(s)) }},
	{"eval", func(s string) string { return "eval " + quote(s) }},
	{"list", func(s string) string { return "true && " + s }},
	{"after", func(s string) string { return "ls; " + s }},
	{"line", func(s string) string { return "ls # x\n" + s }},
	{"background", func(s string) string { return "{ " + s + "\n} &" }},
	{"pipe", func(s string) string { return "{ " + s + "\n} | cat" }},
	{"substitution", func(s string) string { return "echo \"$( " + s + "\n)\"" }},
	{"process", func(s string) string { return "cat <( " + s + "\n)" }},
	{"trap", func(s string) string { return "trap " + quote(s) + " EXIT" }},
	{"negation", func(s string) string { return "! { " + s + "\n}" }},
	{"time", func(s string) string { return "time { " + s + "\n}" }},
	{"timeout", func(s string) string { return "timeout 5 sh -c " + quote(s) }},
	{"env", func(s string) string { return "env sh -c " + quote(s) }},
	{"ssh", func(s string) string { return "ssh host bash -c " + quote(quote(s)) }},
}

// TestWrappingNeverImproves wraps every line of the corpus that is no read.
func TestWrappingNeverImproves(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	lines, err := corpus.Read("testdata/corpus.tsv")
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Default()
	for i, l := range lines {
		judged := r.Shell(l.Command)
		plain := judged.Class
		// What does not parse, or does harm in zsh only, may be harmless within a wrapper that runs bash.
		if plain == audit.Read || strings.Contains(judged.Reason, "does not parse") || strings.Contains(judged.Reason,
			"as zsh") {
			continue
		}
		for j, w := range wraps {
			if (i+j)%3 != 0 {
				continue // each line a third of the ways, each way a third of the lines: enough, and much quicker
			}
			if got := r.Shell(w.wrap(l.Command)); got.Class == audit.Read {
				t.Errorf("%s: %q is %s, wrapped it is read (%s)", w.name, l.Command, plain, got.Reason)
			}
		}
	}
}

// poisons are endings that make a read something else.
var poisons = []string{
	" > zz", " >> zz", " 2> zz", " &> zz", " >| zz", "; rm zz", "\nrm zz", " && rm zz", " || rm zz", " | tee zz",
	" & rm zz",
	" | xargs rm", " $(touch zz)", " `touch zz`", " \"$(touch zz)\"", " <(touch zz)", "; (rm zz)",
	"; if true; then rm zz; fi",
	"; f() { rm zz; }; f", "; eval 'rm zz'", "; bash -c 'rm zz'", "; ./zz", "; $ZZ", "; cat zz | sh",
}

// TestPoisonedReads appends a writer to every line that is a read.
func TestPoisonedReads(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	lines, err := corpus.Read("testdata/corpus.tsv")
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Default()
	for i, l := range lines {
		// Behind a comment or a here-document the ending would be no more than text.
		if r.Shell(l.Command).Class != audit.Read || strings.ContainsAny(l.Command, "#") || strings.Contains(l.Command,
			"<<") {
			continue
		}
		for j, p := range poisons {
			if (i+j)%3 != 0 {
				continue
			}
			if got := r.Shell(l.Command + p); got.Class == audit.Read {
				t.Errorf("%q is read (%s)", l.Command+p, got.Reason)
			}
		}
	}
}

// flagged are commands of which each takes a list of known options.
var flagged = strings.Split(
	`sort a|uniq a|git log|git diff|git status|git branch|git tag|git remote|git stash list|git config a.b|find .|
rg a|fd a|sed -n p a|awk 1 a|tree|xxd a|file a|tar tf a|curl https://x.io|wget -qO- https://x.io|gh pr list|gh api a|docker ps|docker logs a|
kubectl get pods|helm list|terraform show|aws ec2 describe-instances|gcloud projects list|az vm list|psql -c 'select 1'|mysql -e 'select 1'|
sqlite3 a.db 'select 1'|redis-cli get a|systemctl status a|journalctl|apt list|dpkg -l|pip list|npm ls|go list|go env|gofmt a|cargo search a|
tmux ls|openssl version|crontab -l|less a|man ls|gzip -l a|unzip -l a|zstd -l a|ip addr|ss|lsof|dmesg|date|hostname|shuf a|base64 a|iconv a|tee|
column a|yq . a|xmllint a|rsync -n a b|ssh h ls|xargs ls|env|timeout 5 ls|watch ls|read x|dig x.io|ping x.io|jobs|shellcheck a|brew list`, "|")

// TestUnknownFlagIsNeverRead gives each command an option that nobody has heard of.
func TestUnknownFlagIsNeverRead(t *testing.T) {
	r := audit.Default()
	for _, line := range flagged {
		line = strings.TrimSpace(line)
		if got := r.Shell(line); got.Class != audit.Read {
			t.Errorf("%q is %s (%s), want read", line, got.Class, got.Reason)
		}
		name, rest, _ := strings.Cut(line, " ")
		for _, flag := range []string{"--zzzunheard", "--zzzunheard=a", "$ZZ", "\"$ZZ\""} {
			if strings.HasPrefix(name, "read") && strings.HasPrefix(flag, "$") || name == "env" && flag[0] != '-' {
				continue
			}
			if got := r.Shell(name + " " + flag + " " + rest); got.Class == audit.Read {
				t.Errorf("%q is read (%s)", name+" "+flag+" "+rest, got.Reason)
			}
		}
	}
}

// TestPiecesNeverImprove puts lines together at random: the whole is no better than its worst part.
func TestPiecesNeverImprove(t *testing.T) {
	lines, err := corpus.Read("testdata/corpus.tsv")
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Default()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(lines).Draw(t, "a").Command
		b := rapid.SampledFrom(lines).Draw(t, "b").Command
		wrap := rapid.SampledFrom(wraps).Draw(t, "wrap")
		joined := a + "\n" + b
		if reasons := r.Shell(a).Reason + r.Shell(b).Reason; strings.Contains(reasons, "does not parse") ||
			strings.Contains(reasons, "as zsh") {
			t.Skip("may be harmless within a wrapper that runs bash")
		}
		worst := max(rank(r.Shell(a).Class), rank(r.Shell(b).Class))
		if got := r.Shell(joined).Class; rank(got) == 0 && worst > 0 {
			t.Fatalf("%q is %s", joined, got)
		}
		if got := r.Shell(wrap.wrap(joined)).Class; rank(got) == 0 && worst > 0 {
			t.Fatalf("%s: %q is %s", wrap.name, joined, got)
		}
	})
}
