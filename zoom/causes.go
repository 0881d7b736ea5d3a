package zoom

// The causes of a response's errors at a point.

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/machine"
)

// Causes holds the deviations of the quantities at a point by cause. Interpolation is the standard deviation of the
// model if its answers were exact. Balance is the part that the answers' imbalances add. Convergence holds bounds for
// answers that are all off to the same side, as runs that end early are.
type Causes struct{ Interpolation, Convergence, Balance []float64 }

// Causes returns the causes at a point.
func (r *Response) Causes(p machine.RunPoint) Causes {
	var c Causes
	var all [machine.Outputs]float64
	x := p.Coordinates(r.dimension)
	r.model.Deviations(x, all[:])
	for _, k := range r.machine.Seen() {
		convergence, balance, scatter := 0.0, 0.0, 0.0 // the last two are variances
		answers := r.model.Answers()
		for i, share := range r.model.Shares(k, x) {
			d := r.uncertainties[answers[i].Key]
			convergence += math.Abs(share) * d.Convergence[k]
			balance += share * share * d.Balance[k] * d.Balance[k]
			scatter += share * share * answers[i].Noise[k] * answers[i].Noise[k]
		}
		c.Interpolation = append(c.Interpolation, math.Sqrt(max(0, all[k]*all[k]-scatter)))
		c.Convergence, c.Balance = append(c.Convergence, convergence), append(c.Balance, math.Sqrt(balance))
	}
	return c
}
