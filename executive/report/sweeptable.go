package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// maxRows is the largest number of rows in a terminal; files have all rows.
const maxRows = 200

// table writes the rows as a text table, then why points did not converge.
func (r sweepReport) table(w io.Writer, sys unit.System) error {
	t := &tables{sys: sys, cat: components.Catalogue()}
	fmt.Fprintf(&t.b, "%s: sweep %s, %s\n\n", r.Engine, r.Sweep.Name, r.verdict())
	g := newPoints(sys, r.columns())
	for i := range r.Rows[:min(maxRows, len(r.Rows))] {
		g.add(r.Rows[i].Values, remark(&r.Rows[i]))
	}
	t.put(g.Table)
	if more := len(r.Rows) - maxRows; more > 0 {
		fmt.Fprintf(&t.b, "  ... and %d more rows; --out DIR writes all of them\n", more)
	}
	if slices.ContainsFunc(r.Rows, func(row sweep.Row) bool { return len(row.Extrapolated) > 0 }) {
		t.b.WriteString(table.Wrap("  ", "    ", "EXTRAPOLATED names components that work outside their maps, and the "+
			"side (Nc: corrected speed, X: along the speed line; in % the corrected speed over the design's): beyond "+
			"its bounds a map is only a guess"))
	}
	t.reasons(r)
	return t.writeTo(w)
}

// points is a table of points: axes and quantities, and remarks.
type points struct {
	*table.Table
	from []func(float64) float64 // SI
}

func newPoints(sys unit.System, columns []SweepColumn) points {
	p := points{Table: table.Indented(strings.Repeat("r", len(columns)) + "l")} // the last are remarks
	var names, symbols []string
	for _, c := range columns {
		if !c.Dim.Known() { // of damaged results
			c.Dim = unit.None
		}
		u := shownIn(sys, c.Dim)
		names, symbols, p.from = append(names, c.Path), append(symbols, u.Name()), append(p.from, u.FromSI)
	}
	p.Head(names...)
	p.Head(symbols...)
	return p
}

func (p *points) add(values []float64, remark string) {
	var row []string
	for i, from := range p.from {
		ok := i < len(values) && numeric.Finite(values[i])
		v := 0.0
		if ok {
			v = from(values[i])
		}
		row = append(row, cell(ok, v))
	}
	p.Row(append(row, remark)...)
}

// remark describes the status of a row; it is empty for a good row.
func remark(row *sweep.Row) string {
	var list []string
	if !row.Converged {
		list = append(list, "NOT CONVERGED")
	}
	for _, l := range row.Limited {
		list = append(list, "at the limit "+l)
	}
	if len(row.Extrapolated) > 0 {
		list = append(list, "EXTRAPOLATED "+strings.Join(row.Extrapolated, ", "))
	}
	return strings.Join(list, "; ")
}

// reasons lists why points did not converge, each reason once with its number of points.
func (t *tables) reasons(r sweepReport) {
	count := map[string]int{}
	var order []string
	for i := range r.Rows {
		if row := &r.Rows[i]; !row.Converged {
			if count[row.Message] == 0 {
				order = append(order, row.Message)
			}
			count[row.Message]++
		}
	}
	if len(order) > 0 {
		t.b.WriteByte('\n')
	}
	for i, m := range order {
		if i == 10 {
			fmt.Fprintf(&t.b, "... and %d more reasons; --out DIR writes them with their rows\n", len(order)-i)
			return
		}
		fmt.Fprintf(&t.b, "not converged (%s): %s\n", spell.Count(count[m], "point"), m)
	}
}

// verdict counts the points, the failed points and the extrapolated points.
func (r sweepReport) verdict() string {
	failed, beyond := r.Failed(), 0
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Converged && len(row.Extrapolated) > 0 {
			beyond++
		}
	}
	text := spell.Count(len(r.Rows), "point") + ", all converged"
	if failed > 0 {
		text = fmt.Sprintf("%s, %d not converged", spell.Count(len(r.Rows), "point"), failed)
	}
	if beyond > 0 {
		text += fmt.Sprintf(", %d with a map extrapolated", beyond)
	}
	return text
}
