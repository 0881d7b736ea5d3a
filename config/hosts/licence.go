package hosts

// Licences that a batch system counts. Both an engine file and a hosts file can request them.

import (
	"regexp"

	"github.com/peregrine-sim/peregrine/config/document"
)

// licenceShape matches the names of licences in batch systems: Slurm has NAME and NAME@SERVER, between commas and
// before a colon.
var licenceShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@-]*$`)

// mostLicences is the largest request for licences of one name.
const mostLicences = 100_000

// Licences are numbers of licences by name.
func Licences(r *document.Reader, dst *map[string]int) document.Value {
	return document.Map(r, dst, "licences of the batch system such as {ansys: 2}", licenceShape,
		"a name of a licence is letters, digits and any of _ . @ -, first a letter or digit",
		func(n *int) document.Value { return r.Count(n, 1, mostLicences) })
}
