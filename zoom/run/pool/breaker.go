package pool

// A circuit breaker for retries: a hang of all runs of a study would otherwise cost each run its time limit twice.

import (
	"sync"

	"github.com/peregrine-sim/peregrine/zoom/run"
)

// breaker records the causes by which the last retry of a run failed, too. It opens for these causes.
type breaker struct {
	mu     sync.Mutex
	causes map[string]*lastRetry
}

type lastRetry struct {
	run      string
	reported bool // that further retries are left out
}

// failed records a run that has failed so many times, of which the last is final.
func (b *breaker) failed(o *run.Outcome, times int) {
	if times < 2 || !o.SolverFailed() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if cause := run.Cause(o.Class, o.Reason()); b.causes[cause] == nil {
		b.causes = run.With(b.causes, cause, &lastRetry{run: o.Run})
	}
}

// open returns the earlier run whose last retry failed by the same cause as a run; empty: none. It reports whether the
// cause is found for the first time.
func (b *breaker) open(o *run.Outcome) (earlier string, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.causes[run.Cause(o.Class, o.Reason())]
	if last == nil {
		return "", false
	}
	first, last.reported = !last.reported, true
	return last.run, first
}
