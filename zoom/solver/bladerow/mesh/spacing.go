package mesh

import "math"

// How nodes are spaced along a line.

// Spaced returns n+1 places from 0 to 1 whose first and last steps are about the ones
// given, 0 for an open end, after Vinokur (J. Comput. Phys. 50, 1983, p. 215).
func Spaced(n int, first, last float64) []float64 {
	x := make([]float64, n+1)
	even := 1 / float64(n)
	first = min(first, even)
	switch {
	case last == 0: // growing from the first step on
		b := solve(func(b float64) float64 { return math.Expm1(b/float64(n)) / math.Expm1(b) }, first)
		for i := range x {
			s := float64(i) / float64(n)
			if b < 1e-6 {
				x[i] = s
			} else {
				x[i] = math.Expm1(b*s) / math.Expm1(b)
			}
		}
	default:
		last = min(last, even)
		a, d := math.Sqrt(last/first), 1/(float64(n)*math.Sqrt(first*last))
		b := solve(func(b float64) float64 { return b / math.Sinh(b) }, 1/d)
		for i := range x {
			s := float64(i) / float64(n)
			u := s
			if b > 1e-6 {
				u = 0.5 * (1 + math.Tanh(b*(s-0.5))/math.Tanh(b/2))
			}
			x[i] = u / (a + (1-a)*u)
		}
	}
	x[n] = 1
	return x
}

// solve returns b > 0 with f(b) = y, for an f that falls.
func solve(f func(float64) float64, y float64) float64 {
	lo, hi := 1e-9, 40.0
	for range 80 {
		if b := (lo + hi) / 2; f(b) > y {
			lo = b
		} else {
			hi = b
		}
	}
	return lo
}

// fade returns the integral over 0..d of a slope that falls linearly to zero over
// the chord.
func fade(slope, d, chord float64) float64 {
	d = min(d, chord)
	return slope * d * (1 - 0.5*d/chord)
}
