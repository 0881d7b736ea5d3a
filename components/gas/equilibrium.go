package gas

// Equilibrium is the gas at chemical equilibrium.
type Equilibrium struct{ Gibbs }

// NewEquilibrium returns the gas for air and the products of a fuel.
func NewEquilibrium(fuel Fuel, c Convention) *Equilibrium { return &Equilibrium{*NewGibbs(fuel, c)} }
