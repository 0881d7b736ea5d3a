package external

// What a description would run, in words, for a person to trust.

import (
	"path/filepath"

	"github.com/peregrine-sim/peregrine/zoom/approve"
)

// Account returns all commands of the description with their environment and programs, and all that the programs get
// to read from beside the description or out of it: that may be a script, or a case of a solver that compiles code.
// The error is that of a program or a file that is not there.
func (d *Description) Account() (string, error) {
	a := &approve.Account{}
	a.Words("description", d.File)
	for _, s := range d.steps {
		words := make([]string, len(s.command))
		for i, t := range s.command {
			words[i] = t.raw
		}
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
				if filepath.IsAbs(word) && isFile(word) { // another one is none in the folder where the command runs
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

// account adds what a program is told while it runs, and which files are changed then.
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

// account adds what a run gets under the name.
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
