package report

import (
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// This file names what is written and its columns.

// folder is results that are written into one.
type folder struct{ *result.Results }

// timeline is a history that is written or drawn.
type timeline struct{ *result.History }

// swept is a sweep that is written or drawn.
type swept struct{ *sweep.Result }

// names are those of the columns: their paths, with "design." before the axes of
// the design where points are not design points themselves.
func (r swept) names() []string {
	var list []string
	for i, q := range r.Sweep.Columns() {
		name := q.Path
		if i < len(r.OfDesign) && r.OfDesign[i] {
			name = "design." + name
		}
		list = append(list, name)
	}
	return list
}

// heads are the names with units, as in "performance.Fn [N]".
func (r swept) heads() []string {
	list := r.names()
	for i, q := range r.Sweep.Columns() {
		if u := q.Dim.Bare(); u != "" {
			list[i] += " [" + u + "]"
		}
	}
	return list
}

// states are the columns that say of each row what to think of it.
var states = []string{"converged", "limited_by", "extrapolated", "message"}
