// Package verify runs engines and elements whose results others have published
// and compares: pyCycle's engines, an NPSS engine, NPSS's elements, CEA's gas.
//
// The references are facts kept outside of the project (see package
// internal/reference); what is here is how each was set up, and how close Peregrine must
// come.
package verify

import (
	"context"
	"math"
	"strings"
)

// Row is one comparison, in SI units, speeds in rpm; elements' map values in those
// of the map.
type Row struct {
	Case, Quantity   string
	Reference, Value float64
	Difference       float64 // relative, unless Absolute
	Limit            float64 // of |Difference|
	Absolute         bool
	Unit             string // of an absolute difference
	// Note explains a difference beyond the limit that the reference's own defect
	// causes, or an input that differs within a limit of its own; the row then does not
	// count as failed.
	Note string
}

// Failed reports a difference beyond the limit that nothing explains.
func (r Row) Failed() bool {
	return r.Note == "" && !(math.Abs(r.Difference) <= r.Limit)
}

// kind is the quantity without its place: Pt of "fan.Fl_O Pt" and of "Fl_O.Pt".
func (r Row) kind() string {
	return r.Quantity[strings.LastIndexAny(r.Quantity, " .")+1:]
}

// share is the difference in parts of the limit.
func (r Row) share() float64 { return math.Abs(r.Difference) / r.Limit }

// Section is a group of comparisons of one kind.
type Section struct {
	Name   string
	Source string // of the reference
	Claim  string // what is compared, and within what
	Rows   []Row
}

// Check is a section to be made from the reference folder.
type Check struct {
	Name string
	Run  func(ctx context.Context, dir string) (Section, error)
}

// table gathers rows.
type table struct{ rows []Row }

// relative adds a comparison by ratio.
func (t *table) relative(name, quantity string, reference, value, limit float64) {
	d := value - reference
	if reference != 0 {
		d = value/reference - 1
	}
	t.rows = append(t.rows, Row{Case: name, Quantity: quantity, Reference: reference, Value: value, Difference: d, Limit: limit})
}
