package hosts

// Licences that a batch system counts, which an engine file and a hosts file request alike.

import (
	"regexp"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// licenceShape is what a batch system takes for the name of a licence: Slurm has NAME and NAME@SERVER, between commas
// and before a colon.
var licenceShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@-]*$`)

// mostLicences is how many of one name may be requested.
const mostLicences = 100_000

// Licences reads numbers of licences by name into dst.
func Licences(r *document.Reader, dst *map[string]int) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		*dst = map[string]int{}
		for _, f := range r.Fields(n, path, "licences of the batch system such as {ansys: 2}") {
			if !licenceShape.MatchString(f.Key) {
				r.Fail(f.Pos, path, f.Key,
					"a name of a licence is letters, digits and any of _ . @ -, first a letter or digit")
				continue
			}
			(*dst)[f.Key] = r.Count(f.Value, document.Join(path, f.Key), 1, mostLicences)
		}
	}
}

// LicencesSchema is the schema of that.
func LicencesSchema(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: doc,
		PropertyNames:        &jsonschema.Schema{Pattern: licenceShape.String()},
		AdditionalProperties: whole(mostLicences)}
}

// licences is the value of such a key.
type licences struct{ to *map[string]int }

func (v licences) read(r *document.Reader, n ast.Node, path string) { Licences(r, v.to)(n, path) }
func (licences) schema() *jsonschema.Schema                         { return LicencesSchema("") }
func (licences) form() string                                       { return "" }
