package zoom

// Cheap runs as the prior of expensive runs: a coarser mesh or a simpler solver bends where the expensive solver does.
// The expensive runs only have to find the difference, which bends less.
//
// Cheap runs are made at the speed and the throttle of every expensive run, and where the cheap model is not good
// enough by itself. The model of the expensive runs is a weighted cheap model plus the difference (M. C. Kennedy, A.
// O'Hagan, Predicting the output from a complex computer code when fast approximations are available, Biometrika 87,
// 2000; with the cheap and the difference's variances added as in L. Le Gratiet, J. Garnier, Recursive co-kriging
// model, International Journal for Uncertainty Quantification 4, 2014). The cheap model and the weight are chosen to
// predict every expensive answer best from the others: a prior that worsens the prediction has no weight.

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// AddPrior adds the runs of a cheaper solver of the same machine, with its settings, as a prior. It is called before
// the first round.
func (r *Rounds) AddPrior(name string, m machine.Machine, s *study.Study) {
	p := NewRounds(m, s, MethodMap)
	p.prior, p.Most = name, r.Most
	r.Priors = append(r.Priors, p)
}

// trust is the confidence in a cheap model. Weight is the part of the cheap model's departure from the machine's prior
// that the expensive model has, too. Share scales the machine's own spreads and amplitude for the difference.
type trust struct{ weight, share float64 }

// trusts lists the confidences to try. Without weight a prior is dropped.
var trusts = []trust{{1, 0.15}, {1, 0.4}, {0.5, 0.7}}

// trends returns the ways to model the expensive runs: without a prior, and with each.
func (r *Rounds) trends() ([]surrogate.Trend, error) {
	outputs, base := r.Method.outputs(&r.Machine, r.EngineMap, r.Origin)
	list := []surrogate.Trend{{Outputs: outputs, Base: base}}
	for _, p := range r.Priors {
		if !p.Answered() {
			continue
		}
		m, err := p.model()
		if err != nil {
			return nil, err
		}
		for _, t := range trusts {
			list = append(list, t.trend(r.Machine.Outputs(), m))
		}
	}
	return list, nil
}

// trend returns the trend of outputs for this confidence in a cheap model.
func (t trust) trend(outputs []surrogate.Output, cheap *surrogate.Model) surrogate.Trend {
	for k := range outputs {
		p := &outputs[k].Prior
		p.Slope, p.SlopeSpread = slices.Clone(p.Slope), slices.Clone(p.SlopeSpread)
		p.Value *= 1 - t.weight
		floats.Scale(1-t.weight, p.Slope)
		p.ValueSpread, p.Amplitude = t.share*p.ValueSpread, t.share*p.Amplitude
		floats.Scale(t.share, p.SlopeSpread)
	}
	return surrogate.Trend{
		Outputs: outputs,
		Base: func(x []float64, out []surrogate.Value) {
			cheap.At(x, out)
			for k := range out {
				out[k].V *= t.weight
				floats.Scale(t.weight, out[k].Slope)
			}
		},
		Spread: func(x, out []float64) {
			cheap.Deviations(x, out)
			floats.Scale(t.weight, out)
		},
	}
}

// RunsPriors returns the numbers of runs of all priors: made, from the cache, and without an answer.
func (r *Rounds) RunsPriors() (made, cached, failed int) {
	for _, p := range r.Priors {
		made, cached, failed = made+p.Runs, cached+p.Cached, failed+p.Own().Failed
	}
	return made, cached, failed
}

// Corrected names the priors that the model of all answers corrects in the quantities that the engine uses; the model
// does not use the others.
func (r *Rounds) Corrected() (names []string) {
	response, err := r.Response()
	if err != nil {
		return nil
	}
	for i, p := range r.Priors {
		for _, k := range response.machine.Seen() {
			if t := response.model.Trend(k); r.priorOf(t) == i && !slices.Contains(names, p.prior) {
				names = append(names, p.prior)
			}
		}
	}
	return names
}

// priorOf returns the prior of a trend of the model; -1: none.
func (r *Rounds) priorOf(trend int) int {
	if trend == 0 {
		return -1
	}
	nth := (trend - 1) / len(trusts)
	for i, p := range r.Priors {
		if !p.Answered() {
			continue
		}
		if nth--; nth < 0 {
			return i
		}
	}
	return -1
}
