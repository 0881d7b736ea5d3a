package gas

import "fmt"

// New returns the gas model of that name under the Standard convention.
func New(model string, fuel Fuel) (Model, error) {
	return Standard.New(model, fuel)
}

// New returns the gas model of that name: "equilibrium" (*Equilibrium) or
// "frozen" (*Frozen).
func (c Convention) New(model string, fuel Fuel) (Model, error) {
	switch model {
	case "equilibrium":
		return NewEquilibrium(fuel, c), nil
	case "frozen":
		return NewFrozen(fuel, c), nil
	}
	return nil, fmt.Errorf("gas: model %q is not known; use equilibrium or frozen", model)
}
