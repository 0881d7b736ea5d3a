package perfmap

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

func (c Continuation) smooth() bool { return c == "" || c == Smooth }

func (e Extrap) check() error {
	all := []Continuation{"", Smooth, Chord, Hold}
	for _, a := range []struct {
		axis string
		how  Continuation
	}{{"alpha", e.Alpha}, {"Nc", e.Nc}, {"X", e.X}} {
		if !slices.Contains(all, a.how) {
			return fmt.Errorf("extrap of %s, %q, is none of %q, %q, %q", a.axis, a.how, Smooth, Chord, Hold)
		}
	}
	if e.Alpha == Smooth {
		return fmt.Errorf("extrap of alpha can be %q or %q, not %q", Chord, Hold, Smooth)
	}
	return nil
}

// reach is [weights] for any v, also outside the axis. For a Smooth continuation, which the caller still has to apply,
// beyond is the distance of v from the edge. Otherwise the weights include the continuation, and beyond is 0.
func reach(kind Interp, how Continuation, axis []float64, v float64, w,
	dw *[4]float64) (first, points int, beyond float64) {
	edge := numeric.Clamp(v, axis)
	if edge == v || len(axis) == 1 {
		first, points = weights(kind, axis, edge, w, dw)
		return first, points, 0
	}
	switch how {
	case Chord:
		first, points = weights(Linear, axis, v, w, dw)
		return first, points, 0
	case Hold:
		first, points = weights(kind, axis, edge, w, dw)
		*dw = [4]float64{}
		return first, points, 0
	}
	first, points = weights(kind, axis, edge, w, dw)
	return first, points, v - edge
}
