package result

// SolveInfo reports the work of a solve and its last residual.
type SolveInfo struct {
	Iterations  int     `json:"iterations"`
	Evaluations int     `json:"evaluations"`
	Residual    float64 `json:"residual"`
	// the equations could not be evaluated where the last solve began: Residual is 0, Worst empty
	Unknown bool   `json:"-"`
	Worst   string `json:"worst"`
	Steps   int    `json:"steps,omitempty"` // of a continuation, if needed
}

// Add adds the work of a further solve, and takes its residual.
func (s *SolveInfo) Add(t SolveInfo) {
	s.Iterations += t.Iterations
	s.Evaluations += t.Evaluations
	s.Steps += t.Steps
	s.Residual, s.Worst, s.Unknown = t.Residual, t.Worst, t.Unknown
}
