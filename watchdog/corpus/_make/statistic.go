package main

// Measures of a piece of a series: spread, trend, regularity.

import (
	"math"
	"slices"
)

func mean(v []float64) float64 {
	sum := 0.
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// maxAbs returns the largest magnitude of the valid numbers.
func maxAbs(v []float64) float64 {
	top := 0.
	for _, x := range v {
		if a := math.Abs(x); a > top {
			top = a
		}
	}
	return top
}

func median(v []float64) float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return s[len(s)/2]
}

// halfRange returns half the range of values.
func halfRange(v []float64) float64 { return (slices.Max(v) - slices.Min(v)) / 2 }

// line fits a straight line and returns its rise over the whole piece.
func line(v []float64) (rise float64) {
	n := float64(len(v))
	mx, my := (n-1)/2, mean(v)
	sxy, sxx := 0., 0.
	for i, y := range v {
		sxy += (float64(i) - mx) * (y - my)
		sxx += (float64(i) - mx) * (float64(i) - mx)
	}
	if sxx == 0 {
		return 0
	}
	return sxy / sxx * (n - 1)
}

// regular measures how regularly a piece swings about its trend: the highest of its autocorrelation after the first
// negative place, up to a third of the piece. 0 with fewer than three periods.
func regular(v []float64) (strength float64) {
	n := len(v)
	rise, m := line(v), mean(v)
	d := make([]float64, n)
	power := 0.
	for i, y := range v {
		d[i] = y - m - rise*(float64(i)/float64(n-1)-0.5)
		power += d[i] * d[i]
	}
	if power == 0 {
		return 0
	}
	negative := false
	for lag := 1; lag <= n/3; lag++ {
		sum, a, b := 0., 0., 0.
		for i := range n - lag {
			sum += d[i] * d[i+lag]
			a += d[i] * d[i]
			b += d[i+lag] * d[i+lag]
		}
		r := sum / math.Sqrt(a*b+1e-300)
		if r < 0 {
			negative = true
		}
		if negative {
			strength = max(strength, r)
		}
	}
	return strength
}

// log10 of positive numbers; others are left out.
func log10(v []float64) []float64 {
	var l []float64
	for _, x := range v {
		if x > 0 && !math.IsInf(x, 0) {
			l = append(l, math.Log10(x))
		}
	}
	return l
}
