package stallsearch

// The prediction of a line's end by the ends of the others.

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// foretold is the prediction of an end.
type foretold struct{ mean, deviation float64 }

// The prior of ends over corrected speed, about their shape: slopes, and the amplitude and length of bends.
const (
	slopeSpread = 1.0
	amplitude   = 0.05
	length      = 0.12
)

// So over the setting of vanes and blades, deg.
const (
	slopeSpreadAlpha = 0.03
	lengthAlpha      = 12.0
)

// ragged is the standard deviation of an end about a smooth line, as a share of the tolerance.
const ragged = 0.3

// foretell returns the prediction of a line's end without its own runs, and the number of other ends behind it.
func (s *Search) foretell(i int) (foretold, int) {
	if s.thought == nil {
		s.think()
	}
	return s.thought[i], s.others[i]
}

// think predicts the ends of all lines from the answers so far. If ends deviate from the prediction by the others more
// than the deviations allow, the deviations are scaled up by the median ratio, so that a few wrong ends do not hide
// themselves.
func (s *Search) think() {
	known := make([]bool, len(s.lines))
	for i := range s.lines {
		e := s.End(i)
		known[i] = !math.IsNaN(e.Beyond - e.Inside)
	}
	s.thought, s.others = make([]foretold, len(s.lines)), make([]int, len(s.lines))
	var missed []float64
	for i := range s.lines {
		var by []int
		for k := range s.lines {
			if known[k] && k != i {
				by = append(by, k)
			}
		}
		s.others[i] = len(by)
		if len(by) == 0 {
			s.thought[i] = foretold{s.lines[i].From + s.set.Ahead, s.set.Spread}
			continue
		}
		s.thought[i] = s.predict(i, by)
		if known[i] && len(by) > 1 {
			e := s.End(i)
			off := s.thought[i].mean - (e.Inside+e.Beyond)/2
			missed = append(missed, math.Abs(off)/math.Hypot(s.thought[i].deviation, (e.Beyond-e.Inside)/math.Sqrt(12)))
		}
	}
	if len(missed) < 3 {
		return
	}
	slices.Sort(missed)
	const quartile = 0.674 // of a normal distribution
	surprise := max(1, missed[len(missed)/2]/quartile)
	for i := range s.thought {
		s.thought[i].deviation *= surprise
	}
}

// predict returns the prediction of the end of line i by the ends of known lines.
func (s *Search) predict(i int, known []int) foretold {
	first := &s.lines[0]
	for k := range s.lines {
		if l := &s.lines[k]; math.Abs(l.Nu-1) < math.Abs(first.Nu-1) {
			first = l
		}
	}
	prior := surrogate.Prior{
		Origin: []float64{first.Nu}, Value: first.From + s.set.Ahead - s.set.Shape(first.Nu), Slope: []float64{0},
		ValueSpread: s.set.Spread, SlopeSpread: []float64{slopeSpread}, Amplitude: amplitude,
		Lengths: []float64{length},
	}
	at := func(l line) []float64 { return []float64{l.Nu} }
	if slices.ContainsFunc(s.lines, func(l line) bool { return l.Alpha != first.Alpha }) {
		at = func(l line) []float64 { return []float64{l.Nu, l.Alpha} }
		prior.Origin, prior.Slope = at(*first), []float64{0, 0}
		prior.SlopeSpread, prior.Lengths = []float64{slopeSpread, slopeSpreadAlpha}, []float64{length, lengthAlpha}
	}
	out := surrogate.Output{Name: "end", Prior: prior}
	var answers []surrogate.Observation
	for _, k := range known {
		e := s.End(k)
		noise := math.Hypot((e.Beyond-e.Inside)/math.Sqrt(12), ragged*s.set.Tolerance)
		answers = append(answers, surrogate.Observation{Key: fmt.Sprintf("%06d", k), X: at(s.lines[k]),
			Y: []float64{(e.Inside + e.Beyond) / 2}, Noise: []float64{noise}})
	}
	x := at(s.lines[i])
	shape := func(x []float64, out []surrogate.Value) { out[0].V = s.set.Shape(x[0]) }
	m, err := surrogate.New(len(x), []surrogate.Trend{{Outputs: []surrogate.Output{out}, Base: shape}}, answers)
	if err != nil { // no prediction
		return foretold{s.lines[i].From + s.set.Ahead, s.set.Spread}
	}
	var v [1]surrogate.Value
	var d [1]float64
	m.At(x, v[:])
	m.Deviations(x, d[:])
	return foretold{v[0].V, math.Hypot(d[0], ragged*s.set.Tolerance)}
}
