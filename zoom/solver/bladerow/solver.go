package bladerow

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// solverName names the solver in errors and files.
const solverName = "bladerow"

// Solver holds a case and the flow computed so far.
type Solver struct {
	c       Case
	levels  []*level // of the first row, coarsest first
	rows    [][]*level
	at      int // level that is marched now
	total   int // steps on all levels
	here    int // steps on this level
	window  march.Window
	series  march.Series
	best    float64 // least residual on this level, to a tenth, and its step
	since   int
	setting float64 // of the exit, which it follows; see march.Exit.Turn

	invalid  int     // steps in a row with cells that hold no valid state
	greatest float64 // inlet flow so far, kg/s
	next     next
	settled  bool // the run has converged
	jumped   bool // it began with the flow of another case
	steering march.Steering
	coarsest int // mesh of the multigrid cycle
}

// New checks a case and lays its meshes. Faults of the case are InputErrors, of the
// mesh GridErrors.
func New(c Case) (*Solver, error) {
	c.Settings = c.Settings.withDefaults()
	if err := c.check(); err != nil {
		return nil, march.Named(solverName, err)
	}
	passages, err := c.passages()
	if err != nil {
		return nil, march.Named(solverName, &march.InputError{Field: "Body", Err: err})
	}
	c.Exit.Ps = firstPressure(&c, passages[0])
	s := &Solver{c: c}
	var came []swirl
	mach := c.startMach(passages[0])
	for n, p := range passages {
		levels := make([]*level, c.Settings.Levels)
		for k := len(levels) - 1; k >= 0; k-- {
			if levels[k], err = newLevel(&s.c, n, p); err != nil {
				return nil, err
			}
			if k > 0 {
				p = p.Coarse()
			}
		}
		// The coarsest mesh only makes a start, and is too coarse for more.
		levels[0].firstOrder = len(levels) > 1
		came = levels[0].start(&s.c, mach, came)
		s.rows = append(s.rows, levels)
	}
	s.levels = s.rows[0]
	s.setting = s.firstSetting()
	return s, nil
}

// Run marches until the flow is steady: residual down by Tolerance orders, inlet and exit flow equal and constant.
// Coarser meshes are marched first. A second Run continues from the end of the first.
//
// observe may be nil. Run returns an error only if the context ends (the Result then has Status Stopped and is valid);
// every other end is in Result.Status.
func (s *Solver) Run(ctx context.Context, observe func(march.Progress) march.Reply) (*march.Result, error) {
	if observe == nil {
		observe = func(march.Progress) march.Reply { return march.Continue }
	}
	status, message, err := s.march(ctx, observe)
	return s.result(status, message), err
}

const (
	collapse = 0.3 // share of the greatest flow so far, below which the row has stalled
	patience = 20  // iterations in a row with cells that hold no valid state
	easy     = 5.0 // Courant numbers that a mesh's first iterations gain each
)

// next is the action after the last iteration. It is decided before any observer sees the flow, so that a Solution
// contains it: a resumed run takes the same next step as the uninterrupted run.
type next int

const (
	another next = iota // iteration
	finer               // mesh, then an iteration
	end                 // of the run
)

func (s *Solver) march(ctx context.Context, observe func(march.Progress) march.Reply) (march.Status, string, error) {
	s.watch()
	if s.steering.Safe(ctx, s.total, s.fallen()) {
		return march.Commanded(ctx)
	}
	for {
		if s.next == finer {
			s.refine()
		}
		status, message := s.step()
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

// step makes an iteration. It returns a status if the flow has broken down.
func (s *Solver) step() (march.Status, string) {
	l, set := s.levels[s.at], &s.c.Settings
	rows, at := s.marched()
	ok := iterate(rows, at, min(set.CFL, 2+easy*float64(s.here)))
	s.total, s.here = s.total+1, s.here+1
	s.turn()
	if s.invalid++; ok {
		s.invalid = 0
	}
	if !numeric.Finite(s.fallen()) || s.invalid >= patience {
		return march.Diverged, fmt.Sprintf("no valid flow at iteration %d (mesh %d, CFL %g)", s.total, s.at, set.CFL)
	}
	w := l.massFlow(0)
	// 1.45 times the first guess, at Mach 0.45, would choke the inlet plane.
	if most := 3 * s.c.firstFlow(s.levels[s.at].grid); !(math.Abs(w) <= most) {
		return march.Diverged, fmt.Sprintf(
			"at iteration %d (mesh %d, CFL %g) more than %.3g kg/s pass the inlet, which it cannot hold", s.total,
			s.at, set.CFL, most)
	}
	s.greatest = max(s.greatest, w)
	s.window.Add(w)
	if s.at == len(s.levels)-1 && s.here%march.SampleEvery == 0 {
		last := s.last()
		s.series.Add(l.station(0, s.c.Gas), last.station(last.n[0], s.c.Gas), s.c.Gas)
	}
	if s.total > march.WindowLength && !(w > collapse*s.greatest) {
		return march.Stalled, fmt.Sprintf(
			"inlet flow fell to %.4g kg/s at iteration %d, %.0f %% of its greatest value: no steady flow against the "+
				"exit pressure, %.6g Pa; lower it", w, s.total, 100*w/s.greatest, l.ps*l.ref.p)
	}
	return "", ""
}

// after decides the action after an iteration, and how the run has ended if it has.
func (s *Solver) after() (next, march.Status, string) {
	if s.at < len(s.levels)-1 {
		if s.enough() {
			return finer, "", ""
		}
		return another, "", ""
	}
	set := &s.c.Settings
	if status, why := s.ended(); status != "" {
		s.settled = status == march.Converged
		return end, status, why
	}
	if s.here >= set.MaxIterations {
		return end, march.NotConverged, fmt.Sprintf(
			"residual fell to %.2g of its greatest value in %d iterations on the finest mesh, want %.2g; the flow "+
				"moves by %.2g of itself in %d iterations, want %.2g",
			s.fallen(), s.here, math.Pow(10, -set.Tolerance), s.window.Drift(), march.WindowLength, set.Steady)
	}
	return another, "", ""
}

// last returns the last row on the marched mesh.
func (s *Solver) last() *level { return s.rows[len(s.rows)-1][s.at] }

// fallen returns the greatest row's residual over its greatest value so far.
func (s *Solver) fallen() float64 {
	worst := 0.0
	for _, levels := range s.rows {
		l := levels[s.at]
		if x := l.last / l.first; !(x <= worst) {
			worst = x
		}
	}
	return worst
}

// refine continues on the next finer mesh.
func (s *Solver) refine() {
	for _, levels := range s.rows {
		levels[s.at].refine(levels[s.at+1])
	}
	s.at++
	s.here, s.window, s.best, s.since, s.next = 0, nil, 0, 0, another
	s.steering.Flow(&s.at, s.progress) // its profiles have more cells
}

// massFlow returns the flow through plane i of all passages, kg/s.
func (l *level) massFlow(i int) float64 {
	sum, m := 0.0, l.metric
	for k := range l.n[2] {
		for j := range l.n[1] {
			c := l.at(i, j, k)
			q := l.onFace(c)
			sum += q[0] * (q[1]*m.s[0][0][c] + q[2]*m.s[0][1][c] + q[3]*m.s[0][2][c] - l.omega*m.g[0][c])
		}
	}
	return sum * 2 * math.Pi / l.grid.Pitch * l.ref.rho * l.ref.v
}

func (s *Solver) progress() march.Progress {
	l := s.last()
	in, out := s.levels[s.at].station(0, s.c.Gas), l.station(l.n[0], s.c.Gas)
	return march.Progress{
		Iteration: s.total, Mesh: s.at, Residual: s.fallen(), WIn: in.W, WOut: out.W,
		PR: out.Pt / in.Pt, Eff: march.Efficiency(in, out, s.c.Gas), Ps: l.ps * l.ref.p, Exit: out,
		Blade: s.alongBlades(),
	}
}

// alongBlades returns the static pressure in the cells on both sides of the blades at half the height, from the first
// leading to the last trailing edge, Pa.
func (s *Solver) alongBlades() [][]float64 {
	sides := make([][]float64, 2)
	for _, levels := range s.rows {
		l := levels[s.at]
		for i := l.grid.LE; i < l.grid.TE; i++ {
			for side, j := range []int{0, l.n[1] - 1} {
				sides[side] = append(sides[side], l.q[4][l.at(i, j, l.n[2]/2)]*l.ref.p)
			}
		}
	}
	return sides
}

func (s *Solver) result(status march.Status, message string) *march.Result {
	l := s.last()
	r := &march.Result{Status: status, Message: message, Iterations: s.total, Residual: s.fallen(), Ps: l.ps * l.ref.p,
		Unsettled: s.series.Unsettled()}
	if !numeric.Finite(r.Residual) {
		r.Residual = math.MaxFloat64
	}
	power, choked := 0.0, false
	for _, levels := range s.rows {
		l := levels[s.at]
		l.residual() // for the boundaries as they are now
		power += l.power()
		choked = choked || l.choked()
	}
	in, out := s.levels[s.at].station(0, s.c.Gas), l.station(l.n[0], s.c.Gas)
	if r.Balance(in, out, power, s.c.Gas) {
		r.Choked = choked
		if r.Power != 0 {
			r.EnergyError = (r.Power - s.c.Gas.Cp()*(in.W+out.W)/2*(out.Tt-in.Tt)) / r.Power
		}
	}
	return r
}

// When a run ends without an order from outside.
const (
	coarseLimit  = 100  // greatest number of iterations on a coarser mesh: it may stall where a finer mesh holds
	coarseOrders = 2    // and the orders of magnitude that its residual need fall
	hanging      = 200  // iterations without a lower residual until it hangs
	within       = 10   // times the required residual, at which a hanging run has converged, too
	hopeless     = 1000 // until an unsteady flow is given up
)

// enough reports whether a coarser mesh is done: a rough answer will do.
func (s *Solver) enough() bool {
	return s.here >= coarseLimit || s.fallen() < math.Pow(10, -coarseOrders) && s.window.Drift() < 1e-2
}

// ended returns how the run on the finest mesh has ended, and why; no status if it continues. Limiters may hold the
// residual up while the flow has long been steady: then it has converged, too, if the residual is within an order of
// Settings.Tolerance.
func (s *Solver) ended() (march.Status, string) {
	set, l, now := &s.c.Settings, s.last(), s.fallen()
	// At first a flow that begins with its neighbour's has the low residual of that.
	if s.here <= march.WindowLength || now < 0.9*s.best {
		s.best, s.since = now, s.here
	}
	tol := math.Pow(10, -set.Tolerance)
	in, out := s.levels[s.at].massFlow(0), l.massFlow(l.n[0])
	met := s.c.Exit.Met(l.ps*l.ref.p, out)
	settled := math.Abs(in-out) <= set.MassError*in && s.window.Drift() <= set.Steady && met
	hangs := s.here - s.since
	switch {
	case settled && now <= tol:
		return march.Converged, fmt.Sprintf("residual below %.2g of its greatest value, flow steady", tol)
	case settled && hangs >= hanging && now <= within*tol:
		return march.Converged, fmt.Sprintf(
			"flow steady; the residual hangs at %.2g of its greatest value, where %.2g is asked for", now, tol)
	case met && hangs >= hopeless:
		return march.NotConverged, fmt.Sprintf(
			"the residual hangs at %.2g of its greatest value for %d iterations, and the flow moves by %.2g of "+
				"itself in %d iterations, want %.2g: it is unsteady, or the mesh too rough for it",
			now, hangs, s.window.Drift(), march.WindowLength, set.Steady)
	}
	return "", ""
}
