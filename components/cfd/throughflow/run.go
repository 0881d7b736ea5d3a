package throughflow

import (
	"context"
	"io"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
)

// What marching solvers share; see there.
type (
	Gas        = march.Gas
	Inlet      = march.Inlet
	Exit       = march.Exit
	Place      = march.Place
	InputError = march.InputError
	Command    = march.Command
	Progress   = march.Progress
	Status     = march.Status
	Station    = march.Station
)

const (
	Hub    = march.Hub
	Mid    = march.Mid
	Casing = march.Casing

	Continue = march.Continue
	Stop     = march.Stop

	Converged    = march.Converged
	NotConverged = march.NotConverged
	Diverged     = march.Diverged
	Stalled      = march.Stalled
	Stopped      = march.Stopped
)

// Names of the files that RunIn writes.
const (
	HistoryFile  = march.HistoryFile
	GridFile     = march.GridFile
	FlowFile     = march.FlowFile
	SolutionFile = march.SolutionFile
)

// RunIn is Run with files in the folder dir; see [march.RunIn].
func (s *Solver) RunIn(ctx context.Context, dir string, observe func(Progress) Command) (*Result, error) {
	var r *Result
	err := march.RunIn(dir, "throughflow", s, observe, func(observe func(Progress) Command) (march.Ending, error) {
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
