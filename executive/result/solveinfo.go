package result

// SolveInfo reports the work of a solve and its last residual.
type SolveInfo struct {
	Iterations  int     `json:"iterations"`
	Evaluations int     `json:"evaluations"`
	Residual    float64 `json:"residual"`
	Worst       string  `json:"worst"`
	Steps       int     `json:"steps,omitempty"` // of a continuation, if one was needed
}

// Add adds the work of a further solve, and takes its residual.
func (s *SolveInfo) Add(t SolveInfo) {
	s.Iterations += t.Iterations
	s.Evaluations += t.Evaluations
	s.Steps += t.Steps
	s.Residual, s.Worst = t.Residual, t.Worst
}
