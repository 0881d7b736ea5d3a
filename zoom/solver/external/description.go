package external

// The content of a description after reading and checks.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/approve"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Description is how a program is run as a solver.
type Description struct {
	File string // its absolute path
	text []byte

	name, version, fidelity string

	inputs, settings []plugin.Quantity
	values           []value
	outputs          []output
	planes           []*plane

	environment []string
	files       []placed
	steps       []step
	watched     []history.File
	success     []sign
	failure     []sign
	clean       []string
	identity    []witness
	solution    []kept
	controls    []string // inputs and settings that may be changed during a run
	helm        *helm    // nil: it cannot be steered

	sample map[string]any // a request to try the solver with: numbers, lists and texts by name
	long   map[string]any // different values for a request that takes long
}

// codeVersion is the version of this package's code in Code. Raise it when an answer may change.
const codeVersion = "external 1 "

// Digest returns the SHA-256 of codeVersion, its text and the folders that it names, in hexadecimal digits.
func (d *Description) Digest() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s%s", codeVersion, d.text)
	for _, path := range d.mentioned() {
		if isFile(path) {
			continue
		}
		sum, err := checksum.Of(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// folder returns the folder in which relative paths of the description begin.
func (d *Description) folder() string { return filepath.Dir(d.File) }

// reaches reports whether a file contains a name, by itself or through values that follow from it.
func (d *Description) reaches(name string) bool {
	names := []string{name}
	uses := func(e *expression) bool {
		return e != nil && slices.ContainsFunc(e.Names, func(n string) bool { return slices.Contains(names, n) })
	}
	for _, v := range d.values { // a value only uses names above it
		if uses(v.is) {
			names = append(names, v.name)
		}
	}
	return slices.ContainsFunc(d.files, func(p placed) bool {
		return uses(p.of) || slices.ContainsFunc(p.columns, func(c column) bool { return uses(c.is) }) ||
			p.text != nil && slices.ContainsFunc(p.text.parts, func(q part) bool { return uses(q.value) })
	})
}

// value is a number or list that follows from the inputs.
type value struct {
	name string
	is   *expression
}

// step is a command of a run.
type step struct {
	name    string
	command []*template // the first is a fixed text: the program
	program string      // as it is found: a path, or a name to be looked for in PATH
	log     string      // file of the run folder for its output
	input   string      // file of the run folder for its standard input; empty: none
	time    time.Duration
	when    string // whenCold, whenRestart, or empty: always
	pos     document.Pos
}

// Values of a step's `when`.
const (
	whenCold    = "cold"
	whenRestart = "restart"
)

// witness is a file or a command whose content or output is part of the solver's version.
type witness struct {
	file    string
	command []string
	pos     document.Pos
}

// form limits a description.
var form = document.Form{What: "a description of a solver", Begins: "name: and a name", Bytes: 1 << 20, Words: 30_000}

// Requests returns requests for a trial of the solver: a request that it answers, and a request that takes long. Either
// may be without values.
func (d *Description) Requests() (quick, long plugin.Request) {
	quick = requestOf(d.sample)
	if d.long == nil {
		return quick, plugin.Request{}
	}
	all := maps.Clone(d.sample)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, d.long)
	return quick, requestOf(all)
}

// requestOf returns the request with these values.
func requestOf(values map[string]any) plugin.Request {
	r := plugin.Request{Numbers: map[string]float64{}, Arrays: map[string][]float64{}, Texts: map[string]string{}}
	for name, v := range values {
		switch x := v.(type) {
		case float64:
			r.Numbers[name] = x
		case []float64:
			r.Arrays[name] = x
		case string:
			r.Texts[name] = x
		}
	}
	return r
}

// Folder returns the folder of the description, into which no run writes.
func (d *Description) Folder() string { return d.folder() }

// Reports reports whether the description names files with the progress of a run.
func (d *Description) Reports() bool { return len(d.watched) > 0 }

// Plugin returns the solver's description in the plugin protocol.
func (d *Description) Plugin() plugin.Description {
	p := plugin.Description{
		Name: d.name, Version: d.version, Fidelity: d.fidelity, Inputs: d.inputs, Settings: d.settings,
		Files: d.watched, Controls: d.controls,
		Steers: d.helm != nil, Pauses: d.helm != nil, // by holding the program
	}
	for _, o := range d.outputs {
		p.Outputs = append(p.Outputs, o.Quantity)
	}
	if len(d.solution) > 0 {
		p.Files = append(p.Files[:len(p.Files):len(p.Files)],
			history.File{Pattern: solutionFile, Format: plugin.SolutionFormat, Doc: "start of another run"})
	}
	return p
}

var templateLimit = intake.Limit{What: "a template", Bytes: 16 << 20}

// The commands and files of a description in words, for a person to trust.

// Account returns all commands of the description with their environment and programs, and all files or texts that the
// programs read from the description or beside it: these may be a script, or a case of a solver that compiles code. It
// fails if a program or a file is missing.
func (d *Description) Account() (string, error) {
	a := &approve.Account{}
	a.Words("description", d.File)
	for _, s := range d.steps {
		words := convert.All(s.command, func(t *template) string { return t.raw })
		a.Words("step", append([]string{s.name + ":"}, words...)...)
		a.Program(s.program)
		a.Words("prints to", s.log)
		if s.input != "" {
			a.Words("reads", s.input)
		}
		if s.when != "" {
			a.Words("when", s.when)
		}
	}
	d.helm.account(a)
	for _, w := range d.identity {
		if w.command != nil {
			a.Words("identity", w.command...)
			a.Program(w.command[0])
			for _, word := range w.command[1:] {
				if filepath.IsAbs(word) && isFile(word) { // others do not exist in the folder of the command
					a.File("file", word)
				}
			}
		}
	}
	for _, v := range d.environment {
		a.Words("variable", v)
	}
	for _, path := range d.mentioned() {
		a.File("file", path)
	}
	for _, v := range d.values {
		a.Words("value", v.name, "=", v.is.text)
	}
	for _, p := range d.files {
		p.account(a)
	}
	return a.Text()
}

// account adds the notices to a program during a run, and the files that are changed then.
func (h *helm) account(a *approve.Account) {
	if h == nil {
		return
	}
	for _, f := range h.files {
		words := []string{f.name}
		if f.signal != "" {
			words = append(words, "signal", f.signal)
		}
		if f.touch != "" {
			words = append(words, "touch", f.touch)
		}
		for _, l := range f.levers {
			at := l.at
			if l.regexp != nil {
				at = asWritten(l.regexp)
			}
			words = append(words, l.Name, "=", at)
		}
		a.Words("steers", words...)
	}
}

// account adds the content of the file.
func (p *placed) account(a *approve.Account) {
	switch {
	case p.copied != "":
		a.Words("copy", p.copied, "to", p.to)
	case p.source != "":
		a.Words("template", p.source, "to", p.to)
	case p.text != nil:
		a.Content("text", p.to, p.text.raw)
	case p.of != nil:
		a.Words("blades", p.to, p.format, p.row, "of", p.of.text)
	default:
		words := []string{p.to, p.format}
		for _, c := range p.columns {
			words = append(words, c.name, "=", c.is.text)
		}
		a.Words("table", words...)
	}
}
