package perfmap

import "math"

// jet is a value with its slope along X. Arithmetic of jets carries both.
type jet struct{ v, x float64 }

func (a jet) plus(b jet) jet { return jet{a.v + b.v, a.x + b.x} }

func (a jet) minus(b jet) jet { return jet{a.v - b.v, a.x - b.x} }

func (a jet) times(f float64) jet { return jet{f * a.v, f * a.x} }

func (a jet) by(b jet) jet { return jet{a.v * b.v, a.x*b.v + a.v*b.x} }

func (a jet) over(b jet) jet {
	q := a.v / b.v
	return jet{q, (a.x - q*b.x) / b.v}
}

func (a jet) log() jet { return jet{math.Log(a.v), a.x / a.v} }

func (a jet) log1p() jet { return jet{math.Log1p(a.v), a.x / (1 + a.v)} }

func (a jet) exp() jet {
	e := math.Exp(a.v)
	return jet{e, e * a.x}
}

func (a jet) expm1() jet { return jet{math.Expm1(a.v), math.Exp(a.v) * a.x} }

// grow continues a value that is never negative by a change: linearly upwards, and exponentially downwards, towards 0.
// It is C1 in both.
func grow(value, change float64) float64 { return jet{v: value}.grow(jet{v: change}).v }

// grow is [grow] with slopes.
func (a jet) grow(change jet) jet {
	switch {
	case a.v <= 0:
		return jet{v: max(change.v, 0)}
	case change.v >= 0:
		return a.plus(change)
	}
	return a.by(change.over(a).exp())
}
