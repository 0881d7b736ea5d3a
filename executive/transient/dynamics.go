package transient

import (
	"context"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// mover is a control that moves a quantity of the engine, with its balance.
type mover struct {
	*graph.Balance
	signal *float64
}

// dynamics are the equations of an engine in time. The states y are the speeds of its shafts, the contents of its
// volumes, the temperatures of metal and the states of controls. All other unknowns x solve the engine's equations at
// each instant:
//
//	dy/dt = f(y, x),  0 = g(y, x, u(t))
//
// Schedules give the inputs u. This differential-algebraic system of index 1 becomes an ordinary one by solving g for x
// at each evaluation of f. It is for one goroutine.
//
// In the code u holds the states before the inputs: all arguments of g besides x.
type dynamics struct {
	m      *graph.Model
	s      *graph.System // g
	nw     newton.Solver
	states []state
	inputs []input
	// laws set parameters and targets from states and inputs. They run in order after y and
	// u are written into the model, before g is solved. They must not depend on x: a
	// relation with x is a balance of g.
	laws []func()

	controls      *graph.Controls // nil: controls do not act
	flames        []flame
	movers        []mover
	sampledInputs []int            // indices of the inputs that hold the signals of sampled controls
	jumps         []result.Warning // of schedules that do not begin at the starting point
	unsettled     []string         // names of controls that are not at rest at the start
	controlTime   float64          // time at which controls are evaluated, s

	boundary      *streams   // nil: no energy account
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

// begin takes the model's present state as the starting solution. It returns the states, followed by the integrals of
// powers, which are 0.
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
	if d.controls != nil && d.controls.Timed {
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
		d.m.Margins()
		d.haveMargins = true
	}
}

// rates sets f to the rates of the states, and of the integrals behind them, at the last
// evaluation.
func (d *dynamics) rates(f []float64) {
	if k := d.controls; k != nil {
		k.Network.Rates(k.States, k.Rates)
	}
	for i, s := range d.states {
		f[i] = s.rate()
	}
	if d.boundary != nil {
		d.boundary.boundaryPowers(f[len(d.states):])
	}
}

// saveSolution keeps the present solution, at a point of the accepted history. A trial step that is too long can reach
// another branch of solutions; restoreSaved then returns to the saved solution.
func (d *dynamics) saveSolution() {
	d.savedX, d.savedU = append(d.savedX[:0], d.x...), append(d.savedU[:0], d.u...)
}

// restoreSaved returns to the saved solution. It reports false if that is the present solution, or if it cannot be
// evaluated.
func (d *dynamics) restoreSaved() bool {
	if len(d.savedU) == 0 || equal(d.savedU, d.u) {
		return false
	}
	copy(d.x, d.savedX)
	copy(d.u, d.savedU)
	d.nw.Forget()
	d.guess.forget()
	d.write(d.u)
	return d.s.Eval(d.x, make([]float64, len(d.x))) == nil
}

// solveStepwise solves g at u = uWanted. If Newton's method does not converge at once, it takes several steps from the
// last solution.
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

// solve solves g at u, from the last solution. If it fails, the model returns to the last solution. It cannot be
// interrupted: a transient ends between two steps of its integrator, or two rows of its history, so that it can be
// resumed to the last bit.
func (d *dynamics) solve(u []float64) error {
	d.write(u)
	sol, err := d.nw.Solve(context.Background(), d.s.Problem, d.guess.at(u, d.u, d.x))
	d.evaluations += sol.Evaluations
	d.iterations += sol.Iterations
	if err != nil {
		d.nw.Forget()
		d.guess.forget()
		why := d.s.SolveError(sol, err, d.s.Eval(sol.X, sol.R))
		d.write(d.u)
		if e := d.s.Eval(d.x, sol.R); e != nil {
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

// flame is a burner's flame. It is extinguished if the mixture gets too lean, or by a schedule. Relight is not
// modelled.
type flame struct {
	part     string
	burner   components.Flame
	input    int // index of the input that switches it on and off
	out      bool
	blownOut bool // by itself
}

// incremental evaluates an engine after few values have changed: it evaluates only the parts affected by the change. A
// change propagates downstream in the order of evaluation, and along shafts to their balances. It does not pass a
// volume that stores, because the volume's state alone determines its outflow. This makes derivatives of an engine with
// volumes several times faster.
type incremental struct {
	reach [][]bool  // by entry of u, then of x: the dependent steps
	last  []float64 // u and x of the last evaluation
	valid bool      // the model is at last
	mark  []bool    // steps to evaluate
}

// linearization is the engine's equations to first order about a solution,
//
//	df = f_y dy + f_x dx,  0 = g_y dy + g_x dx
//
// so that df/dy = f_y - f_x g_x^-1 g_y (implicit function theorem). Each derivative is a difference of two evaluations,
// one for each unknown and each state. They do not solve g, so that the solver's error does not enter.
type linearization struct {
	f0, r0 []float64 // f and g at the solution
	fx     []float64 // len(f) rows of len(x)
	df, dg []float64 // one column
	u      []float64 // states and inputs, with one changed
}

// inputsAt sets the inputs in u, behind the states, to their values at t, s.
func (d *dynamics) inputsAt(t float64, u []float64) {
	for i := range d.inputs {
		u[len(d.states)+i] = d.inputs[i].value(t)
	}
}

// state is a value that the integrator integrates: a shaft's speed, the contents of a volume,
// a metal temperature, or a state of a control.
type state struct {
	name    string         // as in messages: component.state
	at      *float64       // address of the value in the model or control
	rate    func() float64 // change per second; valid after the equations are solved at this state
	typical float64        // magnitude, for tolerances and differences; positive
	dim     unit.Dimension
	part    *graph.Part // nil: a state of a control
}

// putOut puts a flame out for the rest of the transient, against any schedule.
func (d *dynamics) putOut(f *flame) {
	f.out, f.blownOut = true, true
	in := &d.inputs[f.input]
	*in = input{at: in.at, t: []float64{0}, values: []float64{0}}
	d.haveRates = false
}
