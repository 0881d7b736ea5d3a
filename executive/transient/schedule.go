package transient

import (
	"cmp"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
)

// input is a quantity that depends on time: a parameter, or the target of a balance. It is linear between its points
// and constant before the first and after the last. Two points at one time make a step, whose value depends on the
// side. Therefore an input is read within an interval without an inner point.
type input struct {
	name      string // its name in the case; may be empty
	at        *float64
	t, values []float64 // t never decreases
	piece     int       // index of the last point at or before the interval's start; -1: none
}

// enter selects the interval that starts at from, s, for value.
func (in *input) enter(from float64) {
	in.piece = -1
	for i, t := range in.t {
		if t <= from {
			in.piece = i
		}
	}
}

// value is the input at t, s, within the interval or at its ends.
func (in *input) value(t float64) float64 {
	i := in.piece
	switch {
	case i < 0:
		return in.values[0]
	case i == len(in.t)-1:
		return in.values[i]
	}
	share := (t - in.t[i]) / (in.t[i+1] - in.t[i])
	return in.values[i] + share*(in.values[i+1]-in.values[i])
}

// breaks returns the times within a duration at which a schedule has a point, and the end, in order, s. The integration
// stops at each, because a step of the integrator must not contain a kink.
func breaks(list []config.Schedule, duration float64) []float64 {
	out := []float64{duration}
	for _, s := range list {
		for _, t := range s.T {
			if t > 0 && t < duration {
				out = append(out, t)
			}
		}
	}
	slices.SortFunc(out, cmp.Compare)
	return slices.Compact(out)
}
