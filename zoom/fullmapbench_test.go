package zoom_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// makeWhole makes a whole map at speeds from 70 to 105 % to an error, from the design point on.
func makeWhole(tb testing.TB, m machine.Machine, make func() plugin.Solver, to float64,
	priors ...prior) (*zoom.Rounds, float64) {
	r := zoom.NewRounds(m, zoom.StudyOf(tb, make), zoom.MethodMap)
	for _, p := range priors {
		r.AddPrior(p.name, p.machine, zoom.StudyOf(tb, p.make))
	}
	points := []machine.RunPoint{m.PointOf(machine.Target{Nc: m.Nc, Wc: m.Wc, PR: m.PR})}
	e := 0.0
	for len(points) > 0 {
		must.Value(r.Make(tb.Context(), orders(points)))(tb)
		var err error
		if points, e, err = r.NextWhole(tb.Context(), 0.7, 1.05, to, 4); err != nil {
			tb.Fatal(err)
		}
	}
	return r, e
}

// prior is a cheaper solver of a machine.
type prior struct {
	name    string
	machine machine.Machine
	make    func() plugin.Solver
}

// orders are those of new runs at some points.
func orders(points []machine.RunPoint) []zoom.Planned {
	return convert.All(points, func(p machine.RunPoint) zoom.Planned { return zoom.Planned{At: p} })
}

// inTurn makes a round for each of some points.
func inTurn(tb testing.TB, r *zoom.Rounds, points ...machine.RunPoint) {
	for _, p := range points {
		must.Value(r.Make(tb.Context(), orders([]machine.RunPoint{p})))(tb)
	}
}

// missesOf are the root mean square errors of Wc, PR and efficiency of a map at random points of the working range,
// by further runs there, and the number of these.
func missesOf(tb testing.TB, r *zoom.Rounds, n int) (wc, pr, eff float64, found int) {
	response := must.Value(r.Response())(tb)
	m := &r.Machine
	random := rand.New(rand.NewPCG(6, 7))
	truth := r.Clone()
	truth.Priors = nil
	var points []machine.RunPoint
	for range n {
		nu := 0.7 + 0.35*random.Float64()
		points = append(points,
			machine.RunPoint{Nu: nu, Kappa: math.Log(m.Wc*m.Wc*nu*nu/(1+(m.PR-1)*nu*nu)) - 0.2 + 0.35*random.Float64()})
	}
	outs := must.Value(truth.Make(tb.Context(), orders(points)))(tb)
	for i, o := range outs {
		if o == nil {
			continue
		}
		miss, ok := response.Missed(o)
		if !ok {
			continue
		}
		var v components.Responded
		response.At(0, points[i].Nu*m.Nc, points[i].Kappa, &v)
		wc, pr, eff, found = wc+miss[0]*miss[0], pr+4*miss[0]*miss[0], eff+miss[1]*miss[1]/(v.Eff[0]*v.Eff[0]), found+1
	}
	k := float64(max(1, found))
	return math.Sqrt(wc / k), math.Sqrt(pr / k), math.Sqrt(eff / k), found
}

// iterations are those of all runs.
func iterations(outcomes []run.Outcome) (n float64) {
	for _, o := range outcomes {
		n += o.Result.Numbers["iterations"]
	}
	return n
}

// BenchmarkWhole makes a whole map, 70 to 105 %, to 0.5 % root mean square of Wc, PR and efficiency, by the
// axisymmetric solver: alone, and with the same solver on the coarse mesh as prior, an iteration of which costs a
// quarter. The truth is runs at random points that the model did not see.
func BenchmarkWhole(b *testing.B) {
	throughflow := func() plugin.Solver { return solver.Builtin("throughflow") }
	for _, m := range []machine.Machine{e3Fan(b), rotor67(b)} {
		coarse := m
		coarse.Settings = map[string]float64{"refine": 0.5}
		for _, priors := range [][]prior{nil, {{"coarse", coarse, throughflow}}} {
			name := m.Name
			if priors != nil {
				name += "/coarse"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					r, e := makeWhole(b, m, throughflow, 5e-3, priors...)
					wc, pr, eff, n := missesOf(b, r, 40)
					b.Logf("of %d: Wc %.3f %%, PR %.3f %%, eff %.3f %%", n, 100*wc, 100*pr, 100*eff)
					b.ReportMetric(float64(r.Runs), "runs")
					cheap, _, _ := r.RunsPriors()
					b.ReportMetric(float64(cheap), "runs-prior")
					b.ReportMetric(iterations(r.Account().Outcomes[len(r.Own().Outcomes):]), "iterations-prior")
					b.ReportMetric(iterations(r.Own().Outcomes), "iterations")
					b.ReportMetric(float64(r.Own().Failed), "failed")
					b.ReportMetric(float64(r.Round), "rounds")
					b.ReportMetric(100*e, "%stated")
					b.ReportMetric(100*max(wc, pr, eff), "%rms")
				}
			})
		}
	}
}
