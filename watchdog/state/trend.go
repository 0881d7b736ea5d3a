package state

import (
	"math"
	"sync"
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

// trend puts a line through a window by Theil and Sen's method. The interval of its slope follows from Kendall's rank
// statistic (Sen, J. Am. Stat. Assoc. 63 (1968) 1379), in which samples count as independent.
func trend(w window) line {
	var means [mostPoints]float64
	y, step := thinned(w, means[:0])
	n := len(y)
	if n < 3 {
		return none
	}
	var every [mostSlopes]float64
	slopes := pairs(y, step, every[:0])
	l := line{slope: middle(slopes)}
	const ofNormal = 1.4826 // standard deviation over the median absolute deviation
	var kept [mostPoints]float64
	at, rest := about(y, l.slope, step, kept[:])
	for i := range rest {
		rest[i] = math.Abs(rest[i] - at)
	}
	l.scatter, l.end = ofNormal*middle(rest), at+l.slope*step*float64(n-1)
	k := float64(n)
	half := 1.96 * math.Sqrt(k*(k-1)*(2*k+5)/18) / 2
	mid := float64(len(slopes)-1) / 2
	below, above := (len(slopes)-1)/2, len(slopes)/2 // are at their places
	l.low = place(slopes[:below+1], min(max(0, int(mid-half)), below))
	l.high = place(slopes[above:], max(min(len(slopes)-1, int(math.Ceil(mid+half))), above)-above)
	return l
}

// none is the line through too few points.
var none = line{slope: math.NaN(), low: math.Inf(-1), high: math.Inf(1)}

// straight returns the line of trend without its scatter and its slope's interval, which take as long as the line
// itself.
func straight(w window) line {
	var means [mostPoints]float64
	y, step := thinned(w, means[:0])
	if len(y) < 3 {
		return none
	}
	var every [mostSlopes]float64
	slope := middle(pairs(y, step, every[:0]))
	var kept [mostPoints]float64
	at, _ := about(y, slope, step, kept[:])
	return line{slope: slope, end: at + slope*step*float64(len(y)-1)}
}

// mostSlopes is the largest number of pairs of points.
const mostSlopes = mostPoints * (mostPoints - 1) / 2

// pairs are the slopes of all pairs of points.
func pairs(y []float64, step float64, slopes []float64) []float64 {
	var apart [mostPoints]float64
	for j := range y {
		apart[j] = float64(j+1) * step
	}
	for i, from := range y {
		for j, v := range y[i+1:] {
			slopes = append(slopes, (v-from)/apart[j])
		}
	}
	return slopes
}

// about returns the value of a line at its beginning, as the median of the residues, and the residues.
func about(y []float64, slope, step float64, kept []float64) (at float64, rest []float64) {
	rest = kept[:len(y)]
	for i := range y {
		rest[i] = y[i] - slope*step*float64(i)
	}
	return middle(rest), rest
}

// thinned returns a window's points, by means of neighbours if they are too many, and their distance in samples.
func thinned(w window, into []float64) (y []float64, step float64) {
	by := (len(w.y) + mostPoints - 1) / mostPoints
	if by <= 1 {
		return w.y, w.step
	}
	y = into
	for from := len(w.y) % by; from+by <= len(w.y); from += by {
		sum := 0.0
		for _, v := range w.y[from : from+by] {
			sum += v
		}
		y = append(y, sum/float64(by))
	}
	return y, w.step * float64(by)
}

// swing is a regular movement about a line.
type swing struct {
	period    float64 // samples
	amplitude float64 // half the way from peak to peak
	mean      line    // of the means over a period
}

// swinging looks for a regular movement in a window. Its power, without that of the line, lies in a narrow band of the
// periodogram (of Hann's window, which suppresses the ends): the greatest three neighbouring frequencies have the share
// regular of it or more. Noise of 60 points has a fifth there. The window must hold four periods: a value that wanders
// has most of its power below that.
func swinging(w window, l line) (swing, bool) {
	const regular, least = 0.6, 4
	n := len(w.y)
	if n < 4*least {
		return swing{}, false
	}
	var forRest, forPlain [mostSwinging]float64
	rest, plain := append(forRest[:0], w.y...), append(forPlain[:0], w.y...)
	bell, turns := cosines()[n].bell, cosines()[n].turns
	sum := 0.0
	for i, y := range w.y {
		rest[i] = y - l.end - l.slope*w.step*float64(i-n+1)
		sum += rest[i]
	}
	for i := range rest {
		rest[i] -= sum / float64(n)
		plain[i] = rest[i]
		rest[i] *= bell[i]
	}
	var forPower [mostSwinging/2 + 1]float64
	power := periodogram(rest, turns, forPower[:])
	total, at, most := 0.0, 0, 0.0
	for k := 1; k < len(power); k++ {
		total += power[k]
		if k >= least && k+1 < len(power) {
			if band := power[k-1] + power[k] + power[k+1]; band > most {
				at, most = k, band
			}
		}
	}
	if total == 0 || !(most >= regular*total) {
		return swing{}, false
	}
	mean := (float64(at-1)*power[at-1] + float64(at)*power[at] + float64(at+1)*power[at+1]) / most
	if mean < least-0.5 { // the band reaches down to fewer periods
		return swing{}, false
	}
	lag := max(1, int(math.Round(float64(n)/mean)))
	if mean < few && repeats(plain, lag) < likeness {
		return swing{}, false
	}
	return swing{period: float64(n) / mean * w.step, amplitude: amplitude(plain), mean: overPeriods(w, lag)}, true
}

// amplitude is that of a sine wave with the mean square of y.
func amplitude(y []float64) float64 {
	square := 0.0
	for _, v := range y {
		square += v * v
	}
	return math.Sqrt(2 * square / float64(len(y)))
}

// A swing of few periods must repeat itself a period later, by the correlation of the two, as the corpus defines a
// regular swing: a value that wanders has a slow period by chance, and does not repeat itself.
const (
	few      = 6
	likeness = 0.6
)

// repeats returns the correlation of a series with itself a period later. The period is known to a fifth.
func repeats(y []float64, period int) (most float64) {
	for lag := max(1, period*4/5); lag <= period*6/5+1 && lag < len(y); lag++ {
		most = max(most, correlation(y, lag))
	}
	return most
}

// correlation of a series with itself a lag later.
func correlation(y []float64, lag int) float64 {
	var sum, a, b float64
	for i := range len(y) - lag {
		sum += y[i] * y[i+lag]
		a += y[i] * y[i]
		b += y[i+lag] * y[i+lag]
	}
	if a == 0 || b == 0 {
		return 0
	}
	return sum / math.Sqrt(a*b)
}

// swing looks for a regular movement of a series: a fast one in the last samples, and then a slow one over a share of
// the run.
func (s *series) swing(buffer []float64) (swing, window, bool) {
	long := int(shareSwings * float64(s.count))
	w := s.window(min(long, recentLength), buffer)
	found, regular := swinging(w, straight(w))
	if !regular && long > recentLength {
		w = s.window(long, buffer)
		found, regular = swinging(w, straight(w))
	}
	return found, w, regular
}

// mostSwinging is the largest number of points in a window of a series.
const mostSwinging = max(recentLength, mostBlocks)

// waves are the cosines that the periodogram of so many points takes.
type waves struct {
	bell  []float64 // Hann's window
	turns []float64 // by the number of periods: twice the cosine of a point's share of the circle
}

// cosines returns the waves of windows by their number of points: making them anew would be a third of a periodogram.
var cosines = sync.OnceValue(func() *[mostSwinging + 1]waves {
	all := &[mostSwinging + 1]waves{}
	for n := range all {
		w := &all[n]
		w.bell, w.turns = make([]float64, 0, n), make([]float64, 0, n/2+1)
		for i := range n {
			w.bell = append(w.bell, 0.5-0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(n)))
		}
		for k := range n/2 + 1 {
			w.turns = append(w.turns, 2*math.Cos(2*math.Pi*float64(k)/float64(n)))
		}
	}
	return all
})

// periodogram is the power of y at 0, 1, 2 ... periods in its length, to half of its points, whose cosines are turns.
// Of an even number of points the second half has at even frequencies the phase of the first, at odd ones the
// opposite: laid on each other they are half as many.
func periodogram(y, turns, into []float64) []float64 {
	power := into[:len(turns)]
	half := len(y) / 2
	if len(y) != 2*half {
		goertzel(y, turns, power, 1)
		return power
	}
	var forSums, forDifferences [mostSwinging / 2]float64
	sums, differences := forSums[:half], forDifferences[:half]
	for i, v := range y[:half] {
		sums[i], differences[i] = v+y[half+i], v-y[half+i]
	}
	goertzel(sums, turns, power, 2)
	goertzel(differences, turns[1:], power[1:], 2)
	return power
}

// goertzel writes the power of y at every so many of the frequencies of some cosines (Goertzel's recurrence). Each step
// of the recurrence waits for the step before; four frequencies at once wait together. The second of two steps
// overwrites the older number of the first.
func goertzel(y, turns, power []float64, every int) {
	square := func(before, now, c float64) float64 { return now*now + before*before - c*now*before }
	k := 0
	for ; k+3*every < len(turns); k += 4 * every {
		c0, c1, c2, c3 := turns[k], turns[k+every], turns[k+2*every], turns[k+3*every]
		var b0, b1, b2, b3, n0, n1, n2, n3 float64
		rest := y
		for ; len(rest) > 1; rest = rest[2:] {
			v, w := rest[0], rest[1]
			b0, b1, b2, b3 = v+c0*n0-b0, v+c1*n1-b1, v+c2*n2-b2, v+c3*n3-b3
			n0, n1, n2, n3 = w+c0*b0-n0, w+c1*b1-n1, w+c2*b2-n2, w+c3*b3-n3
		}
		for _, v := range rest {
			b0, b1, b2, b3 = v+c0*n0-b0, v+c1*n1-b1, v+c2*n2-b2, v+c3*n3-b3
			b0, b1, b2, b3, n0, n1, n2, n3 = n0, n1, n2, n3, b0, b1, b2, b3
		}
		power[k], power[k+every] = square(b0, n0, c0), square(b1, n1, c1)
		power[k+2*every], power[k+3*every] = square(b2, n2, c2), square(b3, n3, c3)
	}
	for ; k < len(turns); k += every {
		c := turns[k]
		before, now := 0.0, 0.0
		for _, v := range y {
			before, now = now, v+c*now-before
		}
		power[k] = square(before, now, c)
	}
}

// overPeriods returns the line through the means over whole periods, as far as the window has them.
func overPeriods(w window, lag int) line {
	var points [mostSwinging]float64
	means := window{y: points[:0], step: w.step * float64(lag)}
	for from := len(w.y) % lag; from+lag <= len(w.y); from += lag {
		sum := 0.0
		for _, y := range w.y[from : from+lag] {
			sum += y
		}
		means.y = append(means.y, sum/float64(lag))
	}
	return trend(means)
}
