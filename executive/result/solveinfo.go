package result

// SolveInfo tells how a solve went; it goes into the results.
type SolveInfo struct {
	Iterations  int     `json:"iterations"`
	Evaluations int     `json:"evaluations"`
	Residual    float64 `json:"residual"`
	Worst       string  `json:"worst"`
	Steps       int     `json:"steps,omitempty"` // of a continuation, if one was needed
}

func (s *SolveInfo) Add(t SolveInfo) {
	s.Iterations += t.Iterations
	s.Evaluations += t.Evaluations
	s.Steps += t.Steps
	s.Residual, s.Worst = t.Residual, t.Worst
}
