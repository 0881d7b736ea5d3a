// Package study evaluates jobs with a pool of runs behind a cache, so that no request is run twice. Package run draws
// the road of a request.
package study

// The settings of a study. File evaluate.go decides which jobs it runs and which it takes from its cache.

import (
	"time"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

// Study evaluates jobs with a pool behind a cache.
type Study struct {
	Pool  *pool.Pool
	Cache *cache.Cache // nil: all jobs are run

	// Description is the solver's description; without it no run starts from the solution of another.
	Description plugin.Description

	// Rules are the rules of Pool.Monitor. The outcomes depend on them, so they are part of the key. If Rules is nil, a
	// run that the monitor stopped is not cached.
	Rules run.Rules

	// Verify makes one run in fifty twice, to find a solver that answers the same request differently.
	Verify bool

	// Known returns the keys of a component's group that were in the cache when the study began. At the start of a
	// study it is called with the keys in the cache, and returns these. If it is nil, an answer of another study counts
	// only for its own request.
	Known func(component, group string, there []string) []string

	// Match is the relative difference of inputs up to which the answer to another request counts. It must have been in
	// the cache when the study began (Known). Settings and texts must be the same. 0: only the same request.
	Match float64

	// Remember is how long a request that failed twice by one cause, of the solver's own, is not run again; 0: it is.
	Remember time.Duration

	// Foresee, if set, makes Evaluate plan only: it gets the outcomes of each batch of jobs, of class NotRun where a
	// job would be run.
	Foresee func([]run.Outcome)

	checked checked
	near    nearRead
}

// Live returns the settings that may change; nil: none.
func (s *Study) Live() *live.Settings {
	if s == nil || s.Pool == nil {
		return nil
	}
	return s.Pool.Live
}

func (s *Study) warn(j run.Job, err error) {
	s.Pool.Report(j, event.Event{Kind: event.Warning, Text: err.Error()})
}
