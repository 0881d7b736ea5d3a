package zoom_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// bounded is a machine whose speed lines end where it is known. At the throttle x = ln K over the open one's
//
//	W = W_d nu (1 - a s ln(1 + exp((x - x_c)/s)))
//
// which is choked below x_c, and falls with the slope a above; beyond x_s it stalls.
type bounded struct {
	flagged bool    // it states that it is choked
	deep    float64 // how far beyond choke it still finds a flow
	crash   func(x float64) bool
	wide    float64 // by how much the bend is wider; 0: 1
}

// flow is that at a throttle.
func (b bounded) flow(nu, x float64) float64 {
	s := boundedBend * max(1, b.wide)
	return boundedFlow * nu * (1 - boundedSlope*s*math.Log1p(math.Exp((x-boundedChoke(nu))/s)))
}

const (
	boundedFlow, boundedSpeed = 600.0, 3700.0
	boundedSlope, boundedBend = 0.4, 0.02
)

var boundedFan = machine.Machine{
	Name: "fan", Gamma: 1.4, R: 287.05, Nc: boundedSpeed, Wc: boundedFlow, PR: 1.6, Eff: 0.9, RHub: 0.3, RTip: 1,
}

func boundedStall(nu float64) float64 { return 0.4 - 2*(nu-1) }
func boundedChoke(nu float64) float64 { return 0.1 - 2*(nu-1) }

// choked is where the flow is within a thousandth of its greatest.
func choked(nu float64) float64 {
	return boundedChoke(nu) + boundedBend*math.Log(math.Expm1(1e-3/(boundedSlope*boundedBend)))
}

func (b bounded) Describe() plugin.Description {
	scalar := func(name string) plugin.Quantity {
		return plugin.Quantity{Name: name, Shape: plugin.Scalar, Doc: name}
	}
	profile := func(name string) plugin.Quantity {
		return plugin.Quantity{Name: name, Shape: plugin.Profile, Doc: name}
	}
	return plugin.Description{
		Name: "bounded", Version: "1", Fidelity: "known",
		Inputs: []plugin.Quantity{{Name: machine.InGeometry, Shape: plugin.Text, Doc: "none"}, scalar(machine.InSpeed),
			scalar(machine.InGamma), scalar(machine.InR), scalar(machine.InThrottle),
			profile(machine.InSpan), profile(machine.InPt), profile(machine.InTt), profile(machine.InAlpha)},
		Outputs: []plugin.Quantity{scalar(machine.OutW), scalar(machine.OutMass), scalar(machine.OutEnergy),
			scalar(machine.OutChoked),
			profile(machine.OutExitW), profile(machine.OutExitPt), profile(machine.OutExitTt)},
	}
}

func (b bounded) Run(_ context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	nu, k := r.Numbers[machine.InSpeed]/boundedSpeed, r.Numbers[machine.InThrottle]
	x := math.Log(k * boundedFlow * boundedFlow / flow.Pref)
	switch {
	case b.crash != nil && b.crash(x):
		return plugin.Result{}, errors.New("scripted crash")
	case x > boundedStall(nu):
		return plugin.Result{Class: event.Stalled, Message: "the flow swings"}, nil
	case x < choked(nu)-b.deep:
		return plugin.Result{Class: event.NotConverged, Message: "deep in choke"}, nil
	}
	w := b.flow(nu, x)
	pr := k * w * w / (0.72 * flow.Pref)
	tr := 1 + (math.Pow(pr, 0.4/1.4)-1)/0.9
	is := 0.0
	if b.flagged && x < choked(nu) {
		is = 1
	}
	return plugin.Result{
		Class: event.Converged,
		Numbers: map[string]float64{
			machine.OutW:      w,
			machine.OutMass:   1e-6,
			machine.OutEnergy: 1e-6,
			machine.OutChoked: is,
		},
		Arrays: map[string][]float64{machine.OutExitW: {w / 2, w / 2}, machine.OutExitPt: {101325 * pr, 101325 * pr},
			machine.OutExitTt: {288.15 * tr, 288.15 * tr}},
	}, nil
}

// seek brings a search for the ends of some lines of the machine to its end. The lines begin at operating points
// between both ends.
func (b bounded) seek(t *testing.T, both bool, speeds ...float64) *zoom.Ends {
	t.Helper()
	m := boundedFan
	var lines []zoom.EndLine
	for _, nu := range speeds {
		x := boundedChoke(nu) + 0.1
		lines = append(lines,
			zoom.EndLine{
				RunPoint: machine.RunPoint{Nu: nu}, Wc: b.flow(nu, x),
				Throttle: x + math.Log(flow.Pref/(boundedFlow*boundedFlow)),
			})
	}
	e := zoom.NewEnds(&m, zoom.StudyOf(t, func() plugin.Solver { return b }), lines, 0.01, both)
	for more := true; more; {
		more = must.Value(e.Make(t.Context()))(t)
	}
	return e
}

// Both ends of each line are found to 1 % of throttle: towards choke where the flow no longer changes, whether the
// solver says so or not, and with few runs beyond, whether these find a flow or none.
func TestBothEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		bounded
	}{
		{"flagged", bounded{flagged: true, deep: 9}},
		{"by the flow", bounded{deep: 9}},
		{"deep choke breaks down", bounded{deep: 0.05}},
		{"deep choke breaks down, flagged", bounded{flagged: true, deep: 0.05}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := c.seek(t, true, 0.9, 1)
			runs := 0
			for _, end := range e.Ends() {
				runs += end.Runs
				lo, hi := math.Log(end.Inside*boundedFlow*boundedFlow/flow.Pref), math.Log(
					end.Beyond*boundedFlow*boundedFlow/flow.Pref)
				truth, off := boundedStall(end.Nu), 1e-6
				if !end.Stall {
					lo, hi, truth, off = hi, lo, choked(end.Nu), 1e-4
					if !c.flagged {
						off = 0.01 // the greatest flow is that of a run
					}
				}
				if end.Why != "" || end.Lone != 0 || hi-lo > math.Log(1.01)+1e-6 || truth < lo-off || truth > hi+off {
					t.Errorf("%s at %.2f: %.4f to %.4f, true %.4f: %+v", end.Side(), end.Nu, lo, hi, truth, end)
				}
				if end.Runs > 9 {
					t.Errorf("%s at %.2f: %d runs", end.Side(), end.Nu, end.Runs)
				}
			}
			beyond := 0
			for _, o := range e.Account().Outcomes {
				nu, x := o.Job.Request.Numbers[machine.InSpeed]/boundedSpeed, math.Log(
					o.Job.Request.Numbers[machine.InThrottle]*boundedFlow*boundedFlow/flow.Pref)
				if x < choked(nu)-0.1 {
					beyond++
				}
			}
			t.Logf("%.1f runs an end, %d of them deep in choke", float64(runs)/4, beyond)
			if beyond > 3 {
				t.Errorf("%d runs are deep in choke", beyond)
			}
			if len(e.Account().Missing) != 0 || e.Runs != len(e.Account().Outcomes) {
				t.Errorf("%d runs, missing %v", e.Runs, e.Account().Missing)
			}
		})
	}
}

// Crashes give no information about the flow: they are failures, and other runs find the end.
func TestCrashesAreNoEnds(t *testing.T) {
	b := bounded{deep: 9, crash: func(x float64) bool { return math.Mod(math.Abs(x)*1e4, 7) < 1 }}
	e := b.seek(t, false, 0.85, 0.9, 0.95, 1, 1.05)
	for _, end := range e.Ends() {
		if hi := math.Log(end.Beyond * boundedFlow * boundedFlow / flow.Pref); end.Why != "" ||
			math.Abs(hi-boundedStall(end.Nu)) > 0.011 {
			t.Errorf("%.2f: %.4f, true %.4f: %+v", end.Nu, hi, boundedStall(end.Nu), end)
		}
	}
	if len(e.Account().Missing) == 0 {
		t.Error("none is missing")
	}
}

// What is found does not depend on the order of the lines.
func TestEndsInAnyOrder(t *testing.T) {
	find := func(speeds ...float64) map[float64]zoom.End {
		out := map[float64]zoom.End{}
		for _, e := range (bounded{deep: 9}).seek(t, false, speeds...).Ends() {
			out[e.Nu] = e
		}
		return out
	}
	if a, b := find(0.9, 0.96, 1), find(1, 0.9, 0.96); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
}
