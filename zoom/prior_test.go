package zoom_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// cheap is a known machine by a cheaper solver: its flow and efficiency are off.
type cheap struct {
	bounded
	off func(nu, x float64) (flow, eff float64) // relative, and as a difference
}

func (c cheap) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	out, err := c.bounded.Run(ctx, r, emit)
	if err != nil || out.Class != event.Converged {
		return out, err
	}
	nu, k := r.Numbers[machine.InSpeed]/boundedSpeed, r.Numbers[machine.InThrottle]
	by, eff := c.off(nu, math.Log(k*boundedFlow*boundedFlow/flow.Pref))
	w := out.Numbers[machine.OutW] * (1 + by)
	pr := k * w * w / (0.72 * flow.Pref)
	tr := 1 + (math.Pow(pr, 0.4/1.4)-1)/(0.9+eff)
	out.Numbers[machine.OutW] = w
	out.Arrays = map[string][]float64{machine.OutExitW: {w / 2, w / 2}, machine.OutExitPt: {101325 * pr, 101325 * pr},
		machine.OutExitTt: {288.15 * tr, 288.15 * tr}}
	return out, nil
}

// misses are the root mean square errors of Wc, PR and efficiency of a map of the machine at random points of its
// working range, and the number of these.
func (b bounded) misses(t *testing.T, r *zoom.Rounds) (wc, pr, eff float64, n int) {
	response := must.Value(r.Response())(t)
	random := rand.New(rand.NewPCG(6, 7))
	for range 100 {
		nu := 0.7 + 0.35*random.Float64()
		x := boundedChoke(nu) - 0.1 + random.Float64()*(boundedStall(nu)-boundedChoke(nu)+0.1)
		w := b.flow(nu, x)
		ratio := math.Exp(x) * w * w / (0.72 * boundedFlow * boundedFlow)
		at := machine.RunPoint{Nu: nu, Kappa: math.Log(w * w / ratio)}
		if off := at.Kappa - math.Log(boundedFlow*boundedFlow*nu*nu/(1+0.6*nu*nu)); off < -0.2 || off > 0.15 {
			continue
		}
		v := responded(response, at)
		square := func(got, want float64) float64 { return math.Pow(got/want-1, 2) }
		wc, pr, eff, n = wc+square(v.Wc, w), pr+square(v.PR[0], ratio), eff+square(v.Eff[0], 0.9), n+1
	}
	k := float64(max(1, n))
	return math.Sqrt(wc / k), math.Sqrt(pr / k), math.Sqrt(eff / k), n
}

// A whole map of a known machine has the error that it is to have; where its lines bend more sharply than the runs
// are apart, not more than twice that. It needs few dear runs where a cheaper solver is like it; where that is of no
// use or wrong, or never gives an answer, the map is as without.
func TestWholeMap(t *testing.T) {
	to := 1e-2
	if testenv.IsSoak() {
		to = 5e-3
	}
	m := boundedFan
	dear := bounded{deep: 9, wide: 5}
	alone := 0 // runs
	for _, c := range []struct {
		name      string
		machine   bounded
		off       func(nu, x float64) (flow, eff float64) // nil: there is no cheaper solver
		most      func() int                              // runs
		corrected []bool                                  // whether the cheaper solver counts, if that is certain
		rough     float64                                 // true error over the one that it is to have
		long      bool
	}{
		{name: "alone", machine: dear, most: func() int { return 28 }},
		{name: "sharp", machine: bounded{deep: 9, wide: 1}, most: func() int { return 28 }, rough: 2, long: true},
		{name: "like", machine: dear, off: func(nu, x float64) (float64, float64) {
			return 0.01 + 0.05*(nu-0.9) - 0.02*x, -0.01 + 0.02*(nu-0.9) + 0.01*x
		}, most: func() int { return alone / 2 }, corrected: []bool{true}},
		{name: "noise", machine: dear, off: func(nu, x float64) (float64, float64) {
			n := math.Mod(1e4*math.Abs(math.Sin(1e5*nu+1e4*x)), 1) - 0.5
			return 0.1 * n, 0.1 * n
		}, most: func() int { return alone + 4 }, long: true},
		{name: "wrong", machine: dear, off: func(nu, x float64) (float64, float64) {
			return 0.2 * math.Sin(25*nu+9*x), 0.1*math.Cos(20*nu-8*x) - 0.1
		}, most: func() int { return alone + 4 }, long: true},
		{name: "dead", machine: dear, off: func(_, _ float64) (float64, float64) { return math.NaN(), 0 },
			most: func() int { return alone }, corrected: []bool{false}, long: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long {
				testenv.Long(t, "makes more whole maps")
			}
			var priors []prior
			if c.off != nil {
				by := cheap{bounded: c.machine, off: c.off}
				if flow, _ := c.off(1, 0); math.IsNaN(flow) {
					by.crash = func(float64) bool { return true }
				}
				priors = []prior{{"cheap", m, func() plugin.Solver { return by }}}
			}
			r, e := makeWhole(t, m, func() plugin.Solver { return c.machine }, to, priors...)
			if c.name == "alone" {
				alone = r.Runs
			}
			wc, pr, eff, n := c.machine.misses(t, r)
			made, _, failed := r.RunsPriors()
			t.Logf("%d runs in %d rounds and %d cheap, of which %d failed, corrected %v; %d runs alone: stated %.2g, "+
				"true Wc %.2g, PR %.2g, eff %.2g at %d points",
				r.Runs, r.Round, made, failed, r.Corrected(), alone, e, wc, pr, eff, n)
			if worst := max(wc, pr, eff); e > to || !(worst <= max(1, c.rough)*to) || n < 50 || r.Runs > c.most() {
				t.Errorf("%d runs, %d alone, stated %.2g, true %.2g at %d points", r.Runs, alone, e, worst, n)
			}
			if len(c.corrected) > 0 && c.corrected[0] != (len(r.Corrected()) > 0) {
				t.Errorf("corrected are %v", r.Corrected())
			}
		})
	}
}

// A plan has the cheap runs as well: rounds that repeat it have the same model, to the last bit, and runs of a copy
// do not change the original.
func TestPlanHasPriors(t *testing.T) {
	m := boundedFan
	dear := func() plugin.Solver { return bounded{deep: 9, wide: 5} }
	less := func() plugin.Solver {
		return cheap{
			bounded{deep: 9, wide: 5}, func(nu, x float64) (float64, float64) { return 0.01 - 0.02*x, -0.01 * nu },
		}
	}
	with := func() *zoom.Rounds {
		r := zoom.NewRounds(m, zoom.StudyOf(t, dear), zoom.MethodMap)
		r.AddPrior("cheap", m, zoom.StudyOf(t, less))
		return r
	}
	design := m.DesignPoint()
	r := with()
	inTurn(t, r, design, machine.RunPoint{Nu: 0.96, Kappa: design.Kappa + 0.05},
		machine.RunPoint{Nu: 1.02, Kappa: design.Kappa - 0.04})
	at := func(r *zoom.Rounds) components.Responded {
		response := must.Value(r.Response())(t)
		return responded(response, machine.RunPoint{Nu: 0.98, Kappa: design.Kappa + 0.02})
	}
	before := at(r)
	if len(r.Corrected()) == 0 {
		t.Error("the prior is of no use")
	}
	data := must.Value(json.Marshal(r.Requests()))(t)
	var plan zoom.Requests
	must.OK(t, json.Unmarshal(data, &plan))
	redone := with()
	must.OK(t, redone.Redo(t.Context(), plan))
	if got := at(redone); got != before {
		t.Errorf("%+v by the plan; want %+v", got, before)
	}
	made, _, _ := r.RunsPriors()
	if got, _, _ := redone.RunsPriors(); got != made || redone.Runs != r.Runs {
		t.Errorf("%d runs and %d cheap by the plan; want %d and %d", redone.Runs, got, r.Runs, made)
	}
	must.Value(r.Clone().Make(t.Context(), orders([]machine.RunPoint{{Nu: 0.9, Kappa: design.Kappa}})))(t)
	if after, _, _ := r.RunsPriors(); after != made || at(r) != before {
		t.Error("a copy's runs changed the original")
	}
}

// similar is a known machine at any inlet state, by similarity, whose efficiency falls with the inlet's pressure as
// that of a real one with the Reynolds number.
type similar struct {
	bounded
	loss float64 // of efficiency by ln(Pt/standard)
}

func (s similar) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	delta, theta := r.Arrays[machine.InPt][0]/flow.Pref, r.Arrays[machine.InTt][0]/flow.Tref
	standard := r
	standard.Numbers = map[string]float64{machine.InSpeed: r.Numbers[machine.InSpeed] / math.Sqrt(theta),
		machine.InThrottle: r.Numbers[machine.InThrottle] * delta / theta}
	by := cheap{s.bounded, func(float64, float64) (float64, float64) { return 0, s.loss * math.Log(delta) }}
	out, err := by.Run(ctx, standard, emit)
	if err != nil || out.Class != event.Converged {
		return out, err
	}
	scale := func(name string, by float64) {
		list := convert.All(out.Arrays[name], func(v float64) float64 { return v * by })
		out.Arrays[name] = list
	}
	out.Numbers[machine.OutW] *= delta / math.Sqrt(theta)
	scale(machine.OutExitW, delta/math.Sqrt(theta))
	scale(machine.OutExitPt, delta)
	scale(machine.OutExitTt, theta)
	return out, nil
}

// The map of a response is not drawn further once nobody wants it.
func TestChartEndsWithItsContext(t *testing.T) {
	r := zoom.NewRounds(boundedFan,
		zoom.StudyOf(t, func() plugin.Solver { return bounded{deep: 9, wide: 5} }), zoom.MethodMap)
	design := boundedFan.DesignPoint()
	inTurn(t, r, design, machine.RunPoint{Nu: 0.95, Kappa: design.Kappa + 0.05})
	response := must.Value(r.Response())(t)
	for looks := range 8 { // at each of 3 lines and of as many bands, and at the end
		_, _, err := response.Chart(&lookedAt{Context: t.Context(), left: looks})
		if whole := looks == 7; whole != (err == nil) || !whole && !errors.Is(err, context.Canceled) {
			t.Errorf("it ends after %d looks at its context: error %v", looks, err)
		}
	}
}

// lookedAt is a context that ends when its error was asked for a number of times.
type lookedAt struct {
	context.Context
	left int
}

func (l *lookedAt) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// Runs at an inlet state of their own have the requests of that state, and give the same machine where only
// similarity counts: Wc at the corrected speed and kappa. What changes with the state is in the answers.
func TestRunsAtTheInletsState(t *testing.T) {
	standard := boundedFan
	cruise := standard
	cruise.Pt, cruise.Tt = 34500, 247
	const loss = 0.01
	at := func(m machine.Machine) (*zoom.Rounds, *zoom.Response) {
		t.Helper()
		r := zoom.NewRounds(m,
			zoom.StudyOf(t, func() plugin.Solver { return similar{bounded{deep: 9, wide: 5}, loss} }), zoom.MethodMap)
		design := m.DesignPoint()
		inTurn(t, r, design, machine.RunPoint{Nu: 0.95, Kappa: design.Kappa + 0.05},
			machine.RunPoint{Nu: 1.02, Kappa: design.Kappa - 0.05})
		response := must.Value(r.Response())(t)
		return r, response
	}
	_, here := at(standard)
	r, there := at(cruise)
	theta, delta := cruise.Tt/flow.Tref, cruise.Pt/flow.Pref
	for _, o := range r.Own().Outcomes {
		in := o.Job.Request
		if n := in.Numbers[machine.InSpeed] / boundedSpeed / math.Sqrt(theta); n < 0.94 || n > 1.03 {
			t.Errorf("N %g rpm is %.3g of the design's", in.Numbers[machine.InSpeed], n)
		}
		if pt, tt := in.Arrays[machine.InPt][0], in.Arrays[machine.InTt][0]; math.Abs(pt/cruise.Pt-1) > 1e-9 ||
			math.Abs(tt/cruise.Tt-1) > 1e-9 {
			t.Errorf("requested at %g Pa, %g K", pt, tt)
		}
	}
	for _, p := range []machine.RunPoint{
		{Nu: 0.97, Kappa: cruise.DesignPoint().Kappa}, {Nu: 1.01, Kappa: cruise.DesignPoint().Kappa + 0.03},
	} {
		v, w := responded(here, p), responded(there, p)
		if math.Abs(w.Wc/v.Wc-1) > 1e-5 || math.Abs(w.PR[0]/v.PR[0]-1) > 1e-5 {
			t.Errorf("at %v Wc %g and PR %g, at the standard day's %g and %g", p, w.Wc, w.PR[0], v.Wc, v.PR[0])
		}
		if d := w.Eff[0] - v.Eff[0]; math.Abs(d-loss*math.Log(delta)) > 1e-4 {
			t.Errorf("at %v the efficiency changes by %g; want %g", p, d, loss*math.Log(delta))
		}
	}
	next, err := r.Inputs(cruise.DesignPoint())
	if err != nil || math.Abs(next[machine.InSpeed]/(boundedSpeed*math.Sqrt(theta))-1) > 1e-6 {
		t.Errorf("next inputs %v, %v", next, err)
	}
}

// responded is what a response has at a point.
func responded(r *zoom.Response, p machine.RunPoint) (v components.Responded) {
	r.At(0, p.Nu*boundedSpeed, p.Kappa, &v)
	return v
}
