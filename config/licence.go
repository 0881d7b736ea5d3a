package config

// Licences of solvers, of which a machine has a fixed number.

import (
	"path/filepath"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// licence reads the licence that runs of a solver need.
func (r *reader) licence(n ast.Node, path string) *Licence {
	l := &Licence{Pos: document.Position(n)}
	before := len(r.Problems)
	var name document.Word
	r.Group(n, path, "a licence such as {name: acme_cfd, of: 4}", []document.Key{
		document.Required("name", func(n ast.Node, path string) {
			name, _ = r.Word(n, path, "a name such as acme_cfd")
		}),
		document.Optional("of", func(n ast.Node, path string) { l.Of = r.Count(n, path, 1, 10_000) }),
		document.Optional("folder",
			r.Text(&l.Folder, "the path of a folder that all who share the licences can write")),
		document.Optional("free", func(n ast.Node, path string) { l.Free = r.Command(n, path) }),
	})
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

// licenceSchema is that of a licence.
func licenceSchema() *jsonschema.Schema {
	least := 1.0
	return group("What each run of the solver needs one of.",
		prop{
			"name", &jsonschema.Schema{
				Type: "string", Pattern: nameShape.String(),
				Description: "Solvers that name the same licence share it.",
			}, true,
		},
		prop{
			"of", &jsonschema.Schema{
				Type: "integer", Minimum: &least, Description: "How many there are on this machine, for all studies.",
			}, false,
		},
		prop{
			"folder",
			text("Folder of the locks by which they are counted; default: licences in the folder of the cache."), false,
		},
		prop{
			"free",
			list("Command that asks the licence server; the last whole number that it prints is how many are free.",
				text("A word.")), false,
		})
}
