package zoom

// The ledger of a machine's runs: each request and its outcome. Each plan has a ledger: a grid of speed lines, rounds
// to an error, and the search for the ends of speed lines.

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// ledger holds the runs of a machine.
type ledger struct {
	Machine machine.Machine
	Study   *study.Study
	Most    int        // runs of all rounds; 0: no limit
	Cause   *event.Ref // the event that leads to the next runs; may be nil

	Round  int // rounds made
	Runs   int
	Cached int

	entries []*entry
	named   map[string]*entry // the first of each name that was entered
}

// entry is a run with its outcome.
type entry struct {
	machine.Wanted
	outcome     run.Outcome
	answer      surrogate.Observation
	uncertainty machine.Uncertainty
	err         error // why the answer is missing

	past     *Recalled // the answer's record in an earlier study; nil: the run is of this study
	replaced bool      // a continuing run counts in its place, or it continues a run and settled no further
	final    bool      // it settles no further
	excluded string    // the pattern of the command by which its answer is not to count; empty: none
}

// answered reports whether the run has an answer for the model, which a command may exclude. A run that was not made
// has neither an answer nor an error.
func (e *entry) answered() bool {
	return e.err == nil && e.outcome.OK() && !e.replaced && (e.past == nil || e.past.Counts)
}

// counts reports whether the answer is part of the model or the map.
func (e *entry) counts() bool { return e.answered() && e.excluded == "" }

// lost reports whether the run gave no answer, or an excluded answer. A continued run has another beside it.
func (e *entry) lost() bool { return e.After == "" && e.err != nil || e.answered() && e.excluded != "" }

// result returns the outcome, without its answer if a command excludes that.
func (e *entry) result() run.Outcome {
	if e.excluded != "" {
		return e.outcome.LeftOut(e.excluded)
	}
	return e.outcome
}

// missing describes a run whose answer is missing.
func (e *entry) missing() Missing {
	o := e.result()
	m := Missing{Name: o.Job.Name, Run: o.Run, Class: o.Class}
	if e.excluded == "" {
		o.Err = e.err
	}
	m.Why = o.Reason()
	return m
}

// evaluate makes runs, as a round, and passes the outcome of each run made to take. Errors: plugin.RequestError if the
// solver rejects the machine's settings, for which it would reject every run; the error of ctx.
func (l *ledger) evaluate(ctx context.Context, jobs []run.Job, take func(i int, o *run.Outcome)) error {
	if len(jobs) == 0 {
		return nil
	}
	l.Round++
	for i := range jobs {
		jobs[i].Cause = l.Cause
	}
	outs, err := l.Study.Evaluate(ctx, jobs)
	for i := range outs {
		var refused *plugin.RequestError
		if errors.As(outs[i].Err, &refused) {
			return refused
		}
		if outs[i].Class != run.NotRun {
			take(i, &outs[i])
		}
	}
	return err
}

// enter adds the outcome of a run.
func (l *ledger) enter(w machine.Wanted, o *run.Outcome) *entry {
	if o.Cached {
		l.Cached++
	} else {
		l.Runs++
	}
	e := &entry{Wanted: w, outcome: *o}
	e.answer, e.uncertainty, e.err = l.Machine.Answer(o)
	l.entries = append(l.entries, e)
	if l.named[w.Name] == nil {
		l.named = run.With(l.named, w.Name, e)
	}
	return e
}

// find returns the first entry for which is returns true; nil: none.
func (l *ledger) find(is func(*entry) bool) *entry {
	if i := slices.IndexFunc(l.entries, is); i >= 0 {
		return l.entries[i]
	}
	return nil
}

// copied returns the ledger with entries of its own.
func (l *ledger) copied() ledger {
	c := *l
	c.entries, c.named = make([]*entry, len(l.entries)), maps.Clone(l.named)
	for i, e := range l.entries {
		own := *e
		c.entries[i] = &own
		if l.named[e.Name] == e {
			c.named[e.Name] = &own
		}
	}
	return c
}

// Made returns the number of runs that were made or came from the cache.
func (l *ledger) Made() int { return l.Runs + l.Cached }

// full reports whether, besides so many more, no run is allowed any more.
func (l *ledger) full(more int) bool { return l.Most > 0 && l.Made()+more >= l.Most }

// account reports runs of the study, in their order. A run whose failure is a finding, as found reports, is not
// missing.
func (l *ledger) account(list []*entry, found func(*entry) bool) Account {
	a := Account{Runs: l.Runs, Cached: l.Cached}
	for _, e := range list {
		if e.past != nil {
			if e.past.Counts {
				a.Earlier = append(a.Earlier, e.outcome)
			}
			continue
		}
		a.Outcomes = append(a.Outcomes, e.result())
		if e.lost() && !found(e) {
			a.Missing = append(a.Missing, e.missing())
		}
	}
	a.Planned, a.Failed = len(a.Outcomes), len(a.Missing)
	return a
}

// turned reports whether a command excludes or readmits the answer of an entry.
func (l *ledger) turned(e *entry) bool {
	return e.answered() && e.excluded != l.Study.Live().Unusable(e.answer.Key)
}

// Turned reports whether other answers are to count than do.
func (l *ledger) Turned() bool { return l.find(l.turned) != nil }

// heed applies the commands that exclude or readmit answers, and reports whether any does.
func (l *ledger) heed() (turned bool) {
	for _, e := range l.entries {
		if l.turned(e) {
			e.excluded, turned = l.Study.Live().Unusable(e.answer.Key), true
		}
	}
	return turned
}

// sourceOf returns the solver and the fidelity of runs; those of earlier studies count least.
func sourceOf(list []*entry) (source string) {
	for _, e := range list {
		if e.outcome.OK() && (e.past == nil || source == "") {
			source = e.outcome.Solver + ", " + e.outcome.Fidelity
		}
	}
	return source
}

// failures returns the error of a machine without a behaviour, with the runs that gave no answer that counts.
func failures(why error, list []*entry) *NoMapError {
	failed := &NoMapError{Err: why}
	for _, e := range list {
		if e.past == nil && (e.err != nil || e.excluded != "") {
			o := e.result()
			o.Err = cmp.Or(o.Err, e.err)
			failed.Failed = append(failed.Failed, o)
		}
	}
	return failed
}

// counted returns the model's answers.
func (l *ledger) counted() (list []surrogate.Observation) {
	for _, e := range l.entries {
		if e.counts() {
			list = append(list, e.answer)
		}
	}
	return list
}

// wantOn returns the run that is expected to find a point, by a model.
func (l *ledger) wantOn(model *surrogate.Model, p machine.RunPoint) machine.Wanted {
	var there [machine.Outputs]surrogate.Value
	model.At(p.Coordinates(l.Machine.Dimension()), there[:])
	return l.Machine.Want(p, there[:])
}

// noFlow reports whether a run found that no flow is steady.
func noFlow(o *run.Outcome) bool { return o.Class.NoFlow() }

// requested reports whether a run of this name was requested: it is the same to any number of orders.
func (l *ledger) requested(name string) bool {
	return l.find(func(e *entry) bool { return e.Name == name && (e.past == nil || e.past.Counts) }) != nil
}

// wanted returns the runs of this study, in the order of their requests.
func (l *ledger) wanted() (list []machine.Wanted) {
	for _, e := range l.entries {
		if e.past == nil {
			list = append(list, e.Wanted)
		}
	}
	return list
}
