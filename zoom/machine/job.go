package machine

// The job that makes a wanted run.

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// InputsOf returns the inputs that distinguish a run from others, as its request has them.
func (m *Machine) InputsOf(w Wanted) (map[string]float64, error) {
	request, err := m.RequestOf(w.Inputs)
	if err != nil {
		return nil, err
	}
	inputs := map[string]float64{}
	for name := range w.Inputs {
		inputs[name] = request.Numbers[name]
	}
	return inputs, nil
}

// Group identifies the requests for the machine, whatever its name. Requests for another design flow are of the group,
// too, but do not count, as their inlet profiles are not this machine's: see recollection.get.
func (m *Machine) Group() any {
	return map[string]any{
		"type": m.Type, "geometry": m.Geometry, "gamma": m.Gamma, "R": m.R, "Pt": m.Pt, "Tt": m.Tt,
		"boundary": m.Boundary,
		"settings": m.Settings, "texts": m.Texts,
	}
}

// Job returns the job of a run, without the runs from which it starts.
func (m *Machine) Job(w *Wanted) (run.Job, error) {
	request, err := m.RequestOf(w.Inputs)
	if err != nil {
		return run.Job{}, err
	}
	if w.Orders > 0 {
		request.Numbers[run.Orders] = w.Orders
	}
	return run.Job{Name: w.Run(), Request: request, Component: m.Name, Group: m.Group(),
		Place: run.GroupPosition{Inputs: w.Inputs, Orders: w.Orders}}, nil
}

// flowDigits is the number of digits to which a flow is rounded; see ThrottleStep.
const flowDigits = 7

// HoldDesign returns the run at the design's speed that holds its flow; false: runs of such a component cannot hold a
// flow.
func (m *Machine) HoldDesign() (Wanted, bool) {
	if !m.Compresses() {
		return Wanted{}, false
	}
	w := numeric.Round(m.actual(m.Wc), flowDigits)
	held := Wanted{
		Name:   fmt.Sprintf("%s-n%07.3f-w%.7g", m.Name, 100.0, w),
		Inputs: map[string]float64{InSpeed: numeric.Round(m.Nc, 9), InExitFlow: w},
	}
	if m.Settable {
		held.Inputs[InSetting] = 0
	}
	return held, true
}
