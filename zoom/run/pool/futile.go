package pool

// Retries that are left out. A hang of all runs of a study would otherwise cost each run its time limit twice.

import (
	"sync"

	"github.com/peregrine-sim/peregrine/zoom/run"
)

// retries are the causes by which the last retry of a run failed, too.
type retries struct {
	mu     sync.Mutex
	causes map[string]*lastRetry
}

type lastRetry struct {
	run      string
	reported bool // that further retries are left out
}

// failed records a run that has failed so many times, of which the last is final.
func (r *retries) failed(o *run.Outcome, times int) {
	if times < 2 || !o.SolverFailed() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if cause := run.Cause(o.Class, o.Reason()); r.causes[cause] == nil {
		r.causes = run.With(r.causes, cause, &lastRetry{run: o.Run})
	}
}

// vain returns the earlier run whose last retry failed by the same cause as a run; empty: none. It reports whether the
// cause is found for the first time.
func (r *retries) vain(o *run.Outcome) (earlier string, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.causes[run.Cause(o.Class, o.Reason())]
	if last == nil {
		return "", false
	}
	first, last.reported = !last.reported, true
	return last.run, first
}
