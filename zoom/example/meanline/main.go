// Command meanline is a flow solver that models a rotor by a straight characteristic at its mean radius. It shows a
// solver's plugin in Go: a type with two methods, and a main function of one line. Its physics is kept to the minimum.
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func main() { plugin.Serve(meanline{}) }

type meanline struct{}

const historyFile = "history.dat"

// Describe returns the solver's description. The host checks every request and every answer against it.
func (meanline) Describe() plugin.Description {
	return plugin.Description{
		Name: "meanline", Version: "1", Fidelity: "straight characteristic at the mean radius", Reusable: true,
		Inputs: []plugin.Quantity{
			{Name: machine.InGeometry, Shape: plugin.Text, Doc: "blades, which this solver does not look at"},
			scalar(machine.InSpeed, "rpm", unit.Speed, "speed"),
			scalar(machine.InGamma, "", unit.None, "ratio of specific heats"),
			scalar(machine.InR, "J/(kg K)", unit.SpecificEntropy, "gas constant"),
			scalar(machine.InThrottle, "Pa s2/kg2", unit.None, "K of the exit condition Ps = K W^2"),
			profile(machine.InSpan, "", unit.None, "fractions of the inlet area from the hub"),
			profile(machine.InPt, "Pa", unit.Pressure, "inlet total pressure"),
			profile(machine.InTt, "K", unit.Temperature, "inlet total temperature"),
			profile(machine.InAlpha, "rad", unit.Angle, "inlet swirl angle, taken for none"),
		},
		Settings: []plugin.Quantity{
			setting("radius", 0.8, "mean radius, m"),
			setting("area", 3.06, "inlet area, m2"),
			setting("flow", 0.6, "flow coefficient Cx/U of the best efficiency"),
			setting("work", 0.49, "work coefficient there, enthalpy rise over U^2"),
			setting("slope", 1.2, "by how much the work coefficient falls as the flow coefficient rises"),
			setting("efficiency", 0.917, "best efficiency"),
			setting("relaxation", 0.3, "share of the change of flow that an iteration makes"),
			setting("max_iterations", 500, "iterations until it gives up"),
			setting("pause", 0, "rest after each iteration, s, for those who want to watch"),
		},
		Outputs: []plugin.Quantity{
			result(
				machine.OutW,
				plugin.Scalar,
			), result(machine.OutPR, plugin.Scalar), result(machine.OutTR, plugin.Scalar),
			result(machine.OutEff, plugin.Scalar),
			result(machine.OutMass, plugin.Scalar), result(machine.OutEnergy, plugin.Scalar),
			result(machine.OutChoked, plugin.Scalar),
			result(machine.OutExitR, plugin.Profile), result(machine.OutExitW, plugin.Profile),
			result(machine.OutExitPt, plugin.Profile), result(machine.OutExitTt, plugin.Profile),
		},
		Files: []history.File{
			{Pattern: historyFile, Format: "columns", Columns: []string{"iteration", "residual", "W_in", "PR"},
				Doc: "a line an iteration"},
		},
	}
}

func scalar(name, symbol string, dim unit.Dimension, doc string) plugin.Quantity {
	return plugin.Quantity{Name: name, Unit: symbol, Dim: dim, Shape: plugin.Scalar, Required: true, Min: new(1e-12),
		Doc: doc}
}

func profile(name, symbol string, dim unit.Dimension, doc string) plugin.Quantity {
	return plugin.Quantity{Name: name, Unit: symbol, Dim: dim, Shape: plugin.Profile, Required: true, Doc: doc}
}

func setting(name string, def float64, doc string) plugin.Quantity {
	return plugin.Quantity{Name: name, Shape: plugin.Scalar, Default: &def, Min: new(0.0), Doc: doc}
}

func result(name string, shape plugin.Shape) plugin.Quantity {
	return plugin.Quantity{Name: name, Shape: shape, Required: true}
}

// Run solves one operating point: it iterates for the flow that the throttle passes.
func (meanline) Run(ctx context.Context, req plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	history, err := os.Create(filepath.Join(req.Folder, historyFile))
	if err != nil {
		return plugin.Result{}, err
	}
	defer func() { _ = history.Close() }() // every line was written
	r := newRotor(req)
	for n := 1; n <= int(req.Numbers["max_iterations"]); n++ {
		residual := r.iterate()
		if _, err := fmt.Fprintln(history, n, residual, r.w, r.pr); err != nil {
			return plugin.Result{}, err
		}
		emit(event.Event{
			Kind: event.Iteration, Values: map[string]float64{"iteration": float64(n), "residual": residual},
		})
		if residual < 1e-9 {
			return r.result(event.Converged, ""), nil
		}
		select {
		case <-ctx.Done(): // the host stops the run, or has died
			return r.result(event.Killed, context.Cause(ctx).Error()), nil
		case <-time.After(time.Duration(req.Numbers["pause"] * float64(time.Second))):
		}
	}
	return r.result(event.NotConverged, "the flow does not settle"), nil
}

// rotor is the state of a run.
type rotor struct {
	set         map[string]float64
	gamma, cp   float64
	u, area     float64 // blade speed, m/s; inlet area, m2
	pt, tt, rho float64 // at the inlet, total
	w           float64 // kg/s
	pr, tr, eff float64
}

func newRotor(req plugin.Request) *rotor {
	n := req.Numbers
	r := &rotor{set: n, gamma: n[machine.InGamma], area: n["area"]}
	r.cp = n[machine.InR] * r.gamma / (r.gamma - 1)
	r.u = n[machine.InSpeed] * math.Pi / 30 * n["radius"]
	span := req.Arrays[machine.InSpan]
	r.pt, r.tt = average(span, req.Arrays[machine.InPt]), average(span, req.Arrays[machine.InTt])
	r.rho = r.pt / (n[machine.InR] * r.tt)
	r.w = n["flow"] * r.u * r.area * r.rho
	return r
}

// average returns the area average of a profile.
func average(span, values []float64) float64 {
	sum := 0.0
	for i := 1; i < len(span); i++ {
		sum += (span[i] - span[i-1]) * (values[i] + values[i-1]) / 2
	}
	return sum / (span[len(span)-1] - span[0])
}

// iterate moves the flow towards the flow that the throttle passes at the rotor's exit
// pressure, and returns their relative difference.
func (r *rotor) iterate() float64 {
	c := r.w / (r.rho * r.area) // axial velocity
	phi, best := c/r.u, r.set["flow"]
	psi := r.set["work"] - r.set["slope"]*(phi-best)
	r.eff = r.set["efficiency"] * (1 - math.Pow(phi/best-1, 2))
	r.tr = 1 + psi*r.u*r.u/(r.cp*r.tt)
	power := r.gamma / (r.gamma - 1)
	r.pr = math.Pow(1+r.eff*(r.tr-1), power)
	exit := 1 - c*c/(2*r.cp*r.tt*r.tr) // static over total temperature
	passes := math.Sqrt(r.pt * r.pr * math.Pow(exit, power) / r.set[machine.InThrottle])
	ratio := passes / r.w
	r.w *= math.Pow(ratio, r.set["relaxation"])
	return math.Abs(ratio - 1)
}

// result returns the answer under the names of package zoom. The exit flow is uniform from
// hub to casing.
func (r *rotor) result(class event.Class, message string) plugin.Result {
	const cells = 4
	radius, flow, pt, tt := make([]float64, cells), make([]float64, cells), make([]float64, cells), make([]float64,
		cells)
	for i := range cells {
		radius[i], flow[i] = r.set["radius"]*(0.7+0.2*float64(i)), r.w/cells
		pt[i], tt[i] = r.pt*r.pr, r.tt*r.tr
	}
	return plugin.Result{Class: class, Message: message,
		Numbers: map[string]float64{
			machine.OutW: r.w, machine.OutPR: r.pr, machine.OutTR: r.tr, machine.OutEff: r.eff,
			machine.OutMass: 0, machine.OutEnergy: 0,
			machine.OutChoked: 0,
		},
		Arrays: map[string][]float64{machine.OutExitR: radius, machine.OutExitW: flow, machine.OutExitPt: pt,
			machine.OutExitTt: tt},
	}
}
