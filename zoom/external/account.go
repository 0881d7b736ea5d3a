package external

// What a description would run, in words, for a person to trust.

import "github.com/peregrine-sim/peregrine/zoom/trust"

// Account returns all commands of the description with their environment and programs, and all that the programs get to read
// from beside the description or out of it: that may be a script, or a case of a solver that compiles code. The error is that
// of a program or a file that is not there.
func (d *Description) Account() (string, error) {
	a := &trust.Account{}
	a.Words("description", d.File)
	for _, s := range d.steps {
		words := make([]string, len(s.command))
		for i, t := range s.command {
			words[i] = t.raw
		}
		a.Words("step", append([]string{s.name + ":"}, words...)...)
		a.Program(s.program)
	}
	for _, w := range d.identity {
		if w.command != nil {
			a.Words("identity", w.command...)
			a.Program(w.command[0])
			for _, word := range w.command[1:] {
				if isFile(word) {
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
	for _, p := range d.files {
		if p.text != nil && p.source == "" {
			a.Content("text", p.to, p.text.raw)
		}
	}
	return a.Text()
}
