package sweep

// A trade study: the designs at the values of the axes that change the design, and the base
// case of each.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
)

// designed reports whether the model has the design of the present place of the grid.
func (w *walker) designed() bool {
	if w.designAt == nil {
		return false
	}
	for i, d := range w.design {
		if d && w.designAt[i] != w.place[i] {
			return false
		}
	}
	return true
}

// redesign makes the model of the design at the present place, and takes it to the base of the
// sweep. Each design is solved from the values of the engine file, so that no design depends
// on another. If the design or the base is not reached, unreachable has the reason.
func (w *walker) redesign(ctx context.Context, row *Row) error {
	w.designAt = append(w.designAt[:0], w.place...)
	w.unreachable = ""
	w.nw.Forget()
	var err error
	if !w.trade {
		w.m, err = w.s.Model.Clone()
	} else {
		w.m, err = w.s.Model.Variant(w.variant())
	}
	if err != nil {
		return err
	}
	if w.trade {
		if row.Solver, err = w.m.Design(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			w.unreachable = graph.Advise(err)
		} else {
			w.m.Rebase()
		}
	}
	switch {
	case w.unreachable != "":
		return nil
	case w.designOnly:
		return w.bindReadings()
	}
	return w.goToBase(ctx)
}

// variant returns the engine with the design axes at the values of the present place.
func (w *walker) variant() *config.Engine {
	cfg := *w.s.Engine
	cfg.Components, cfg.Design = slices.Clone(cfg.Components), slices.Clone(cfg.Design)
	cfg.Shafts, cfg.Buses = slices.Clone(cfg.Shafts), slices.Clone(cfg.Buses)
	for i, a := range w.sw.Over {
		if !w.design[i] {
			continue
		}
		x := a.Values[w.place[i]]
		if a.Kind == config.OverDesign {
			cfg.Design[target(cfg.Design, a.Path)].Target = x
			continue
		}
		set(&cfg, a.Path, x)
	}
	return &cfg
}

// set changes a parameter of an engine. The engine must not share its lists with another.
func set(cfg *config.Engine, path string, x float64) {
	name, param, _ := strings.Cut(path, ".")
	with := func(v config.Values) config.Values {
		v = maps.Clone(v)
		v[param] = config.Value{Num: x, Set: true, Pos: v[param].Pos}
		return v
	}
	for i := range cfg.Components {
		if c := &cfg.Components[i]; c.Name == name {
			c.Values = with(c.Values)
		}
	}
	for _, joints := range [][]config.ShaftEntry{cfg.Shafts, cfg.Buses} {
		for i := range joints {
			if j := &joints[i]; j.Name == name {
				j.Values = with(j.Values)
			}
		}
	}
}

// target returns the index of the design's balance with a path as its target. If several match, it is the balance at
// the design point.
func target(design []config.Balance, path string) int {
	found := -1
	for i, b := range design {
		if b.Until == path && (found < 0 || b.At == "") {
			found = i
		}
	}
	return found
}

// bindReadings finds the collected quantities and the charts in the model.
func (w *walker) bindReadings() error {
	w.reads, w.targets = w.reads[:0], w.targets[:0]
	for _, a := range w.sw.Over {
		var r graph.Reading
		if a.Kind == config.OverTarget {
			var err error
			if r, err = w.m.Read(a.Path); err != nil {
				return fmt.Errorf("%s:%v: %w", w.s.Engine.File, a.Pos, err)
			}
		}
		w.targets = append(w.targets, r)
	}
	for _, q := range w.sw.Collect {
		r, err := w.m.Read(q.Path)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", w.s.Engine.File, w.sw.Pos, err)
		}
		w.reads = append(w.reads, r)
	}
	w.charts = charts(w.m.Model)
	return nil
}

// goToBase takes the model from its design to the case that the sweep is `from`, and saves that state as the base. If
// that case cannot be solved, the design is the base, unless the sweep needs parameters that the case finds.
func (w *walker) goToBase(ctx context.Context) error {
	if err := w.m.Settle(); err != nil {
		if graph.Unsolved(err) {
			w.unreachable = "the design cannot be evaluated off design: " + graph.Advise(err)
			return nil
		}
		return err
	}
	w.m.SaveTo(&w.base)
	if w.sw.From != "" {
		err := w.s.SolveAncestors(ctx, w.m, w.sw.From)
		w.setCase(w.place)
		keeps := w.s.KeepsFound(&w.c)
		switch {
		case err == nil:
			w.m.SaveTo(&w.base)
			if keeps {
				w.m.Rebase()
			}
		case !graph.Unsolved(err):
			return err
		case keeps:
			w.unreachable = fmt.Sprintf("case %s, from which the sweep starts, was not reached: %s", w.sw.From,
				graph.Advise(err))
		default:
			// The design is the base.
		}
	}
	return nil
}
