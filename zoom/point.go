package zoom

// A run's answer as a point of a performance map.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// point averages the exit profile of a run per outlet stream: corrected flow of
// the whole, pressure ratio and efficiency of the outer stream (PR, eff) and of
// the core (PR_core, eff_core). Its error is what the run's own balances miss by.
func (m *Machine) point(o *Outcome) (perfmap.LinePoint, error) {
	p := perfmap.LinePoint{Run: o.Run}
	if !o.OK() {
		return p, o.Err
	}
	r := o.Result
	p.Error = max(math.Abs(r.Numbers[OutMass]), math.Abs(r.Numbers[OutEnergy]))
	dw, pt, tt := r.Arrays[OutExitW], r.Arrays[OutExitPt], r.Arrays[OutExitTt]
	if len(dw) == 0 || len(pt) != len(dw) || len(tt) != len(dw) {
		return p, fmt.Errorf("run %s: profiles of %d, %d and %d cells", o.Run, len(dw), len(pt), len(tt))
	}
	p.Values = map[string]float64{"Wc": r.Numbers[OutW]}
	total := 0.0
	for _, w := range dw {
		total += w
	}
	add := func(suffix string, from, to float64) {
		var below, w, pw, tw float64
		for j := range dw {
			share := max(0, min(to, (below+dw[j])/total)-max(from, below/total)) * total
			below += dw[j]
			w, pw, tw = w+share, pw+share*pt[j], tw+share*tt[j]
		}
		pr, tr := pw/w/flow.Pref, tw/w/flow.Tref
		p.Values["PR"+suffix] = pr
		p.Values["eff"+suffix] = (math.Pow(pr, (m.Gamma-1)/m.Gamma) - 1) / (tr - 1)
	}
	add("", m.Split, 1)
	if m.Split > 0 {
		add("_core", 0, m.Split)
	}
	for name, v := range p.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return p, fmt.Errorf("run %s: %s is not a number", o.Run, name)
		}
	}
	return p, nil
}
