package numeric

import "math"

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// OrNaN is v, or NaN if it is infinite.
func OrNaN(v float64) float64 {
	if !Finite(v) {
		return math.NaN()
	}
	return v
}
