package run

// A study asks for points; what the cache has is not run again. Two processes
// that study the same engine share the work: whoever comes first to a point
// runs it, the other takes what it left.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// Study evaluates jobs with a pool behind a cache.
type Study struct {
	Pool  *Pool
	Cache *cache.Cache // nil: everything is run

	// Rules is what the verdicts of Pool.Monitor depend on; it becomes part of
	// the key. If it is nil, a run that the monitor stopped is not kept.
	Rules any
}

// lasting are the classes that the same solver will give the same request
// again. The others are accidents, and worth another try.
var lasting = []event.Class{event.Converged, event.NotConverged, event.Diverged, event.Unphysical, event.Stalled}

// entry is what the cache keeps of a run, as JSON: Go writes a float64 so that
// it reads back to the last bit.
type entry struct {
	Format int `json:"format"` // of what follows; 0: 1, before it was written
	plugin.Result
	Solver   string        `json:"solver"`
	Fidelity string        `json:"fidelity"`
	Study    string        `json:"study"`
	Run      string        `json:"run"`
	Folder   string        `json:"folder"`
	Wall     time.Duration `json:"wall_ns"`
	Halted   bool          `json:"halted,omitempty"`
}

// entryFormat is the version of cache entries that this program writes.
const entryFormat = 1

// EntryError reports a cache entry that a newer program wrote.
type EntryError struct {
	Key    string
	Format int
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("cache entry %.12s has format %d and this program reads up to %d: use the newer Peregrine that wrote it, or another cache (--cache)", e.Key, e.Format, entryFormat)
}

// Key is the hash of what a job's answer depends on: who computes it (see
// launch.Program), the protocol's version, the values of the request as given, the job's own Key, and
// Rules. Round before you ask: 1.0000000001 is another point than 1.
func (s *Study) Key(j Job) (cache.Key, error) {
	who, err := identity(s.Pool.Program)
	if err != nil {
		return cache.Key{}, err
	}
	key, err := cache.NewKey(map[string]any{
		"solver": who, "protocol": plugin.ProtocolVersion, "rules": s.Rules, "beyond": j.Key,
		"numbers": j.Request.Numbers, "arrays": j.Request.Arrays, "texts": j.Request.Texts,
	})
	if err != nil {
		return key, fmt.Errorf("job %s: %w", j.Name, err)
	}
	return key, nil
}

// Evaluate returns an outcome for each job, in their order, from the cache or
// from a run; Outcome.Cached says which. Errors are those of Pool.Run and those of
// the cache's folder.
func (s *Study) Evaluate(ctx context.Context, jobs []Job) ([]Outcome, error) {
	if s.Cache == nil {
		return s.Pool.Run(ctx, jobs)
	}
	s.Pool.plan(jobs)
	// First what nobody else works on; then wait for the others.
	out, err := s.Pool.each(ctx, jobs, func(ctx context.Context, j Job) (Outcome, error) { return s.one(ctx, j, false) })
	if err != nil {
		return out, err
	}
	var late []int
	var rest []Job
	for i := range out {
		if errors.Is(out[i].Err, errElsewhere) {
			late, rest = append(late, i), append(rest, jobs[i])
		}
	}
	if len(rest) == 0 {
		return out, nil
	}
	more, err := s.Pool.each(ctx, rest, func(ctx context.Context, j Job) (Outcome, error) { return s.one(ctx, j, true) })
	for k, i := range late {
		out[i] = more[k]
	}
	return out, err
}

var errElsewhere = errors.New("another process runs this point")

// one gets the outcome of one job. If another process works on it, one waits
// for that or gives back errElsewhere.
func (s *Study) one(ctx context.Context, j Job, wait bool) (Outcome, error) {
	none := Outcome{Job: j, Class: NotRun}
	key, err := s.Key(j)
	if err != nil {
		none.Err = err
		var program *launch.ProgramError
		if errors.As(err, &program) {
			return none, &AbortError{Job: j.Name, Err: err}
		}
		return none, nil // a request that JSON cannot hold, with NaN for instance
	}
	j.key = key.String()
	if o, ok, err := s.lookup(key, j); ok || err != nil {
		return o, err
	}
	patience := ctx
	if !wait {
		var cancel context.CancelFunc
		patience, cancel = context.WithCancel(ctx)
		cancel() // Lock tries once
	}
	unlock, err := s.Cache.Lock(patience, key)
	switch {
	case err != nil && ctx.Err() != nil:
		none.Err = errRefused
		return none, nil
	case errors.Is(err, context.Canceled):
		none.Err = errElsewhere
		return none, nil
	case err != nil:
		none.Err = err
		return none, err
	}
	defer unlock()
	if o, ok, err := s.lookup(key, j); ok || err != nil { // made while we waited
		return o, err
	}
	o, err := s.Pool.perform(ctx, j)
	s.keep(key, o)
	return o, err
}

// lookup returns what the cache has. What it cannot read it reports, and the
// point is run again; an entry of a newer program ends the study, which must not overwrite it.
func (s *Study) lookup(key cache.Key, j Job) (Outcome, bool, error) {
	data, ok, err := s.Cache.Get(key)
	if err != nil {
		s.warn(j, err)
	}
	if !ok {
		return Outcome{}, false, nil
	}
	var e entry
	if err := json.Unmarshal(data, &e); err != nil {
		s.warn(j, fmt.Errorf("cache entry %.12s: %w", key, err))
		return Outcome{}, false, nil
	}
	if e.Format > entryFormat {
		err := &EntryError{key.String(), e.Format}
		return Outcome{Job: j, Class: NotRun, Err: err}, false, err
	}
	o := Outcome{
		Job: j, Class: e.Class, Result: e.Result, Solver: e.Solver, Fidelity: e.Fidelity,
		Run: e.Run, Folder: e.Folder, Cached: true, Halted: e.Halted, Wall: e.Wall,
	}
	if !o.OK() {
		o.Err = &RunError{Run: e.Run, Folder: e.Folder, Class: e.Class, Reason: e.Message + " (from the cache)"}
	}
	s.Pool.Logger.Debug("from the cache", "job", j.Name, "key", key.String(), "class", o.Class)
	s.Pool.report(j, event.Event{Kind: event.Ended, Class: o.Class, Cached: true, Folder: o.Folder})
	return o, true, nil
}

// keep stores an outcome that would come again. A cache that cannot be written
// costs time, not answers.
func (s *Study) keep(key cache.Key, o Outcome) {
	if !slices.Contains(lasting, o.Class) || o.Halted && s.Rules == nil {
		return
	}
	data, err := json.Marshal(entry{
		Format: entryFormat, Result: o.Result, Solver: o.Solver, Fidelity: o.Fidelity, Study: s.Pool.Study,
		Run: o.Run, Folder: o.Folder, Wall: o.Wall, Halted: o.Halted,
	})
	if err == nil {
		err = s.Cache.Put(key, data)
	}
	if err != nil {
		s.warn(o.Job, err)
	}
}

func (s *Study) warn(j Job, err error) {
	s.Pool.report(j, event.Event{Kind: event.Warning, Text: err.Error()})
}
