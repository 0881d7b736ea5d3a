package state

// The limit cycle of a value: its period, and its mean by averages over windows.

import (
	"fmt"
	"math"
)

// cycle is a regular swing of a value: period and mean, each with its error.
type cycle struct {
	period, periodError float64 // in the run's time
	mean, meanError     float64
	square              float64 // mean over a square window
	amplitude, growth   float64 // growth: amplitude of the later half over that of the earlier one
	periods             float64 // in the window
}

// Limits of a settled cycle.
const (
	shareCycle  = 0.4  // of the run, at its end, over which a cycle is measured
	meanSettled = 0.01 // error of the mean, as a fraction of the value's size or of its amplitude
	mostGrowth  = 1.5  // a cycle whose amplitude grows by more in half of the window is no limit cycle
)

// hann returns the mean of y with the weights of Hann's window. Of a periodic signal over M periods, not a whole
// number of them, the mean over a square window is wrong by a part of the order 1/M, that over Hann's by 1/M^3 (Krakos,
// Wang, Hall and Darmofal, AIAA J. 50 (2012) 2).
func hann(y []float64) float64 {
	bell := cosines()[len(y)].bell
	sum, weights := 0.0, 0.0
	for i, x := range y {
		sum += bell[i] * x
		weights += bell[i]
	}
	return sum / weights
}

// measureCycle measures the cycle of a value that swings; times are those of the run's time steps, per their number
// to a sample.
func measureCycle(s, times *series, per float64, x *value) cycle {
	var forPoints, forTimes [mostSwinging]float64
	w := s.window(cycleSamples(s), forPoints[:0])
	c := cycle{amplitude: x.swing.amplitude, square: mean(w.y), mean: hann(w.y)}
	early, late := halves(w.y)
	c.meanError = drift(w.y)
	c.growth = deviation(late) / deviation(early)
	period, off := crossings(w.y, c.mean, c.amplitude, x.swing.period/w.step)
	t := times.window(int(math.Ceil(w.length()*per)), forTimes[:0]).y
	point := 1.0 // time between two points
	if n := len(t); n > 1 {
		point = (t[n-1] - t[0]) / float64(n-1) * float64(n) / float64(len(w.y))
	}
	c.period, c.periodError, c.periods = period*point, off*point, float64(len(w.y))/period
	return c
}

// halves returns the earlier and the later half of y.
func halves(y []float64) (early, late []float64) { return y[:len(y)/2], y[len(y)-len(y)/2:] }

// drift returns by how much the means of both halves of y differ, and those of the later half and of all: the error of
// a mean that has not settled.
func drift(y []float64) float64 {
	early, late := halves(y)
	return max(math.Abs(hann(late)-hann(early)), math.Abs(hann(late)-hann(y)))
}

// meanSettles reports whether the mean of a value that moves irregularly is known.
func (x *value) meanSettles(s *series) bool {
	var points [mostSwinging]float64
	y := s.window(cycleSamples(s), points[:0]).y
	return drift(y) <= meanSettled*max(x.size, deviation(y))
}

// cycleSamples returns how many samples the cycle of a value is measured over: of a run whose swing began late, those
// at its end.
func cycleSamples(s *series) int { return max(int(shareCycle*float64(s.count)), leastSamples) }

// settled reports whether the mean of a cycle is known, and its amplitude lasts; size is that of the value.
func (c *cycle) settled(size float64) bool {
	return c.meanError <= meanSettled*max(size, c.amplitude) && c.growth < mostGrowth && c.growth > 1/mostGrowth
}

// sentence describes the cycle.
func (c *cycle) sentence(name string) string {
	return fmt.Sprintf("%s swings by %.3g with a period of %.4g (± %.2g) about a mean of %.4g (± %.2g; by a square "+
		"window %.4g) over %.0f periods", name, c.amplitude, c.period, c.periodError, c.mean, c.meanError, c.square,
		c.periods)
}

// deviation is the standard deviation of y.
func deviation(y []float64) float64 {
	at, square := mean(y), 0.0
	for _, v := range y {
		square += (v - at) * (v - at)
	}
	return math.Sqrt(square / float64(len(y)))
}

// crossings returns the mean distance of upward crossings of a level, and twice its standard error, in points. A value
// must first have been below the level by a quarter of its amplitude. With fewer than three distances the period is
// about, within half a frequency of the periodogram.
func crossings(y []float64, level, amplitude, about float64) (period, off float64) {
	var at []float64
	below := false
	for i, v := range y {
		switch {
		case v < level-amplitude/4:
			below = true
		case v >= level && below:
			below = false
			at = append(at, float64(i)-(v-level)/max(v-y[i-1], 1e-300))
		}
	}
	n := len(at) - 1
	if n < 3 {
		return about, about * about / float64(2*len(y))
	}
	period = (at[n] - at[0]) / float64(n)
	square := 0.0
	for i, t := range at[1:] {
		square += (t - at[i] - period) * (t - at[i] - period)
	}
	return period, 2 * math.Sqrt(square/float64(n-1)/float64(n))
}
