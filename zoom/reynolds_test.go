package zoom_test

import (
	"context"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// similar is a known machine at any inlet state, by similarity, whose efficiency falls with the inlet's pressure as that of a real one
// with the Reynolds number.
type similar struct {
	bounded
	loss float64 // of efficiency by ln(Pt/standard)
}

func (s similar) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	delta, theta := r.Arrays[zoom.InPt][0]/flow.Pref, r.Arrays[zoom.InTt][0]/flow.Tref
	standard := r
	standard.Numbers = map[string]float64{zoom.InSpeed: r.Numbers[zoom.InSpeed] / math.Sqrt(theta), zoom.InThrottle: r.Numbers[zoom.InThrottle] * delta / theta}
	by := cheap{s.bounded, func(float64, float64) (float64, float64) { return 0, s.loss * math.Log(delta) }}
	out, err := by.Run(ctx, standard, emit)
	if err != nil || out.Class != event.Converged {
		return out, err
	}
	scale := func(name string, by float64) {
		var list []float64
		for _, v := range out.Arrays[name] {
			list = append(list, v*by)
		}
		out.Arrays[name] = list
	}
	out.Numbers[zoom.OutW] *= delta / math.Sqrt(theta)
	scale(zoom.OutExitW, delta/math.Sqrt(theta))
	scale(zoom.OutExitPt, delta)
	scale(zoom.OutExitTt, theta)
	return out, nil
}

// Runs at an inlet state of their own have the requests of that state, and give the same machine where only similarity counts: Wc at the
// corrected speed and kappa. What changes with the state is in the answers.
func TestRunsAtTheInletsState(t *testing.T) {
	standard := boundedFan
	cruise := standard
	cruise.Pt, cruise.Tt = 34500, 247
	const loss = 0.01
	at := func(m zoom.Machine) (*zoom.Rounds, *zoom.Response) {
		t.Helper()
		r := zoom.NewRounds(m, zoom.StudyOf(t, func() plugin.Solver { return similar{bounded{deep: 9, wide: 5}, loss} }), zoom.MethodMap)
		design := m.DesignPoint()
		inTurn(t, r, design, zoom.Point{Nu: 0.95, Kappa: design.Kappa + 0.05}, zoom.Point{Nu: 1.02, Kappa: design.Kappa - 0.05})
		response := must.Value(r.Response())(t)
		return r, response
	}
	_, here := at(standard)
	r, there := at(cruise)
	theta, delta := cruise.Tt/flow.Tref, cruise.Pt/flow.Pref
	for _, o := range r.Outcomes {
		in := o.Job.Request
		if n := in.Numbers[zoom.InSpeed] / boundedSpeed / math.Sqrt(theta); n < 0.94 || n > 1.03 {
			t.Errorf("N %g rpm is %.3g of the design's", in.Numbers[zoom.InSpeed], n)
		}
		if pt, tt := in.Arrays[zoom.InPt][0], in.Arrays[zoom.InTt][0]; math.Abs(pt/cruise.Pt-1) > 1e-9 || math.Abs(tt/cruise.Tt-1) > 1e-9 {
			t.Errorf("requested at %g Pa, %g K", pt, tt)
		}
	}
	for _, p := range []zoom.Point{{Nu: 0.97, Kappa: cruise.DesignPoint().Kappa}, {Nu: 1.01, Kappa: cruise.DesignPoint().Kappa + 0.03}} {
		v, w := responded(here, p), responded(there, p)
		if math.Abs(w.Wc/v.Wc-1) > 1e-5 || math.Abs(w.PR[0]/v.PR[0]-1) > 1e-5 {
			t.Errorf("at %v Wc %g and PR %g, at the standard day's %g and %g", p, w.Wc, w.PR[0], v.Wc, v.PR[0])
		}
		if d := w.Eff[0] - v.Eff[0]; math.Abs(d-loss*math.Log(delta)) > 1e-4 {
			t.Errorf("at %v the efficiency changes by %g; want %g", p, d, loss*math.Log(delta))
		}
	}
	next, err := r.Inputs(cruise.DesignPoint())
	if err != nil || math.Abs(next[zoom.InSpeed]/(boundedSpeed*math.Sqrt(theta))-1) > 1e-6 {
		t.Errorf("next inputs %v, %v", next, err)
	}
}

// responded is what a response has at a point.
func responded(r *zoom.Response, p zoom.Point) (v components.Responded) {
	r.At(0, p.Nu*boundedSpeed, p.Kappa, &v)
	return v
}
