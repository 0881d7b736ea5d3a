package zoom

// The error estimate of a map of speed lines at the engine's operating point, and the run that would lower it.

import (
	"cmp"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// LineCauses are the parts of the error of a map's point.
type LineCauses struct {
	Interpolation float64 // along its line and between lines
	Convergence   float64 // the largest that a run of the nearest line states of itself
	Balance       float64 // the largest imbalance of mass and energy of such a run
}

// Largest returns the error.
func (c LineCauses) Largest() float64 { return max(c.Interpolation, c.Convergence, c.Balance) }

// Gain returns the reduction of the error by a run at the point.
func (c LineCauses) Gain() float64 { return c.Largest() - max(c.Convergence, c.Balance) }

// CausesAt estimates the relative errors of flow, pressure ratio and efficiency at a point of the latest map. The map
// and a Gaussian process estimate the machine independently from the same runs, and the process knows its deviation.
// The error is the difference between both plus two of the process's deviations, along the line and between lines. Near
// failed runs the deviation is larger. The estimate does not hold where many runs failed; see ErrorHolds. Both methods
// need a Make.
func (b *Grid) CausesAt(at perfmap.Point) (c LineCauses) {
	s := b.mappedLine(at.Nc)
	for _, e := range b.line(s).made {
		if !e.counts() {
			continue
		}
		p, _ := b.Machine.LinePoint(&e.outcome)
		stated := e.outcome.Result.Numbers
		c.Balance = max(c.Balance, p.Error)
		c.Convergence = max(c.Convergence, stated[machine.OutWError], stated[machine.OutPRError],
			stated[machine.OutEffError])
	}
	c.Interpolation = b.interpolation(at)
	return c
}

// interpolation returns the relative error between runs. Along a line of constant kappa an error of ln Wc is twice that
// in ln PR.
func (b *Grid) interpolation(at perfmap.Point) float64 {
	on, x := b.onMap(at)
	model, err := b.modelNear(at, x)
	if err != nil {
		return unknownError
	}
	var there [machine.Outputs]surrogate.Value
	var deviation [machine.Outputs]float64
	model.At(x, there[:])
	model.Deviations(x, deviation[:])
	largest := 0.0
	for _, k := range b.Machine.Seen() {
		e := math.Abs(on[k]-there[k].V) + 2*deviation[k]
		switch k {
		case machine.OutputWc:
			e *= 2
		case machine.OutputEff, machine.OutputEffCore:
			e /= there[k].V
		}
		largest = max(largest, e)
	}
	return largest
}

// unknownError is the error of runs that allow no model.
const unknownError = 1.0

// onMap returns the outputs of the machine's model at a point of the latest map, and the model's coordinates there.
func (b *Grid) onMap(at perfmap.Point) (out outputs, x []float64) {
	value := func(name string) float64 {
		v, _ := b.latest.Value(name, at)
		return v.V
	}
	wc := value("Wc")
	out[machine.OutputWc], out[machine.OutputEff] = math.Log(wc), value("eff")
	if b.Machine.Split > 0 {
		out[machine.OutputPRCore], out[machine.OutputEffCore] = math.Log(value("PR_core")), value("eff_core")
	}
	p := b.Machine.PointOf(machine.Target{Nc: at.Nc, Wc: wc, PR: value("PR")})
	return out, p.Coordinates(b.Machine.Dimension())
}

// modelNear returns the model of the answers nearest to a point, at most mostEarlier of them. It is kept for the latest
// map.
func (b *Grid) modelNear(at perfmap.Point, x []float64) (*surrogate.Model, error) {
	if m, known := b.models[at]; known {
		return m, nil
	}
	prior := b.Machine.Outputs()
	answers := b.counted()
	distance := b.Machine.Distance()
	slices.SortFunc(answers, func(p, q surrogate.Observation) int {
		return cmp.Or(cmp.Compare(distance(p.X, x), distance(q.X, x)), cmp.Compare(p.Key, q.Key))
	})
	m, err := surrogate.New(len(x), []surrogate.Trend{{Outputs: prior}}, answers[:min(len(answers), mostEarlier)])
	if err == nil {
		b.models[at] = m
	}
	return m, err
}

// NextAt returns the inputs of the run at a point of the latest map: N, rpm, and throttle, Pa s2/kg2.
func (b *Grid) NextAt(at perfmap.Point) (map[string]float64, error) {
	_, x := b.onMap(at)
	model, err := b.modelNear(at, x)
	if err != nil {
		return nil, err
	}
	return b.Machine.InputsOf(b.wantOn(model, machine.PointAt(x)))
}
