package verify

// A mutant's transients and sweeps: solved point after point, each from the previous.

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// mostLooks is how often a mutant's transient or sweep may look at its context, about once an evaluation of the engine,
// before it is interrupted. Changed durations make some as long as anyone likes.
const mostLooks = 10_000

// lateLooks is how often an interrupted one may look on until it ends.
const lateLooks = 1000

// looks is a context that ends after mostLooks looks, so that every machine interrupts the same mutants at the same
// place.
type looks struct {
	context.Context
	seen atomic.Int64
}

func (l *looks) Err() error {
	if l.seen.Add(1) > mostLooks {
		return context.Canceled
	}
	return nil
}

// bounded calls a function that may take long, and checks that it ends when it is interrupted. It reports whether it
// ended by itself.
func (t *trial) bounded(what string, call func(context.Context)) bool {
	ctx := &looks{Context: context.Background()}
	call(ctx)
	late := ctx.seen.Load() - mostLooks
	if late > lateLooks {
		t.fault("hang", "%s looks at its context %d times after its interruption", what, late)
	}
	return late <= 0
}

// transients runs the transients of an engine.
func (t *trial) transients(s *session.Session) {
	for i := range s.Engine.Cases {
		c := &s.Engine.Cases[i]
		if c.Transient == nil {
			continue
		}
		var r *result.Result
		var err error
		whole := t.bounded(c.Name, func(ctx context.Context) { r, err = s.SolveCase(ctx, s.Model, c) })
		t.times++
		switch {
		case !whole:
		case err != nil:
			t.failed(c.Name, err)
		default:
			t.timed(c, r)
		}
	}
}

// timed judges a transient: it reaches its end, or reports the reason, and every number of its history is finite if the
// output has a value.
func (t *trial) timed(c *config.Case, r *result.Result) {
	if !r.Converged {
		t.reason(c.Name, r.Message)
	}
	h := r.History
	if h == nil || len(h.T) == 0 {
		if r.Converged {
			t.fault("audit", "%s converges without a history", c.Name)
		}
		return
	}
	if !slices.IsSorted(h.T) {
		t.fault("audit", "%s: time goes back", c.Name)
	}
	for i, column := range h.Columns {
		for k, v := range h.Values[i] {
			if math.IsInf(v, 0) || math.IsNaN(v) && k > 0 && !math.IsNaN(h.Values[i][k-1]) {
				t.fault("audit", "%s: %s is %v at %g s", c.Name, column.Path, v, h.T[k])
				break
			}
		}
	}
	if end := h.T[len(h.T)-1]; r.Converged && end != c.Transient.Duration && r.Message == "" {
		t.fault("audit", "%s ends at %g s of %g s without a reason", c.Name, end, c.Transient.Duration)
	}
	if r.Converged {
		t.timesDone++
	}
}

// mostValues is how many values of an axis are kept, so that a sweep has some dozens of points.
const mostValues = 5

// sweeps solves the sweeps of an engine, forwards and backwards, and compares the answers.
func (t *trial) sweeps(s *session.Session) {
	for i := range s.Engine.Sweeps {
		forth := s.Engine.Sweeps[i]
		forth.Over = slices.Clone(forth.Over)
		back := forth
		back.Over = slices.Clone(forth.Over)
		for k := range forth.Over {
			values := forth.Over[k].Values
			if n := len(values); n > mostValues {
				from := t.rnd.IntN(n - mostValues + 1)
				values = values[from : from+mostValues]
			}
			forth.Over[k].Values = values
			back.Over[k].Values = slices.Clone(values)
			slices.Reverse(back.Over[k].Values)
		}
		one, two := t.sweep(s, &forth), t.sweep(s, &back)
		if one == nil || two == nil {
			continue
		}
		slices.Reverse(two.Rows)
		for k := range one.Rows {
			t.sameRow(&forth, &one.Rows[k], &two.Rows[k])
		}
	}
}

// sweep solves a sweep; nil if it has no equations or is interrupted.
func (t *trial) sweep(s *session.Session, sw *config.Sweep) (r *sweep.Result) {
	var err error
	whole := t.bounded(sw.Name, func(ctx context.Context) {
		r, err = sweep.Solve(ctx, s, sw, sweep.Options{Workers: 1})
	})
	switch {
	case !whole:
		return nil
	case err != nil:
		t.failed(sw.Name, err)
		return nil
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		t.points++
		t.effort = max(t.effort, row.Solver.Evaluations)
		if row.Solver.Evaluations > mostEffort {
			t.fault("effort", "%s, row %d, took %d evaluations (%v)", sw.Name, i+1, row.Solver.Evaluations, row.Message)
		}
		if !row.Converged {
			t.reason(sw.Name, row.Message)
		}
	}
	return r
}

// sameRow compares two answers to a point of a sweep.
func (t *trial) sameRow(sw *config.Sweep, a, b *sweep.Row) {
	if a.Converged != b.Converged {
		t.fault(oneway, "%s at %v: converges %v %s; backwards %v %s", sw.Name, a.Values[:len(sw.Over)], a.Converged,
			a.Message, b.Converged, b.Message)
		return
	}
	if !a.Converged {
		return
	}
	t.pointsDone++
	for i, column := range sw.Columns() {
		x, y := a.Values[i], b.Values[i]
		if math.Abs(x-y) > sameAnswer*max(math.Abs(x), 1) || math.IsNaN(x) != math.IsNaN(y) {
			t.fault("another", "%s at %v: %s is %.9g, and backwards %.9g", sw.Name, a.Values[:len(sw.Over)],
				column.Path, x, y)
			return
		}
	}
}
