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

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Result is a case solved at every point of a grid.
type Result struct {
	Engine string
	Sweep  *config.Sweep
	Rows   []Row                       // in the order of the grid: the last axis changes fastest
	Charts []string                    // components that work on a map, in the engine's order
	Maps   map[string]result.ScaledMap // by component; nil in a trade study, where each design has its map scalars

	OfDesign []bool // by axis: its column has the value at the design, which can differ from that at the point
}

// Row is one point of the grid.
type Row struct {
	// Values are in the order of Sweep.Columns, SI units: the axes, then the collected quantities. If a limit replaces
	// a target that is an axis, the axis has the reached value. A point that did not converge has the axes' values of
	// the grid, and the collected quantities of the best iterate, else NaN.
	Values       []float64
	Converged    bool
	Limited      []string // limits that bind; each replaces a target
	Extrapolated []string // components that work outside their maps, with the sides
	Message      string   // why the point did not converge, and the suggested change
	Solver       result.SolveInfo
	Points       []OperatingPoint // by Result.Charts
}

// OperatingPoint is a component's operating point on its map, in values of the component.
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

// Options of a sweep.
type Options struct {
	Workers int // points solved at a time; 0: the number of cores
	// Observe, if set, gets an event of kind progress after every chunk of points, with the
	// numbers of points done and planned. One worker calls it at a time.
	Observe func(event.Event)
	// Zoomed marks a session whose components are zoomed at its design point. A trade study, which changes that point,
	// is then an error.
	Zoomed bool
	Clock  clock.Clock // of the events; default: the real clock
}

// Solve solves a case at every point of a grid. The grid is cut into chunks of neighbouring points. A worker solves the
// points of a chunk in turn, each from the last solved one. The chunks depend on the grid only, so that the number of
// workers does not change results.
//
// If an axis changes the design, the design is solved at each value of that axis, and the points from there: a trade
// study.
//
// A point that does not converge has a row with Converged false. The error is that of ctx, with the rows finished until
// then, or of a sweep that cannot be turned into equations.
func Solve(ctx context.Context, s *session.Session, sw *config.Sweep, opt Options) (*Result, error) {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	plan, err := newPlan(s, sw)
	if err != nil {
		return nil, err
	}
	if opt.Zoomed && plan.trade {
		return nil, fmt.Errorf(
			"%s:%v: sweep %s changes the design, and components are zoomed at one design point; leave out the zoom",
			s.Engine.File, sw.Pos, sw.Name)
	}
	for _, a := range sw.Over {
		if opt.Zoomed && slices.ContainsFunc(s.Engine.Zooms,
			func(z config.Zoom) bool { return a.Path == z.Component+".alpha" && !turns(s.Model.Index[z.Component]) }) {
			return nil, fmt.Errorf(
				"%s:%v: sweep %s: %s is the setting of a zoomed component, whose runs have one setting of its "+
					"blades; leave out the zoom",
				s.Engine.File, a.Pos, sw.Name, a.Path)
		}
	}
	plan.layOut()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	report := plan.progressReporter(opt.Observe, clock.Or(opt.Clock))
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
					cancel(err) // an error of the sweep, not of a point, or ctx ended: stop the other workers
				}
				report(len(plan.chunks[i]))
			}
		})
	}
	wg.Wait()
	return plan.result, context.Cause(ctx)
}

// turns reports whether the zoomed behaviour of a part covers several settings of its vanes or blades.
func turns(p *graph.Part) bool {
	u, ok := p.Component.(components.Responder)
	if !ok {
		return false
	}
	r, _ := u.Response()
	t, ok := r.(components.Turning)
	return ok && t.Turns()
}

// progressReporter returns the function that a worker calls after a chunk.
func (p *sweepPlan) progressReporter(observe func(event.Event), at clock.Clock) func(rows int) {
	if observe == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	done, began := 0, at.Now()
	return func(rows int) {
		mu.Lock()
		defer mu.Unlock()
		done += rows
		observe(event.Event{
			Source: event.Executive, Kind: event.Progress, Name: p.sw.Name, Time: at.Now().UTC(),
			Wall:   clock.Since(at, began).Seconds(),
			Values: map[string]float64{"points": float64(done), "planned": float64(len(p.result.Rows))},
		})
	}
}

// sweepPlan is the data that all workers of a sweep share.
type sweepPlan struct {
	s          *session.Session
	sw         *config.Sweep
	grid       Lattice
	columns    []config.Quantity
	solve      []config.Balance // of the sweep, or inherited
	design     []bool           // by axis: it changes the design
	trade      bool             // an axis changes the design
	designOnly bool             // every point is a design point
	chunks     [][]int          // indices of rows; each is a neighbour of the previous row
	result     *Result
}

// newPlan finds the parameters that a sweep changes and the solves that it needs. The error is that of a sweep that
// cannot be turned into equations.
func newPlan(s *session.Session, sw *config.Sweep) (*sweepPlan, error) {
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
	p.designOnly = !operating && sw.From == "" && len(p.solve) == 0
	return p, p.check()
}

// layOut makes the chunks and the rows of the result.
func (p *sweepPlan) layOut() {
	p.chunks = p.grid.chunks(p.design)
	p.result = &Result{Engine: p.s.Engine.Name, Sweep: p.sw, Rows: p.rows()}
	for _, c := range charts(p.s.Model.Model) {
		p.result.Charts = append(p.result.Charts, c.name)
	}
	if !p.trade {
		p.result.Maps = p.s.Model.Maps()
	}
	if !p.designOnly {
		p.result.OfDesign = p.design
	}
}

// Check reports the sweeps of an engine that cannot be turned into equations.
func Check(m *graph.Model) error {
	s := &session.Session{Engine: m.Engine, Model: steady.New(m)}
	var errs []error
	for i := range m.Engine.Sweeps {
		if _, err := newPlan(s, &m.Engine.Sweeps[i]); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// rows makes the rows with the values of the axes, not solved yet.
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

// check finds errors of a sweep before anything is solved: paths without a value, balances
// that do not fit. The designs of a trade study have the same wiring as the engine's.
func (p *sweepPlan) check() error {
	for i, a := range p.sw.Over {
		collected := slices.ContainsFunc(p.sw.Collect, func(q config.Quantity) bool { return q.Path == a.Path })
		if collected && (p.designOnly || !p.design[i]) {
			return fmt.Errorf("%s:%v: sweep %s: %s is an axis; leave it out of collect", p.s.Engine.File, a.Pos,
				p.sw.Name, a.Path)
		}
	}
	w := walker{sweepPlan: p, m: p.s.Model}
	if err := w.bindReadings(); err != nil || p.designOnly {
		return err
	}
	w.setCase(make([]int, len(p.grid)))
	return steady.CheckCase(p.s.Model.Model, &w.c)
}
