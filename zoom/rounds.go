package zoom

// Runs in rounds: each round is made where the engine, solved on the model of all runs before, knows too little
// of the machine.

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Rounds makes the runs of a machine, and the model of their answers.
type Rounds struct {
	Machine   Machine
	Study     *run.Study
	Most      int        // runs, of all rounds; 0: no limit
	Cause     *event.Ref // that leads to the next runs; may be nil
	Method    Method
	EngineMap *components.KappaMap // the engine's map of the machine; nil: there is none
	Origin    Point                // where the engine works with that
	Priors    []*Prior             // cheaper runs that the model may correct
	Works     []Point              // likewise, of all cases; earlier answers near them count first

	Round    int // rounds made
	Runs     int
	Cached   int
	Failed   int
	Outcomes []run.Outcome // in the order in which they were wanted

	requested map[string]bool // by the names of what was wanted
	lost      map[string]bool // those without an answer
	wanted    []Wanted        // that were made
	orders    float64         // of later runs; 0: those of the machine's settings
	missed    []float64       // by how many deviations the model before each run missed its answer
	answers   []surrogate.Answer
	doubts    map[string]doubt         // by the keys of the answers
	made      map[string]made          // likewise
	starts    map[string]*run.Solution // from which others can start, by the names of their runs
	response  *Response
	suffix    string // of the names of a prior's runs

	before *before     // answers of earlier studies that do not count yet; nil: there are none
	taken  []*recalled // those that do

	aside []surrogate.Answer // that are not to count
}

// NewRounds returns rounds without runs.
func NewRounds(m Machine, s *run.Study, how Method) *Rounds {
	return &Rounds{Machine: m, Study: s, Method: how, Origin: m.DesignPoint(), requested: map[string]bool{},
		lost: map[string]bool{}, doubts: map[string]doubt{}, made: map[string]made{},
		starts: map[string]*run.Solution{}}
}

// want is the run that is expected to find a point.
func (r *Rounds) want(p Point) (Wanted, error) {
	model, err := r.model()
	if err != nil {
		return Wanted{}, err
	}
	var out [modelOutputs]surrogate.Value
	model.At(p.coordinates(r.Machine.dimension()), out[:])
	w := r.Machine.kind().want(&r.Machine, p, out[:])
	w.Name += r.suffix
	return w, nil
}

// ordered is the run of an order for a new one.
func (r *Rounds) ordered(o Order) (Wanted, error) {
	if o.Exactly != nil {
		return *o.Exactly, nil
	}
	if w, ok := r.held(); ok && o.Hold {
		return w, nil
	}
	return r.want(o.At)
}

// model is that of the answers so far.
func (r *Rounds) model() (*surrogate.Model, error) {
	if r.response != nil {
		return r.response.model, nil
	}
	trends, err := r.trends()
	if err != nil {
		return nil, err
	}
	return surrogate.New(r.Machine.dimension(), trends, r.answers)
}

// Response is the model of all answers, as the engine takes it. The error is a *NoMapError if there is no
// answer.
func (r *Rounds) Response() (*Response, error) {
	r.heed()
	if len(r.answers) == 0 {
		failed := slices.Clone(r.Outcomes)
		for i := range failed {
			_, _, failed[i].Err = r.Machine.answer(&r.Outcomes[i])
		}
		return nil, &NoMapError{Machine: r.Machine.Name, Err: errors.New("no run gave an answer"), Failed: failed}
	}
	if r.response == nil {
		m, err := r.model()
		if err != nil {
			return nil, &NoMapError{Machine: r.Machine.Name, Err: err}
		}
		source := ""
		for _, o := range append(r.Earlier(), r.Outcomes...) {
			if o.OK() {
				source = o.Solver + ", " + o.Fidelity
			}
		}
		r.response = newResponse(&r.Machine, source, m, maps.Clone(r.doubts), r.heldAt())
	}
	return r.response, nil
}

// besides are the distances from a point, in turn, at which a run says nearly what one there would.
var besides = []Point{{Kappa: 0.02}, {Kappa: -0.02}, {Nu: 0.004}, {Nu: -0.004}}

// Known reports whether the run that is expected to find a point has an answer: another would be the same.
func (r *Rounds) Known(p Point) bool {
	w, err := r.want(p)
	return err == nil && r.requested[w.Name] && !r.lost[w.Name]
}

// Free is where a run can be made that is new, and within the greatest number, for what is to be known at a point;
// see New.
func (r *Rounds) Free(p Point) (Point, bool) {
	if r.full(0) {
		return p, false
	}
	return r.New(p, false)
}

// New is where a run would be new for what is to be known at a point: there, or, where that run was lost, beside it,
// or half the way to the nearest answer. Where the run at the point has an answer there is none, but for one again,
// beside it, and then farther away.
func (r *Rounds) New(p Point, repeated bool) (Point, bool) {
	if r.Known(p) && !repeated {
		return p, false
	}
	var list []Point
	for _, d := range append([]Point{{}}, besides...) {
		list = append(list, p.plus(d))
	}
	if q, ok := r.nearest(p); ok {
		list = append(list, Point{(p.Nu + q.Nu) / 2, (p.Kappa + q.Kappa) / 2, (p.Alpha + q.Alpha) / 2})
	}
	for _, d := range besides {
		if repeated {
			list = append(list, p.plus(d).plus(d))
		}
	}
	for _, q := range list {
		if w, err := r.want(q); err == nil && !r.requested[w.Name] {
			return q, true
		}
	}
	return p, false
}

// nearest is where the answer nearest to a point is.
func (r *Rounds) nearest(p Point) (at Point, ok bool) {
	least := math.Inf(1)
	lengths := r.Machine.kind().outputs(&r.Machine)[0].Prior.Lengths
	for _, a := range r.answers {
		q, sum := pointAt(a.X), 0.0
		for i, x := range p.coordinates(len(a.X)) {
			sum = math.Hypot(sum, (a.X[i]-x)/lengths[i])
		}
		if sum < least {
			least, at, ok = sum, q, true
		}
	}
	return at, ok
}

// Inputs are those of the run that is expected to find a point, as far as runs differ in them: of machines with blade
// rows N, rpm, and throttle, Pa s2/kg2.
func (r *Rounds) Inputs(p Point) (map[string]float64, error) {
	w, err := r.want(p)
	if err != nil {
		return nil, err
	}
	return r.Machine.inputs(w)
}

// inputs are those of a run in which it differs from others, as its request has them.
func (m *Machine) inputs(w Wanted) (map[string]float64, error) {
	request, err := m.kind().request(m, w.Inputs)
	if err != nil {
		return nil, err
	}
	inputs := map[string]float64{}
	for name := range w.Inputs {
		inputs[name] = request.Numbers[name]
	}
	return inputs, nil
}

// Noise is the largest error that an answer states of itself.
func (r *Rounds) Noise() float64 {
	noise := leastRunNoise
	for _, a := range r.answers {
		noise = max(noise, slices.Max(a.Noise))
	}
	return noise
}

// Answered reports whether a run has an answer.
func (r *Rounds) Answered() bool { return len(r.answers) > 0 }

// Missing are the runs without an answer.
func (r *Rounds) Missing() []Missing {
	var list []Missing
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if by := r.Study.Course().Unusable(o.Job.Name); by != "" && o.OK() {
			left := o.LeftOut(by)
			list = append(list, missingRun(o.Job.Name, &left, left.Err))
			continue
		}
		if _, _, err := r.Machine.answer(o); err != nil && !r.went(o.Job.Name) && !noDesign(o) {
			list = append(list, missingRun(o.Job.Name, o, err))
		}
	}
	return list
}

// Make makes a round of runs, as far as they were not made yet and the greatest number of runs
// allows. It returns for each order its run's outcome, nil if none was made. Where it finds that answers of earlier
// studies count from here on, it makes none: what is wanted is to be found anew. Errors: plugin.RequestError if the
// solver does not accept the machine's settings; that of ctx.
func (r *Rounds) Make(ctx context.Context, orders []Order) ([]*run.Outcome, error) {
	outcomes := make([]*run.Outcome, len(orders))
	var list []Wanted
	var of []int // orders of the runs
	for i, order := range orders {
		if r.full(len(list)) {
			break
		}
		if order.GoOn != "" {
			list, of = append(list, r.onward(order.GoOn)), append(of, i)
			continue
		}
		w, err := r.ordered(order)
		if err != nil {
			return nil, err
		}
		if !r.requested[w.Name] {
			w.Orders, w.From = r.orders, r.neighbour(order.At)
			list, of = append(list, w), append(of, i)
			r.requested[w.Name] = true
		}
	}
	if r.recall(list) {
		return outcomes, nil
	}
	if err := r.makePriors(ctx, list, orders); err != nil {
		return outcomes, err
	}
	outs, err := r.make(ctx, list)
	for k := range outs {
		outcomes[of[k]] = outs[k]
	}
	if err == nil {
		err = r.unheld(ctx, orders, outcomes)
	}
	return outcomes, err
}

// make makes runs, as a round. It returns their outcomes, nil where there is none.
func (r *Rounds) make(ctx context.Context, list []Wanted) ([]*run.Outcome, error) {
	if len(list) == 0 {
		return nil, nil
	}
	outcomes := make([]*run.Outcome, len(list))
	jobs, err := r.jobs(list)
	if err != nil {
		return nil, err
	}
	r.Round++
	before := r.response
	outs, err := r.Study.Evaluate(ctx, jobs)
	for k, o := range outs {
		var refused *plugin.RequestError
		if errors.As(o.Err, &refused) {
			return outcomes, refused // all of them would be: a setting is wrong
		}
		if o.Class == run.NotRun {
			if list[k].After == "" {
				delete(r.requested, list[k].Name)
			}
			continue
		}
		outcomes[k] = &outs[k]
		r.wanted = append(r.wanted, list[k])
		r.take(list[k], o)
		if before != nil && list[k].After == "" {
			r.missed = before.surprise(r.missed, &outs[k])
		}
	}
	return outcomes, err
}

// jobs are those of runs.
func (r *Rounds) jobs(list []Wanted) ([]run.Job, error) {
	jobs := make([]run.Job, len(list))
	for i, w := range list {
		j, err := r.Machine.job(&w)
		if err != nil {
			return nil, err
		}
		j.Neighbour, j.GoOn, j.Cause = r.starts[w.From], r.starts[w.After], r.Cause
		jobs[i] = j
	}
	return jobs, nil
}

// Plan names the runs, and the answers of earlier studies that count.
func (r *Rounds) Plan() Plan {
	plan := Plan{Wanted: slices.Clone(r.wanted), Earlier: r.recalls()}
	for _, p := range r.Priors {
		plan.Priors = append(plan.Priors, p.rounds.Plan())
	}
	return plan
}

// Redo makes those runs of a plan that were not made yet, none before that from which it starts. Errors: as Make.
func (r *Rounds) Redo(ctx context.Context, plan Plan) error {
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
	for _, w := range r.wanted {
		there[w.run()] = true
	}
	left := slices.DeleteFunc(slices.Clone(plan.Wanted), func(w Wanted) bool { return there[w.run()] })
	for len(left) > 0 {
		n := 1
		for n < len(left) && r.ready(left[n]) {
			n++
		}
		for _, w := range left[:n] {
			r.requested[w.Name], r.orders = true, max(r.orders, w.Orders)
		}
		if _, err := r.make(ctx, left[:n]); err != nil {
			return err
		}
		left = left[n:]
	}
	return nil
}

// take adds the outcome of a run.
func (r *Rounds) take(w Wanted, o run.Outcome) {
	r.Outcomes = append(r.Outcomes, o)
	if o.Cached {
		r.Cached++
	} else {
		r.Runs++
	}
	if o.Solution != nil {
		r.starts[w.run()] = o.Solution
	}
	a, d, err := r.Machine.answer(&o)
	switch {
	case w.After != "":
		r.improve(w, a, d, err)
	case noDesign(&o):
		r.lost[w.Name] = true
	case err != nil:
		r.Failed++
		r.lost[w.Name] = true
	default:
		r.add(w, a, d)
	}
}

// add adds an answer.
func (r *Rounds) add(w Wanted, a surrogate.Answer, d doubt) {
	r.answers = append(r.answers, a)
	r.doubts[a.Key], r.made[a.Key] = d, made{wanted: w}
	r.response = nil
}

// Clone returns independent rounds with the same answers. Further ones of earlier studies do not count in them.
func (r *Rounds) Clone() *Rounds {
	c := *r
	c.before, c.taken = nil, slices.Clone(r.taken)
	c.requested, c.lost = maps.Clone(r.requested), maps.Clone(r.lost)
	c.wanted = slices.Clone(r.wanted)
	c.doubts, c.made, c.starts = maps.Clone(r.doubts), maps.Clone(r.made), maps.Clone(r.starts)
	c.Outcomes = append([]run.Outcome{}, r.Outcomes...)
	c.answers, c.aside = append([]surrogate.Answer{}, r.answers...), slices.Clone(r.aside)
	c.missed = append([]float64{}, r.missed...)
	c.Priors = nil
	for _, p := range r.Priors {
		c.Priors = append(c.Priors, &Prior{p.Name, p.rounds.Clone()})
	}
	return &c
}
