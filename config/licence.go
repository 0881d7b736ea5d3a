package config

// Licences of solvers, of which a machine has a fixed number.

import (
	"path/filepath"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// licence is the licence that runs of a solver need.
func (r *reader) licence(dst **Licence) document.Value {
	schema := func() *jsonschema.Schema {
		return document.Object("", r.licenceKeys(new(Licence), new(document.Word)))
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) { *dst = r.readLicence(n, path) }}
}

func (r *reader) licenceKeys(l *Licence, name *document.Word) []document.Key {
	of := r.Whole(nil, 1, "")
	of.Read = r.Count(&l.Of, 1, 10_000).Read
	named := r.Scalar("a name such as acme_cfd", func(w document.Word, _ string) { *name = w })
	named.Schema = r.Shaped(nil, "", document.Rule{Shape: nameShape}).Schema
	return []document.Key{
		r.Required("name", "Solvers that name the same licence share it.", named),
		r.Optional("of", "How many there are on this machine, for all studies.", of),
		r.Optional("folder",
			"Folder of the locks by which they are counted; default: licences in the folder of the cache.",
			r.Text(&l.Folder, "the path of a folder that all who share the licences can write")),
		r.Optional("free", "Command that asks the licence server; the last whole number that it prints is how many "+
			"are free.",
			r.Command(&l.Free)),
	}
}

func (r *reader) readLicence(n ast.Node, path string) *Licence {
	l := &Licence{Pos: document.Position(n)}
	before := len(r.Problems)
	var name document.Word
	r.Group(n, path, "a licence such as {name: acme_cfd, of: 4}", r.licenceKeys(l, &name))
	l.Name = name.Text
	switch {
	case len(r.Problems) > before:
	case !nameShape.MatchString(l.Name):
		r.Fail(name.Pos, document.Join(path, "name"), l.Name,
			"a name of a licence is letters, digits and _, first a letter")
	case l.Of == 0 && l.Free == nil:
		r.Fail(l.Pos, path, "", "no key of, how many there are, or free, a command that asks the licence server")
	}
	if l.Folder != "" && !filepath.IsAbs(l.Folder) {
		l.Folder = filepath.Join(filepath.Dir(r.File), l.Folder)
	}
	return l
}
