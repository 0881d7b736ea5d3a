package mock

import (
	"context"
	"math"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Passage is a solver of a nozzle, inlet, duct or burner with known answers: parameters of the component as a function
// of its operating point, in the coordinates of components.LawUse. The program contains no such solver.
type Passage struct {
	Type  string // of component
	Law   func(place [2]float64) [2]float64
	Ideal bool                 // a nozzle's thrust coefficient refers to full expansion
	Spoil func(*plugin.Result) // may change an answer; nil: unchanged
}

// Describe implements plugin.Solver.
func (p Passage) Describe() plugin.Description {
	d := plugin.Description{Name: "passage", Version: "1", Fidelity: "known"}
	add := func(list *[]plugin.Quantity, shape plugin.Shape, names ...string) {
		for _, name := range names {
			*list = append(*list, plugin.Quantity{Name: name, Shape: shape, Required: true, Doc: name})
		}
	}
	add(&d.Inputs, plugin.Scalar, machine.InGamma, machine.InR, machine.InTotalPressure, machine.InTotalTemperature)
	add(&d.Outputs, plugin.Scalar, machine.OutW, machine.OutMass)
	switch p.Type {
	case "nozzle":
		add(&d.Inputs, plugin.Scalar, machine.InAmbient)
		add(&d.Outputs, plugin.Scalar, machine.OutThrust, machine.OutThroat)
		return d
	case "inlet":
		add(&d.Inputs, plugin.Scalar, machine.InMach)
	case "burner":
		add(&d.Inputs, plugin.Scalar, machine.InFAR)
		add(&d.Outputs, plugin.Scalar, machine.OutEff)
	}
	add(&d.Inputs, plugin.Scalar, machine.InFlow)
	add(&d.Outputs, plugin.Profile, machine.OutExitW, machine.OutExitPt, machine.OutExitTt)
	return d
}

// Run implements plugin.Solver.
func (p Passage) Run(_ context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	answer := plugin.Result{Class: event.Converged, Numbers: map[string]float64{machine.OutMass: 1e-7}}
	if p.Type == "nozzle" {
		p.exhaust(r, &answer)
	} else {
		p.pass(r, &answer)
	}
	if p.Spoil != nil {
		p.Spoil(&answer)
	}
	return answer, nil
}

// pass answers for a component with flow through it. The exit's two halves differ in pressure; their mean follows the
// law.
func (p Passage) pass(r plugin.Request, answer *plugin.Result) {
	n := r.Numbers
	pt, tt, w := n[machine.InTotalPressure], n[machine.InTotalTemperature], n[machine.InFlow]
	wc := w * math.Sqrt(tt/288.15) / (pt / 101325)
	var out float64
	switch p.Type {
	case "inlet":
		out = pt * p.Law([2]float64{n[machine.InMach], wc})[0]
	case "burner":
		v := p.Law([2]float64{wc, n[machine.InFAR]})
		out, answer.Numbers[machine.OutEff] = pt*(1-v[0]), v[1]
	default:
		out = pt * (1 - p.Law([2]float64{wc})[0])
	}
	answer.Numbers[machine.OutW] = w
	answer.Arrays = map[string][]float64{
		machine.OutExitW: {w / 2, w / 2}, machine.OutExitPt: {0.998 * out, 1.002 * out}, machine.OutExitTt: {tt, tt},
	}
}

// exhaust answers for a nozzle with a throat of 0.4 m2, by the relations of isentropic flow over the Mach number.
func (p Passage) exhaust(r plugin.Request, answer *plugin.Result) {
	n := r.Numbers
	const area = 0.4
	g, pt, tt := n[machine.InGamma], n[machine.InTotalPressure], n[machine.InTotalTemperature]
	npr := pt / n[machine.InAmbient]
	full := math.Sqrt(2 / (g - 1) * (math.Pow(npr, (g-1)/g) - 1))
	mach := min(1, full)
	x := 1 + (g-1)/2*mach*mach
	ps, ts := pt*math.Pow(x, -g/(g-1)), tt/x
	v := mach * math.Sqrt(g*n[machine.InR]*ts)
	ideal := area * ps / (n[machine.InR] * ts) * v
	thrust := ideal*v + (ps-n[machine.InAmbient])*area
	if p.Ideal {
		thrust = ideal * full * math.Sqrt(g*n[machine.InR]*tt/(1+(g-1)/2*full*full))
	}
	c := p.Law([2]float64{npr})
	answer.Numbers[machine.OutW], answer.Numbers[machine.OutThroat] = c[0]*ideal, area
	answer.Numbers[machine.OutThrust] = c[1] * c[0] * thrust
}
