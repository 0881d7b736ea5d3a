package attempt

import (
	"context"

	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
)

// Task is a job with what is known of it when it is made. Study and pool evaluate it in layers: each answers it, or has
// the next one do so.
type Task struct {
	run.Job
	CacheKey string         // of its answer, for the run's record; empty: none
	Judged   *run.Judged    // the rules when it was looked up; nil: none
	GoOn     string         // path of a solution from which the run continues; empty: none
	Start    *branch.Start  // the checkpoint of another attempt where the next one begins; nil: at its beginning
	Branch   *branch.Branch // that it is; nil: none
}

// Evaluator returns the outcome of a task. The error is why the study ends.
type Evaluator func(context.Context, Task) (run.Outcome, error)
