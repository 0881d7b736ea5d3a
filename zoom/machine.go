package zoom

// The inputs and outputs that all blade-row solvers share. A solver of any fidelity that
// uses these names can replace another.

import (
	"fmt"
	"maps"

	"github.com/peregrine-sim/peregrine/components/cfd/average"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Names of inputs and outputs of a blade-row solver. Profiles run from hub to
// casing.
const (
	InGeometry = "geometry" // text: the geometry file
	InSpeed    = "N"        // rpm
	InGamma    = "gamma"    // ratio of specific heats
	InR        = "R"        // gas constant, J/(kg K)
	InThrottle = "throttle" // K in Ps = K W^2 at the exit, Pa s2/kg2
	InSpan     = "inlet_span"
	InPt       = "inlet_Pt"
	InTt       = "inlet_Tt"
	InAlpha    = "inlet_alpha" // swirl angle, rad

	OutW      = "W"  // kg/s
	OutPR     = "PR" // mass-averaged
	OutTR     = "TR"
	OutEff    = "eff"
	OutMass   = "mass_error"   // |W_in - W_out|/W_in
	OutEnergy = "energy_error" // |shaft power - W cp dTt|/shaft power
	OutChoked = "choked"       // 1: some blade row is choked

	// Relative distances from where the run would settle, as the solver estimates them: within them in 95 of 100 runs. Optional.
	OutWError   = "W_error"
	OutPRError  = "PR_error"
	OutEffError = "eff_error"

	OutExitW  = "exit_dW" // mass flow of each cell, kg/s
	OutExitPt = "exit_Pt"
	OutExitTt = "exit_Tt"
	OutExitR  = "exit_r"
)

// Machine is a fan or compressor to be zoomed, in corrected quantities. Runs are made at the
// standard day's inlet state; by similarity they hold for every inlet of the same corrected
// speed and flow. The effect of the Reynolds number is neglected.
type Machine struct {
	Name     string
	Geometry string  // text of the geometry file
	Gamma, R float64 // perfect gas of the runs
	Split    float64 // share of the flow, from the hub, that is the core stream; 0: one stream
	Nc, Wc   float64 // corrected speed [rpm] and flow [kg/s] at the engine's design point
	PR, Eff  float64 // pressure ratio and efficiency there
	PRCore   float64 // those of the core stream, where there is one
	EffCore  float64
	Settings map[string]float64 // of the solver
	Texts    map[string]string

	RHub, RTip float64 // radii of the inlet annulus, m
	Boundary   Boundary
}

// request returns the request for one point of the machine: corrected speed nc [rpm] and
// throttle [Pa s2/kg2]. The averages of the inlet profiles are the 1-D state. Their shape
// depends on the Mach number and so on the flow, which the run has yet to find; the flow at
// the design's flow coefficient is taken for it, so that a request does not depend on its
// own answer.
func (m *Machine) request(nc, throttle float64) (plugin.Request, error) {
	in := Inlet{
		W: m.Wc * nc / m.Nc, Pt: flow.Pref, Tt: flow.Tref, RHub: m.RHub, RTip: m.RTip,
		Gas: average.Perfect{Gamma: m.Gamma, Rgas: m.R}, Alpha: m.Boundary.Swirl, Swirl: m.Boundary.Shape,
		Hub: Layer{m.Boundary.HubLayer, m.Boundary.LayerPower}, Tip: Layer{m.Boundary.CasingLayer, m.Boundary.LayerPower},
		Average: m.Boundary.Average, Cells: m.Boundary.Rings,
	}
	p, err := in.Profiles()
	if err != nil {
		return plugin.Request{}, fmt.Errorf("%s at %.6g rpm: %w", m.Name, nc, err)
	}
	r := plugin.Request{
		Numbers: map[string]float64{InSpeed: nc, InGamma: m.Gamma, InR: m.R, InThrottle: throttle},
		Arrays:  map[string][]float64{InSpan: p.Span, InPt: p.Pt, InTt: p.Tt, InAlpha: p.Alpha},
		Texts:   map[string]string{InGeometry: m.Geometry},
	}
	maps.Copy(r.Numbers, m.Settings)
	maps.Copy(r.Texts, m.Texts)
	return r, nil
}
