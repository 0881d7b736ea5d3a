package components

// A solver may seek the power of a machine.

// startPower is where it starts, W.
const startPower = 1e6

// balancedPower is a machine's power as an unknown of the design.
func balancedPower(at *float64) Unknown {
	return Unknown{Name: "power", Modes: Design, At: at, Min: &zero, Typical: startPower}
}

// shaftPower is the power of a machine that the balance of the shaft finds at design, unless it is given.
type shaftPower struct {
	power float64 // W
	given bool
}

// BalancedByShaft implements ShaftBalancer.
func (p *shaftPower) BalancedByShaft() (Unknown, bool) { return balancedPower(&p.power), !p.given }

// zero is a lower bound.
var zero = 0.0
