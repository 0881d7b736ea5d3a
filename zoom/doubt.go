package zoom

// What the answer of a run may be off by, apart from all runs being too few: the run ended before its flow had settled,
// and what enters does not quite leave.

import (
	"math"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// doubt is what the outputs of a machine's model may be off by in one answer, by cause.
type doubt struct {
	convergence []float64 // bounds, within which 95 in 100 are
	balance     []float64 // standard deviations
}

// noise are the standard deviations of the outputs.
func (d *doubt) noise() []float64 {
	out := make([]float64, len(d.balance))
	for k := range out {
		out[k] = math.Hypot(d.convergence[k]/2, d.balance[k])
	}
	return out
}

// doubtOf is that of an answer, which is a point of a map. The solver states relative errors of W, PR and eff. At the
// point of the answer, which moves along in kappa = ln(Wc^2/PR), that is
//
//	of ln Wc: |dW/W| (1 - 2 s) + |dPR/PR| s, where s = d ln Wc/d kappa is between 0 and 1/2
//	of ln K at a given kappa: |dkappa| <= 2 |dW/W| + |dPR/PR|
//	of eff: |deff| and its slope times |dkappa|
//
// The streams of a fan have the errors of the whole, as the solver does not know how the flow is split: on the
// machines in VERIFICATION.md these hold for the core stream nearly as often, and are mostly far too large there. An
// output that the solver does not state counts as settled.
func (m *Machine) doubtOf(o *run.Outcome, p *perfmap.LinePoint) doubt {
	stated := o.Result.Numbers
	w, pr, eff := stated[OutWError], stated[OutPRError], stated[OutEffError]
	kappa := 2*w + pr
	ofEff := func(name string) float64 { return eff*math.Abs(p.Values[name]) + spreadsOfEff[1]*kappa }
	d := doubt{convergence: []float64{modelWc: max(w, pr/2), modelEff: ofEff("eff"), modelThrottle: kappa}}
	if m.Split > 0 {
		d.convergence = append(d.convergence, pr+math.Abs(slopesOfPR[1])*kappa, ofEff("eff_core"))
	}
	for range d.convergence {
		d.balance = append(d.balance, max(p.Error, leastRunNoise))
	}
	return d
}

// leastRunNoise is that of a run that states no error at all.
const leastRunNoise = 1e-6
