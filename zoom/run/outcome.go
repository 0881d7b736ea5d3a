package run

// The input and output of a pool: a Job is a point to be computed, an Outcome is its answer
// or its failure.

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// NotRun is the class of a job that was not run: its request was refused, or the study
// ended before.
const NotRun event.Class = "not_run"

// repeatable are the classes with which the same request ends every time. They are cached.
// The other classes are accidents, for which a new run is worth its time.
var repeatable = []event.Class{event.Converged, event.NotConverged, event.Diverged, event.Unphysical, event.Stalled}

// answered are the classes of runs by which a solver has not suffered.
var answered = append([]event.Class{NotRun}, repeatable...)

// Job is one point to be computed.
type Job struct {
	Name      string         // names the run and its folder: letters, digits, - _ . +
	Request   plugin.Request // the pool sets Study, Run and Folder
	Component string         // of the engine; package place shares the cores among components, and events name it
	// added to the cache key: what the answer depends on beyond the request, such as the hash of a file
	Key any

	Neighbour *Solution // of an earlier run, from which it starts; part of the cache key; nil: none
	// of a run of the same request with fewer "orders", from which it goes on if it is still there; nil: none
	GoOn *Solution

	Group any   // identifies the requests that differ from this one by Place alone; nil: it has no group
	Place Place // in the group

	Cause *event.Ref // the event that led to the job; may be nil

	// how far its point is from the nearest at which the engine works, in steps of the plan; the nearest are the most
	// urgent
	Remote float64

	near float64 // how far the request is off whose answer counts; 0: it is this one's

	first  *plugin.Request // as it was before a policy changed it; nil: it did not
	taken  []taken         // the policy's steps in force, in the order of the failures
	nearby bool            // it may start from the solution of another run
	waits  bool            // for the others of its batch to end, of which the nearest is to be its neighbour
	tries  int             // that were made before, of other requests

	goOn string // path of that solution; empty: none
	// where the next attempt begins, if somebody has sent it back, or it is a branch; nil: at its beginning
	rewound *rewound
	branch  *branch    // that it is; nil: none
	key     string     // of the cache; empty: none
	rules   *judgedBy  // nil: none
	planned *event.Ref // the event that the job was planned; nil: not recorded
	after   *event.Ref // the end of the try of another request that it follows; nil: none
}

var jobName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)

// checkName checks the name of a job.
func checkName(name string) error {
	if !jobName.MatchString(name) || len(name) > 100 {
		return fmt.Errorf("job %q: a name names a folder: letters, digits and _ . + - , at most 100", name)
	}
	return nil
}

// Place is where a job stands in its group.
type Place struct {
	Inputs map[string]float64 `json:"inputs"`           // in which the group's requests differ
	Orders float64            `json:"orders,omitempty"` // of its request, where they are not the group's; 0: they are
}

// Outcome is the answer of a job, or its failure.
type Outcome struct {
	Job      Job
	Class    event.Class
	Result   plugin.Result // finite values; none unless the solver itself reported the class
	Solver   string        // name and version
	Fidelity string
	Run      string // name of the last attempt
	Folder   string // of the last attempt
	Attempts int    // 0: from the cache, or not run
	Cached   bool
	Stopped  bool          // the solver stopped on command, as by `runs stop`
	Halted   bool          // the monitor stopped it or rejected its answer
	Err      error         // why there is no answer; nil if the class is converged
	Wall     time.Duration // of the last attempt, with start and stop of its process

	Key string // under which the cache keeps the answer; empty: it does not

	// how its answer differs from that of another run of the same request; empty: it does not, as far as is known
	Unlike string

	// what was done to it by command, on which the answer may depend: it is not that of the request alone
	Steered []event.Act

	Solution *Solution // from which others can start; nil: none

	Ended *event.Ref // the event that reported its end; nil: not recorded

	name     string     // of the job as the pool was given it
	next     *Job       // what the policy has follow; nil: nothing
	lostOn   string     // the machine that was lost, or had to be left, under its last attempt; empty: none
	left     bool       // it had to be left
	maker    Maker      // of the last attempt
	solution string     // hash of the solution in the folder; empty: none
	cause    *event.Ref // the event that led to its end; nil: the run ended by itself
	beyond   bool       // it depends on what other runs did
}

// Solution is what an evaluated job left, from which others can start.
type Solution struct {
	job    Job                // as it was wanted
	answer map[string]float64 // its numbers

	mu          sync.Mutex // of the rest, held while it is made once more
	folder, sum string     // of the file
}

// OK reports whether the outcome is an answer.
func (o *Outcome) OK() bool { return o.Class == event.Converged }

// LeftOut is the outcome where its answer is not to count, as of a run that ended without one; by is who says so.
func (o *Outcome) LeftOut(by string) Outcome {
	out := *o
	out.Class, out.Steered = event.BadOutput, nil
	out.Result.Class, out.Result.Message = event.BadOutput, "said to be unusable by command, as "+by
	out.Err = &RunError{Run: o.Run, Folder: o.Folder, Class: out.Class, Reason: out.Result.Message}
	return out
}

// RunError reports a failed run.
type RunError struct {
	Run    string
	Folder string
	Class  event.Class
	Reason string
	Err    error // may be nil
}

func (e *RunError) Error() string {
	text := fmt.Sprintf("run %s: %s: %s", e.Run, e.Class, e.Reason)
	if e.Folder != "" { // it has begun
		text += "; see " + e.Folder
	}
	return text
}

func (e *RunError) Unwrap() error { return e.Err }

// AbortError reports why a study ended early: a failure whose policy is Abort, or a solver
// that cannot be started.
type AbortError struct {
	Job string
	Err error
}

func (e *AbortError) Error() string {
	return fmt.Sprintf("the study ends with job %s: %v", e.Job, e.Err)
}
func (e *AbortError) Unwrap() error { return e.Err }

var errStudyEnded = errors.New("not run: the study had ended")

// Unlike is a run whose answer differs from that of another one of the same request.
type Unlike struct{ Run, What string }
