package pool

// The branches of a pool's runs: requested and ended.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
)

// Branched is a branch that is over.
type Branched struct {
	Outcome    run.Outcome
	Parent     string // name of the parent run
	Checkpoint string // of that
	Iteration  int64  // of the checkpoint
	Root       string // the job of the point
	StandsIn   bool   // its answer counts for the point, which has no other answer

	Point *run.Outcome // of the point's job; nil: this process has none
}

// Name returns the name of its run, or of its job if no run was made.
func (b *Branched) Name() string { return cmp.Or(b.Outcome.Run, b.Outcome.Job.Name) }

// BranchBook records the branches of a pool's runs.
type BranchBook struct {
	live   *live.Settings
	study  string // folder
	report func(run.Job, event.Event) *event.Ref

	mu       sync.Mutex
	wanted   map[string]run.Job // all jobs requested of the pool, by name
	branches []string           // names of those that were taken, in the order in which they were requested
	over     []Branched         // in the same order
}

// know records jobs requested of the pool.
func (k *BranchBook) know(jobs []run.Job) {
	k.mu.Lock()
	if k.wanted == nil {
		k.wanted = map[string]run.Job{}
	}
	for _, j := range jobs {
		k.wanted[j.Name] = j
	}
	k.mu.Unlock()
	k.live.Know(jobs)
}

// Requested returns the job of a name as it was requested of the pool; false: it was not.
func (k *BranchBook) Requested(name string) (run.Job, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	j, ok := k.wanted[name]
	return j, ok
}

// tasks returns the requested branches that are not made yet.
func (k *BranchBook) tasks() (tasks []attempt.Task) {
	taken := k.live.Take(func(job string) bool {
		_, ok := k.Requested(job)
		return ok
	})
	for _, b := range taken {
		k.take(b)
		root, _ := k.Requested(b.Root)
		j := run.Job{Name: b.Name, Component: root.Component}
		start, request, err := b.Begin(k.study)
		if o, over := k.recorded(j, b, start); over {
			k.end(b, o)
			continue
		}
		if err != nil {
			o := run.NewOutcome(j, run.NotRun, err)
			o.Ended = k.report(j,
				event.Event{
					Kind: event.Warning, Text: fmt.Sprintf("branch %s of run %s is not made: %v", b.Name, b.Run, err),
				})
			k.end(b, o)
			continue
		}
		j.Request = request
		j.Planned = k.report(j, event.Event{Kind: event.Planned, Name: j.Name,
			Text: fmt.Sprintf("a branch of %s from its checkpoint %s at iteration %d", b.Run, b.Checkpoint, b.At)})
		tasks = append(tasks, attempt.Task{Job: j, Start: start, Branch: b})
	}
	return tasks
}

func (k *BranchBook) take(b *branch.Branch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.branches = append(k.branches, b.Name)
}

// recorded reads the outcome of an ended branch from its folder. start is the checkpoint where it began; nil: it was
// removed.
func (k *BranchBook) recorded(j run.Job, b *branch.Branch, start *branch.Start) (run.Outcome, bool) {
	folder, end, ok := b.Recorded(k.study)
	if !ok {
		return run.NewOutcome(j, event.Lost, fmt.Errorf(
			"branch %s ended %s in an earlier session, and its folder was removed", b.Name, b.Ended)), b.Ended != ""
	}
	o := run.Outcome{Job: j, Answer: run.AnswerOf(end, folder), Cached: true, Steered: end.Steered}
	if end.WrittenBy == event.Plugin && start != nil { // the plugin knows only the acts on the branch itself
		events, _ := event.Read(filepath.Join(folder, plugin.EventsFile)) // damaged lines are left out
		o.Steered = start.Steered(branch.AnswerActs(events))
	}
	if !o.OK() {
		o.Err = o.Failure(end.Message, nil)
	}
	return o, true
}

// end adds the outcome of a branch that is over.
func (k *BranchBook) end(b *branch.Branch, o run.Outcome) {
	if err := k.live.End(b, o.Class); err != nil {
		k.report(o.Job,
			event.Event{
				Kind: event.Warning, Text: fmt.Sprintf("branch %s is over, which the study's folder does not say: %v",
					b.Name, err),
			})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = append(k.over, Branched{Outcome: o, Parent: b.Run, Checkpoint: b.Checkpoint, Iteration: b.At,
		Root: b.Root})
	requested := func(b Branched) int { return slices.Index(k.branches, b.Outcome.Job.Name) }
	slices.SortFunc(k.over, func(a, b Branched) int { return requested(a) - requested(b) })
}

// list returns the branches that are over.
func (k *BranchBook) list() []Branched {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.over)
}

// StandIns returns the converged branch of each job that was requested first, without branches that already stand in
// for their job.
func (k *BranchBook) StandIns() (list []Branched) {
	for _, b := range k.list() {
		if b.Outcome.OK() && !slices.ContainsFunc(list, func(o Branched) bool { return o.Root == b.Root }) {
			list = append(list, b)
		}
	}
	return slices.DeleteFunc(list, func(b Branched) bool { return b.StandsIn })
}

// StandsIn records that a branch stands in for its point.
func (k *BranchBook) StandsIn(b Branched) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.over {
		if k.over[i].Outcome.Job.Name == b.Outcome.Job.Name {
			k.over[i].StandsIn = true
		}
	}
}
