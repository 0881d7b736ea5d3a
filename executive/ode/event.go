// An event is a function of the state that falls to zero, such as the margin to a limit. It is located on the dense
// output of a step.

package ode

import "math"

// Event is a function that ends the advance where it falls to zero. A fall and a rise within one step are missed,
// unless Settings.MaxStep separates them. Of two events at the same time the first in the Driver is found.
type Event struct {
	Name string
	G    func(t float64, y []float64) float64
}

// Crossing is one occurrence of an event.
type Crossing struct {
	Event int // its index in Driver.Events
	Name  string
	T     float64   // s, at or after the zero by at most Driver.Tolerance
	Y     []float64 // the unknowns at T
}

// locate returns the right end of an interval, no longer than tol, in which g changes its sign from that of ga, at a,
// to that of gb, at b. The method is ITP (Oliveira and Takahashi, ACM Trans. Math. Softw. 47, 2021, with k1 =
// 0.2/(b-a), k2 = 2, n0 = 1): regula falsi, moved towards the middle and kept near it. It needs at most two evaluations
// more than bisection.
func locate(g func(t float64) float64, a, ga, b, gb, tol float64) float64 {
	tol = max(tol, 2*eps*max(math.Abs(a), math.Abs(b)))
	k1 := 0.2 / (b - a)
	radius := tol / 2 * math.Exp2(math.Ceil(math.Log2((b-a)/tol))+1)
	for b-a > tol {
		half := a + (b-a)/2
		t := (gb*a - ga*b) / (gb - ga)
		side := math.Copysign(1, half-t)
		if pull := k1 * (b - a) * (b - a); pull <= math.Abs(half-t) {
			t += side * pull
		} else {
			t = half
		}
		if r := radius - (b-a)/2; !(math.Abs(t-half) <= r) {
			t = half - side*r
		}
		radius /= 2
		if !(t > a && t < b) {
			if t = half; !(t > a && t < b) {
				break
			}
		}
		switch v := g(t); {
		case v == 0:
			return t
		case v > 0 == (gb > 0 || gb == 0 && ga < 0):
			b, gb = t, v
		default:
			a, ga = t, v
		}
	}
	return b
}
