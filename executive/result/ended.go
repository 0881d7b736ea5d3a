package result

import "slices"

// Ended is when and why a transient ended early. The history up to that time is kept.
type Ended struct {
	T float64 `json:"t"` // s
	// "surge": a stall line was passed; "flame-out"; "standstill": a shaft stops; "no solution"; "step": the
	// integrator's steps fail; "interrupted"; "checkpoint": it could not be saved
	Reason string `json:"why"`
}

// Interrupted reports whether the user stopped the transient.
func (r *Result) Interrupted() bool { return r.Ended != nil && r.Ended.Reason == "interrupted" }

// FlameWentOut reports whether the flame of a burner went out in a transient.
func (r *Result) FlameWentOut(burner string) bool {
	return slices.ContainsFunc(r.TransientWarnings,
		func(w Warning) bool { return w.Rule == "flame_out" && w.Component == burner })
}
