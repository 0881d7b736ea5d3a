package machine

// Outputs of a run that contradict each other: a solver whose files were cut, mixed up or read in other units answers
// with numbers of which each by itself is possible.

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Tolerances of Contradiction, to which the imbalance that the run states is added. Solvers average in different ways;
// the gas of a solver may have specific heats that depend on temperature, which is 3 % of the rise at a pressure ratio
// of 20.
const (
	flowSlack  = 0.01  // of the flow: sum of exit_dW against W
	ratioSlack = 0.02  // of PR and TR against the exit's profiles over the inlet's
	effSlack   = 0.02  // of an efficiency above 1
	riseSlack  = 0.04  // of the ideal rise of temperature: eff against PR and TR
	leastRise  = 0.003 // of the inlet's temperature, the same for machines that hardly work
)

// Contradiction returns an error if outputs of an answer contradict each other or its request. With k = (gamma-1)/gamma
// and averages over the exit by mass, the answer has
//
//	sum(exit_dW) = W > 0,  PR = exit_Pt/inlet_Pt > 0,  TR = exit_Tt/inlet_Tt > 0
//	eff (TR - 1) = PR^k - 1  (compressor)  or  TR - 1 = eff (PR^k - 1)  (turbine),  eff <= 1,  TR >= PR^k
//
// and exit profiles of equal length. An output that the answer lacks is not judged.
func Contradiction(req *plugin.Request, r *plugin.Result) error {
	stated := math.Abs(r.Numbers[OutMass])
	if v := math.Abs(r.Numbers[OutEnergy]); v > stated {
		stated = v
	}
	for _, name := range []string{OutW, OutPR, OutTR} {
		if v, there := r.Numbers[name]; there && !(v > 0) {
			return fmt.Errorf("%s is %g; it must be above 0", name, v)
		}
	}
	for _, name := range []string{OutExitPt, OutExitTt} {
		if i := slices.IndexFunc(r.Arrays[name], func(v float64) bool { return !(v > 0) }); i >= 0 {
			return fmt.Errorf("%s[%d] is %g; it must be above 0", name, i, r.Arrays[name][i])
		}
	}
	if err := exitContradiction(req, r, stated); err != nil {
		return err
	}
	return effContradiction(req.Numbers[InGamma], r.Numbers, stated)
}

// exitContradiction compares the exit's profiles with each other and with the averages.
func exitContradiction(req *plugin.Request, r *plugin.Result, stated float64) error {
	dW := r.Arrays[OutExitW]
	if len(dW) == 0 {
		return nil
	}
	for _, name := range []string{OutExitR, OutExitPt, OutExitTt} {
		if list, there := r.Arrays[name]; there && len(list) != len(dW) {
			return fmt.Errorf("%s has %d values and %s %d", name, len(list), OutExitW, len(dW))
		}
	}
	sum := 0.0
	for _, v := range dW {
		sum += v
	}
	if w, there := r.Numbers[OutW]; there && !(math.Abs(sum/w-1) <= flowSlack+stated) {
		return fmt.Errorf("the sum of %s is %.6g kg/s and %s %.6g kg/s", OutExitW, sum, OutW, w)
	}
	for _, q := range []struct{ ratio, exit, inlet string }{{OutPR, OutExitPt, InPt}, {OutTR, OutExitTt, InTt}} {
		ratio, there := r.Numbers[q.ratio]
		exit, inlet := r.Arrays[q.exit], req.Arrays[q.inlet]
		if !there || len(exit) == 0 || len(inlet) == 0 {
			continue
		}
		mean := 0.0
		for i, v := range exit {
			mean += v * dW[i] / sum
		}
		// the flow through the parts of the inlet is not known: the average is among their values
		least, most := mean/slices.Max(inlet), mean/slices.Min(inlet)
		if slack := ratioSlack + stated; ratio < least*(1-slack) || ratio > most*(1+slack) {
			return fmt.Errorf("%s is %.5g, and the average of %s over that of %s between %.5g and %.5g", q.ratio, ratio,
				q.exit, q.inlet, least, most)
		}
	}
	return nil
}

// effContradiction compares the efficiency with the ratios of pressure and temperature.
func effContradiction(gamma float64, n map[string]float64, stated float64) error {
	eff, hasEff := n[OutEff]
	pr, hasPR := n[OutPR]
	tr, hasTR := n[OutTR]
	switch {
	case !hasEff || !hasPR || !hasTR || gamma <= 1:
		return nil
	case eff > 1+effSlack+stated:
		return fmt.Errorf("%s is %.4g, above 1", OutEff, eff)
	}
	ideal := math.Pow(pr, (gamma-1)/gamma) - 1
	slack := (riseSlack+stated)*math.Abs(ideal) + leastRise
	if math.Abs(eff*(tr-1)-ideal) > slack && math.Abs(tr-1-eff*ideal) > slack {
		return fmt.Errorf("%s is %.4g; %s %.5g and %s %.5g give %.4g at gamma %.4g", OutEff, eff, OutPR, pr, OutTR, tr,
			ideal/(tr-1), gamma)
	}
	if tr-1 < ideal-slack { // the other machine's definition of eff
		return fmt.Errorf("%s %.5g and %s %.5g lower the entropy at gamma %.4g; %s is %.4g", OutPR, pr, OutTR, tr,
			gamma, OutEff, eff)
	}
	return nil
}
