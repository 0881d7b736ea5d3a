package fileformat

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/entry"
)

// Act is how rules act on a run that others started: by files in the folder of its case, which the solver reads while
// it runs.
type Act struct {
	Format entry.Format
	Needs  *Entry // the solver reads them only if this entry has one of the values; nil: always
	Stop   *Entry // gets its value to stop the run, or is a file that is made; nil: nothing stops it
	Set    *Entry // the entries below it may be set; nil: none
}

// Entry is a place in a file.
type Entry struct {
	File   string   // in the folder of the case
	At     string   // name; empty: the whole file
	Values []string // as the file has them
}

func (r *reader) act(dst **Act) document.Value {
	a := new(Act)
	keys := []document.Key{
		r.Optional("format", "how the files are written", document.Choice(r.Reader, &a.Format, entry.Formats...)),
		r.Optional("needs", "the solver reads its files during the run only if this entry has one of the values",
			r.entry(&a.Needs)),
		r.Optional("stop", "what stops the run: an entry that gets the value, or a file that is made with the value "+
			"as its text", r.entry(&a.Stop)),
		r.Optional("set", "the entries below this one may be set", r.entry(&a.Set)),
	}
	return r.Section("act: {stop: {file: STOP}}", keys).Then(func(ast.Node, string) { *dst = a })
}

func (r *reader) entry(dst **Entry) document.Value {
	e := new(Entry)
	return r.Section("{file: system/controlDict, at: stopAt, values: [writeNow]}", []document.Key{
		r.Required("file", "in the folder of the case", r.Text(&e.File, "a file")),
		r.Optional("at", "name of the entry", r.Text(&e.At, "the name of an entry")),
		r.Optional("values", "as the file has them", r.Texts(&e.Values, "values", "a value", document.Rule{})),
	}).Then(func(ast.Node, string) { *dst = e })
}
