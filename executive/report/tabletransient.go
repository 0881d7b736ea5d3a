package report

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// maxHistoryRows is the largest number of points of a history in a terminal.
const maxHistoryRows = 12

// transient writes some points of a history, then the engine at the end. The points are evenly spaced in the
// integrator's steps, which are short during fast changes.
func (t *tables) transient(c *result.Result) {
	h := c.History
	end := 0.0
	if n := len(h.T); n > 0 {
		end = h.T[n-1]
	}
	state := fmt.Sprintf("run to %s s", unit.Brief(end))
	if !c.Converged {
		state = "ENDED EARLY: " + c.Message
	}
	t.b.WriteString("\n" + table.Wrap("", "  ", fmt.Sprintf("%s: transient, %s (%s, %s)", c.Name, state,
		spell.Count(c.Solver.Steps, "step"), spell.Count(c.Solver.Evaluations, "evaluation"))))
	head, sub := []string{"t"}, []string{"s"}
	for _, q := range h.Columns {
		symbol, _ := t.unit(q.Dim)
		name := strings.TrimPrefix(strings.TrimPrefix(q.Path, "performance."), "shafts.")
		head, sub = append(head, name), append(sub, symbol)
	}
	g := grid(head...)
	g.Head(sub...)
	for _, i := range sampled(len(h.T)) {
		row := []string{unit.Brief(h.T[i])}
		for k, q := range h.Columns {
			_, from := t.unit(q.Dim)
			row = append(row, cell(numeric.Finite(h.Values[k][i]), from(h.Values[k][i])))
		}
		g.Row(row...)
	}
	t.put(g)
	if n := len(h.T); n > maxHistoryRows {
		fmt.Fprintf(&t.b, "  %d of %d points; --out DIR writes all of them\n", maxHistoryRows, n)
	}
	if c.Ledger != nil {
		t.b.WriteString("\n" + table.Wrap("  ", "    ", c.Ledger.String()))
	}
	fmt.Fprintf(&t.b, "\n  at %s s\n", unit.Brief(end))
	t.stations(c, textFields)
	t.b.WriteByte('\n')
	t.components(c)
	t.machines(c)
	t.zooms(c)
}

// sampled returns at most maxHistoryRows indices from 0 to n-1, evenly spaced, with both ends.
func sampled(n int) []int {
	rows := min(n, maxHistoryRows)
	list := make([]int, rows)
	for i := range list {
		list[i] = i
		if n > rows {
			list[i] = i * (n - 1) / (rows - 1)
		}
	}
	return list
}

// inTime writes the extensions of a zoomed map during a transient.
func (t *tables) inTime(z *result.InTime) {
	if z == nil {
		return
	}
	if z.Leaving == "extrapolate" {
		t.b.WriteString("    in time, it was extrapolated wherever the engine left it, as asked for\n")
	}
	for _, e := range z.Extended {
		fmt.Fprintf(&t.b, "    extended at %s s (%s): %d runs made, %d from the cache, %d failed\n", unit.Brief(e.T),
			e.Side, e.Runs, e.Cached, e.Failed)
	}
	for _, g := range z.GaveUp {
		fmt.Fprintf(&t.b, "    extrapolated from %s s on (%s): %s\n", unit.Brief(g.T), g.Side, g.Reason)
	}
}
