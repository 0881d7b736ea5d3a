package zoom

// Runs in rounds: each round is made where the engine, solved on the model of all runs before, knows too little
// of the machine.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Rounds makes the runs of a machine, and the model of their answers.
type Rounds struct {
	Machine Machine
	Study   *run.Study
	Most    int        // runs, of all rounds; 0: no limit
	Cause   *event.Ref // that leads to the next runs; may be nil

	Round    int // rounds made
	Runs     int
	Cached   int
	Failed   int
	Outcomes []run.Outcome // in the order in which they were wanted

	asked    map[string]bool // by the names of their jobs
	answers  []surrogate.Answer
	response *Response
}

// NewRounds returns rounds without runs.
func NewRounds(m Machine, s *run.Study) *Rounds {
	return &Rounds{Machine: m, Study: s, asked: map[string]bool{}}
}

// Run requests are rounded to these steps, so that a study that is made anew asks for the same ones whatever the
// machine's last bits.
const (
	nuStep       = 1e-5
	throttleStep = 1e-4 // of ln K
)

// wanted is a run at a point, as it is requested.
type wanted struct {
	name         string
	nc, throttle float64
}

// want is the run that is expected to find a point.
func (r *Rounds) want(p Point) (wanted, error) {
	model, err := r.model()
	if err != nil {
		return wanted{}, err
	}
	var out [modelOutputs]surrogate.Value
	model.At([]float64{p.Nu, p.Kappa}, out[:])
	nu := math.Round(p.Nu / nuStep)
	k0 := flow.Pref / (r.Machine.Wc * r.Machine.Wc) // passes the design flow at PR 1
	k := math.Round((out[modelThrottle].V - math.Log(k0)) / throttleStep)
	return wanted{
		name:     fmt.Sprintf("%s-n%07.3f-k%+08.4f", r.Machine.Name, 100*nuStep*nu, throttleStep*k),
		nc:       numeric.Round(nuStep*nu*r.Machine.Nc, 9),
		throttle: numeric.Round(numeric.Round(k0, 6)*math.Exp(throttleStep*k), 9),
	}, nil
}

// model is that of the answers so far.
func (r *Rounds) model() (*surrogate.Model, error) {
	if r.response != nil {
		return r.response.model, nil
	}
	return surrogate.New(2, r.Machine.outputs(), r.answers)
}

// Response is the model of all answers, as the engine takes it. The error is a *NoMapError if there is no
// answer.
func (r *Rounds) Response() (*Response, error) {
	if len(r.answers) == 0 {
		return nil, &NoMapError{Machine: r.Machine.Name, Err: errors.New("no run gave an answer"), Failed: r.Outcomes}
	}
	if r.response == nil {
		m, err := r.model()
		if err != nil {
			return nil, &NoMapError{Machine: r.Machine.Name, Err: err}
		}
		source := ""
		for _, o := range r.Outcomes {
			if o.OK() {
				source = o.Solver + ", " + o.Fidelity
			}
		}
		r.response = newResponse(&r.Machine, source, m)
	}
	return r.response, nil
}

// CanMake reports whether a run at a point is a new one, and within the greatest number.
func (r *Rounds) CanMake(p Point) bool {
	w, err := r.want(p)
	return err == nil && !r.asked[w.name] && (r.Most == 0 || len(r.Outcomes) < r.Most)
}

// Inputs are those of the run that is expected to find a point, as far as runs differ in them: N, rpm, and throttle,
// Pa s2/kg2.
func (r *Rounds) Inputs(p Point) (map[string]float64, error) {
	w, err := r.want(p)
	return map[string]float64{InSpeed: w.nc, InThrottle: w.throttle}, err
}

// Noise is the largest error that an answer states of itself.
func (r *Rounds) Noise() float64 {
	noise := leastRunNoise
	for _, a := range r.answers {
		noise = max(noise, a.Noise[modelEff])
	}
	return noise
}

// Missing are the runs without an answer.
func (r *Rounds) Missing() []Missing {
	var list []Missing
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if _, err := r.Machine.answer(o); err != nil {
			list = append(list, missingRun(o.Job.Name, o, err))
		}
	}
	return list
}

// Make makes a round of runs at some points, as far as they were not made yet and the greatest number of runs
// allows. It returns for each point its run's outcome, nil if none was made. Errors: plugin.RequestError if
// the solver does not accept the machine's settings; that of ctx.
func (r *Rounds) Make(ctx context.Context, points []Point) ([]*run.Outcome, error) {
	made := make([]*run.Outcome, len(points))
	var jobs []run.Job
	var of []int // points of the jobs
	for i, p := range points {
		if r.Most > 0 && len(r.Outcomes)+len(jobs) >= r.Most {
			break
		}
		w, err := r.want(p)
		if err != nil {
			return nil, err
		}
		if r.asked[w.name] {
			continue
		}
		r.asked[w.name] = true
		request, err := r.Machine.request(w.nc, w.throttle)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, run.Job{Name: w.name, Request: request, Component: r.Machine.Name, Cause: r.Cause})
		of = append(of, i)
	}
	if len(jobs) == 0 {
		return made, nil
	}
	r.Round++
	outs, err := r.Study.Evaluate(ctx, jobs)
	for k, o := range outs {
		var refused *plugin.RequestError
		if errors.As(o.Err, &refused) {
			return made, refused // all of them would be: a setting is wrong
		}
		if o.Class == run.NotRun {
			delete(r.asked, jobs[k].Name)
			continue
		}
		made[of[k]] = &outs[k]
		r.take(o)
	}
	return made, err
}

// take adds an outcome.
func (r *Rounds) take(o run.Outcome) {
	r.Outcomes = append(r.Outcomes, o)
	if o.Cached {
		r.Cached++
	} else {
		r.Runs++
	}
	a, err := r.Machine.answer(&o)
	if err != nil {
		r.Failed++
		return
	}
	r.answers = append(r.answers, a)
	r.response = nil
}

// leastRunNoise is that of a run that states no error at all.
const leastRunNoise = 1e-6

// answer is a run's answer to the model. Its noise is the run's stated imbalance.
func (m *Machine) answer(o *run.Outcome) (surrogate.Answer, error) {
	p, err := m.point(o)
	if err != nil {
		return surrogate.Answer{}, err
	}
	noise := max(p.Error, leastRunNoise)
	at := m.PointOf(Target{o.Job.Request.Numbers[InSpeed], p.Values["Wc"], p.Values["PR"]})
	a := surrogate.Answer{
		Key: o.Job.Name, X: []float64{at.Nu, at.Kappa},
		Y:     []float64{math.Log(p.Values["Wc"]), p.Values["eff"], math.Log(o.Job.Request.Numbers[InThrottle])},
		Noise: []float64{noise, noise, noise},
	}
	if m.Split > 0 {
		a.Y = append(a.Y, math.Log(p.Values["PR_core"]), p.Values["eff_core"])
		a.Noise = append(a.Noise, noise, noise)
	}
	return a, nil
}

// Clone returns independent rounds with the same answers.
func (r *Rounds) Clone() *Rounds {
	c := *r
	c.asked = map[string]bool{}
	for name := range r.asked {
		c.asked[name] = true
	}
	c.Outcomes = append([]run.Outcome{}, r.Outcomes...)
	c.answers = append([]surrogate.Answer{}, r.answers...)
	return &c
}
