package report

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"recovery/internal/text"
)

var (
	captureHeading = regexp.MustCompile(
		`(?i)\b(?:captur\w*|propos\w*|learn(?:ed|ings?)|lessons?|memor\w+|docs?|documentation|notes? to keep|suggest\w*)\b`)
	anyHeading  = regexp.MustCompile(`^\s{0,3}(?:#{1,6}\s+\S|\*\*[^*]+\*\*\s*:?\s*$|[A-Z][\w ,'-]{2,50}:\s*$)`)
	captureLine = regexp.MustCompile(`(?i)^\s*(?:[-*+•]\s*|\d{1,3}[.)]\s*)?\**(?:proposed\s+)?capture\b`)
	// shippedHeading is a heading of what was done: nothing is proposed under it.
	shippedHeading = regexp.MustCompile(
		`(?i)\b(?:changed|updated|written|edited|committed|shipped|merged|read|reviewed|touched|used|usage|applied|done|` +
			`already|dropped|rejected|next steps?)\b`)
	noCapture = regexp.MustCompile(`(?i)^\W*(?:no|none|nothing|kein\pL*|rien|aucune?)\b|(?:[:,` +
		`;(–—]|\s-)\s*(?:none|nothing(?: new| to (?:add|capture|change))?|no (?:change|capture|edit|update)s?(?: ` +
		`needed)?|unchanged|not needed|already ` +
		`(?:there|in|says|has|covers|captured|updated|documented|shipped|merged|applied|done)\b.*)\W*$`)
	bullet   = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+`)
	filePath = regexp.MustCompile(
		`(?:[~.]{0,2}/)?(?:[\w@+.-]+/)*[\w@+-][\w@+.-]*\.(?:mdx?|markdown|txt|rst|adoc|org|ya?ml|json|toml|ini|py|go|ts|` +
			`tsx|js|jsx|rb|rs|java|kt|sh|sql|html|css)\b`)
	captureWord = regexp.MustCompile(`(?i)^\**(?:proposed\s+)?captures?\b[*\s]*:?[*\s]*`)
	proposalEnd = regexp.MustCompile(
		`(?i)[:;→]|\s(?:-|–|—)\s|\s(?:should|needs?|must|could|to|say|says|add|adds|name|names|mention|mentions|because|` +
			`since|so that|that)\b`)
	// noFile is a product's or a host's name that looks like a file's.
	noFile = regexp.MustCompile(
		`(?i)^(?:(?:node|next|nuxt|vue|react|express|three|d3|ember|chart|p5|socket|backbone)\.js|[^/]*@[^/]*|` +
			`(?:[\w-]+\.)*(?:example|wikipedia|mozilla|debian|python|golang)\.org)$`)
	urlPart = regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://\S+`)
)

// captured are the files that a wrap's reply proposes a change for, each with the line that says so: the entries
// under a heading that speaks of captures, proposals, lessons or docs, and lines that begin with "Capture". The
// skill's own form is not fixed, so a file's name is what counts. Code and quotes do not.
func captured(reply, cwd string) map[string]string {
	out := map[string]string{}
	inside := false
	for _, line := range text.Prose(reply) {
		if anyHeading.MatchString(line) {
			inside = captureHeading.MatchString(line) && !shippedHeading.MatchString(line)
		}
		if !(inside && bullet.MatchString(line)) && !captureLine.MatchString(line) {
			continue
		}
		said := text.Clip(bullet.ReplaceAllString(line, ""), 300)
		if noCapture.MatchString(captureWord.ReplaceAllString(said, "")) {
			continue
		}
		for _, file := range proposedFiles(said) {
			if rel, err := filepath.Rel(cwd, file); filepath.IsAbs(file) && cwd != "" && err == nil && !strings.HasPrefix(rel,
				"..") {
				file = rel
			}
			if file = filepath.Clean(file); out[file] == "" {
				out[file] = said
			}
		}
	}
	return out
}

// proposedFiles are the files that an entry is for: those in front of what it says of them. What is named in its
// words is no proposal: "docs/ops.md: say that config.yaml wants a restart" is one for docs/ops.md alone.
func proposedFiles(said string) []string {
	said = urlPart.ReplaceAllString(said, "")
	at := filePath.FindStringIndex(said)
	if at == nil {
		return nil
	}
	if end := proposalEnd.FindStringIndex(said[at[1]:]); end != nil {
		said = said[:at[1]+end[0]]
	}
	var out []string
	for _, file := range filePath.FindAllString(said, -1) {
		if !noFile.MatchString(file) {
			out = append(out, file)
		}
	}
	return out
}

// wrapOf is a wrap whose proposals count.
type wrapOf struct {
	entry Entry
	repo  string
	reply string
}

// captures joins what several wraps propose for one file of one repository. What one wrap alone proposes is its own.
func captures(wraps []wrapOf) []Capture {
	type key struct{ host, repo, file string }
	found := map[key][]Proposal{}
	for _, w := range wraps {
		for file, said := range captured(w.reply, w.entry.Cwd) {
			k := key{w.entry.Host, w.repo, file}
			found[k] = append(found[k], Proposal{Place: w.entry.Place, Short: w.entry.Short, Link: w.entry.Link, Text: said})
		}
	}
	out := []Capture{}
	for k, proposals := range found {
		if len(proposals) < 2 {
			continue
		}
		slices.SortFunc(proposals, func(a, b Proposal) int {
			return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Short, b.Short))
		})
		out = append(out, Capture{File: k.file, Repo: k.repo, Proposals: proposals})
	}
	slices.SortFunc(out, func(a, b Capture) int {
		return cmp.Or(cmp.Compare(a.Repo, b.Repo),
			cmp.Compare(a.File, b.File))
	})
	return out
}
