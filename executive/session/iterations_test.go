package session

import (
	"testing"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// The limit of Newton's iterations holds from the next solve on, and is taken back. A case that is not solved within
// it is reached by steps.
func TestIterationLimit(t *testing.T) {
	s := must.Value(Open(t.Context(), enginetest.Moving(t, enginetest.Example("turbojet.yaml"))))(t)
	limit := 0
	s.Iterations = func() int { return limit }
	name := s.Engine.Cases[0].Name
	var steps []int
	for _, limit = range []int{0, 1, 0} {
		r := must.Value(s.Solve(t.Context(), []string{name}, 1))(t)
		steps = append(steps, r[0].Solver.Steps)
	}
	if steps[1] <= steps[0] || steps[2] != steps[0] {
		t.Errorf("steps to %s without a limit, with one, and without: %v", name, steps)
	}
}
