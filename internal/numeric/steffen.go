package numeric

import "math"

// Steffen writes the node slopes of the monotone piecewise cubic through
// (x, y) to d. On every interval the cubic stays between the two node values,
// is monotone, and its slope is continuous; extrema are at nodes only.
//
//	s_i = (y_i+1 - y_i)/h_i
//	p_i = (s_i-1 h_i + s_i h_i-1)/(h_i-1 + h_i)
//	d_i = (sgn s_i-1 + sgn s_i) min(|s_i-1|, |s_i|, |p_i|/2)
//
// (M. Steffen, "A simple method for monotonic interpolation in one dimension",
// Astronomy and Astrophysics 239, 443-450, 1990, equations 7, 8, 11; at the
// ends the one-sided parabola with the limits of equations 24 to 27). Slopes
// are within [0, 2] times the neighbouring secants, inside the region
// [0, 3] that Fritsch and Carlson (SIAM J. Numer. Anal. 17, 238-246, 1980)
// show to be monotone.
func Steffen(x, y, d []float64) {
	n := len(x)
	if n == 1 {
		d[0] = 0
		return
	}
	h := func(i int) float64 { return x[i+1] - x[i] }
	s := func(i int) float64 { return (y[i+1] - y[i]) / h(i) }
	if n == 2 {
		d[0], d[1] = s(0), s(0)
		return
	}
	for i := 1; i < n-1; i++ {
		a, b := s(i-1), s(i)
		p := (a*h(i) + b*h(i-1)) / (h(i-1) + h(i))
		d[i] = (sign(a) + sign(b)) * min(math.Abs(a), math.Abs(b), math.Abs(p)/2)
	}
	end := func(s0, s1, h0, h1 float64) float64 {
		p := s0*(1+h0/(h0+h1)) - s1*h0/(h0+h1)
		if p*s0 <= 0 {
			return 0
		}
		if math.Abs(p) > 2*math.Abs(s0) {
			return 2 * s0
		}
		return p
	}
	d[0] = end(s(0), s(1), h(0), h(1))
	d[n-1] = end(s(n-2), s(n-3), h(n-2), h(n-3))
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// Cubic returns the value at u of the monotone cubic through (x, y) with slopes d. u is clamped to the axis.
func Cubic(x, y, d []float64, u float64) float64 {
	u = Clamp(u, x)
	i := Locate(x, u)
	w, _ := Hermite(u, x[i], x[i+1])
	return w[0]*y[i] + w[1]*y[i+1] + w[2]*d[i] + w[3]*d[i+1]
}

// Hermite returns the weights of (f0, f1, f0', f1') in the cubic between a and
// b at v, and their derivatives.
func Hermite(v, a, b float64) (w, dw [4]float64) {
	h := b - a
	r := 1 / h
	t := (v - a) * r
	u := 1 - t
	w[1] = t * t * (3 - 2*t)
	w[0] = 1 - w[1]
	w[2] = t * u * u * h
	w[3] = -t * t * u * h
	dw[1] = 6 * t * u * r
	dw[0] = -dw[1]
	dw[2] = u * (1 - 3*t)
	dw[3] = t * (3*t - 2)
	return w, dw
}

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
