package state

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The judgement of a monitored value.

// movement is the movement of a value over the judged window.
type movement int

const (
	unknown  movement = iota // too few samples, or it never moved
	steady                   // it stays within the tolerance of its mean
	hovering                 // it swings regularly and little, about a steady mean
	swaying                  // it swings regularly
	moving                   // all else
	wild                     // by tens of per cent from sample to sample, or far beyond its earlier values
)

func (m movement) String() string {
	return [...]string{"says nothing", "is steady", "swings about a steady mean", "swings", "moves", "is wild"}[m]
}

// value is a monitored value as it is judged at a moment.
type value struct {
	name     string
	movement movement
	mean     float64
	size     float64 // of the mean, or of its changes over the run where they are larger
	change   float64 // over the window, as a fraction of size
	tail     float64 // by how much it may still move until it rests; infinite: unknown
	swing    swing
	dead     bool // it moved, and stopped from a sample to the next: its sensor has failed, and it says nothing
}

// Limits in the judgement of a value: fractions of its size.
const (
	steadyChange = 2e-3 // range over the window: a tenth of a per cent to both sides
	leastSway    = 5e-3 // amplitude of a swing; the corpus calls none oscillating that swings by less
	smallSwing   = 1e-2 // amplitude of a swing whose mean counts
	nearZero     = 0.05 // of its range over the run; the least size of a value
	wildChange   = 0.3
	leastDigits  = 3   // in units of its last digit: a change that is none of rounding
	leastDecay   = 0.7 // ratio of a range to the one before; an oscillation or a drift may reach it by chance
)

// settles judges a value; per is iterations a sample, and beside the largest value of its family.
func (s *series) settles(per, beside float64, buffer []float64) value {
	v := value{name: s.name}
	if s.count < leastSamples || s.still == s.count-1 {
		return v
	}
	n := s.span(per)
	if n >= s.count {
		return v
	}
	before := s.rangeBefore(n, buffer)
	w := s.window(n, buffer)
	v.mean = mean(w.y)
	size := max(math.Abs(v.mean), nearZero*s.range90(), beside)
	if size == 0 {
		return v
	}
	v.size, v.change = size, (w.high-w.low)/size
	v.tail = rest(before, w.high-w.low)
	// a value that comes to rest does so by ever smaller steps, and its last ones are within the tolerance
	if v.dead = s.still >= frozenSamples && w.high == w.low &&
		s.step > max(steadyChange*size, leastDigits*s.quantum); v.dead {
		return v
	}
	if v.change <= steadyChange {
		v.movement, v.tail = steady, w.high-w.low
		return v
	}
	l, length := trend(w), w.length()
	var regular bool
	v.swing, _, regular = s.swing(buffer)
	regular = regular && v.swing.amplitude > steadyChange/2*size
	switch {
	case regular && v.swing.amplitude <= smallSwing*size && math.Abs(v.swing.mean.slope)*length <= steadyChange*size:
		v.movement = hovering
	case regular && v.swing.amplitude > leastSway*size:
		v.movement = swaying
	case v.change >= wildChange && l.scatter >= wildChange/3*size:
		v.movement = wild
	default:
		v.movement = moving
	}
	return v
}

// range90 returns the range of the block means over the run without its highest and lowest twentieth. It scales the
// value's changes where its mean is near 0.
func (s *series) range90() float64 {
	n := len(s.blocks)
	if n == 0 {
		return 0
	}
	means := make([]float64, n)
	for i, b := range s.blocks {
		means[i] = float64(b.mean)
	}
	slices.Sort(means)
	return means[n-1-n/20] - means[n/20]
}

func mean(y []float64) float64 {
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	return sum / float64(len(y))
}

// family returns the name of the family that scales a value: the components of a vector, the coefficients of forces and
// moments. A side force is steady if it moves by a thousandth of the drag.
func family(name string) string {
	if base, of := strings.TrimRight(name, "xyz"), len(name)-1; len(base) == of && strings.HasSuffix(base, "_") {
		return base
	}
	table, coefficient, found := strings.Cut(name, ".")
	if !found {
		table, coefficient = "", name
	}
	if len(coefficient) > 1 && coefficient[0] == 'C' && strings.ContainsAny(coefficient[1:2], "dlsmDLSMxyzXYZ") {
		return table + ".C"
	}
	return name
}

// table returns the name of the value's table, empty if it has none.
func (v *value) table() string {
	name, _, found := strings.Cut(v.name, ".")
	if !found {
		return ""
	}
	return name
}

// sentence describes the movement of the value.
func (v *value) sentence() string {
	if v.dead {
		return fmt.Sprintf("%s stopped at %.6g from one sample to the next: a dead sensor, not counted", v.name, v.mean)
	}
	text := fmt.Sprintf("%s %s: %.4g, changes by %.2g %%", v.name, v.movement, v.mean, 100*v.change)
	if v.movement == swaying || v.movement == hovering {
		text += fmt.Sprintf(" with a period of %.0f samples", v.swing.period)
	}
	return text
}

// rangeBefore returns the range of as many samples before the last n, as far as the series has them.
func (s *series) rangeBefore(n int, buffer []float64) float64 {
	y := s.window(2*n, buffer).y
	y = y[:len(y)/2]
	return slices.Max(y) - slices.Min(y)
}

// rest returns by how much a value may still move, from its ranges in two successive windows. An iteration approaches
// its end by a constant factor, so the remaining movement is the sum of a geometric series (Aitken's extrapolation:
// Proc. Roy. Soc. Edinb. 46 (1926) 289). The last range counts as well: its mean lags behind. The result is infinite,
// unknown, where the second range is hardly smaller.
func rest(before, now float64) float64 {
	by := now / before
	if !(by < leastDecay) {
		return math.Inf(1)
	}
	return now / (1 - by)
}
