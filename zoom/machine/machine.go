package machine

// The inputs and outputs that the solvers of a kind of component share. A solver of any fidelity that uses these names
// can replace another.

import (
	"errors"
	"fmt"
	"maps"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// Names of inputs and outputs of a blade-row solver. Profiles run from hub to
// casing.
const (
	InGeometry = "geometry" // text: the geometry file
	InSpeed    = "N"        // rpm
	InGamma    = "gamma"    // ratio of specific heats
	InR        = "R"        // gas constant, J/(kg K)
	InThrottle = "throttle" // K in Ps = K W^2 at the exit, Pa s2/kg2
	InExitFlow = "exit_W"   // flow that leaves, kg/s, in place of InThrottle; optional, with OutThrottle
	InSpan     = "inlet_span"
	InPt       = "inlet_Pt"
	InTt       = "inlet_Tt"
	InAlpha    = "inlet_alpha" // swirl angle, rad
	InSetting  = "setting"     // of vanes and blades that turn, deg from how the geometry has them; optional

	OutW      = "W"  // kg/s
	OutPR     = "PR" // mass-averaged
	OutTR     = "TR"
	OutEff    = "eff"
	OutMass   = "mass_error"   // |W_in - W_out|/W_in
	OutEnergy = "energy_error" // |shaft power - W cp dTt|/shaft power
	OutChoked = "choked"       // 1: some blade row is choked

	// OutThrottle is the K that a run with InExitFlow has found.
	OutThrottle = "throttle"

	// Relative distances from where the run would settle, as the solver estimates them: within them in 95 of 100
	// runs. Optional.
	OutWError   = "W_error"
	OutPRError  = "PR_error"
	OutEffError = "eff_error"

	OutExitW  = "exit_dW" // mass flow of each cell, kg/s
	OutExitPt = "exit_Pt"
	OutExitTt = "exit_Tt"
	OutExitR  = "exit_r"
)

// The outputs of the model of a fan or compressor. PR follows from Wc and kappa, so that the two agree. A turbine has
// the first three.
const (
	OutputWc       = iota // ln(Wc/(kg/s))
	OutputEff             // eff
	OutputThrottle        // ln(K/(Pa s2/kg2)), the throttle of a run for a wanted point
	OutputPRCore          // ln(PR_core)
	OutputEffCore         // eff_core
	Outputs
)

// Machine is a component to be zoomed, at the engine's design point, in corrected quantities. Runs of a fan or
// compressor are made at the standard day's inlet state unless Pt and Tt are set, runs of other kinds at the inlet
// state of the design point. By similarity they hold for every inlet of the same corrected speed and flow, except for
// the effect of the Reynolds number, which is that of the runs' inlet.
type Machine struct {
	Name     string
	Type     string  // of component, as in kinds; empty: compressor
	Geometry string  // text of the geometry file
	Settable bool    // its rows turn with the component's alpha, and the solver takes that
	Gamma, R float64 // perfect gas of the runs
	Split    float64 // share of the flow, from the hub, of the core stream; 0: one stream
	Nc, Wc   float64 // corrected speed [rpm] and flow [kg/s] at the engine's design point
	PR, Eff  float64 // pressure ratio and efficiency there
	PRCore   float64 // of the core stream, if any
	EffCore  float64
	Pt, Tt   float64    // Pa and K at the inlet of the runs; 0: of the standard day
	Place    [2]float64 // of a component whose parameters a solver gives, with their values: see components.LawUse
	Values   [2]float64
	Ideal    bool               // a nozzle's Cfg refers to full expansion
	Settings map[string]float64 // of the solver
	Texts    map[string]string

	RHub, RTip float64 // radii of the inlet annulus, m; 0: no geometry is given, and the inlet flow is uniform
	Boundary   Boundary
}

// inlet returns the state of the runs' inlet: total pressure, Pa, and temperature, K, and both over the standard day's.
func (m *Machine) inlet() (pt, tt, delta, theta float64) {
	if m.Pt == 0 {
		return flow.Pref, flow.Tref, 1, 1
	}
	return m.Pt, m.Tt, m.Pt / flow.Pref, m.Tt / flow.Tref
}

// corrected returns the corrected flow, kg/s, for a flow at the runs' inlet, as the engine corrects it.
func (m *Machine) corrected(w float64) float64 {
	_, _, delta, theta := m.inlet()
	return w * math.Sqrt(theta) / delta
}

// RequestAt returns the request for one point of a fan or compressor: corrected speed nc [rpm] and throttle [Pa
// s2/kg2], by the standard day's quantities. The shape of the inlet profiles depends on the Mach number and so on the
// flow, which the run has yet to find. The profiles use the flow at the design's flow coefficient, so that a request
// does not depend on its own answer. Above the design speed that flow may choke the annulus; it is then limited to
// nearlyChoked of the choking flow.
func (m *Machine) RequestAt(nc, throttle float64) (plugin.Request, error) {
	w := m.Wc * nc / m.Nc
	throttle = m.runThrottle(throttle)
	if m.Pt != 0 {
		_, _, delta, theta := m.inlet()
		nc, w = numeric.Round(nc*math.Sqrt(theta), 9), w*delta/math.Sqrt(theta)
	}
	r, err := m.rowRequest(nc, throttle, w)
	var choked *InletError
	if errors.As(err, &choked) && choked.Most > m.actual(m.Wc) {
		return m.rowRequest(nc, throttle, nearlyChoked*choked.Most)
	}
	return r, err
}

// AtThrottle returns the request for a point of the speed line of a request, as [Machine.RequestAt] does: a speed line
// has one inlet.
func (m *Machine) AtThrottle(r plugin.Request, throttle float64) plugin.Request {
	r.Numbers, r.Arrays, r.Texts = maps.Clone(r.Numbers), maps.Clone(r.Arrays), maps.Clone(r.Texts)
	r.Numbers[InThrottle] = m.runThrottle(throttle)
	m.set(&r)
	return r
}

// runThrottle converts the standard day's throttle, Pa s2/kg2, to a run's.
func (m *Machine) runThrottle(throttle float64) float64 {
	if m.Pt == 0 {
		return throttle
	}
	_, _, delta, theta := m.inlet()
	return numeric.Round(throttle*theta/delta, 9)
}

// nearlyChoked is a share of the flow at which an annulus chokes: that of a Mach number of 0.85.
const nearlyChoked = 0.98

// Requested returns the corrected speed [rpm] and the throttle [Pa s2/kg2] of a request of a fan or compressor; the
// throttle is 0 if it has none.
func (m *Machine) Requested(r *plugin.Request) (nc, throttle float64) {
	_, _, _, theta := m.inlet()
	return r.Numbers[InSpeed] / math.Sqrt(theta), m.standardThrottle(r.Numbers[InThrottle])
}

// standardThrottle converts a run's throttle to the standard day's quantities, Pa s2/kg2: at the inlet's state Ps = K
// W^2 is delta/theta times the standard value.
func (m *Machine) standardThrottle(k float64) float64 {
	_, _, delta, theta := m.inlet()
	return k * (delta / theta)
}

// rowRequest returns the request of a machine with blade rows: speed [rpm], throttle [Pa s2/kg2], and the flow [kg/s]
// for which the inlet profiles are made. Their averages are the 1-D state.
func (m *Machine) rowRequest(speed, throttle, w float64) (plugin.Request, error) {
	pt, tt, _, _ := m.inlet()
	in := Inlet{
		W: w, Pt: pt, Tt: tt, RHub: m.RHub, RTip: m.RTip,
		Gas: average.Perfect{Gamma: m.Gamma, Rgas: m.R}, Alpha: m.Boundary.Swirl, Swirl: m.Boundary.Shape,
		Hub:     Layer{m.Boundary.HubLayer, m.Boundary.LayerPower},
		Tip:     Layer{m.Boundary.CasingLayer, m.Boundary.LayerPower},
		Average: m.Boundary.Average, Cells: m.Boundary.Rings,
	}
	p, err := in.uniform(), error(nil)
	if m.RTip > 0 {
		p, err = in.Profiles()
	}
	if err != nil {
		return plugin.Request{}, fmt.Errorf("%s at %.6g rpm: %w", m.Name, speed, err)
	}
	r := plugin.Request{
		Numbers: map[string]float64{InSpeed: speed, InGamma: m.Gamma, InR: m.R, InThrottle: throttle},
		Arrays:  map[string][]float64{InSpan: p.Span, InPt: p.Pt, InTt: p.Tt, InAlpha: p.Alpha},
		Texts:   map[string]string{},
	}
	if m.Geometry != "" {
		r.Texts[InGeometry] = m.Geometry
	}
	m.set(&r)
	return r, nil
}

// Setting returns the setting of the rows that turn in the runs, deg from the geometry's; 0 if the runs have none.
func (m *Machine) Setting(alpha float64) float64 {
	if !m.Settable {
		return 0
	}
	return alpha
}

// bladed returns the coordinates of a point of a machine with blades: speed, kappa, and the setting if that may differ.
func (m *Machine) bladed(p RunPoint) []float64 {
	if m.Settable {
		return p.Coordinates(3)
	}
	return p.Coordinates(2)
}

// turned returns a request with the setting of a run's inputs, if runs differ in it.
func (m *Machine) turned(r plugin.Request, inputs map[string]float64) plugin.Request {
	if alpha, ok := inputs[InSetting]; ok && r.Numbers != nil {
		r.Numbers[InSetting] = alpha
	}
	return r
}

// set adds the solver's settings to a request.
func (m *Machine) set(r *plugin.Request) {
	maps.Copy(r.Numbers, m.Settings)
	maps.Copy(r.Texts, m.Texts)
}

// wantRow returns the run of a machine with blade rows at a speed over the design's, at a setting, deg, and at a
// throttle, as its logarithm over a reference, Pa s2/kg2. Root is the square root of theta at the runs' inlet.
func (m *Machine) wantRow(nu, alpha, throttle, reference, root float64) Wanted {
	nu, k := math.Round(nu/nuStep), math.Round(throttle/ThrottleStep)
	w := Wanted{
		Name: fmt.Sprintf("%s-n%07.3f-k%+08.4f", m.Name, 100*nuStep*nu, ThrottleStep*k),
		Inputs: map[string]float64{
			InSpeed:    numeric.Round(nuStep*nu*m.Nc*root, 9),
			InThrottle: numeric.Round(reference*math.Exp(ThrottleStep*k), 9),
		},
	}
	if m.Settable {
		alpha = SettingStep*math.Round(alpha/SettingStep) + 0 // and no -0
		w.Name += fmt.Sprintf("-a%+07.3f", alpha)
		w.Inputs[InSetting] = numeric.Round(alpha, 9)
	}
	return w
}

// turning reports a geometry without a rotor, or with a rotor of the other kind of machine.
func turning(g *blade.Geometry, expands bool) error {
	what, other, order := "compressor", "turbine", "above"
	if expands {
		what, other, order = other, what, "below"
	}
	rotors := 0
	for _, r := range g.Rows {
		if !r.Rotating {
			continue
		}
		if rotors++; r.Expands() != expands {
			return fmt.Errorf("its row %q turns the flow as a %s's does: a %s's rotor has beta_le %s beta_te", r.Name,
				other, what, order)
		}
	}
	if rotors == 0 {
		return fmt.Errorf("no row of its geometry rotates: no work is done, so that there is no efficiency; a %s "+
			"needs rotating: true on its rotors", what)
	}
	return nil
}

// exitOf averages the exit flow of a run by mass: its flow, kg/s, total pressure, Pa, and temperature, K.
func (m *Machine) exitOf(out *plugin.Result) (average.Mean, error) {
	pt, _, _, _ := m.inlet()
	exit := average.Plane{DW: out.Arrays[OutExitW], Pt: out.Arrays[OutExitPt], Tt: out.Arrays[OutExitTt]}
	return average.Of(exit, average.Perfect{Gamma: m.Gamma, Rgas: m.R}, pt)
}

// actual returns the flow, kg/s, at the runs' inlet for a corrected flow.
func (m *Machine) actual(wc float64) float64 {
	_, _, delta, theta := m.inlet()
	return numeric.Round(wc*delta/math.Sqrt(theta), 9)
}
