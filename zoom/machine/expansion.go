package machine

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// expansion is the kind of turbines: a vane and a rotor, or several of each.
//
//	inputs       geometry, N, gas and inlet state of station 41 at the engine's design point, inlet profiles, throttle
//	similarity   N/sqrt(theta), flow parameter Wp = W sqrt(theta)/delta and total pressure ratio, at the engine's gamma
//	             (Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section 5.3)
//	coordinates  nu = Np/Np_design, ln PR with PR = Pt_in/Pt_out, above 1. Over the pressure ratio a choked turbine has
//	             one flow, over the flow it has every pressure ratio; the setting of vanes and blades that turn
//	outputs      Wp; total-to-total efficiency of the mass-averaged exit flow, the actual work over that of the ideal
//	             expansion to the same total pressure
//	given        gamma; all cooling air that does work mixed ahead of the vane, as at the engine's station 41. The
//	             streams that join behind it expand with the efficiency of the blades, in the engine
//	ends         a throttle, Ps = K W^2, or an exit pressure: as a turbine chokes, many exit pressures have one flow,
//	             and a higher flow is impossible
type expansion struct{}

func (expansion) exchange() (given, read []exchanged) { return rowsGiven, rowsRead }

// stands implements kind: a vane by itself does no work.
func (expansion) stands(g *blade.Geometry) error { return turning(g, true) }

func (expansion) gridded() bool { return false }

func (expansion) point(m *Machine, t Target) RunPoint {
	return RunPoint{t.Nc / m.Nc, math.Log(t.PR), m.Setting(t.Alpha)}
}

func (e expansion) design(m *Machine) RunPoint {
	return e.point(m, Target{Nc: m.Nc, Wc: m.Wc, PR: m.PR})
}

func (expansion) at(m *Machine, alpha, nc, x float64) RunPoint {
	return RunPoint{nc / m.Nc, math.Log(x), m.Setting(alpha)}
}

func (expansion) third(p RunPoint) float64 { return math.Exp(p.Kappa) }

// The prior of a turbine. It is nearly choked: the flow hardly depends on the pressure ratio, and falls slightly with
// speed. Efficiency is about the engine's. The throttle falls with the pressure ratio, as the exit pressure does. Lines
// bend over a fifth of the speed and of the pressure ratio, as with perfmap.MakeTurbine.
var (
	slopesOfWp       = []float64{-0.05, 0.05}
	spreadsOfWp      = []float64{0.2, 0.15}
	spreadsOfWorkEff = []float64{0.3, 0.2}
	slopesOfExitK    = []float64{0, -1.1}
	spreadsOfExitK   = []float64{0.3, 0.3}
	lengthsOfTurbine = []float64{0.2, 0.4}
)

// turnsOfTurbine is the prior of a turbine over the setting of its vanes. The throat between vanes is proportional to
// the cosine of their angle: at 65 degrees it changes by 4 % a degree, and the throttle that holds a pressure ratio
// with its square.
var turnsOfTurbine = Turns{Slopes: []float64{OutputWc: 0.04, OutputEff: 0.005, OutputThrottle: 0.08}, Length: 8}

// exitDynamic is the ratio of static to total pressure behind a turbine stage for an absolute Mach number of 0.45,
// which is about that of Smith's best stages (S. F. Smith, A Simple Correlation of Turbine Efficiency, J. Royal
// Aeronautical Society 69, 1965). It only centres the first runs on the operating point.
const exitDynamic = 0.87

func (e expansion) outputs(m *Machine) []surrogate.Output {
	at := e.design(m)
	prior := m.priorsAt(at, lengthsOfTurbine, turnsOfTurbine)
	return []surrogate.Output{
		OutputWc:  {Name: "ln Wp", Prior: prior(OutputWc, math.Log(m.Wc), slopesOfWp, 0.2, spreadsOfWp, 0.02)},
		OutputEff: {Name: "eff", Prior: prior(OutputEff, m.Eff, []float64{0, 0}, 0.05, spreadsOfWorkEff, 0.02)},
		OutputThrottle: {
			Name: "ln K", Prior: prior(OutputThrottle, math.Log(e.reference(m)*exitDynamic/m.PR), slopesOfExitK, 0.4,
				spreadsOfExitK, 0.03),
		},
	}
}

// reference returns the throttle that holds the inlet's total pressure at the design flow, Pa s2/kg2.
func (expansion) reference(m *Machine) float64 {
	pt, _, delta, theta := m.inlet()
	w := m.Wc * delta / math.Sqrt(theta)
	return pt / (w * w)
}

func (expansion) seen(*Machine) []int { return []int{OutputWc, OutputEff} }

func (expansion) respond(_ *Machine, p RunPoint, out []surrogate.Value, v *components.Responded) {
	pr := math.Exp(p.Kappa)
	v.Wc, v.PR, v.Eff = math.Exp(out[OutputWc].V), [2]float64{pr, pr}, [2]float64{out[OutputEff].V, out[OutputEff].V}
}

func (e expansion) want(m *Machine, p RunPoint, there []surrogate.Value) Wanted {
	_, _, _, theta := m.inlet()
	k0 := numeric.Round(e.reference(m), 6)
	return m.wantRow(p.Nu, p.Alpha, there[OutputThrottle].V-math.Log(k0), k0, math.Sqrt(theta))
}

func (expansion) request(m *Machine, inputs map[string]float64) (plugin.Request, error) {
	_, _, delta, theta := m.inlet()
	r, err := m.rowRequest(inputs[InSpeed], inputs[InThrottle], m.Wc*delta/math.Sqrt(theta))
	return m.turned(r, inputs), err
}

func (e expansion) answer(m *Machine, o *run.Outcome) (surrogate.Observation, Uncertainty, error) {
	p, err := m.LinePoint(o)
	if err != nil {
		return surrogate.Observation{}, Uncertainty{}, err
	}
	if !(p.Values["PR"] < 1) || !(p.Values["eff"] > 0) {
		return surrogate.Observation{}, Uncertainty{}, fmt.Errorf(
			"run %s: no work is done: total pressure at the exit is %.4g of the inlet's, efficiency %.4g", o.Run,
			p.Values["PR"], p.Values["eff"])
	}
	// The solver states relative errors of W, PR and eff. At the pressure ratio of the answer the error of ln Wp is
	// that of W plus the slope times that of PR; likewise for eff. The error of ln K = ln Ps - 2 ln W contains both.
	stated, noise := o.Result.Numbers, max(p.Error, LeastNoise)
	w, pr := stated[OutWError], stated[OutPRError]
	d := Uncertainty{
		Convergence: []float64{
			OutputWc: w + spreadsOfWp[1]*pr, OutputEff: stated[OutEffError]*p.Values["eff"] + spreadsOfWorkEff[1]*pr,
			OutputThrottle: 2*w + pr,
		},
		Balance: []float64{noise, noise, noise},
	}
	in := o.Job.Request.Numbers
	_, _, _, theta := m.inlet()
	at := e.at(m, in[InSetting], in[InSpeed]/math.Sqrt(theta), 1/p.Values["PR"])
	return surrogate.Observation{
		Key: o.Job.Name, X: m.bladed(at),
		Y:     []float64{math.Log(p.Values["Wc"]), p.Values["eff"], math.Log(in[InThrottle])},
		Noise: d.noise(),
	}, d, nil
}
