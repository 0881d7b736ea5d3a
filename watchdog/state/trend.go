package state

import (
	"math"
	"slices"
)

// line is a straight line through a window.
type line struct {
	slope   float64 // per sample
	end     float64 // its value at the last sample
	scatter float64 // standard deviation about it, from the median absolute deviation
	low     float64 // of the slope's interval of 95 %
	high    float64
}

// mostPoints bounds the pairs of points of a line.
const mostPoints = 40

// trend puts a line through a window: Theil and Sen's, with the interval of the slope that follows from Kendall's rank
// statistic (Sen, J. Am. Stat. Assoc. 63 (1968) 1379), in which samples count as independent.
func trend(w window) line {
	y, step := thinned(w)
	n := len(y)
	if n < 3 {
		return line{slope: math.NaN(), low: math.Inf(-1), high: math.Inf(1)}
	}
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range y {
		for j := i + 1; j < n; j++ {
			slopes = append(slopes, (y[j]-y[i])/(float64(j-i)*step))
		}
	}
	slices.Sort(slopes)
	l := line{slope: middle(slopes)}
	rest := make([]float64, n)
	for i := range y {
		rest[i] = y[i] - l.slope*step*float64(i)
	}
	slices.Sort(rest)
	at := middle(rest)
	for i := range rest {
		rest[i] = math.Abs(rest[i] - at)
	}
	slices.Sort(rest)
	const ofNormal = 1.4826 // standard deviation over the median absolute deviation
	l.scatter, l.end = ofNormal*middle(rest), at+l.slope*step*float64(n-1)
	k := float64(n)
	half := 1.96 * math.Sqrt(k*(k-1)*(2*k+5)/18) / 2
	mid := float64(len(slopes)-1) / 2
	l.low = slopes[max(0, int(mid-half))]
	l.high = slopes[min(len(slopes)-1, int(math.Ceil(mid+half)))]
	return l
}

// thinned returns a window's points, by means of neighbours if they are too many, and their distance in samples.
func thinned(w window) (y []float64, step float64) {
	by := (len(w.y) + mostPoints - 1) / mostPoints
	if by <= 1 {
		return w.y, w.step
	}
	for from := len(w.y) % by; from+by <= len(w.y); from += by {
		sum := 0.0
		for _, v := range w.y[from : from+by] {
			sum += v
		}
		y = append(y, sum/float64(by))
	}
	return y, w.step * float64(by)
}

// middle is the median of what is sorted.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// swing is a regular movement about a line.
type swing struct {
	period    float64 // samples
	amplitude float64 // half the way from peak to peak
	mean      line    // of the means over a period
}

// swinging looks for a regular movement in a window: the least lag at which its autocorrelation about the line has a peak
// of regular or more, after it was opposite or less at half the period: noise has neither, a drift no trough. At least three periods must be in the window.
func swinging(w window, l line) (swing, bool) {
	const regular, opposite, least = 0.35, -0.3, 3
	n := len(w.y)
	if n < 4*least {
		return swing{}, false
	}
	rest := make([]float64, n)
	sum, peak := 0.0, 0.0
	for i, y := range w.y {
		rest[i] = y - l.end - l.slope*w.step*float64(i-n+1)
		sum += rest[i]
	}
	for i := range rest {
		rest[i] -= sum / float64(n)
		peak += rest[i] * rest[i]
	}
	if peak == 0 {
		return swing{}, false
	}
	corr := func(lag int) float64 {
		sum := 0.0
		for i := lag; i < n; i++ {
			sum += rest[i] * rest[i-lag]
		}
		return sum / peak * float64(n) / float64(n-lag)
	}
	before, lowest := 1.0, 1.0
	at := corr(1)
	for lag := 1; lag <= n/least; lag++ {
		next := corr(lag + 1)
		lowest = min(lowest, at)
		if lowest <= opposite && at >= regular && at >= before && at >= next {
			return swing{period: float64(lag) * w.step, amplitude: math.Sqrt(2 * peak / float64(n)), mean: overPeriods(w, lag)}, true
		}
		before, at = at, next
	}
	return swing{}, false
}

// overPeriods is the line through the means over whole periods, as far as there are some.
func overPeriods(w window, lag int) line {
	means := window{step: w.step * float64(lag)}
	for from := len(w.y) % lag; from+lag <= len(w.y); from += lag {
		sum := 0.0
		for _, y := range w.y[from : from+lag] {
			sum += y
		}
		means.y = append(means.y, sum/float64(lag))
	}
	return trend(means)
}
