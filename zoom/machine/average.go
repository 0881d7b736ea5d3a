package machine

// From a run's answer to a point of a performance map and its error. Besides too few runs the error has two causes: the
// run ended before its flow had settled, and mass or energy are not quite in balance.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
)

// LinePoint averages the exit profile of a run for each outlet stream. Its values are the
// corrected flow of the machine (Wc, kg/s), and pressure ratio, exit over inlet, and efficiency of the outer
// stream (PR, eff) and of the core stream (PR_core, eff_core). Its error is the largest
// relative imbalance of mass and energy in the run and in the averages.
func (m *Machine) LinePoint(o *run.Outcome) (perfmap.LinePoint, error) {
	// The run's name is that of the job, not of the attempt, so that a map does not depend on kills.
	p := perfmap.LinePoint{Run: o.Job.Name, Answer: o.Key, Steered: len(o.Steered) > 0}
	if !o.OK() {
		return p, o.Err
	}
	r := o.Result
	p.Error = max(math.Abs(r.Numbers[OutMass]), math.Abs(r.Numbers[OutEnergy]))
	exit := average.Plane{DW: r.Arrays[OutExitW], Pt: r.Arrays[OutExitPt], Tt: r.Arrays[OutExitTt]}
	fluid := average.Perfect{Gamma: m.Gamma, Rgas: m.R}
	pt, tt, _, _ := m.inlet()
	inlet, err := average.Of(average.Plane{DW: []float64{r.Numbers[OutW]}, Pt: []float64{pt}, Tt: []float64{tt}},
		fluid, pt)
	if err != nil {
		return p, fmt.Errorf("run %s: %w", o.Run, err)
	}
	var cuts []float64
	if m.Split > 0 {
		cuts = []float64{m.Split}
	}
	out, err := average.Streams(exit, inlet, fluid, average.Mass, cuts...)
	if err != nil {
		return p, fmt.Errorf("run %s: %w", o.Run, err)
	}
	p.Error = max(p.Error, out.Residual)
	outer := out.Streams[len(out.Streams)-1]
	if err := contradiction(r.Numbers, out.Whole.PR, out.Whole.TR, out.Whole.Eff, p.Error); err != nil {
		return p, fmt.Errorf("run %s: %w", o.Run, err)
	}
	p.Values = map[string]float64{"Wc": m.corrected(r.Numbers[OutW]), "PR": outer.PR, "eff": outer.Eff}
	if m.Split > 0 {
		p.Values["PR_core"], p.Values["eff_core"] = out.Streams[0].PR, out.Streams[0].Eff
	}
	for name, v := range p.Values {
		if !numeric.Finite(v) {
			return p, fmt.Errorf("run %s: %s is not a number", o.Run, name)
		}
	}
	return p, nil
}

// contradiction reports impossible results of a run: an efficiency above 1, or pressure and temperature ratios that
// differ from its exit flow. Pr and tr are exit over inlet, eff the efficiency, all of averages.
func contradiction(numbers map[string]float64, pr, tr, eff, stated float64) error {
	// The solver's average differs from that of its profile by the stated imbalances and by the mesh.
	slack := 0.01 + stated
	if eff > 1+slack {
		return fmt.Errorf(
			"its exit flow has an efficiency of %.4g, above 1: pressure ratio %.5g, temperature ratio %.5g", eff, pr,
			tr)
	}
	for _, v := range []struct {
		name  string
		found float64
	}{{OutPR, pr}, {OutTR, tr}} {
		if reported, ok := numbers[v.name]; ok && !(math.Abs(reported/v.found-1) <= slack) {
			return fmt.Errorf("its %s is %.5g, and that of its exit flow %.5g", v.name, reported, v.found)
		}
	}
	return nil
}

// Uncertainty holds the errors of the model's outputs in an answer, by cause.
type Uncertainty struct {
	Convergence []float64 // bounds, not exceeded in 95 of 100 runs
	Balance     []float64 // standard deviations
}

// noise returns the standard deviations of the outputs.
func (d *Uncertainty) noise() []float64 {
	out := make([]float64, len(d.Balance))
	for k := range out {
		out[k] = math.Hypot(d.Convergence[k]/2, d.Balance[k])
	}
	return out
}

// LeastNoise is the noise of a run that states no error.
const LeastNoise = 1e-6
