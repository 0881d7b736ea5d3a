package state

// The judgement of a run in time. Its residuals measure how fast the flow changes from step to step: they tell whether
// it became steady, and nothing else. A run in time is good if it came to its end time without running away.

import "math"

// Signs that a run in time runs away, and that its time steps collapse. They are relative to what the run did before.
const (
	runsFar      = 1   // orders above the largest of these
	runsFast     = 0.3 // orders of growth within headLength samples: a start-up grows by less and less
	leastCourant = 0.3 // log10: below, an implicit scheme damps
	leastLoss    = -2  // log10 of a balance of mass; below, it is an error of a linear solver
	leastFallen  = 2   // orders that a time step has fallen, with no end of the fall
	settledFall  = 1   // orders, by which a residual of a run that settled has fallen
)

// runaway reports whether the latest samples are all far above every earlier one, and still grow fast. One wave that
// passes does not: it has come down by then, or grows no more.
func (s *series) runaway(level float64) bool {
	if s.count <= 2*ranBefore {
		return false
	}
	first, lowest, before, last := float64(s.recent[(s.count-headLength)%recentLength]), s.lowest(), s.before, s.last
	if s.kind == ofValue { // else they are logarithms
		first, lowest, before, last = math.Log10(first), math.Log10(lowest), math.Log10(before), math.Log10(last)
	}
	return lowest > max(before+runsFar, level) && last-first > runsFast
}

// lowestBlock returns the least mean of a block.
func (s *series) lowestBlock() float64 {
	least := math.Inf(1)
	for _, b := range s.blocks {
		least = min(least, float64(b.mean))
	}
	return least
}
