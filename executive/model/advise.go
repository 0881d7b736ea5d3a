package model

import "errors"

// Advise describes a failed solve in one line, with what to change.
func Advise(err error) string {
	msg := err.Error()
	var se *SolveError
	if errors.As(err, &se) {
		msg = se.Error()
		switch {
		case len(se.Bounds) > 0:
			msg += "; the target lies beyond that bound: ask for less, or widen it"
		case len(se.Edges) > 0:
			msg += "; ask for a point nearer to the design, or extend the map"
		}
	}
	return msg
}
