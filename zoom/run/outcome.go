package run

// What goes into a pool and what comes out: a Job is a point that somebody
// wants, an Outcome is what became of it, good or bad.

import (
	"errors"
	"fmt"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// NotRun is the class of a job that no solver worked on: its request was
// refused, or the study ended before its turn.
const NotRun event.Class = "not_run"

// Job is one point to be computed.
type Job struct {
	Name      string         // names the run and its folder: letters, digits, - _ . +
	Request   plugin.Request // Study, Run and Folder are filled in
	Component string         // of the engine; places share the cores among components, and events name it
	Key       any            // what the answer depends on beyond the values of the request, such as the hash of a file that it names

	key string // of the cache; empty: none
}

// Outcome is what became of a job.
type Outcome struct {
	Job      Job
	Class    event.Class
	Result   plugin.Result // values only if the class is the solver's own; finite ones
	Solver   string        // name and version
	Fidelity string
	Run      string // name of the last attempt
	Folder   string // its run folder
	Attempts int    // 0: not run here, but from the cache or not at all
	Cached   bool
	Stopped  bool          // its solver was asked to stop, as by `runs stop`, and did
	Halted   bool          // the monitor stopped it
	Err      error         // why there is no answer; nil if the class is converged
	Wall     time.Duration // of the last attempt, with start and stop of its process

	cause *event.Ref // the event that led to its end; nil: the run itself
}

// OK reports whether the outcome is an answer.
func (o *Outcome) OK() bool { return o.Class == event.Converged }

// RunError tells how a run failed.
type RunError struct {
	Run    string
	Folder string
	Class  event.Class
	Reason string
	Err    error // may be nil
}

func (e *RunError) Error() string {
	return fmt.Sprintf("run %s: %s: %s; see %s", e.Run, e.Class, e.Reason, e.Folder)
}

func (e *RunError) Unwrap() error { return e.Err }

// AbortError ends a study: a class of failure whose policy is Abort, or a solver that
// cannot be started.
type AbortError struct {
	Job string
	Err error
}

func (e *AbortError) Error() string {
	return fmt.Sprintf("the study ends with job %s: %v", e.Job, e.Err)
}
func (e *AbortError) Unwrap() error { return e.Err }

var errRefused = errors.New("not run: the study had ended")
