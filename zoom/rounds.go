package zoom

// Runs in rounds: each round is made where the engine, solved on the model of all runs before, knows too little
// of the machine.

import (
	"errors"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Rounds makes the runs of a machine, and the model of their answers.
type Rounds struct {
	ledger
	Method    Method
	EngineMap *components.KappaMap // the engine's map of the machine; nil: none
	Origin    machine.RunPoint     // where the engine works with that
	Priors    []*Rounds            // cheaper runs that the model may correct
	Works     []machine.RunPoint   // where it works in all cases; earlier answers near them count first
	Ends      *Ends                // of speed lines; nil: they are not sought

	orders   float64   // of later runs; 0: as in the machine's settings
	missed   []float64 // by how many deviations the model before each run missed its answer
	response *Response
	anchor   Anchor  // of the latest response
	prior    string  // name of the prior whose runs these are; empty: none
	before   *before // answers of earlier studies that do not count yet; nil: none
}

// before are the answers of earlier studies, by key.
type before struct {
	list  map[string]study.Earlier
	wants map[string]bool // that this study has requested, too
}

// NewRounds returns rounds without runs.
func NewRounds(m machine.Machine, s *study.Study, how Method) *Rounds {
	return &Rounds{ledger: ledger{Machine: m, Study: s}, Method: how, Origin: m.DesignPoint()}
}

// lost reports whether the named run gave no answer, or an excluded answer.
func (r *Rounds) lost(name string) bool {
	return r.find(func(e *entry) bool {
		return e.Name == name && e.lost()
	}) != nil
}

// of returns the entry of an answer; nil: none.
func (r *Rounds) of(key string) *entry {
	return r.find(func(e *entry) bool { return e.answered() && e.answer.Key == key })
}

// solution returns the solution of the named run, from which others can start; nil: none.
func (r *Rounds) solution(name string) *run.Solution {
	if e := r.find(func(e *entry) bool { return e.outcome.Solution != nil && e.Run() == name }); e != nil {
		return e.outcome.Solution
	}
	return nil
}

// further returns the solution from which the named run continues; nil: none.
func (r *Rounds) further(name string) *run.Solution {
	if e := r.find(func(e *entry) bool { return e.outcome.Further != nil && e.Run() == name }); e != nil {
		return e.outcome.Further
	}
	return nil
}

// want returns the run that is expected to find a point.
func (r *Rounds) want(p machine.RunPoint) (machine.Wanted, error) {
	model, err := r.model()
	if err != nil {
		return machine.Wanted{}, err
	}
	w := r.wantOn(model, p)
	w.Name = r.named(w.Name)
	return w, nil
}

// named returns the name of a run: that of a prior's run ends with the prior.
func (r *Rounds) named(run string) string {
	if r.prior == "" {
		return run
	}
	return run + "-" + r.prior
}

// model returns the model of the answers so far.
func (r *Rounds) model() (*surrogate.Model, error) {
	if r.response != nil {
		return r.response.model, nil
	}
	trends, err := r.trends()
	if err != nil {
		return nil, err
	}
	return surrogate.New(r.Machine.Dimension(), trends, r.counted())
}

// Response returns the model of all answers in the form that the engine takes, with the stall line of a search for
// ends. The error is a *NoMapError if no run has an answer.
func (r *Rounds) Response() (*Response, error) {
	if r.heed() {
		r.response = nil
	}
	if r.response == nil {
		if err := r.respond(); err != nil {
			return nil, err
		}
	}
	if r.Ends != nil && r.response.whole == nil {
		if err := r.addEnds(); err != nil {
			return nil, &NoMapError{Err: err}
		}
	}
	return r.response, nil
}

// respond makes the response of the answers so far, without ends.
func (r *Rounds) respond() error {
	if !r.Answered() {
		why := errors.New("no run gave an answer")
		if r.Doomed() {
			why = errors.New("all runs failed by one cause, so that no further ones were made")
		}
		return failures(why, r.entries)
	}
	m, err := r.model()
	if err != nil {
		return &NoMapError{Err: err}
	}
	uncertainties := map[string]machine.Uncertainty{}
	for _, e := range r.entries {
		if e.counts() {
			uncertainties[e.answer.Key] = e.uncertainty
		}
	}
	r.response = newResponse(&r.Machine, sourceOf(r.entries), m, uncertainties, r.heldAt())
	r.anchor = r.response.Anchor()
	return nil
}

// besides are offsets from a point, tried in order, at which a run gives nearly the same information.
var besides = []machine.RunPoint{{Kappa: 0.02}, {Kappa: -0.02}, {Nu: 0.004}, {Nu: -0.004}}

// Known reports whether the run that is expected to find a point has an answer: another would be the same.
func (r *Rounds) Known(p machine.RunPoint) bool {
	w, err := r.want(p)
	return err == nil && r.requested(w.Name) && !r.lost(w.Name)
}

// Free returns a place for a new run about a point, if the greatest number of runs allows it; see New.
func (r *Rounds) Free(p machine.RunPoint) (machine.RunPoint, bool) {
	if r.full(0) {
		return p, false
	}
	return r.New(p, false)
}

// New returns a place for a new run about a point: the point itself, or, where that run was lost, beside it, or half
// the way to the nearest answer. It returns false if the run at the point has an answer, unless repeated is set: then
// the place is beside the point, or farther away.
func (r *Rounds) New(p machine.RunPoint, repeated bool) (machine.RunPoint, bool) {
	if r.Known(p) && !repeated {
		return p, false
	}
	var list []machine.RunPoint
	for _, d := range append([]machine.RunPoint{{}}, besides...) {
		list = append(list, p.Plus(d))
	}
	if q, ok := r.nearest(p); ok {
		list = append(list, machine.RunPoint{
			Nu: (p.Nu + q.Nu) / 2, Kappa: (p.Kappa + q.Kappa) / 2, Alpha: (p.Alpha + q.Alpha) / 2,
		})
	}
	for _, d := range besides {
		if repeated {
			list = append(list, p.Plus(d).Plus(d))
		}
	}
	for _, q := range list {
		if w, err := r.want(q); err == nil && !r.requested(w.Name) {
			return q, true
		}
	}
	return p, false
}

// nearest returns the place of the answer nearest to a point.
func (r *Rounds) nearest(p machine.RunPoint) (at machine.RunPoint, ok bool) {
	least, distance := math.Inf(1), r.Machine.Distance()
	for _, a := range r.counted() {
		if d := distance(a.X, p.Coordinates(len(a.X))); d < least {
			least, at, ok = d, machine.PointAt(a.X), true
		}
	}
	return at, ok
}

// Inputs returns the inputs of the run that is expected to find a point, as far as runs differ in them: of machines
// with blade rows N, rpm, and throttle, Pa s2/kg2.
func (r *Rounds) Inputs(p machine.RunPoint) (map[string]float64, error) {
	w, err := r.want(p)
	if err != nil {
		return nil, err
	}
	return r.Machine.InputsOf(w)
}

// Noise returns the largest error that an answer states of itself.
func (r *Rounds) Noise() float64 {
	noise := machine.LeastNoise
	for _, a := range r.counted() {
		noise = max(noise, slices.Max(a.Noise))
	}
	return noise
}

// Answered reports whether a run has an answer that counts.
func (r *Rounds) Answered() bool { return r.find((*entry).counts) != nil }

// Doomed reports whether the solver failed in all runs by one cause, so that runs at other points are no use.
func (r *Rounds) Doomed() bool {
	return len(r.entries) > 1 && r.find(func(e *entry) bool {
		o, first := &e.outcome, &r.entries[0].outcome
		return !o.SolverFailed() || run.Cause(o.Class, o.Reason()) != run.Cause(first.Class, first.Reason())
	}) == nil
}

// Own reports the runs, without those of priors and those for ends. Runs that found no design flow have failed nothing.
func (r *Rounds) Own() Account {
	a := r.account(r.entries, func(e *entry) bool { return noDesign(&e.outcome) })
	a.Anchor = r.anchor
	return a
}

// Account reports all runs.
func (r *Rounds) Account() Account {
	a := r.Own()
	if r.Ends != nil {
		of := r.Ends.Account()
		a.Outcomes, a.Missing = append(a.Outcomes, of.Outcomes...), append(a.Missing, of.Missing...)
		a.Planned, a.Failed = a.Planned+of.Planned, a.Failed+of.Failed
	}
	for _, p := range r.Priors {
		a.Outcomes = append(a.Outcomes, p.Own().Outcomes...)
	}
	return a
}

// jobs returns the jobs of runs.
func (r *Rounds) jobs(list []machine.Wanted) ([]run.Job, error) {
	jobs := make([]run.Job, len(list))
	for i, w := range list {
		j, err := r.Machine.Job(&w)
		if err != nil {
			return nil, err
		}
		j.Neighbour, j.GoOn = r.solution(w.From), r.further(w.After)
		jobs[i] = j
	}
	return jobs, nil
}

// addEnds gives the response the stall line of the search, if the search found any end. Values at a point do not
// change: the runs for ends are far from the engine's operating points. The map contains them.
func (r *Rounds) addEnds() (err error) {
	c := *r.response
	if c.stall, err = r.Ends.stallLine(); err != nil {
		return err
	}
	answers := slices.Clone(c.model.Answers())
	for _, s := range r.Ends.sides {
		for _, p := range s.probes {
			if p.err == nil &&
				!slices.ContainsFunc(answers, func(a surrogate.Observation) bool { return a.Key == p.answer.Key }) {
				answers = append(answers, p.answer)
			}
		}
	}
	trends, err := r.trends()
	if err != nil {
		return err
	}
	if c.whole, err = surrogate.New(r.Machine.Dimension(), trends, answers); err == nil {
		r.response = &c
	}
	return err
}
