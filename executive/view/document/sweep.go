package document

// Sweeps: all points. The scripts draw the collected quantities over the axes.

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
)

// sweepTable is the largest number of rows of a sweep on the page.
const sweepTable = 2000

// Sweep is a sweep's table.
type Sweep struct {
	Name    string
	Message string
	Note    string
	Table   *Table
}

// sweepsOf shows the sweeps.
func sweepsOf(k *report.Kept, sys unit.System) (list []Sweep) {
	for i := range k.Sweeps {
		list = append(list, newSweep(&k.Sweeps[i], sys))
	}
	return list
}

func newSweep(s *report.KeptSweep, sys unit.System) Sweep {
	out := Sweep{Name: s.Name, Message: s.Message, Table: &Table{}}
	for _, c := range s.Columns {
		out.Table.Head = append(out.Table.Head, Column{c.Path, in(sys, c.Dim).Name()})
	}
	out.Table.Head = append(out.Table.Head, Column{"", ""})
	for n, r := range s.Rows {
		if n == sweepTable {
			out.Note = fmt.Sprintf("The first %d of %d points are in the table.", sweepTable, len(s.Rows))
			break
		}
		var row []string
		for i, c := range s.Columns {
			text := "–"
			if i < len(r.Values) && r.Values[i] != nil {
				text = number(in(sys, c.Dim).FromSI(*r.Values[i]), 5)
			}
			row = append(row, text)
		}
		state := ""
		if !r.Converged {
			state = "not converged: " + r.Message
		}
		out.Table.Rows = append(out.Table.Rows, append(row, clipped(state, 200)))
	}
	out.Table = out.Table.withoutEmptyEnd()
	return out
}
