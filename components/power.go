package components

// A solver may seek the power of a machine.

// startPower is where it starts, W.
const startPower = 1e6

// balancedPower is a machine's power as an unknown of the design.
func balancedPower(at *float64) Unknown {
	return Unknown{Name: "power", Modes: Design, At: at, Min: &zero, Typical: startPower}
}

// zero is a lower bound.
var zero = 0.0
