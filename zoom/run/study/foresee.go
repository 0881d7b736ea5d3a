package study

// The plan of a study, without runs.

import (
	"errors"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// ErrForeseen ends a plan at jobs that would be run.
var ErrForeseen = errors.New("the next runs depend on the answers of these")

// foresee is Evaluate of a study that only plans. It gives Foresee each batch, with the outcomes of the jobs whose
// answers need no run, and fails with ErrForeseen unless these are all.
func (s *Study) foresee(jobs []run.Job) ([]run.Outcome, error) {
	s.Pool.SetDefaults()
	out := make([]run.Outcome, len(jobs))
	var err error
	for i, j := range jobs {
		var ok bool
		if out[i], ok = s.answer(j); !ok {
			err = ErrForeseen
		}
	}
	s.Foresee(out)
	return out, err
}

// answer returns the outcome of a job whose answer is in the cache; false: it is not, and the outcome has only its key.
// A job whose key cannot be found is not known, nor are failures that are remembered: they depend on the machine of the
// runs.
func (s *Study) answer(j run.Job) (run.Outcome, bool) {
	t := attempt.Task{Job: j, Judged: run.JudgedNow(s.Rules)}
	key, err := s.key(j, t.Judged)
	missing := run.NewOutcome(j, run.NotRun, nil)
	if err == nil {
		missing.Key = key.String()
	}
	if s.Cache == nil || err != nil {
		return missing, false
	}
	stored := func(key cache.Key, t attempt.Task) (run.Outcome, bool, error) { return s.found(key, t, false) }
	for _, find := range []source{stored, s.tolerated} {
		if o, ok, err := find(key, t); ok && err == nil {
			s.leave(t, &o)
			return o, true
		}
	}
	return missing, false
}
