// Package page makes the page of a study, or of the files of any solvers: one self-contained HTML file, without network
// access and without scripts. Its pictures are SVG in the text. Colours follow the light or dark setting of the reader,
// and paper is always light.
//
// Package dossier gathers the facts, [Draw] draws them, [Page.Write] writes them. Names and lines of files are not
// trusted: all content from files passes through html/template, or through the escaping of the type drawing.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report/dossier"
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

	Engine    *Engine
	Maps      []Figure
	Histories []Section
	Sweeps    []Sweep
	Runs      *Runs
	Failures  []Failure
	Warnings  []Warning
	Times     *Times
	Origin    []Fact
	Made      string
}

//go:embed page.html
var source string

//go:embed page.css
var style string

// layout is read when a page is made, not whenever the program starts.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) }, //nolint:gosec // a file of this package
		"plural": func(n int, one, many string) string {
			if n == 1 {
				return one
			}
			return many
		},
		"join": strings.Join,
	}).Parse(source))
})

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var b bytes.Buffer
	if err := layout().Execute(&b, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable.Text(strings.ToValidUTF8(b.String(), "\ufffd")))
	return err
}

// usable adds how many runs are usable to the most important numbers.
func (p *Page) usable(runs []*dossier.Run) {
	yes, no, going, ends := 0, 0, 0, 0
	for _, s := range runs {
		switch {
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
	if going > 0 {
		p.Lead = append(p.Lead, Fact{Name: "going on", Text: grouped(fmt.Sprint(going)), Tone: underway})
	}
}
