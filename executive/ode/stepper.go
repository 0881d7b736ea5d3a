// The one interface of all methods, and the list of them.

package ode

import "strings"

// Stepper integrates one problem by one method, step by step.
type Stepper interface {
	// Name is the method's, as New takes it.
	Name() string
	// T is the time reached, s, and Y the unknowns there, N values, not to be changed.
	T() float64
	Y() []float64
	// Last is the interval of the last step, s, over which At interpolates.
	Last() (from, to float64)
	// Step advances by one step, which ends at limit at the latest and then exactly
	// there. The equations are not evaluated beyond limit, so an input may jump there:
	// call Restart when it did. After an error the state is that of the last step.
	Step(limit float64) error
	// At sets y to the dense output at t, which lies in the interval of the last step.
	At(t float64, y []float64)
	// Restart forgets the history, because the equations changed at T. The one-step
	// methods keep their step; adams and gear begin again at order 1 and take some five
	// steps to recover, so where every period ends in a restart the others are cheaper.
	Restart() error
	// Reset puts the integration at another state and forgets the history. Algebraic
	// unknowns are guesses, which it makes consistent.
	Reset(t float64, y []float64) error
	// Stats counts the work since the start.
	Stats() Stats
	// Save returns the whole state, and Restore takes it up: what follows is identical
	// to the last bit. Problem and settings must be those of the saved one.
	Save() Checkpoint
	Restore(Checkpoint) error
}

// Stats count work.
type Stats struct {
	Steps          int // accepted steps
	Rejected       int // steps whose error was too large
	Failed         int // steps that the equations or Newton's iteration broke off
	Evaluations    int // of the equations, those for Jacobians included
	Jacobians      int
	Factorizations int
}

// Method is an entry in the list of methods.
type Method struct {
	Name  string
	Title string
	Stiff bool // suited to stiff problems
	DAE   bool // takes algebraic equations
	New   func(p Problem, s Settings, t float64, y []float64) (Stepper, error)
}

// Methods lists all methods, the explicit ones first.
func Methods() []Method {
	return []Method{
		{"modified-euler", "modified Euler (Heun), order 2", false, false, wrap(NewHeun)},
		{"rk4", "classical Runge-Kutta, order 4", false, false, wrap(NewRK4)},
		{"dormand-prince", "Dormand-Prince, order 5(4)", false, false, wrap(NewDormandPrince)},
		{"adams", "Adams-Bashforth-Moulton, variable order", false, false, wrap(NewAdams)},
		{"gear", "Gear's backward differentiation, order 1 to 5", true, true, wrap(NewGear)},
		{"rosenbrock", "Rosenbrock (RODAS), order 4(3)", true, true, wrap(NewRosenbrock)},
	}
}

// New starts the method of that name on p at t, with y as initial values, which it copies.
func New(method string, p Problem, s Settings, t float64, y []float64) (Stepper, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == method {
			return m.New(p, s, t, y)
		}
		names = append(names, m.Name)
	}
	return nil, inputf("there is no method %q; the methods are %s", method, strings.Join(names, ", "))
}

func wrap[S Stepper](f func(Problem, Settings, float64, []float64) (S, error)) func(Problem, Settings, float64, []float64) (Stepper, error) {
	return func(p Problem, s Settings, t float64, y []float64) (Stepper, error) {
		st, err := f(p, s, t, y)
		if err != nil {
			return nil, err
		}
		return st, nil
	}
}
