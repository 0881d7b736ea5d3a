package throughflow

import (
	"context"
	"io"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
	"github.com/peregrine-sim/peregrine/internal/clock"
)

// RunIn is Run with files in the folder dir; see [march.RunIn].
func (s *Solver) RunIn(ctx context.Context, dir string, observe func(march.Progress) march.Command) (*Result, error) {
	var r *Result
	err := march.RunIn(dir, "throughflow", s, observe, clock.Real, func(observe func(march.Progress) march.Command) (march.Ending, error) {
		var err error
		r, err = s.Run(ctx, observe)
		return r.Ending(), err
	})
	return r, err
}

// Settings returns the settings of the run, defaults filled in. CFL, Tolerance and
// MaxIterations may be changed from Run's observer.
func (s *Solver) Settings() *Settings { return &s.c.Settings }

// SaveSolution writes what a later run can start from.
func (s *Solver) SaveSolution(w io.Writer) error { return s.Solution().Save(w) }
