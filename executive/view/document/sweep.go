package document

// Sweeps: all points. The scripts draw the collected quantities over the axes.

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// mostPointRows is the largest number of rows of a sweep on the page.
const mostPointRows = 2000

// Sweep is a sweep's table.
type Sweep struct {
	Name    string
	Message string
	Note    string
	Table   *table.Table
}

// sweepsOf shows the sweeps.
func sweepsOf(k *report.Kept, sys unit.System) (list []Sweep) {
	for i := range k.Sweeps {
		s := &k.Sweeps[i]
		shown := Sweep{Name: s.Name, Message: s.Message, Table: s.Table(sys, mostPointRows)}
		if n := len(s.Rows); n > mostPointRows {
			shown.Note = fmt.Sprintf("The first %d of %d points are in the table.", mostPointRows, n)
		}
		list = append(list, shown)
	}
	return list
}
