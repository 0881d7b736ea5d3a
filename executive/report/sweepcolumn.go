package report

import (
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// Contents of the output files: results, histories and sweeps, with their methods in other files. This file has the
// column names of a sweep.

// resultsReport writes and draws results.
type resultsReport struct{ *result.Results }

// historyReport writes and draws a history.
type historyReport struct{ *result.History }

// sweepReport writes and draws a sweep.
type sweepReport struct{ *sweep.Result }

// names returns the names of the columns: their paths, with "design." before the axes that
// change the design if the points are not design points.
func (r sweepReport) names() []string {
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

// headings returns the names with units, as in "performance.Fn [N]".
func (r sweepReport) headings() []string {
	list := r.names()
	for i, q := range r.Sweep.Columns() {
		if u := q.Dim.Bare(); u != "" {
			list[i] += " [" + u + "]"
		}
	}
	return list
}

// statusColumns are the columns with the status of each row.
var statusColumns = []string{"converged", "limited_by", "extrapolated", "message"}
