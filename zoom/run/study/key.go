package study

// The cache key of a job.

import (
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// Key returns the hash of all that a job's answer depends on: the solver (see
// launch.Program), the protocol's version, the values of the request, Job.Key, the key of Job.Neighbour and Rules.
// The values are not rounded: 1.0000000001 is another point than 1.
func (s *Study) Key(j run.Job) (cache.Key, error) { return s.key(j, nil) }

// key is Key under the rules of a task; nil: the present ones.
func (s *Study) key(j run.Job, rules *run.Judged) (cache.Key, error) {
	of := map[string]any{"beyond": j.Key, "numbers": j.Request.Numbers, "arrays": j.Request.Arrays,
		"texts": j.Request.Texts}
	if j.Neighbour != nil {
		from, err := s.key(j.Neighbour.Job, j.Neighbour.Judged)
		if err != nil {
			return from, err
		}
		of["neighbour"] = from.String()
	}
	key, err := s.keyOf(of, rules)
	var programError *launch.ProgramError
	if err != nil && !errors.As(err, &programError) {
		err = fmt.Errorf("job %s: %w", j.Name, err)
	}
	return key, err
}

// keyOf is the key of a thing among solvers, rules and versions of the protocol.
func (s *Study) keyOf(of map[string]any, rules *run.Judged) (cache.Key, error) {
	who, err := attempt.Identity(s.Pool.Program)
	if err != nil {
		return cache.Key{}, err
	}
	if rules == nil {
		rules = run.JudgedNow(s.Rules)
	}
	of["solver"], of["protocol"], of["rules"] = who, plugin.AnswerVersion, rules.Identity()
	return cache.NewKey(of)
}
