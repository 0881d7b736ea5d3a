package hosts

// Licences that a batch system counts, which an engine file and a hosts file request alike.

import (
	"regexp"

	"github.com/peregrine-sim/peregrine/config/document"
)

// licenceShape is what a batch system takes for the name of a licence: Slurm has NAME and NAME@SERVER, between commas
// and before a colon.
var licenceShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@-]*$`)

// mostLicences is how many of one name may be requested.
const mostLicences = 100_000

// Licences are numbers of licences by name.
func Licences(r *document.Reader, dst *map[string]int) document.Value {
	return document.Map(r, dst, "licences of the batch system such as {ansys: 2}", licenceShape,
		"a name of a licence is letters, digits and any of _ . @ -, first a letter or digit",
		func(n *int) document.Value { return r.Count(n, 1, mostLicences) })
}
