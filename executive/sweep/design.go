package sweep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
)

// designed reports whether the model is of the design that the place asks for.
func (w *walker) designed() bool {
	if w.at == nil {
		return false
	}
	for i, d := range w.design {
		if d && w.at[i] != w.place[i] {
			return false
		}
	}
	return true
}

// redesign makes the model of the design at the present place, and takes it to
// the base of the sweep. Each design is solved from the file's values, as the
// engine's own is, so that no design depends on another. What cannot be reached
// is kept in lost.
func (w *walker) redesign(ctx context.Context, row *Row) error {
	w.at = append(w.at[:0], w.place...)
	w.lost = ""
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
		if row.Solver, err = w.m.Design(); err != nil {
			w.lost = model.Advise(err)
		}
	}
	switch {
	case w.lost != "":
		return nil
	case w.only:
		return w.bind()
	}
	return w.ground(ctx)
}

// variant is the engine with the design axes at their values.
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

// set gives a parameter of an engine whose lists are its own another value.
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

// target finds the balance of the design that asks for a path; of several, that
// at the design point itself.
func target(design []config.Balance, path string) int {
	found := -1
	for i, b := range design {
		if b.Until == path && (found < 0 || b.At == "") {
			found = i
		}
	}
	return found
}

// bind finds what is collected on the model.
func (w *walker) bind() error {
	w.reads, w.asked = w.reads[:0], w.asked[:0]
	for _, a := range w.sw.Over {
		var r model.Reading
		if a.Kind == config.OverTarget {
			var err error
			if r, err = w.m.Read(a.Path); err != nil {
				return fmt.Errorf("%s:%v: %w", w.s.Engine.File, a.Pos, err)
			}
		}
		w.asked = append(w.asked, r)
	}
	for _, q := range w.sw.Collect {
		r, err := w.m.Read(q.Path)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", w.s.Engine.File, w.sw.Pos, err)
		}
		w.reads = append(w.reads, r)
	}
	w.charts = charts(w.m)
	return nil
}

// ground takes a model from its design to the case that the sweep is from, and
// keeps it as the base. If that case is out of reach the design serves, unless
// the sweep needs what the case found.
func (w *walker) ground(ctx context.Context) error {
	if err := w.m.Settle(); err != nil {
		if unsolved(err) {
			w.lost = "the design cannot be evaluated off design: " + model.Advise(err)
			return nil
		}
		return err
	}
	w.m.SaveTo(&w.base)
	if w.sw.From != "" {
		err := w.s.SolveAncestors(ctx, w.m, w.sw.From)
		switch {
		case err == nil:
			w.m.SaveTo(&w.base)
		case !unsolved(err):
			return err
		case w.leans():
			w.lost = fmt.Sprintf("case %s, from which the sweep starts, was not reached: %s", w.sw.From, model.Advise(err))
		default:
			// The base is the design.
		}
	}
	return nil
}

// leans reports whether the case that the sweep is from, or one before it, finds
// a parameter that the sweep does not.
func (w *walker) leans() bool {
	for c := w.s.Engine.Case(w.sw.From); c != nil; c = w.s.Engine.Case(c.From) {
		for _, b := range c.Solve {
			if !varies(w.solve, b.Vary) {
				return true
			}
		}
	}
	return false
}

func varies(list []config.Balance, path string) bool {
	return slices.ContainsFunc(list, func(b config.Balance) bool { return b.Vary == path })
}
