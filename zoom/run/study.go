package run

// A study looks its jobs up in a cache and runs only those that the cache lacks. Two
// processes that study the same engine share the work: the first to lock a key runs the
// job, the other takes the answer from the cache.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Study evaluates jobs with a pool behind a cache.
type Study struct {
	Pool  *Pool
	Cache *cache.Cache // nil: all jobs are run

	// Description is what the solver says of itself; without it no run starts from the solution of another.
	Description plugin.Description

	// Rules are those of Pool.Monitor, on which the outcomes depend; they are part
	// of the key. If it is nil, a run that the monitor stopped is not cached.
	Rules Rules

	// Verify makes one run in fifty twice, to find a solver that answers the same request differently.
	Verify bool

	// Known lists the answers of a component's group, by keys, that stood in the cache when the study began. It gets
	// those that do now, which are they where the study begins. If it is nil, no answer of another study counts but
	// for the request that it answers.
	Known func(component, group string, there []string) []string

	// Match is the relative difference of inputs up to which the answer to another request counts, one of those that
	// stood in the cache when the study began (Known). Settings and texts must be the same. 0: only the same request.
	Match float64

	nearMu   sync.Mutex
	nearRead map[cache.Key][]knownNote // by group, as far as it was asked for
}

// Course is that of the study; nil: there is none.
func (s *Study) Course() *Course {
	if s == nil || s.Pool == nil {
		return nil
	}
	return s.Pool.Course
}

// Key returns the hash of all that a job's answer depends on: the solver (see
// launch.Program), the protocol's version, the values of the request, Job.Key, the key of Job.Neighbour and Rules.
// The values are not rounded: 1.0000000001 is another point than 1.
func (s *Study) Key(j Job) (cache.Key, error) {
	who, err := identity(s.Pool.Program)
	if err != nil {
		return cache.Key{}, err
	}
	of := map[string]any{
		"solver": who, "protocol": plugin.ProtocolVersion, "rules": j.rules.identity(s.Rules), "beyond": j.Key,
		"numbers": j.Request.Numbers, "arrays": j.Request.Arrays, "texts": j.Request.Texts,
	}
	if j.Neighbour != nil {
		from, err := s.Key(j.Neighbour.job)
		if err != nil {
			return from, err
		}
		of["neighbour"] = from.String()
	}
	key, err := cache.NewKey(of)
	if err != nil {
		return key, fmt.Errorf("job %s: %w", j.Name, err)
	}
	return key, nil
}

// evaluateAll is Evaluate without the runs that start from others of the batch.
func (s *Study) evaluateAll(ctx context.Context, jobs []Job) ([]Outcome, error) {
	if s.Cache == nil {
		return s.Pool.runAll(ctx, jobs, s.make)
	}
	w := waiting{study: s, timers: map[cache.Key]*clock.Timer{}}
	defer w.end()
	// First the jobs that no other process runs; then the others in turn, of which none waits for another.
	out, err := s.Pool.runAll(ctx, jobs,
		func(ctx context.Context, j Job) (Outcome, error) { return s.evaluate(ctx, j, 0, &w) })
	for err == nil {
		var late []int
		var rest []Job
		for i := range out {
			if errors.Is(out[i].Err, errElsewhere) {
				late, rest = append(late, i), append(rest, out[i].Job) // perhaps with another request than at first
			}
		}
		if len(rest) == 0 {
			break
		}
		var more []Outcome
		more, err = s.Pool.runAll(ctx, rest,
			func(ctx context.Context, j Job) (Outcome, error) { return s.evaluate(ctx, j, turn, &w) })
		for k, i := range late {
			out[i] = more[k]
		}
	}
	for i := range out {
		if errors.Is(out[i].Err, errElsewhere) {
			out[i].Err = errStudyEnded
		}
	}
	return out, err
}

var errElsewhere = errors.New("another process runs this point")

// turn is how long one point is waited for before the next one has its turn.
const turn = 200 * time.Millisecond

// evaluate returns the outcome of one job. If another process runs it, evaluate waits for that
// process for a while, and then returns errElsewhere in the outcome.
func (s *Study) evaluate(ctx context.Context, j Job, wait time.Duration, w *waiting) (Outcome, error) {
	j.rules = now(s.Rules)
	if j.branch != nil {
		return s.makeBranch(ctx, j)
	}
	notRun := Outcome{Job: j, Class: NotRun}
	key, err := s.Key(j)
	if err != nil {
		notRun.Err = err
		var programError *launch.ProgramError
		if errors.As(err, &programError) {
			return notRun, &AbortError{Job: j.Name, Err: err}
		}
		return notRun, nil // the request cannot be written as JSON: it has a NaN, for instance
	}
	j.key = key.String()
	if o, ok := s.standing(key, j); ok {
		return o, nil
	}
	if o, ok, err := s.lookup(key, j); ok || err != nil {
		return o, err
	}
	if o, ok := s.near(j); ok {
		return o, nil
	}
	lockCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	if wait == 0 {
		cancel() // Lock tries once
	} else {
		defer s.Pool.clock.AfterFunc(wait, cancel).Stop()
	}
	unlock, err := s.Cache.Lock(lockCtx, key)
	switch {
	case err != nil && ctx.Err() != nil:
		notRun.Err = errStudyEnded
		return notRun, nil
	case errors.Is(err, context.Canceled):
		w.begin(key, j)
		notRun.Err = errElsewhere
		return notRun, nil
	case err != nil:
		notRun.Err = err
		return notRun, err
	}
	defer unlock()
	if o, ok, err := s.lookup(key, j); ok || err != nil { // run by another process meanwhile
		return o, err
	}
	o, err := s.make(ctx, j)
	switch {
	case !s.keeps(&o):
	case len(o.Steered) > 0:
		if failed := s.keepSteered(key, &o); failed != nil {
			s.warn(j, failed)
		}
	default:
		o.Key = key.String()
		s.keep(key, o)
	}
	return o, err
}

// lookup returns the outcome that the cache has, if any. A damaged entry is reported by a
// warning and the job is run; an entry of a newer program is an error that ends the study,
// which must not overwrite it.
func (s *Study) lookup(key cache.Key, j Job) (Outcome, bool, error) {
	o, ok, err := s.found(key, j)
	if ok {
		s.reportFound(key, &o)
	}
	return o, ok, err
}

// found is lookup without the report of what it found.
func (s *Study) found(key cache.Key, j Job) (Outcome, bool, error) {
	data, ok, err := s.Cache.Get(key)
	if err != nil {
		s.warn(j, err)
	}
	if !ok {
		return Outcome{}, false, nil
	}
	o, err := s.outcome(data, key, j)
	var newer *EntryError
	if errors.As(err, &newer) {
		return Outcome{Job: j, Class: NotRun, Err: err}, false, err
	}
	if err != nil {
		s.warn(j, fmt.Errorf("cache entry %.12s: %w", key, err))
		return Outcome{}, false, nil
	}
	if !o.OK() {
		o.Err = &RunError{Run: o.Run, Folder: o.Folder, Class: o.Class, Reason: o.Result.Message + " (from the cache)"}
		o.next = s.Pool.Policy.change(j, o.Class, s.Description)
	}
	return o, true, nil
}

// reportFound reports an outcome of the cache as the end of its job.
func (s *Study) reportFound(key cache.Key, o *Outcome) {
	s.Pool.Logger.Debug("from the cache", "job", o.Job.Name, "key", key.String(), "class", o.Class)
	o.Ended = s.Pool.report(o.Job, event.Event{Kind: event.Ended, Class: o.Class, Cached: true, Folder: o.Folder,
		Text: nearText(o.Job.near), Follows: o.next != nil})
}

// outcome is that of a job by a cache entry. The error is an *EntryError if a newer program wrote it.
func (s *Study) outcome(data []byte, key cache.Key, j Job) (Outcome, error) {
	e, err := ReadAnswer(key, data)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{
		Attempts: j.tries,
		Job:      j, Class: e.Class, Result: e.Result, Solver: e.Solver, Fidelity: e.Fidelity,
		Run: e.Run, Folder: e.Folder, Cached: true, Key: key.String(), Halted: e.Halted, Wall: e.Wall,
		solution: e.Solution, Unlike: e.Unlike,
	}
	if j.near > 0 {
		return o, nil // nothing starts from another request's solution
	}
	o.Solution = s.solutionOf(j, &o)
	s.noteUnlike(&o)
	s.join(key, j, e.Study)
	if o.OK() {
		s.noteNear(key, j, e.Study)
	}
	return o, nil
}

// keeps reports whether an outcome is for the cache: it is of a repeatable class, and depends on its key alone.
func (s *Study) keeps(o *Outcome) bool {
	return slices.Contains(repeatable, o.Class) && (!o.Halted || s.Rules != nil) && !o.beyond
}

// keep stores an outcome under the key of its request, for requests of its group and near ones, too.
func (s *Study) keep(key cache.Key, o Outcome) {
	s.join(key, o.Job, s.Pool.Study)
	if o.OK() {
		s.noteNear(key, o.Job, s.Pool.Study)
	}
	s.store(key, o)
}

// store stores an outcome. If the cache cannot be written, a warning is recorded and the study goes on.
func (s *Study) store(key cache.Key, o Outcome) {
	data, err := json.Marshal(Answer{
		Format: answerFormat, Result: o.Result, Solver: o.Solver, Fidelity: o.Fidelity, Study: s.Pool.Study,
		Component: o.Job.Component,
		Run:       o.Run, Folder: o.Folder, Wall: o.Wall, Halted: o.Halted, Solution: o.solution, Unlike: o.Unlike,
		Made: s.Pool.clock.Now().UTC().Truncate(time.Second), Host: cmp.Or(o.maker.Machine, hostName()),
		Maker: o.maker, Request: o.Job.Request.Numbers, Steered: o.Steered,
	})
	if err == nil {
		put := s.Cache.PutSoon
		if plugin.Lasting(o.Wall) {
			put = s.Cache.Put
		}
		err = put(key, data)
	}
	if err != nil {
		s.warn(o.Job, err)
	}
}

func (s *Study) warn(j Job, err error) {
	s.Pool.report(j, event.Event{Kind: event.Warning, Text: err.Error()})
}
