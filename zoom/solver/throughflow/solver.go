package throughflow

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// solverName names the solver in errors and files.
const solverName = "throughflow"

// Solver holds a case and the flow computed so far.
type Solver struct {
	c        Case
	levels   []*level // coarsest first
	at       int      // level that is marched now
	total    int      // steps on all levels
	here     int      // steps on this level
	cold     bool     // at the first guess
	best     float64  // reference mass flow of the stall test, kg/s
	window   march.Window
	series   march.Series
	reversed int // iterations with reversed flow behind a row
	most     passed
	halved   int // how often the Courant number was
	next     next
	settled  bool // the run has converged
	jumped   bool // it began with the flow of another case
	steering march.Steering
}

// New checks a case and lays its meshes. Faults of the case are InputErrors.
func New(c Case) (*Solver, error) {
	c.Settings = c.Settings.withDefaults(c.rows())
	if err := c.check(); err != nil {
		return nil, march.Named(solverName, err)
	}
	s := &Solver{c: c, cold: true}
	m := newMesh(c.Geometry, c.Settings.NZ, c.Settings.NR, 1<<(c.Settings.Levels-1))
	if err := m.check(); err != nil {
		return nil, march.Named(solverName, &march.InputError{Field: "Geometry", Err: err})
	}
	meshes := []*mesh{m}
	for range c.Settings.Levels - 1 {
		meshes = append(meshes, meshes[len(meshes)-1].coarse())
	}
	for k := len(meshes) - 1; k >= 0; k-- {
		l := newLevel(&s.c, meshes[k])
		l.start(&s.c)
		l.evaluate(&s.c)
		l.first = l.norm
		s.levels = append(s.levels, l)
	}
	s.levels[len(s.levels)-1].finest = true
	s.best = s.levels[0].in.W()
	return s, nil
}

// Run marches until the flow is steady: residual down by Tolerance orders, inlet and exit flow equal and constant.
// Coarser meshes are marched first. A run that diverges starts anew with half the Courant number, twice at most. A
// second Run continues from the end of the first.
//
// observe may be nil. Run returns an error only if the context ends (the Result then has Status Stopped and is valid);
// every other end is in Result.Status.
func (s *Solver) Run(ctx context.Context, observe func(march.Progress) march.Reply) (*Result, error) {
	if observe == nil {
		observe = func(march.Progress) march.Reply { return march.Continue }
	}
	for {
		status, message, err := s.march(ctx, observe)
		if status == march.Diverged && s.halved < 2 {
			s.halved++
			s.c.Settings.CFL /= 2
			s.restart()
			continue
		}
		r := s.result(status, message)
		return r, err
	}
}

// restart returns to the first guess.
func (s *Solver) restart() {
	s.at, s.here, s.reversed, s.window, s.series, s.next = 0, 0, 0, nil, nil, another
	s.jumped, s.most = false, passed{}
	for _, l := range s.levels {
		l.reset()
		l.start(&s.c)
	}
}

// next is the action after the last step. It is decided before any observer sees the flow, so that a Solution contains
// it: a resumed run takes the same next step as the uninterrupted run.
type next int

const (
	another next = iota // step
	finer               // mesh, then a step
	end                 // of the run
)

func (s *Solver) march(ctx context.Context, observe func(march.Progress) march.Reply) (march.Status, string, error) {
	if s.steering.Safe(ctx, s.total, s.fallen()) {
		return march.Commanded(ctx)
	}
	sweep := s.sweep()
	for {
		if s.next == finer {
			s.refine()
			sweep = s.sweep()
		}
		sweep.Enter()
		status, message := s.step()
		sweep.Leave()
		if status == "" {
			s.next, status, message = s.after()
			if status == "" && s.steering.Safe(ctx, s.total, s.fallen()) {
				return march.Commanded(ctx)
			}
			if s.total%s.c.Settings.Every == 0 && observe(s.progress()) == march.Stop {
				return march.Stopped, "stopped by its observer", nil
			}
			if err := ctx.Err(); err != nil {
				return march.Stopped, err.Error(), err
			}
		}
		if status != "" {
			s.next = end
			return status, message, nil
		}
	}
}

// sweep is the region of the steps on the marched mesh.
func (s *Solver) sweep() march.Area {
	return s.steering.Region(march.SweepRegion, march.Worker(0), fmt.Sprint("mesh ", s.at))
}

// step makes a step. It returns a status if the flow has broken down.
func (s *Solver) step() (march.Status, string) {
	l := s.levels[s.at]
	if !l.step(&s.c) || !numeric.Finite(l.norm) || l.norm > 1e4*l.first {
		return march.Diverged, fmt.Sprintf(
			"no valid flow at iteration %d (mesh %d, CFL %g): residual %.3g of its first value", s.total, s.at,
			s.c.Settings.CFL, l.norm/l.first)
	}
	s.total, s.here = s.total+1, s.here+1
	w := l.in.W()
	s.window.Add(w)
	if l.finest && s.here%march.SampleEvery == 0 {
		s.series.Add(l.in.station(s.c.Gas), l.out.station(s.c.Gas), s.c.Gas)
	}
	if l.rotates() && w < stall*s.best {
		return march.Stalled, fmt.Sprintf(
			"inlet flow fell to %.4g kg/s at iteration %d, %.0f %% of the first guess: no steady flow against the "+
				"exit condition (Ps %.6g Pa); lower it or use a throttle",
			w, s.total, 100*w/s.best, l.ps)
	}
	if s.reversed = s.reverse(l); s.reversed >= backflow {
		return march.Stalled, fmt.Sprintf(
			"the flow behind a row has run backwards for %d iterations, up to iteration %d (inlet flow %.4g kg/s): "+
				"no steady flow against the exit condition (Ps %.6g Pa); lower it or use a throttle",
			s.reversed, s.total, w, l.ps)
	}
	return "", ""
}

// after decides the action after a step, and how the run has ended if it has.
func (s *Solver) after() (next, march.Status, string) {
	l, set := s.levels[s.at], &s.c.Settings
	finest := s.at == len(s.levels)-1
	done, tol := s.steady(finest)
	switch {
	case done && !finest:
		return finer, "", ""
	case done:
		s.settled = true
		return end, march.Converged, fmt.Sprintf("residual below %.2g of its first value, flow steady", tol)
	case finest && s.short(l):
		return end, march.NotConverged, fmt.Sprintf(
			"choked: no throttle passes %.6g kg/s; after %d iterations %.4g kg/s leave against %.5g Pa, no more than "+
				"at a higher pressure; want less, or use a throttle",
			s.c.Exit.W, s.total, l.out.W(), l.ps)
	case finest && s.swings(l):
		w := l.in.W()
		return end, march.Stalled, fmt.Sprintf(
			"the flow swings around %.4g kg/s, %.0f %% of the first guess, after %d iterations on the finest mesh: "+
				"no steady flow against the exit condition (Ps %.6g Pa); lower it",
			w, 100*w/s.best, s.here, l.ps)
	case finest && s.here >= set.MaxIterations:
		return end, march.NotConverged, fmt.Sprintf(
			"residual fell to %.2g of its first value in %d iterations on the finest mesh, want %.2g; W_in %.6g "+
				"kg/s, W_out %.6g kg/s%s",
			l.norm/l.first, s.here, math.Pow(10, -set.Tolerance), l.in.W(), l.out.W(), s.wanted())
	}
	return another, "", ""
}

const (
	rough    = 0.03 // share of the first residual, above which the flow is far from steady
	backflow = 300  // iterations of reversed flow behind a row that count as stall
	weak     = 0.75 // share below which an unsettled flow counts as stalled
	stall    = 0.4  // share of the first guess's mass flow, below which the flow has broken down
)

// wanted names the mass flow of the exit condition in a message, if it has one.
func (s *Solver) wanted() string {
	if s.c.Exit.W == 0 {
		return ""
	}
	return fmt.Sprintf(", want %.6g kg/s (more than the rows can pass, if the exit pressure is at its limit)",
		s.c.Exit.W)
}

// swings reports whether a rotor's flow is unsteady: it is far below its first guess, or has a flow to hold, and after
// patience iterations its residual is still large.
func (s *Solver) swings(l *level) bool {
	const patience = 1000
	far := l.in.W() < weak*s.best || s.c.Exit.W > 0 && s.here >= patience
	return s.here >= min(patience, s.c.Settings.MaxIterations) && l.rotates() && far && l.norm > rough*l.first
}

// reverse counts the iterations with reversed flow behind more than a tenth of some row's lines.
func (s *Solver) reverse(l *level) int {
	for _, row := range l.rows {
		n := 0
		for j := range row.nr {
			if l.u.vz[l.u.at(row.hi, j)] <= 0 {
				n++
			}
		}
		if 10*n > row.nr {
			return s.reversed + 1
		}
	}
	return 0
}

// steady reports whether this mesh is done, and the residual that it had to reach. On a coarser mesh a rougher answer,
// or coarseLimit steps, suffices.
func (s *Solver) steady(finest bool) (bool, float64) {
	const coarseLimit, coarseOrders = 400, 2.5
	l, set := s.levels[s.at], &s.c.Settings
	if !finest {
		tol := math.Pow(10, -coarseOrders)
		return s.here >= coarseLimit || l.norm < tol*l.first && s.window.Drift() < 1e-3, tol
	}
	tol := math.Pow(10, -set.Tolerance)
	in, out := l.in.W(), l.out.W()
	ok := l.norm <= tol*l.first && math.Abs(in-out) <= set.MassError*in && s.window.Drift() <= set.Steady &&
		s.c.Exit.Met(l.ps, out)
	return ok, tol
}

// refine continues on the next finer mesh.
func (s *Solver) refine() {
	s.levels[s.at].refine(s.levels[s.at+1], s.c.Gas)
	s.at++
	s.here, s.window, s.next = 0, nil, another
	s.steering.Flow(&s.at, s.progress) // its profiles have more cells
}

// fallen returns the residual over that of the first guess.
func (s *Solver) fallen() float64 {
	l := s.levels[s.at]
	return l.norm / l.first
}

func (s *Solver) progress() march.Progress {
	l := s.levels[s.at]
	in, out := l.in.station(s.c.Gas), l.out.station(s.c.Gas)
	return march.Progress{
		Iteration: s.total, Mesh: s.at, Residual: s.fallen(), WIn: in.W, WOut: out.W,
		PR: out.Pt / in.Pt, Eff: march.Efficiency(in, out, s.c.Gas), Ps: l.ps, Exit: out, Blade: l.alongBlades(),
	}
}

// alongBlades returns the static pressure at half the height from the first leading to the last trailing edge, Pa; nil
// without blades.
func (l *level) alongBlades() [][]float64 {
	rows := l.m.rows
	if len(rows) == 0 {
		return nil
	}
	var ps []float64
	for i := rows[0].lo; i < rows[len(rows)-1].hi; i++ {
		ps = append(ps, l.u.p[l.u.at(i, l.m.nr/2)])
	}
	return [][]float64{ps}
}
