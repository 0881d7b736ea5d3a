package model

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/newton"
)

// dynamics are the equations of an engine in time. The states y are the speeds of its
// shafts, the contents of its volumes, and all else that stores. All other unknowns x solve
// the engine's equations at each instant:
//
//	dy/dt = f(y, x),  0 = g(y, x, u(t))
//
// Schedules give the inputs u. This is a differential-algebraic system of index 1. It becomes
// an ordinary one by solving g for x at each evaluation of f. It is for one goroutine.
//
// In the code u has the states before the inputs: all that g needs besides x.
type dynamics struct {
	m      *Model
	s      *system // g
	nw     newton.Solver
	states []state
	inputs []input
	// laws set parameters and targets from states and inputs. They run in order after y and
	// u are written into the model, before g is solved. They must not depend on x: a
	// relation with x is a balance of g.
	laws []func()

	controls      *controls // nil: controls do not act
	flames        []flame
	movers        []mover
	sampledInputs []int    // indices of the inputs that hold the signals of sampled controls
	unsettled     []string // names of controls that are not at rest at the start
	controlTime   float64  // time at which controls are evaluated, s

	boundary      *streams   // nil: there is no energy account
	storedAtStart [3]float64 // energy of rotors, volumes and metal at the start, J

	// the last solution of g: x at u = (y, inputs)
	x, u     []float64
	uWanted  []float64 // u at which g is to be solved
	uPartWay []float64
	savedX   []float64 // a solution to go back to; see saveSolution
	savedU   []float64
	guess    predictor
	lin      linearization
	inc      *incremental

	// the last f, kept because integrator and outputs evaluate the same point
	haveRates bool
	t         float64
	y, f      []float64

	haveMargins bool // the model's stall margins belong to its present state

	evaluations, iterations int
	residual                float64
	worst                   int
}

// newDynamics makes the equations of a transient. The model must be at the solution from which
// it starts. The mode is OffDesign|Transient. Without Transient, volumes and metal are in
// equilibrium at every instant, as at an operating point.
func (m *Model) newDynamics(c *config.Case, mode components.Mode) (*dynamics, error) {
	d := &dynamics{m: m}
	replaced, err := d.findStates(c, mode)
	if err != nil {
		return nil, err
	}
	balances, err := d.findInputs(c)
	if err != nil {
		return nil, err
	}
	for _, b := range balances {
		if d.stateNamed(b.Until) != nil {
			return nil, fmt.Errorf(
				"%s:%v: case %s: %s follows from the shaft's motion and cannot be asked for; schedule the fuel or "+
					"a load", m.Engine.File, b.Pos, c.Name, b.Until)
		}
	}
	moved, err := d.addControls(c)
	if err != nil {
		return nil, err
	}
	if mode&components.Transient != 0 {
		d.findFlames()
	}
	if d.s, err = m.assembleWithout(mode, append(balances, moved...), replaced); err != nil {
		return nil, err
	}
	if k := d.controls; k != nil {
		d.s.afterEval = d.updateControls
		d.s.statics, d.s.margins = d.s.statics || k.statics, d.s.margins || k.margins
	}
	d.x = d.s.initialX()
	if mode&components.Transient != 0 {
		d.boundary = m.newStreams(d.states)
	}
	d.y, d.f = make([]float64, len(d.states)), make([]float64, len(d.states)+d.integralCount())
	d.u = make([]float64, len(d.states)+len(d.inputs))
	d.uWanted, d.uPartWay = make([]float64, len(d.u)), make([]float64, len(d.u))
	d.guess = newPredictor(len(d.x), len(d.u))
	// The error of solving g must not disturb f: a thousandth of the integrator's tolerance,
	// as far as rounding errors allow.
	d.nw.Settings.Tolerance = max(1e-12, min(1e-9, 1e-3*c.Transient.RTol))
	return d, nil
}

// findInputs makes inputs from a case's settings, targets and schedules, and returns the
// case's balances.
func (d *dynamics) findInputs(c *config.Case) ([]*balance, error) {
	var balances []*balance
	target := func(b config.Balance, t, values []float64) error {
		now, err := d.m.Read(b.Until)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", d.m.Engine.File, b.Pos, err)
		}
		at := &balance{b, now.Get()}
		balances = append(balances, at)
		d.inputs = append(d.inputs, input{name: b.Until, at: &at.target, t: t, values: values})
		return nil
	}
	parameter := func(path string, pos document.Pos, t, values []float64) error {
		_, at, designOnly, err := d.m.Parameter(path)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", d.m.Engine.File, pos, err)
		}
		if designOnly {
			return fmt.Errorf("%s:%v: case %s: %s fixes the design and has no effect off design", d.m.Engine.File, pos,
				c.Name, path)
		}
		if d.stateNamed(path) != nil {
			return fmt.Errorf("%s:%v: case %s: %s follows from the shaft's motion; schedule the fuel or a load",
				d.m.Engine.File, pos, c.Name, path)
		}
		d.inputs = append(d.inputs, input{name: path, at: at, t: t, values: values})
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
			largest := 0.0 // scale of the balance's residual
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

// begin takes the model's present state as the starting solution. It returns the states,
// followed by the integrals of powers, which are 0.
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
		d.storedAtStart = d.boundary.stored()
	}
	return append(y, make([]float64, d.integralCount())...)
}

// integralCount is the number of integrals behind the states.
func (d *dynamics) integralCount() int {
	if d.boundary == nil {
		return 0
	}
	return powerCount
}

// enter starts an interval in which no input has a kink.
func (d *dynamics) enter(from float64) {
	for i := range d.inputs {
		d.inputs[i].enter(from)
	}
	d.haveRates = false
}

// inputsMove reports whether inputs change within the present interval.
func (d *dynamics) inputsMove() bool {
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

// moveTo brings the model to states y at t, s, and sets f. If it fails, the model stays at
// its last solution.
func (d *dynamics) moveTo(t float64, y []float64) error {
	if d.haveRates && t == d.t && equal(y, d.y) {
		return nil
	}
	copy(d.uWanted, y)
	d.inputsAt(t, d.uWanted)
	d.haveRates, d.controlTime = false, t
	err := d.solveStepwise()
	if err != nil && d.restoreSaved() {
		d.inputsAt(t, d.uWanted)
		err = d.solveStepwise()
	}
	if err != nil {
		return err
	}
	d.rates(d.f)
	copy(d.y, y)
	d.t, d.haveRates = t, true
	return nil
}

// margins sets the stall margins, unless they belong to the present state already: they take
// as long as an evaluation.
func (d *dynamics) margins() {
	if !d.haveMargins {
		d.m.margins()
		d.haveMargins = true
	}
}

// rates sets f to the rates of the states, and of the integrals behind them, at the last
// evaluation.
func (d *dynamics) rates(f []float64) {
	if k := d.controls; k != nil {
		k.net.Rates(k.z, k.dz)
	}
	for i, s := range d.states {
		f[i] = s.rate()
	}
	if d.boundary != nil {
		d.boundary.boundaryPowers(f[len(d.states):])
	}
}

// saveSolution keeps the present solution, at a point of the accepted history. A trial step
// that is too long can reach another branch of solutions; restoreSaved then goes back.
func (d *dynamics) saveSolution() {
	d.savedX, d.savedU = append(d.savedX[:0], d.x...), append(d.savedU[:0], d.u...)
}

// restoreSaved goes back to the saved solution. It reports false if that is the present one,
// or if it cannot be evaluated.
func (d *dynamics) restoreSaved() bool {
	if len(d.savedU) == 0 || equal(d.savedU, d.u) {
		return false
	}
	copy(d.x, d.savedX)
	copy(d.u, d.savedU)
	d.nw.Forget()
	d.guess.forget()
	d.write(d.u)
	return d.s.eval(d.x, make([]float64, len(d.x))) == nil
}

// solveStepwise solves g at u = uWanted. If Newton's method does not converge at once, it
// goes there in steps from the last solution.
func (d *dynamics) solveStepwise() error {
	const smallest = 1.0 / 64
	if err := d.solve(d.uWanted); err == nil {
		return nil
	}
	done, step := 0.0, 0.5
	from := append([]float64(nil), d.u...)
	for done < 1 {
		next := min(1, done+step)
		for i := range d.uPartWay {
			d.uPartWay[i] = from[i] + next*(d.uWanted[i]-from[i])
		}
		err := d.solve(d.uPartWay)
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

// solve solves g at u, from the last solution. If it fails, the model goes back to the last
// solution. Nothing interrupts it: a transient ends between two steps of its integrator, or two rows of
// its history, so that it can be resumed to the last bit.
func (d *dynamics) solve(u []float64) error {
	d.write(u)
	sol, err := d.nw.Solve(context.Background(), d.s.problem, d.guess.at(u, d.u, d.x))
	d.evaluations += sol.Evaluations
	d.iterations += sol.Iterations
	if err != nil {
		d.nw.Forget()
		d.guess.forget()
		why := d.s.solveError(sol, err, d.s.eval(sol.X, sol.R))
		d.write(d.u)
		if e := d.s.eval(d.x, sol.R); e != nil {
			return e
		}
		return why
	}
	// Newton's last evaluation was at the solution, so the model is there.
	d.residual, d.worst = sol.Residual, sol.Worst
	d.guess.learn(u, d.u, sol.X, d.x)
	copy(d.x, sol.X)
	copy(d.u, u)
	return nil
}

// write writes states and inputs into the model, and applies the laws.
func (d *dynamics) write(u []float64) {
	d.haveMargins = false
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
