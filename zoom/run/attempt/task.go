package attempt

import (
	"context"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
)

// Task is a job with the information added on its way to a run. Study and pool evaluate it in layers: each layer
// answers it or passes it to the next.
type Task struct {
	run.Job
	CacheKey string      // of its answer, for the run's record; empty: none
	Judged   *run.Judged // the rules when it was looked up; nil: none
	GoOn     string      // path of the solution from which the run continues; empty: none
	// the acts on which that solution depends, the last of the verb GoOnVerb; the run is marked with them
	GoOnActs []event.Receipt
	// the checkpoint of another attempt at which the next attempt begins; nil: it begins at its beginning
	Start  *branch.Start
	Branch *branch.Branch // the branch that the task makes; nil: it is no branch
}

// GoOnVerb is the verb of the act that marks a run that continues from a steered run: its name, and, as object, the key
// of its answer.
const GoOnVerb = "go_on"

// Evaluator returns the outcome of a task. The error is why the study ends.
type Evaluator func(context.Context, Task) (run.Outcome, error)
