package zoom

// The making of rounds: planned points become runs, and their outcomes become answers of the model.

import (
	"context"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Make makes a round of runs, without runs made already or beyond the greatest number of runs. It returns the outcome
// of the run of each p, nil if none was made. It makes no runs if it finds that answers of earlier studies count from
// now on: the plan is then made again. Errors: plugin.RequestError if the solver rejects the machine's settings; the
// error of ctx.
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

// make makes runs, as a round. It returns their outcomes, nil for runs that were not made.
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
		plan.Priors = append(plan.Priors, p.Requests())
	}
	return plan
}

// Redo makes the runs of a plan that were not made yet, each after the run from which it starts. Errors: as Make.
func (r *Rounds) Redo(ctx context.Context, plan Requests) error {
	for i := range min(len(plan.Priors), len(r.Priors)) {
		if err := r.Priors[i].Redo(ctx, plan.Priors[i]); err != nil {
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

// take adds the outcome of a run. The answer of a run that continues another replaces the other's answer if it is
// nearer to its settled value; otherwise the other run is final.
func (r *Rounds) take(w machine.Wanted, o *run.Outcome) {
	e := r.enter(w, o)
	var was *entry
	if w.After != "" {
		was = r.of(w.After)
	}
	if was == nil { // also if the continued run gave no answer this time
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
		c.Priors = append(c.Priors, p.Clone())
	}
	return &c
}

// ordered returns the run for a planned new point.
func (r *Rounds) ordered(o Planned) (machine.Wanted, error) {
	if o.Exactly != nil {
		return *o.Exactly, nil
	}
	if w, ok := r.held(); ok && o.Hold {
		return w, nil
	}
	return r.want(o.At)
}

// unheld makes the runs by throttle for the planned runs that found no flow to hold, and sets their outcomes.
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
