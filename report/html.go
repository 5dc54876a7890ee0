package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/sourcegraph/conc/iter"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// HTML is the report as one page that loads nothing. It is whole without its script, which only filters and copies.
// Everything in it that sessions wrote is text: escaped by its place in the page, and kept from running by a policy
// that allows this page's own style and script, known by their hashes, and nothing else.
func (r Report) HTML() ([]byte, error) {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return nil, fmt.Errorf("reading the page's template: %w", err)
	}
	p := newPage(r)
	// The blocks are put in whole: what is hashed has to be what the browser reads, byte for byte.
	css, js := normal(pageCSS), normal(pageJS)
	p.Style = template.HTML("<style>" + css + "</style>")
	p.Script = template.HTML("<script>" + js + "</script>")
	p.Policy = template.HTMLAttr(`content="` + policy(css, js) + `"`)
	if err := p.draw(t); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return b.Bytes(), nil
}

// draw makes the cards of the lists, several at a time: they are most of a page of thousands of sessions. What comes
// out is the same template's output for the same place in the page, so it is put there as it is.
func (p *page) draw(t *template.Template) error {
	for i := range p.Sections {
		drawn, err := iter.MapErr(p.Sections[i].Cards, func(c *card) (template.HTML, error) {
			var b strings.Builder
			err := t.ExecuteTemplate(&b, "card", c)
			return template.HTML(b.String()), err
		})
		if err != nil {
			return fmt.Errorf("drawing the list %s: %w", p.Sections[i].ID, err)
		}
		p.Sections[i].Drawn = drawn
	}
	return nil
}

// policy allows one style and one script, and no other source of anything.
func policy(css, js string) string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hash(css), hash(js))
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// normal gives a file the line ends that a browser makes of them: the program may have been built from a checkout
// with others.
func normal(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
