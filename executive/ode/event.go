// Events: the times at which a function of the state crosses zero, such as a limit
// reached or a switch, located on the dense output of a step.

package ode

import "math"

// Direction says which crossings of zero count.
type Direction int

// The crossings that count.
const (
	Both    Direction = iota
	Rising            // from negative to positive
	Falling           // from positive to negative
)

// Event is a function whose zeros in time are sought. Two zeros within one step
// cancel and are not seen; Driver.Samples and Settings.MaxStep bound how close they may be.
type Event struct {
	Name      string
	G         func(t float64, y []float64) float64
	Direction Direction
	Terminal  bool // end the advance at the crossing
}

// Crossing is an event that happened.
type Crossing struct {
	Event  int // its index in Driver.Events
	Name   string
	T      float64   // s, at or after the zero by at most Driver.Tolerance
	Y      []float64 // the unknowns at T; overwritten by the next crossing
	Rising bool
}

func (e *Event) counts(before, after float64) bool {
	up := before < 0 && after >= 0
	down := before > 0 && after <= 0
	return up && e.Direction != Falling || down && e.Direction != Rising
}

// locate returns the right end of an interval no longer than tol, in which g, of sign ga at a,
// gets the sign of gb, that at b: bisection, sped up by regula falsi with the
// Illinois rule (Dowell and Jarratt, BIT 11, 1971).
func locate(g func(t float64) float64, a, ga, b, gb, tol float64) float64 {
	side := 0
	wa, wb := ga, gb
	for it := 0; b-a > max(tol, 2*eps*max(math.Abs(a), math.Abs(b))); it++ {
		t := b - wb*(b-a)/(wb-wa)
		if it%3 == 2 || !(t > a && t < b) {
			t = a + (b-a)/2
			if !(t > a && t < b) {
				break
			}
		}
		switch v := g(t); {
		case math.Signbit(v) == math.Signbit(ga) && v != 0:
			a, wa = t, v
			if side == -1 {
				wb /= 2
			}
			side = -1
		default:
			b, wb = t, v
			if side == 1 {
				wa /= 2
			}
			side = 1
			if v == 0 {
				return b
			}
		}
	}
	return b
}
