package zoom

// The ledger of a machine's runs: each request and its outcome. Each plan has a ledger: a grid of speed lines, rounds
// to an error, and the search for the ends of speed lines.

import (
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
	excluded bool      // its answer is not to count, by command
}

// answered reports whether the run has an answer for the model, which a command may exclude.
func (e *entry) answered() bool {
	return e.err == nil && !e.replaced && (e.past == nil || e.past.Counts)
}

// counts reports whether the answer is part of the model.
func (e *entry) counts() bool { return e.answered() && !e.excluded }

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

// Outcomes returns the outcomes of the study's runs, in the order of their requests.
func (l *ledger) Outcomes() (list []run.Outcome) {
	for _, e := range l.entries {
		if e.past == nil {
			list = append(list, e.outcome)
		}
	}
	return list
}

// unusable returns the pattern of the command that excludes the answer of a run; empty: none.
func (l *ledger) unusable(name string) string { return l.Study.Live().Unusable(name) }

// missing lists the runs without an answer, except runs whose failure is a finding, as found reports. Unusable returns
// the pattern of the command that excludes the answer of a run; empty: none.
func (l *ledger) missing(unusable func(string) string, found func(*entry) bool) (list []Missing) {
	for _, e := range l.entries {
		switch by := unusable(e.outcome.Job.Name); {
		case e.past != nil:
		case by != "" && e.outcome.OK():
			left := e.outcome.LeftOut(by)
			list = append(list, missingRun(left.Job.Name, &left, left.Err))
		case e.err != nil && !found(e):
			list = append(list, missingRun(e.outcome.Job.Name, &e.outcome, e.err))
		}
	}
	return list
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

// Earlier returns the outcomes of earlier studies that count.
func (l *ledger) Earlier() (list []run.Outcome) {
	for _, e := range l.entries {
		if e.past != nil && e.past.Counts {
			list = append(list, e.outcome)
		}
	}
	return list
}
