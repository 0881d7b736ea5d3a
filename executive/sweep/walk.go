package sweep

import (
	"context"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// walker solves chunks of a sweep, one point after the other, on its model. It is for one goroutine.
type walker struct {
	*sweepPlan
	m           *steady.Solver
	nw          newton.Solver
	c           config.Case
	reads       []graph.Reading // of the collected quantities
	targets     []graph.Reading // by axis: of the targets
	charts      []chart
	base        graph.Memory // start of every chunk: the case that the sweep is `from`, or the design
	last        graph.Memory // the last solved point
	place       []int
	designAt    []int  // place of the grid whose design the model has; nil: none yet
	unreachable string // why that design, or the case that the sweep is `from`, was not solved; else empty
}

// chart is a component that works on a map, with the values of its operating point.
type chart struct {
	name string
	user components.MapUser
	at   components.MapPlace
}

// charts lists the components that work on maps.
func charts(m *graph.Model) []chart {
	var list []chart
	for _, p := range m.Parts {
		u, ok := p.Component.(components.MapUser)
		if !ok {
			continue
		}
		if at := p.Declaration.Place; at.Wc != nil {
			list = append(list, chart{p.Name, u, at})
		}
	}
	return list
}

// chunk solves points in turn. The first starts from the base, so that the results do not depend on earlier work of
// this worker.
func (w *walker) chunk(ctx context.Context, rows []int) error {
	fresh := true
	for _, i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.point(ctx, i, fresh); err != nil {
			return err
		}
		fresh = false
	}
	return nil
}

// point solves one row, from the base if fresh is set.
func (w *walker) point(ctx context.Context, index int, fresh bool) error {
	row := &w.result.Rows[index]
	w.place = slices.Grow(w.place[:0], len(w.grid))[:len(w.grid)]
	w.grid.At(index, w.place)
	if !w.designed() {
		if err := w.redesign(ctx, row); err != nil {
			return err
		}
		fresh = true
	}
	switch {
	case w.unreachable != "":
		row.Message = w.unreachable
		return nil
	case w.designOnly:
		row.Converged, row.Message = true, ""
		w.collect(row)
		return nil
	case fresh:
		if err := w.resetModel(); err != nil {
			return err
		}
	}
	w.setCase(w.place)
	return w.solvePoint(ctx, row)
}

// solvePoint solves the case from the model's present state. It leaves the model at a solution.
func (w *walker) solvePoint(ctx context.Context, row *Row) error {
	w.s.Limit(&w.nw.Settings)
	info, err := w.m.OffDesign(ctx, &w.nw, &w.c)
	if err != nil && !graph.Unsolved(err) {
		return err
	}
	row.Solver, row.Converged, row.Message = info, err == nil, ""
	w.collect(row)
	if err == nil {
		w.m.SaveTo(&w.last)
		return nil
	}
	row.Message = graph.Advise(err)
	return w.goTo(w.last)
}

// resetModel puts a new model at the base. In a used model gas properties are iterated from the
// last state of a station, so that results would differ in the last digits.
func (w *walker) resetModel() error {
	m, err := w.m.Clone()
	if err != nil {
		return err
	}
	w.m = m
	if err := w.bindReadings(); err != nil {
		return err
	}
	w.last.Numbers, w.last.Fixed = append(w.last.Numbers[:0], w.base.Numbers...), append(w.last.Fixed[:0],
		w.base.Fixed...)
	return w.goTo(w.base)
}

// goTo takes the model to a saved solution.
func (w *walker) goTo(s graph.Memory) error {
	w.m.Restore(s)
	w.nw.Forget()
	return w.m.Settle()
}

// setCase sets the case to the values at a place of the grid.
func (w *walker) setCase(place []int) {
	w.c.Name, w.c.From = w.sw.Name, w.sw.From
	w.c.Set = w.c.Set[:0]
	w.c.Solve = append(w.c.Solve[:0], w.solve...)
	for i, a := range w.sw.Over {
		if w.design[i] {
			continue
		}
		x := a.Values[place[i]]
		if a.Kind == config.OverParameter {
			w.c.Set = append(w.c.Set, config.Setting{Path: a.Path, Value: config.Value{Num: x, Set: true}, Pos: a.Pos})
			continue
		}
		for k := range w.c.Solve {
			if w.c.Solve[k].Until == a.Path {
				w.c.Solve[k].Target = x
			}
		}
	}
}

// collect reads a row's values from the model.
func (w *walker) collect(row *Row) {
	for i, r := range w.reads {
		if v := r.Get(); numeric.Finite(v) {
			row.Values[len(w.sw.Over)+i] = v
		}
	}
	row.Limited = w.m.Limited
	for i, r := range w.targets {
		if r.Get != nil && row.Converged && len(row.Limited) > 0 {
			row.Values[i] = r.Get()
		}
	}
	row.Points = make([]OperatingPoint, len(w.charts))
	for i, c := range w.charts {
		row.Points[i] = OperatingPoint{*c.at.Wc, *c.at.PR, *c.at.Eff}
		if e := c.user.Edge(); e != 0 {
			row.Extrapolated = append(row.Extrapolated, fmt.Sprintf("%s (%s)", c.name, w.side(c, e)))
		}
	}
}

// side is the side of its map beyond which a component works, with its corrected speed over the design's where that is
// why.
func (w *walker) side(c chart, e perfmap.Edge) string {
	text := e.String()
	m, _, _ := c.user.Map()
	if e&(perfmap.NcLow|perfmap.NcHigh) != 0 && m != nil && m.Design.Nc > 0 {
		text += fmt.Sprintf(", %.0f %%", 100*w.m.Index[c.name].Outputs()["NcMap"]/m.Design.Nc)
	}
	return text
}
