package zoom

// How rounds are made: what is planned becomes runs, and their outcomes answers of the model.

import (
	"context"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Make makes a round of runs, as far as they were not made yet and the greatest number of runs
// allows. It returns for each p its run's outcome, nil if none was made. Where it finds that answers of earlier
// studies count from here on, it makes none: what is wanted is to be found anew. Errors: plugin.RequestError if the
// solver does not accept the machine's settings; that of ctx.
func (r *Rounds) Make(ctx context.Context, planned []Planned) ([]*run.Outcome, error) {
	outcomes := make([]*run.Outcome, len(planned))
	var list []machine.Wanted
	var of []int // indices in planned of the runs
	for i, p := range planned {
		if r.full(len(list)) {
			break
		}
		if p.GoOn != "" {
			list, of = append(list, r.onward(p.GoOn)), append(of, i)
			continue
		}
		w, err := r.ordered(p)
		if err != nil {
			return nil, err
		}
		if !r.requested(w.Name) && !slices.ContainsFunc(list, func(q machine.Wanted) bool { return q.Name == w.Name }) {
			w.Orders, w.From = r.orders, r.neighbour(p.At)
			list, of = append(list, w), append(of, i)
		}
	}
	if r.recall(list) {
		return outcomes, nil
	}
	if err := r.makePriors(ctx, list, planned); err != nil {
		return outcomes, err
	}
	outs, err := r.make(ctx, list)
	for k := range outs {
		outcomes[of[k]] = outs[k]
	}
	if err == nil {
		err = r.unheld(ctx, planned, outcomes)
	}
	return outcomes, err
}

// make makes runs, as a round. It returns their outcomes, nil where there is none.
func (r *Rounds) make(ctx context.Context, list []machine.Wanted) ([]*run.Outcome, error) {
	jobs, err := r.jobs(list)
	if err != nil {
		return nil, err
	}
	outcomes, before := make([]*run.Outcome, len(list)), r.response
	err = r.evaluate(ctx, jobs, func(k int, o *run.Outcome) {
		outcomes[k] = o
		r.take(list[k], o)
		if before != nil && list[k].After == "" {
			r.missed = before.surprise(r.missed, o)
		}
	})
	return outcomes, err
}

// Requests names the runs, and the answers of earlier studies that count.
func (r *Rounds) Requests() Requests {
	plan := Requests{Wanted: r.wanted(), Earlier: r.recalls()}
	for _, p := range r.Priors {
		plan.Priors = append(plan.Priors, p.rounds.Requests())
	}
	return plan
}

// Redo makes those runs of a plan that were not made yet, none before that from which it starts. Errors: as Make.
func (r *Rounds) Redo(ctx context.Context, plan Requests) error {
	for i := range min(len(plan.Priors), len(r.Priors)) {
		if err := r.Priors[i].rounds.Redo(ctx, plan.Priors[i]); err != nil {
			return err
		}
		r.response = nil
	}
	if err := r.restore(ctx, plan.Earlier); err != nil {
		return err
	}
	there := map[string]bool{}
	for _, w := range r.wanted() {
		there[w.Run()] = true
	}
	left := slices.DeleteFunc(slices.Clone(plan.Wanted), func(w machine.Wanted) bool { return there[w.Run()] })
	for len(left) > 0 {
		n := 1
		for n < len(left) && r.ready(left[n]) {
			n++
		}
		for _, w := range left[:n] {
			r.orders = max(r.orders, w.Orders)
		}
		if _, err := r.make(ctx, left[:n]); err != nil {
			return err
		}
		left = left[n:]
	}
	return nil
}

// take adds the outcome of a run. Where the run continues another, its answer takes the place of that one's if it is
// nearer to where it settles; otherwise that one has gone as far as it can.
func (r *Rounds) take(w machine.Wanted, o *run.Outcome) {
	e := r.enter(w, o)
	var was *entry
	if w.After != "" {
		was = r.of(w.After)
	}
	if was == nil { // also where the run that it continues gave no answer this time
		if e.err == nil {
			r.response = nil
		}
		return
	}
	if e.err != nil || slices.Max(e.uncertainty.Convergence) > slices.Max(was.uncertainty.Convergence)/2 {
		was.final, e.replaced = true, true
		return
	}
	was.replaced, r.response = true, nil
}

// Clone returns independent rounds with the same answers. Further ones of earlier studies do not count in them.
func (r *Rounds) Clone() *Rounds {
	c := *r
	c.ledger, c.before, c.missed = r.copied(), nil, slices.Clone(r.missed)
	c.Priors = nil
	for _, p := range r.Priors {
		c.Priors = append(c.Priors, &Prior{p.Name, p.rounds.Clone()})
	}
	return &c
}

// ordered is the run of a plan for a new one.
func (r *Rounds) ordered(o Planned) (machine.Wanted, error) {
	if o.Exactly != nil {
		return *o.Exactly, nil
	}
	if w, ok := r.held(); ok && o.Hold {
		return w, nil
	}
	return r.want(o.At)
}

// unheld makes the runs by throttle of those planned that found no flow to hold, and sets their outcomes.
func (r *Rounds) unheld(ctx context.Context, planned []Planned, outcomes []*run.Outcome) error {
	for i, o := range planned {
		if o.GoOn != "" || outcomes[i] == nil || !noDesign(outcomes[i]) {
			continue
		}
		outs, err := r.Make(ctx, []Planned{{At: o.At}})
		if err != nil {
			return err
		}
		outcomes[i] = outs[0]
	}
	return nil
}
