package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Result is a case solved at every point of a grid.
type Result struct {
	Engine string
	Sweep  *config.Sweep
	Rows   []Row                       // in the order of the grid: the last axis changes fastest
	Charts []string                    // components that work on a map, in the engine's order
	Maps   map[string]result.ScaledMap // by component; nil in a trade study, where each design scales its maps anew

	OfDesign []bool // by axis: its column tells what the design has, from which the point differs
}

// Row is one point of the grid.
type Row struct {
	// Values are those of Sweep.Columns, SI units: the axes, then what was
	// collected. Where a limit took the place of a target that is an axis, the axis
	// has the value that was reached. A point that did not converge has the axes
	// that it was asked for and the rest of its best iterate, NaN where there is none.
	Values       []float64
	Converged    bool
	Limited      []string // limits that bind, in the place of targets
	Extrapolated []string // components that work beyond their maps, and which bound was passed
	Message      string   // why the point did not converge, and what to change
	Solver       result.SolveInfo
	Points       []OperatingPoint // by Result.Charts
}

// OperatingPoint is where a component works on its map, in the component's own values.
type OperatingPoint struct {
	Wc, PR, Eff float64 // corrected flow, kg/s
}

// Failed counts the rows that did not converge.
func (r *Result) Failed() int {
	n := 0
	for i := range r.Rows {
		if !r.Rows[i].Converged {
			n++
		}
	}
	return n
}

// Options say how a sweep is solved.
type Options struct {
	Workers int // points solved at a time; 0: the cores
	// Progress, if there is one, is told after some points each how many rows are
	// done. It is called by one worker at a time.
	Progress func(done, total int)
}

// Solve solves a case at every point of a grid. The grid is cut into chunks of neighbouring points, each of which one
// worker solves in turn, every point from its last solved neighbour. The chunks
// depend on the grid alone, so the number of workers changes no answer.
//
// If some axis is one of the design, the design is solved again at each of its
// values, and the other points from there: a trade study.
//
// A point that does not converge is a row that says so. The error is that of
// ctx, with the rows that were finished until then, or of a sweep that cannot be
// made into equations.
func Solve(ctx context.Context, s *model.Session, sw *config.Sweep, opt Options) (*Result, error) {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	plan, err := newPlan(s, sw)
	if err != nil {
		return nil, err
	}
	plan.lay()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tell := plan.teller(opt.Progress)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(opt.Workers, len(plan.chunks)) {
		wg.Go(func() {
			w := walker{sweepPlan: plan}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(plan.chunks) {
					return
				}
				if err := w.chunk(ctx, plan.chunks[i]); err != nil {
					cancel(err) // nothing can be solved, or there is no time left: the others need not go on
				}
				tell(len(plan.chunks[i]))
			}
		})
	}
	wg.Wait()
	return plan.result, context.Cause(ctx)
}

// teller returns what each worker calls after a chunk.
func (p *sweepPlan) teller(progress func(done, total int)) func(rows int) {
	if progress == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	done := 0
	return func(rows int) {
		mu.Lock()
		defer mu.Unlock()
		done += rows
		progress(done, len(p.result.Rows))
	}
}

// sweepPlan is what all workers of a sweep share.
type sweepPlan struct {
	s       *model.Session
	sw      *config.Sweep
	grid    Lattice
	columns []config.Quantity
	solve   []config.Balance // the sweep's own, or those that it inherits
	design  []bool           // by axis: it belongs to the design
	trade   bool             // some axis does
	only    bool             // no point differs from its design point
	chunks  [][]int          // indices of rows, neighbours in turn
	result  *Result
}

// plan finds what a sweep changes and what it solves. The error is that of a
// sweep that cannot be made into equations.
func newPlan(s *model.Session, sw *config.Sweep) (*sweepPlan, error) {
	p := &sweepPlan{s: s, sw: sw, columns: sw.Columns(), solve: sw.Solve, design: make([]bool, len(sw.Over))}
	if len(p.solve) == 0 && sw.From != "" {
		p.solve = s.Model.Targets(s.Engine.Case(sw.From))
	}
	operating := false
	for i, a := range sw.Over {
		p.grid = append(p.grid, len(a.Values))
		switch a.Kind {
		case config.OverDesign:
			p.design[i] = true
		case config.OverParameter:
			_, _, designOnly, err := s.Model.Parameter(a.Path)
			if err != nil {
				return nil, fmt.Errorf("%s:%v: sweep %s: %w", s.Engine.File, a.Pos, sw.Name, err)
			}
			p.design[i] = designOnly
		}
		p.trade = p.trade || p.design[i]
		operating = operating || !p.design[i]
	}
	p.only = !operating && sw.From == "" && len(p.solve) == 0
	return p, p.check()
}

// lay lays the grid out, and the result.
func (p *sweepPlan) lay() {
	p.chunks = p.grid.chunks(p.design)
	p.result = &Result{Engine: p.s.Engine.Name, Sweep: p.sw, Rows: p.rows()}
	for _, c := range charts(p.s.Model) {
		p.result.Charts = append(p.result.Charts, c.name)
	}
	if !p.trade {
		p.result.Maps = p.s.Model.Maps()
	}
	if !p.only {
		p.result.OfDesign = p.design
	}
}

// Check reports the sweeps of an engine that cannot be made into equations.
func Check(m *model.Model) error {
	s := &model.Session{Engine: m.Engine, Model: m}
	var errs []error
	for i := range m.Engine.Sweeps {
		if _, err := newPlan(s, &m.Engine.Sweeps[i]); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// rows makes the rows with their axes, all of them unsolved as yet.
func (p *sweepPlan) rows() []Row {
	n, k := p.grid.Size(), len(p.columns)
	rows := make([]Row, n)
	values := make([]float64, n*k)
	at := make([]int, len(p.grid))
	for i := range rows {
		row := values[i*k : (i+1)*k : (i+1)*k]
		for j := range row {
			row[j] = math.NaN()
		}
		p.grid.At(i, at)
		for j, a := range p.sw.Over {
			row[j] = a.Values[at[j]]
		}
		rows[i] = Row{Values: row, Message: "not solved"}
	}
	return rows
}

// check finds what cannot be made into equations before a worker does: paths
// without a value, balances that do not suit. A trade study's designs are wired
// as the engine's own is.
func (p *sweepPlan) check() error {
	for i, a := range p.sw.Over {
		collected := slices.ContainsFunc(p.sw.Collect, func(q config.Quantity) bool { return q.Path == a.Path })
		if collected && (p.only || !p.design[i]) {
			return fmt.Errorf("%s:%v: sweep %s: %s is what the axis says; leave it out of collect", p.s.Engine.File, a.Pos, p.sw.Name, a.Path)
		}
	}
	w := walker{sweepPlan: p, m: p.s.Model}
	if err := w.bind(); err != nil || p.only {
		return err
	}
	w.aim(make([]int, len(p.grid)))
	return p.s.Model.CheckCase(&w.c)
}

// unsolved reports whether an error is that of one point, not of the sweep.
func unsolved(err error) bool {
	var se *model.SolveError
	var ee *model.EvalError
	return errors.As(err, &se) || errors.As(err, &ee)
}
