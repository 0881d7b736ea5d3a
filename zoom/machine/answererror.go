package machine

// What the answer of a run may be off by, apart from all runs being too few: the run ended before its flow had settled,
// and what enters does not quite leave.

import (
	"math"
)

// Doubt is what the outputs of a machine's model may be off by in one answer, by cause.
type Doubt struct {
	Convergence []float64 // bounds, within which 95 in 100 are
	Balance     []float64 // standard deviations
}

// noise are the standard deviations of the outputs.
func (d *Doubt) noise() []float64 {
	out := make([]float64, len(d.Balance))
	for k := range out {
		out[k] = math.Hypot(d.Convergence[k]/2, d.Balance[k])
	}
	return out
}

// LeastNoise is that of a run that states no error at all.
const LeastNoise = 1e-6
