package model

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
)

// dynamics is an engine in motion. Its states y are the speeds of its shafts, what
// its volumes hold, and whatever else moves by itself; all other unknowns x solve the
// engine's equations at each instant:
//
//	dy/dt = f(y, x),  0 = g(y, x, u(t))
//
// with the inputs u, which schedules give: a differential-algebraic system of
// index 1, made an ordinary one by solving g for x whenever f is wanted. It is for
// one goroutine.
type dynamics struct {
	m      *Model
	s      *system // g
	nw     newton.Solver
	states []state
	inputs []input
	// laws are called in order when y and u are written into the model, before g is
	// solved: they set parameters and targets by what states and inputs say. Of x
	// they know nothing yet; what must hold at the same instant is a balance of g.
	laws []func()

	controls *controls // nil: none act
	flames   []flame
	movers   []mover
	held     []int    // inputs that hold what sampled controls gave
	unrest   []string // controls that ask for something else than what the engine starts with
	now      float64  // of which controls are told, s

	boundary *streams   // nil: what crosses it is not integrated
	start    [3]float64 // what the engine held at the start, J

	// the last solution of g: x at u = (y, inputs)
	x, u  []float64
	want  []float64 // the u asked for
	half  []float64
	markX []float64 // a solution to go back to
	markU []float64
	guess predictor
	lin   linear
	near  *vicinity

	// the last f, kept because methods and outputs ask for the same point
	known bool
	t     float64
	y, f  []float64

	marked bool // the model's stall margins are those of its state

	evaluations, iterations int
	residual                float64
	worst                   int
}

// newDynamics makes the equations of a transient on a model that is at the
// solution which it starts from. The mode is OffDesign|Transient; without Transient
// volumes and metal are at rest at every instant, as at an operating point.
func (m *Model) newDynamics(c *config.Case, mode components.Mode) (*dynamics, error) {
	d := &dynamics{m: m}
	instead, err := d.findStates(c, mode)
	if err != nil {
		return nil, err
	}
	balances, err := d.findInputs(c)
	if err != nil {
		return nil, err
	}
	for _, b := range balances {
		if d.moves(b.Until) != nil {
			return nil, fmt.Errorf("%s:%v: case %s: %s follows from the shaft's motion and cannot be asked for; schedule the fuel or a load", m.Engine.File, b.Pos, c.Name, b.Until)
		}
	}
	moved, err := d.addControls(c)
	if err != nil {
		return nil, err
	}
	if mode&components.Transient != 0 {
		d.findFlames()
	}
	if d.s, err = m.assembleWithout(mode, append(balances, moved...), instead); err != nil {
		return nil, err
	}
	if k := d.controls; k != nil {
		d.s.after = d.follows
		d.s.statics, d.s.margins = d.s.statics || k.statics, d.s.margins || k.margins
	}
	d.x = d.s.start()
	if mode&components.Transient != 0 {
		d.boundary = m.newStreams(d.states)
	}
	d.y, d.f = make([]float64, len(d.states)), make([]float64, len(d.states)+d.powers())
	d.u = make([]float64, len(d.states)+len(d.inputs))
	d.want, d.half = make([]float64, len(d.u)), make([]float64, len(d.u))
	d.guess = newPredictor(len(d.x), len(d.u))
	// What the inputs change must not spoil the derivatives: a thousandth of what the
	// integrator tolerates, as far as rounding errors allow.
	d.nw.Settings.Tolerance = max(1e-12, min(1e-9, 1e-3*c.Transient.RTol))
	return d, nil
}

// findInputs makes inputs of a case's settings, targets and schedules, and returns
// its balances.
func (d *dynamics) findInputs(c *config.Case) ([]*balance, error) {
	var balances []*balance
	target := func(b config.Balance, t, values []float64) error {
		now, err := d.m.Read(b.Until)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", d.m.Engine.File, b.Pos, err)
		}
		at := &balance{b, now.Get()}
		balances = append(balances, at)
		d.inputs = append(d.inputs, input{at: &at.target, t: t, values: values})
		return nil
	}
	parameter := func(path string, pos config.Pos, t, values []float64) error {
		_, at, designOnly, err := d.m.Parameter(path)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", d.m.Engine.File, pos, err)
		}
		if designOnly {
			return fmt.Errorf("%s:%v: case %s: %s fixes the design and has no effect off design", d.m.Engine.File, pos, c.Name, path)
		}
		if d.moves(path) != nil {
			return fmt.Errorf("%s:%v: case %s: %s follows from the shaft's motion; schedule the fuel or a load", d.m.Engine.File, pos, c.Name, path)
		}
		d.inputs = append(d.inputs, input{at: at, t: t, values: values})
		return nil
	}
	for _, st := range c.Set {
		if err := parameter(st.Path, st.Pos, []float64{0}, []float64{st.Value.Num}); err != nil {
			return nil, err
		}
	}
	for _, b := range c.Solve {
		if err := target(b, []float64{0}, []float64{b.Target}); err != nil {
			return nil, err
		}
	}
	for _, s := range c.Transient.Schedules {
		var err error
		if s.Vary == "" {
			err = parameter(s.Path, s.Pos, s.T, s.Values)
		} else {
			largest := 0.0 // what the balance's error is measured by
			for _, v := range s.Values {
				largest = max(largest, math.Abs(v))
			}
			err = target(config.Balance{Vary: s.Vary, Until: s.Path, Target: largest, Pos: s.Pos}, s.T, s.Values)
		}
		if err != nil {
			return nil, err
		}
	}
	return balances, nil
}

// begin takes the model's present state as the solution to start from. It returns the
// states and the integrals of powers, 0.
func (d *dynamics) begin() []float64 {
	y := make([]float64, len(d.states))
	for i, s := range d.states {
		y[i] = *s.at
		d.u[i] = y[i]
	}
	for i := range d.inputs {
		in := &d.inputs[i]
		d.u[len(y)+i] = *in.at
	}
	if d.boundary != nil {
		d.start = d.boundary.held()
	}
	return append(y, make([]float64, d.powers())...)
}

// powers is how many integrals go along with the states.
func (d *dynamics) powers() int {
	if d.boundary == nil {
		return 0
	}
	return len(d.boundary.powers)
}

// enter starts an interval in which no input has a kink.
func (d *dynamics) enter(from float64) {
	for i := range d.inputs {
		d.inputs[i].enter(from)
	}
	d.known = false
}

// moved tells whether the inputs change within the interval.
func (d *dynamics) moved() bool {
	if d.controls != nil && d.controls.timed {
		return true
	}
	for i := range d.inputs {
		if in := &d.inputs[i]; in.piece >= 0 && in.piece < len(in.t)-1 && in.values[in.piece] != in.values[in.piece+1] {
			return true
		}
	}
	return false
}

// to brings the model to states y at t and sets f. If it fails the model is where
// it was last brought to.
func (d *dynamics) to(t float64, y []float64) error {
	if d.known && t == d.t && equal(y, d.y) {
		return nil
	}
	copy(d.want, y)
	d.inputsAt(t, d.want)
	d.known, d.now = false, t
	err := d.follow()
	if err != nil && d.back() {
		d.inputsAt(t, d.want)
		err = d.follow()
	}
	if err != nil {
		return err
	}
	d.rates(d.f)
	copy(d.y, y)
	d.t, d.known = t, true
	return nil
}

// margins sets the stall margins, which take as long as an evaluation, unless they are
// those of the model's state.
func (d *dynamics) margins() {
	if !d.marked {
		d.m.margins()
		d.marked = true
	}
}

// rates sets f to how fast the states, and the integrals of powers behind them, change
// where the model was evaluated last.
func (d *dynamics) rates(f []float64) {
	if k := d.controls; k != nil {
		k.net.Rates(k.z, k.dz)
	}
	for i, s := range d.states {
		f[i] = s.rate()
	}
	if d.boundary != nil {
		d.boundary.flows(f[len(d.states):])
	}
}

// mark keeps the present solution, of a point that the engine passes. A step that is
// too long may be tried as far as another solution from which there is no way back.
func (d *dynamics) mark() {
	d.markX, d.markU = append(d.markX[:0], d.x...), append(d.markU[:0], d.u...)
}

// back goes to the solution that was kept, if it is another than the present one.
func (d *dynamics) back() bool {
	if len(d.markU) == 0 || equal(d.markU, d.u) {
		return false
	}
	copy(d.x, d.markX)
	copy(d.u, d.markU)
	d.nw.Forget()
	d.guess.forget()
	d.put(d.u)
	return d.s.eval(d.x, make([]float64, len(d.x))) == nil
}

// follow solves g at u = want. If Newton's method does not get there at once, it
// goes in steps from the last solution.
func (d *dynamics) follow() error {
	const smallest = 1.0 / 64
	if err := d.solve(d.want); err == nil {
		return nil
	}
	done, step := 0.0, 0.5
	from := append([]float64(nil), d.u...)
	for done < 1 {
		next := min(1, done+step)
		for i := range d.half {
			d.half[i] = from[i] + next*(d.want[i]-from[i])
		}
		err := d.solve(d.half)
		if err == nil {
			done, step = next, 2*step
			continue
		}
		if step /= 2; step < smallest {
			return err
		}
	}
	return nil
}

// solve solves g at u, from the last solution; it stays there if that fails.
func (d *dynamics) solve(u []float64) error {
	d.put(u)
	sol, err := d.nw.Solve(d.s.problem, d.guess.at(u, d.u, d.x))
	d.evaluations += sol.Evaluations
	d.iterations += sol.Iterations
	if err != nil {
		d.nw.Forget()
		d.guess.forget()
		why := d.s.failure(sol, err, d.s.eval(sol.X, sol.R))
		d.put(d.u)
		if e := d.s.eval(d.x, sol.R); e != nil {
			return e
		}
		return why
	}
	// The last evaluation was that of the solution, so the model is there.
	d.residual, d.worst = sol.Residual, sol.Worst
	d.guess.learn(u, d.u, sol.X, d.x)
	copy(d.x, sol.X)
	copy(d.u, u)
	return nil
}

// put writes states and inputs into the model.
func (d *dynamics) put(u []float64) {
	d.marked = false
	for i, s := range d.states {
		*s.at = u[i]
	}
	for i := range d.inputs {
		*d.inputs[i].at = u[len(d.states)+i]
	}
	for _, law := range d.laws {
		law()
	}
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
