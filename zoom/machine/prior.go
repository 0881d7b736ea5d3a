package machine

// The prior of a machine before its runs.

import (
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Turns is the prior of a kind's outputs over the setting of vanes or blades: the standard deviation of their slopes,
// by deg, and the length over which they bend, deg.
type Turns struct {
	Slopes []float64
	Length float64
}

// priorsAt returns a function that makes priors of outputs, by their numbers, about a point, with these lengths.
func (m *Machine) priorsAt(at RunPoint, lengths []float64, by Turns) func(k int, value float64, slope []float64,
	spread float64, slopes []float64, amplitude float64) surrogate.Prior {
	return func(k int, value float64, slope []float64, spread float64, slopes []float64,
		amplitude float64) surrogate.Prior {
		p := surrogate.Prior{Origin: m.bladed(at), Value: value, Slope: slope, ValueSpread: spread,
			SlopeSpread: slopes, Amplitude: amplitude, Lengths: lengths}
		if m.Settable {
			p.Lengths = append(slices.Clone(lengths), by.Length)
			p.Slope, p.SlopeSpread = append(slices.Clone(slope), 0), append(slices.Clone(slopes), by.Slopes[k])
		}
		return p
	}
}
