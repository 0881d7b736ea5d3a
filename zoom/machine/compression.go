package machine

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// compression is the kind of fans and compressors.
//
//	inputs       geometry, N, gas of the component's inlet at the engine's design point, inlet profiles at the standard
//	             day's state or at that inlet's, throttle
//	similarity   corrected speed and corrected flow
//	coordinates  nu = Nc/Nc_design, kappa = ln(Wc^2/PR); the setting of vanes and blades that turn
//	outputs      Wc; PR and efficiency of the mass-averaged exit flow, of each outlet stream by itself
//	given        gamma, no bleed within, the Reynolds number of the runs' inlet, the engine's split between the streams
//	ends         a throttle, Ps = K W^2, has a flow on every line; a flow has one only below choke, and an exit pressure
//	             only below the line's peak
type compression struct{}

func (compression) exchange() (given, read []exchanged) { return rowsGiven, rowsRead }

// stands implements kind: without a rotor no gas is compressed.
func (compression) stands(g *blade.Geometry) error { return turning(g, false) }

func (compression) gridded() bool { return true }

func (compression) point(m *Machine, t Target) RunPoint {
	return RunPoint{t.Nc / m.Nc, math.Log(t.Wc * t.Wc / t.PR), m.Setting(t.Alpha)}
}

func (c compression) design(m *Machine) RunPoint {
	return c.point(m, Target{Nc: m.Nc, Wc: m.Wc, PR: m.PR})
}

func (compression) at(m *Machine, alpha, nc, x float64) RunPoint {
	return RunPoint{nc / m.Nc, x, m.Setting(alpha)}
}

func (compression) third(p RunPoint) float64 { return p.Kappa }

func (compression) request(m *Machine, inputs map[string]float64) (plugin.Request, error) {
	r, err := m.RequestAt(inputs[InSpeed], inputs[InThrottle])
	if w, ok := inputs[InExitFlow]; ok && err == nil {
		delete(r.Numbers, InThrottle)
		r.Numbers[InExitFlow] = w
	}
	return m.turned(r, inputs), err
}

// The prior of a fan or a compressor. At constant kappa the flow is proportional to speed. At constant speed the slope
// of flow over kappa is 0 where the line is vertical and 1/2 where it is flat. Efficiencies are about the engine's own.
// Lines bend over an eighth of the speed and a good half of kappa, as in published maps.
var (
	slopesOfWc        = []float64{1, 0.25}
	spreadsOfWc       = []float64{0.5, 0.15}
	spreadsOfEff      = []float64{0.3, 0.15}
	slopesOfK         = []float64{0, -1}
	spreadsOfK        = []float64{0.3, 0.2}
	slopesOfPR        = []float64{2, -0.5}
	spreadsOfPR       = []float64{1.4, 0.5}
	CompressorLengths = []float64{0.12, 0.6}
)

// CompressorTurns is the prior of a fan or a compressor over the setting of its vanes. A swirl alpha in the rotor's
// direction reduces the axial velocity, at unchanged incidence, according to
//
//	Vz (tan beta + tan alpha) = U
//
// so that with beta about 55 degrees a degree takes 1.2 % of the flow. Lines bend over some ten degrees, as losses do
// with incidence.
var CompressorTurns = Turns{
	Slopes: []float64{OutputWc: 0.01, OutputEff: 0.003, OutputThrottle: 0.01, OutputPRCore: 0.02, OutputEffCore: 0.003},
	Length: 12,
}

// outputs implements kind.
func (c compression) outputs(m *Machine) []surrogate.Output {
	at := c.design(m)
	prior := m.priorsAt(at, CompressorLengths, CompressorTurns)
	flat := []float64{0, 0}
	throttle := math.Log(ExitStaticShare*flow.Pref) - at.Kappa
	list := []surrogate.Output{
		OutputWc:       {Name: "ln Wc", Prior: prior(OutputWc, math.Log(m.Wc), slopesOfWc, 0.1, spreadsOfWc, 0.03)},
		OutputEff:      {Name: "eff", Prior: prior(OutputEff, m.Eff, flat, 0.05, spreadsOfEff, 0.02)},
		OutputThrottle: {Name: "ln K", Prior: prior(OutputThrottle, throttle, slopesOfK, 0.2, spreadsOfK, 0.02)},
	}
	if m.Split > 0 {
		list = append(list,
			surrogate.Output{
				Name: "ln PR_core", Prior: prior(OutputPRCore, math.Log(m.PRCore), slopesOfPR, 0.1, spreadsOfPR, 0.03),
			},
			surrogate.Output{Name: "eff_core", Prior: prior(OutputEffCore, m.EffCore, flat, 0.05, spreadsOfEff, 0.02)})
	}
	return list
}

// respond implements charted.
func (compression) respond(m *Machine, p RunPoint, out []surrogate.Value, v *components.Responded) {
	v.Wc = math.Exp(out[OutputWc].V)
	v.PR = [2]float64{v.Wc * v.Wc / math.Exp(p.Kappa), math.Exp(out[OutputPRCore].V)}
	v.Eff = [2]float64{out[OutputEff].V, out[OutputEffCore].V}
	if m.Split == 0 {
		v.PR[1], v.Eff[1] = v.PR[0], v.Eff[0]
	}
}

// seen implements kind.
func (compression) seen(m *Machine) []int {
	if m.Split > 0 {
		return []int{OutputWc, OutputEff, OutputPRCore, OutputEffCore}
	}
	return []int{OutputWc, OutputEff}
}

// want implements kind.
func (compression) want(m *Machine, p RunPoint, there []surrogate.Value) Wanted {
	return m.WantAt(p.Nu, p.Alpha, there[OutputThrottle].V-m.OpenThrottle())
}

// OpenThrottle returns the logarithm of the throttle that passes the design flow at PR 1, ln(K/(Pa s2/kg2)).
func (m *Machine) OpenThrottle() float64 { return math.Log(flow.Pref / (m.Wc * m.Wc)) }

// WantAt returns the run at a speed over the design's, at a setting, and at a throttle, as its logarithm over the open
// throttle's.
func (m *Machine) WantAt(nu, alpha, throttle float64) Wanted {
	return m.wantRow(nu, alpha, throttle, numeric.Round(flow.Pref/(m.Wc*m.Wc), 6), 1)
}

// answer implements kind: a run's answer to the model, and its uncertainty.
func (c compression) answer(m *Machine, o *run.Outcome) (surrogate.Observation, Uncertainty, error) {
	p, err := m.LinePoint(o)
	if err != nil {
		return surrogate.Observation{}, Uncertainty{}, err
	}
	nc, throttle := m.Requested(&o.Job.Request)
	if _, given := o.Job.Request.Numbers[InThrottle]; !given {
		throttle = m.standardThrottle(o.Result.Numbers[OutThrottle])
	}
	if !(throttle > 0) {
		return surrogate.Observation{}, Uncertainty{}, fmt.Errorf(
			"run %s: it reports no valid throttle for the flow that it holds (%s %g)",
			o.Run,
			OutThrottle,
			o.Result.Numbers[OutThrottle],
		)
	}
	at := c.point(m, Target{Nc: nc, Wc: p.Values["Wc"], PR: p.Values["PR"], Alpha: o.Job.Request.Numbers[InSetting]})
	d := m.uncertaintyOf(o, &p)
	a := surrogate.Observation{
		Key: o.Job.Name, X: m.bladed(at),
		Y:     []float64{math.Log(p.Values["Wc"]), p.Values["eff"], math.Log(throttle)},
		Noise: d.noise(),
	}
	if m.Split > 0 {
		a.Y = append(a.Y, math.Log(p.Values["PR_core"]), p.Values["eff_core"])
	}
	return a, d, nil
}

// ExitStaticShare is the ratio of static to total pressure at a rotor's exit for an absolute Mach number of 0.7, which
// is typical of transonic fans. It only centres the first runs of a line on the operating point.
const ExitStaticShare = 0.72

// uncertaintyOf returns the uncertainty of an answer, which is a point of a map. The solver states relative errors of
// W, PR and eff. The answer's point moves along in kappa = ln(Wc^2/PR), so the errors there are
//
//	of ln Wc: |dW/W| (1 - 2 s) + |dPR/PR| s, where s = d ln Wc/d kappa is between 0 and 1/2
//	of ln K at a given kappa: |dkappa| <= 2 |dW/W| + |dPR/PR|
//	of eff: |deff| and its slope times |dkappa|
//
// The streams of a fan have the errors of the whole, as the solver does not know the split of the flow: on the machines
// in VERIFICATION.md these hold for the core stream nearly as often, and are mostly far too large there. An output that
// the solver does not state counts as settled.
func (m *Machine) uncertaintyOf(o *run.Outcome, p *perfmap.LinePoint) Uncertainty {
	stated := o.Result.Numbers
	w, pr, eff := stated[OutWError], stated[OutPRError], stated[OutEffError]
	kappa := 2*w + pr
	ofEff := func(name string) float64 { return eff*math.Abs(p.Values[name]) + spreadsOfEff[1]*kappa }
	d := Uncertainty{Convergence: []float64{OutputWc: max(w, pr/2), OutputEff: ofEff("eff"), OutputThrottle: kappa}}
	if m.Split > 0 {
		d.Convergence = append(d.Convergence, pr+math.Abs(slopesOfPR[1])*kappa, ofEff("eff_core"))
	}
	for range d.Convergence {
		d.Balance = append(d.Balance, max(p.Error, LeastNoise))
	}
	return d
}
