// Package verify compares Peregrine with published results: engines of pyCycle, an engine and
// elements of NPSS, and the gas of CEA.
//
// The reference data are kept outside of the project (see package internal/reference). This
// package has the set-up of each comparison, and its limit.
package verify

import (
	"context"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// referenceLimit is the size limit of a file of reference data.
var referenceLimit = intake.Limit{What: "a file of reference data", Bytes: 64 << 20}

// Row is one comparison, in SI units, speeds in rpm. Map values of elements have the units of
// the map.
type Row struct {
	Case, Quantity   string
	Reference, Value float64
	Difference       float64 // relative, unless Absolute
	Limit            float64 // of |Difference|
	Absolute         bool
	Unit             string // of an absolute difference
	// Note explains a difference beyond the limit whose cause is a defect of the reference,
	// or an input that differs within its limit. The row then does not count as failed.
	Note string
}

// Failed reports a difference beyond the limit without an explanation.
func (r Row) Failed() bool {
	return r.Note == "" && !(math.Abs(r.Difference) <= r.Limit)
}

// kind is the quantity without its station: Pt of "fan.Fl_O Pt" and of "Fl_O.Pt".
func (r Row) kind() string {
	return r.Quantity[strings.LastIndexAny(r.Quantity, " .")+1:]
}

// share is the difference as a fraction of the limit.
func (r Row) share() float64 { return math.Abs(r.Difference) / r.Limit }

// Section is a group of comparisons of one kind.
type Section struct {
	Name   string
	Source string // of the reference
	Claim  string // the comparison and its limits
	Rows   []Row
}

// Check makes a section from the reference folder.
type Check struct {
	Name string
	Run  func(ctx context.Context, dir string) (Section, error)
}

// table collects rows.
type table struct{ rows []Row }

// relative adds a comparison by ratio.
func (t *table) relative(name, quantity string, reference, value, limit float64) {
	d := value - reference
	if reference != 0 {
		d = value/reference - 1
	}
	t.rows = append(t.rows, Row{Case: name, Quantity: quantity, Reference: reference, Value: value, Difference: d,
		Limit: limit})
}
