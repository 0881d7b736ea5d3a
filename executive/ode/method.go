package ode

// The methods by the names that an engine file's `integrator` uses.

import "strings"

// Method is an entry in the list of methods.
type Method struct {
	Name  string
	Title string
	Stiff bool // suited to stiff problems
	New   func(p Problem, s Settings, t float64, y []float64) (Stepper, error)
}

// Methods lists all methods, the explicit ones first.
func Methods() []Method {
	return []Method{
		{"modified-euler", "modified Euler (Heun), order 2", false, wrap(NewHeun)},
		{"rk4", "classical Runge-Kutta, order 4", false, wrap(NewRK4)},
		{"dormand-prince", "Dormand-Prince, order 5(4)", false, wrap(NewDormandPrince)},
		{"adams", "Adams-Bashforth-Moulton, variable order", false, wrap(NewAdams)},
		{"gear", "Gear's backward differentiation, order 1 to 5", true, wrap(NewGear)},
		{"rosenbrock", "Rosenbrock (RODAS), order 4(3)", true, wrap(NewRosenbrock)},
	}
}

// New starts the method with the given name on p at t, with a copy of y as initial values.
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

func wrap[S Stepper](f func(Problem, Settings, float64, []float64) (S, error)) func(Problem, Settings, float64,
	[]float64) (Stepper, error) {
	return func(p Problem, s Settings, t float64, y []float64) (Stepper, error) {
		st, err := f(p, s, t, y)
		if err != nil {
			return nil, err
		}
		return st, nil
	}
}
