package numeric

import "math"

// Last returns the last value of an axis, which must not be empty.
func Last(axis []float64) float64 { return axis[len(axis)-1] }

// Clamp returns v, or the end of the rising axis that v lies beyond.
func Clamp(v float64, axis []float64) float64 {
	if v < axis[0] {
		return axis[0]
	}
	if hi := axis[len(axis)-1]; v > hi {
		return hi
	}
	return v
}

// Locate returns i with axis[i] <= v <= axis[i+1], for a rising axis. Beyond the ends it returns the first or the last
// interval; at a node, the interval above it.
func Locate(axis []float64, v float64) int {
	lo, hi := 0, len(axis)-1
	for hi-lo > 1 {
		mid := (lo + hi) >> 1
		if v >= axis[mid] {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Ramp returns n+1 values from a to b, evenly spaced, with short decimals kept short.
func Ramp(a, b float64, n int) []float64 {
	v := make([]float64, n+1)
	for i := range v {
		v[i] = math.Round((a+(b-a)*float64(i)/float64(n))*1e9) / 1e9
	}
	return v
}
