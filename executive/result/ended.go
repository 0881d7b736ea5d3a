package result

import "slices"

// Ended tells of a transient that ended before its time. The history up to there
// is kept.
type Ended struct {
	T   float64 `json:"t"`   // s
	Why string  `json:"why"` // "surge": a stall line was passed; "flame-out"; "standstill": a shaft stops; "no solution"; "step": the integrator's steps fail; "interrupted"; "checkpoint": it could not be kept
}

// Interrupted reports whether the user stopped the transient.
func (r *Result) Interrupted() bool { return r.Ended != nil && r.Ended.Why == "interrupted" }

// WentOut tells whether the flame of a burner went out in a transient.
func (r *Result) WentOut(burner string) bool {
	return slices.ContainsFunc(r.Raised, func(w Warning) bool { return w.Rule == "flame_out" && w.Component == burner })
}
