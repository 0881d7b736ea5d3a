package throughflow

import (
	"context"
	"io"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// RunIn is Run with files in the folder dir; see [march.RunIn].
func (s *Solver) RunIn(ctx context.Context, dir string, observe func(march.Progress) march.Reply) (*Result, error) {
	return march.RunIn(ctx, dir, solverName, s, observe, clock.Real)
}

// SaveSolution writes a solution from which a later run can start.
func (s *Solver) SaveSolution(w io.Writer) error { return s.Solution().Save(w) }

// Steering implements [march.Solver].
func (s *Solver) Steering() *march.Steering { return &s.steering }
