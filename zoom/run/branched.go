package run

// What a pool does with the branches of its runs.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Branched is a branch that is over.
type Branched struct {
	Outcome    Outcome
	Parent     string // the run that it is a branch of
	Checkpoint string // of that
	Iteration  int64  // of the checkpoint
	Root       string // the job of the point
	StandsIn   bool   // for the point, which has no other answer

	Point *Outcome // of that, as this process has it; nil: it does not
}

// Name is that of its run; of its job if none was made.
func (b *Branched) Name() string { return cmp.Or(b.Outcome.Run, b.Outcome.Job.Name) }

// branchBook is what a pool has of the branches of its runs.
type branchBook struct {
	course *Course
	study  string // folder
	report func(Job, event.Event) *event.Ref

	mu     sync.Mutex
	wanted map[string]Job // all that the pool was asked for, by name
	over   []Branched     // in the order in which they came
}

// know notes what the pool is asked for.
func (k *branchBook) know(jobs []Job) {
	k.mu.Lock()
	if k.wanted == nil {
		k.wanted = map[string]Job{}
	}
	for _, j := range jobs {
		k.wanted[j.Name] = j
	}
	k.mu.Unlock()
	k.course.know(jobs)
}

// asked returns a job as the pool was asked for it; false: it was not.
func (k *branchBook) asked(name string) (Job, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	j, ok := k.wanted[name]
	return j, ok
}

// jobs returns those of the branches of the pool's runs that nobody makes yet.
func (k *branchBook) jobs() (jobs []Job) {
	taken := k.course.take(func(job string) bool {
		_, ok := k.asked(job)
		return ok
	})
	for _, b := range taken {
		root, _ := k.asked(b.Root)
		j := Job{Name: b.Name, Component: root.Component, branch: b}
		start, request, err := b.start(k.study)
		if o, over := k.recorded(j, start); over {
			k.end(b, o)
			continue
		}
		if err != nil {
			o := Outcome{Job: j, Class: NotRun, Err: err}
			o.Ended = k.report(j, event.Event{Kind: event.Warning, Text: fmt.Sprintf("branch %s of run %s is not made: %v", b.Name, b.Run, err)})
			k.end(b, o)
			continue
		}
		j.Request, j.rewound = request, start
		j.planned = k.report(j, event.Event{Kind: event.Planned, Name: j.Name, Text: fmt.Sprintf("a branch of %s from its checkpoint %s at iteration %d", b.Run, b.Checkpoint, b.At)})
		jobs = append(jobs, j)
	}
	return jobs
}

// recorded is the outcome of a branch that is over, as its folder has it. start is where it began; nil: that is gone.
func (k *branchBook) recorded(j Job, start *rewound) (Outcome, bool) {
	b := j.branch
	run, folder, end, ok := b.recorded(k.study)
	if !ok {
		return Outcome{Job: j, Class: event.Lost, Err: fmt.Errorf("branch %s ended %s before this study went on, and its folder is gone", b.Name, b.Ended)}, b.Ended != ""
	}
	o := Outcome{
		Job: j, Class: end.Class, Result: end.Result, Solver: end.Solver, Fidelity: end.Fidelity, Run: run, Folder: folder, Cached: true,
		Wall: end.Wall, solution: end.Solution, Steered: end.Steered,
	}
	if end.WrittenBy == event.Plugin && start != nil { // which knows only what was done to itself
		events, _ := event.Read(filepath.Join(folder, plugin.EventsFile)) // what of it is damaged says nothing
		o.Steered = start.steered(ownActs(events))
	}
	if !o.OK() {
		o.Err = &RunError{Run: run, Folder: folder, Class: end.Class, Reason: end.Message}
	}
	return o, true
}

// end keeps the outcome of a branch that is over.
func (k *branchBook) end(b *branch, o Outcome) {
	if err := k.course.end(b, o.Class); err != nil {
		k.report(o.Job, event.Event{Kind: event.Warning, Text: fmt.Sprintf("branch %s is over, which the study's folder does not say: %v", b.Name, err)})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = append(k.over, Branched{Outcome: o, Parent: b.Run, Checkpoint: b.Checkpoint, Iteration: b.At, Root: b.Root})
}

// list returns the branches that are over.
func (k *branchBook) list() []Branched {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.over)
}

// standIns are the first branches that converged of each job, as far as they do not stand in for it.
func (k *branchBook) standIns() (list []Branched) {
	for _, b := range k.list() {
		if b.Outcome.OK() && !slices.ContainsFunc(list, func(o Branched) bool { return o.Root == b.Root }) {
			list = append(list, b)
		}
	}
	return slices.DeleteFunc(list, func(b Branched) bool { return b.StandsIn })
}

// standsIn notes that a branch stands in for its point.
func (k *branchBook) standsIn(b Branched) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.over {
		if k.over[i].Outcome.Job.Name == b.Outcome.Job.Name {
			k.over[i].StandsIn = true
		}
	}
}
