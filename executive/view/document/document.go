// Package document writes the page of a study, or of the files of any solvers, as one HTML file without network access.
// It is the page that package web serves, with the snapshot of its state and the curves of its runs inside: the scripts
// draw from them. Its head, results, warnings and tables are plain HTML, for readers without scripts, and for print.
//
// Package dossier gathers the facts, [Draw] arranges them, [Page.Write] writes them. Names and lines of files are not
// trusted: all content from files passes through html/template or JSON.
package document

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/view/web"
	"github.com/peregrine-sim/peregrine/internal/printable"
)

// Options are the settings of a page.
type Options struct {
	Units   unit.System // of results
	Version string      // of the program, for the page's last line
}

// Page is all that is shown.
type Page struct {
	Title    string
	Kind     string // subject of the page, above the title
	Lead     []Fact // the most important numbers
	State    Badge
	Message  string // why it ended so
	Problems []string

	Engine     *Engine
	Maps       []Figure
	Transients []string
	Sweeps     []Sweep
	Runs       *Runs
	Failures   []Failure
	Warnings   []dossier.Warning
	Times      bool // a run has begun
	Origin     []Fact
	Made       string

	Snapshot json.RawMessage       // for the scripts: the state as GET /api/snapshot has it
	Curves   map[string]*RunCurves // of runs
}

//go:embed document.html
var source string

// layout is read when a page is made, not whenever the program starts.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("document").Funcs(template.FuncMap{
		"style": func() template.CSS {
			return template.CSS(web.Asset("style.css") + web.Asset("lib/uplot.css")) //nolint:gosec // files of the page
		},
		"json": func(name string) (string, error) { // read by a script, which compares it with names in JSON
			text, err := json.Marshal(name)
			return string(text), err
		},
		"about": aboutWarning, "when": whenWarning, "clip": clipped,
		"plural": func(n int, one, many string) string {
			if n == 1 {
				return one
			}
			return many
		},
	}).Parse(source))
})

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	curves, err := json.Marshal(p.Curves)
	if err != nil {
		return err
	}
	f := file{Page: p,
		Policy: "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src"}
	f.data("snapshot", p.Snapshot)
	f.data("history", curves)
	f.script("", web.Asset("lib/uplot.js"))
	f.script(` type="module"`, web.Script())
	var b strings.Builder
	if err := layout().Execute(&b, f); err != nil {
		return err
	}
	_, err = io.WriteString(w, printable.Text(strings.ToValidUTF8(b.String(), "\ufffd")))
	return err
}

// file is a page with its scripts. A browser runs those alone whose hash its policy has.
type file struct {
	*Page
	Policy  string
	Scripts []template.HTML
}

// data adds JSON, which has no character that HTML reads as markup.
func (f *file) data(id string, text json.RawMessage) {
	f.Scripts = append(f.Scripts, template.HTML(`<script type="application/json" id="`+id+`">`), //nolint:gosec // a name
		template.HTML(text), "</script>\n") //nolint:gosec // JSON
}

// script adds a script of the page.
func (f *file) script(kind, text string) {
	text = printable.Text(text) // as all of the file
	sum := sha256.Sum256([]byte(text))
	f.Policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	f.Scripts = append(f.Scripts,
		template.HTML("<script"+kind+">"+text+"</script>\n")) //nolint:gosec // a file of the page
}

// usable adds how many runs are usable to the most important numbers. An attempt in whose place another one answers is
// counted apart.
func (p *Page) usable(runs []*dossier.Run) {
	yes, no, going, ends, again := 0, 0, 0, 0, 0
	for _, s := range runs {
		switch {
		case s.Follows || s.Outrun != "":
			again++
		case s.LineEnd() != "":
			ends++
		case s.Judgement.State == "":
		case !s.Judgement.State.Final():
			going++
		case s.Judgement.Usable:
			yes++
		default:
			no++
		}
	}
	if yes > 0 { // a study may have taken all of its answers from the cache
		p.Lead = append(p.Lead, Fact{Name: "usable", Text: grouped(fmt.Sprint(yes)), Tone: good})
	}
	if ends > 0 {
		p.Lead = append(p.Lead, Fact{Name: "ends of lines", Text: grouped(fmt.Sprint(ends))})
		p.Runs.Judged += ". A run that looks for the end of a speed line and finds no steady flow is an answer: end " +
			"of line"
	}
	if no > 0 {
		p.Lead = append(p.Lead, Fact{Name: "not usable", Text: grouped(fmt.Sprint(no)), Tone: bad})
	}
	if again > 0 {
		p.Lead = append(p.Lead, Fact{Name: "attempts repeated", Text: grouped(fmt.Sprint(again))})
	}
	if going > 0 {
		p.Lead = append(p.Lead, Fact{Name: "going on", Text: grouped(fmt.Sprint(going)), Tone: underway})
	}
}
