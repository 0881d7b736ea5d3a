package throughflow

import (
	"bytes"
	"context"
	"math"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// settling is how far runs were from where they settle, and what they stated.
type settling struct {
	runs, within      int
	estimates, square [3]float64
	// PR and efficiency of a fan's core stream, of which the solver knows nothing: the errors of the whole stand for it
	core [2]settled
}

// settled is how often a quantity was within what was stated.
type settled struct {
	within           int
	estimate, square float64
}

// coreShare is the share of the flow from the hub that is taken for a core stream.
const coreShare = 0.125

// coreOf is the pressure ratio and the efficiency of the core stream.
func coreOf(t testing.TB, r *Result) (v [2]float64) {
	t.Helper()
	parts := must.Value(average.Split(average.Plane{DW: r.Exit.DW, Pt: r.Exit.PtCell, Tt: r.Exit.TtCell}, coreShare))(t)
	m := must.Value(average.Of(parts[0], average.Perfect{Gamma: air.Gamma, Rgas: air.R}, r.Inlet.Pt))(t)
	out := march.Station{Pt: m.Pt[average.Mass], Tt: m.Tt}
	return [2]float64{out.Pt / r.Inlet.Pt, march.Efficiency(r.Inlet, &out, air)}
}

// addCore adds the core stream of a run and of where it settles.
func (s *settling) addCore(t testing.TB, r, truth *Result) {
	t.Helper()
	is, settles := coreOf(t, r), coreOf(t, truth)
	for k, stated := range []float64{r.Unsettled.PR * is[0], r.Unsettled.Eff * math.Abs(is[1])} {
		e := math.Abs(is[k] - settles[k])
		s.core[k].estimate += stated
		s.core[k].square += e * e
		if stated >= e {
			s.core[k].within++
		}
	}
}

// coreWithin is the share of the runs whose core stream is within what they state of the whole.
func (s *settling) coreWithin() float64 {
	return float64(min(s.core[0].within, s.core[1].within)) / float64(s.runs)
}

// coreRatio is the greatest ratio of mean estimate to root mean square distance of the core stream.
func (s *settling) coreRatio() (most float64) {
	for _, c := range s.core {
		most = max(most, c.estimate/math.Sqrt(c.square*float64(s.runs)))
	}
	return most
}

// add runs a case by its orders, and on by four more for the truth. A case without a flow, or that does not settle so
// far, does not count.
func (s *settling) add(t testing.TB, c Case) {
	t.Helper()
	solver := newSolver(t, c)
	r := result(t, solver)
	if r.Status != march.Converged {
		return
	}
	sol := solver.Solution()
	c.Settings.Tolerance, c.Settings.MaxIterations = c.Settings.withDefaults(c.rows()).Tolerance+4, 8000
	truth := result(t, resumed(t, c, sol))
	if truth.Status != march.Converged {
		return
	}
	all := true
	s.runs++
	// In percent of flow, pressure ratio and points of efficiency: where there is hardly any, its relative error is
	// no measure.
	for k, v := range [][3]float64{
		{r.W, truth.W, r.Unsettled.W * r.W}, {r.PR, truth.PR, r.Unsettled.PR * r.PR},
		{r.Eff, truth.Eff, r.Unsettled.Eff * math.Abs(r.Eff)},
	} {
		scale := truth.W
		if k > 0 {
			scale = 1
		}
		e := math.Abs(v[0]-v[1]) / scale
		all = all && v[2]/scale >= e
		s.estimates[k] += v[2] / scale
		s.square[k] += e * e
		t.Logf("N %.0f, K %.4g, %d iterations: %s off by %.2g, stated %.2g", c.N, c.Exit.K, r.Iterations,
			[3]string{"W", "PR", "eff"}[k], e, v[2]/scale)
	}
	if all {
		s.within++
	}
	s.addCore(t, r, truth)
}

// ratio is the greatest ratio of mean estimate to root mean square distance.
func (s *settling) ratio() (most float64) {
	for k := range s.estimates {
		most = max(most, s.estimates[k]/math.Sqrt(s.square[k]*float64(s.runs)))
	}
	return most
}

// rms is the root mean square distance of efficiency.
func (s *settling) rms() float64 { return math.Sqrt(s.square[2] / float64(s.runs)) }

// line adds runs at some speeds and throttles about a case.
func (s *settling) line(t testing.TB, c Case, speeds, throttles []float64) {
	t.Helper()
	for _, n := range speeds {
		for _, k := range throttles {
			at := c
			at.N, at.Exit = n*c.N, march.Exit{K: k * c.Exit.K}
			s.add(t, at)
		}
	}
}

// e3Throttle is the E3's fan at its design throttle.
func e3Throttle(t testing.TB) Case {
	t.Helper()
	c := e3Case(t)
	k := must.Value(c.DesignThrottle(e3W, e3PR, e3TR))(t)
	c.Exit = march.Exit{K: k}
	return c
}

// stageCase is a stage of a rotor and vanes that nobody built.
func stageCase(t testing.TB) Case {
	t.Helper()
	text := must.Value(os.ReadFile("testdata/stage.yaml"))(t)
	g := must.Value(blade.Parse(text))(t)
	return Case{Geometry: g, Gas: air, N: 6000, Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}},
		Exit: march.Exit{K: 10}}
}

// rotor67Case is NASA Rotor 67 by section tables, measured on its blade.
func rotor67Case(t testing.TB) Case {
	t.Helper()
	data := must.Value(os.ReadFile(testenv.Reference(t, "rotor67", "rotor67geometry.dat")))(t)
	b := must.Value(blade.ReadStreamSurfaces(bytes.NewReader(data), 0.3048))(t)
	var radius []float64
	var sections []blade.Section
	for k := range 9 {
		m := must.Value(b.Measure(float64(k) / 8))(t)
		against := math.Copysign(1, m.Kappa1)
		radius = append(radius, (m.R1+m.R2)/2)
		sections = append(sections, blade.Section{
			Chord: m.Chord, Stagger: against * m.Stagger, BetaLE: against * m.Kappa1, BetaTE: against * m.Kappa2,
			ThicknessRatio: m.Thickness, MaxThicknessAt: 0.55,
		})
	}
	ends := must.Value(b.Stations([]float64{0, 1}))(t)
	le, _, _ := ends[0].At(0.5)
	te, _, _ := ends[1].At(0.5)
	row := must.Value(blade.NewRow("rotor", b.Blades, true, (le+te)/2, radius, sections))(t)
	c := Case{
		Geometry: &blade.Geometry{Name: "Rotor 67", Hub: b.Hub, Casing: b.Casing, Rows: []*blade.Row{row}}, Gas: air,
		N:     16043,
		Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}},
	}
	k := must.Value(c.DesignThrottle(33.25, 1.63, 1.16))(t)
	c.Exit = march.Exit{K: k}
	return c
}

// What a run by default states of its distance from where it settles is true, on coarse meshes of the E3's fan and of
// a stage, and holds for the stream next to the hub as well.
func TestUnsettledIsHonest(t *testing.T) {
	testenv.Long(t, "some twenty solver runs")
	var s settling
	fan, stage := e3Throttle(t), stageCase(t)
	fan.Settings, stage.Settings = coarse, Settings{NZ: 48, NR: 12, Levels: 2}
	s.line(t, fan, []float64{0.75, 0.9, 1}, []float64{0.85, 1, 1.15})
	s.line(t, stage, []float64{0.9, 1}, []float64{0.9, 1, 1.1})
	t.Logf("%d of %d runs within what they state; estimate %.2f times the distance", s.within, s.runs, s.ratio())
	t.Logf("of the core stream %.0f %%, estimate %.2f times the distance", 100*s.coreWithin(), s.coreRatio())
	if s.coreWithin() < 0.95 {
		t.Errorf("of the core stream only %.0f %% are within what is stated of the whole", 100*s.coreWithin())
	}
	if s.runs < 12 || s.within < s.runs*95/100 || s.ratio() > 4 {
		t.Errorf("%d of %d runs within what they state; estimate %.2f times the distance", s.within, s.runs, s.ratio())
	}
}

// BenchmarkUnsettled compares what runs at the default orders state of their distance from where they settle with
// that distance, on blades that the estimate was made for and on others.
func BenchmarkUnsettled(b *testing.B) {
	for _, blades := range []struct {
		name              string
		c                 Case
		speeds, throttles []float64
	}{
		{"E3", e3Throttle(b), []float64{0.7, 0.85, 0.95, 1, 1.04}, []float64{0.78, 0.9, 1, 1.1, 1.22}},
		{"stage", stageCase(b), []float64{0.85, 1, 1.1}, []float64{0.9, 1, 1.1, 1.25}},
		{"rotor67", rotor67Case(b), []float64{0.7, 0.8, 0.9, 1}, []float64{0.6, 0.7, 0.85, 1}},
	} {
		b.Run(blades.name, func(b *testing.B) {
			for b.Loop() {
				var s settling
				s.line(b, blades.c, blades.speeds, blades.throttles)
				b.ReportMetric(float64(s.runs), "runs")
				b.ReportMetric(float64(s.within)/float64(s.runs)*100, "%within")
				b.ReportMetric(s.ratio(), "estimate/error")
				b.ReportMetric(s.rms(), "rms-eff")
				b.ReportMetric(100*s.coreWithin(), "%within-core")
				b.ReportMetric(s.coreRatio(), "estimate/error-core")
			}
		})
	}
}

// BenchmarkNeighbour counts the iterations of a run from a neighbour's flow over those of a cold one, at equal error:
// the cold one's by six orders. Neighbours are 3 % away in speed or 7 % in throttle.
func BenchmarkNeighbour(b *testing.B) {
	for b.Loop() {
		sum, worst, n := 0.0, 0.0, 0
		for _, at := range []struct{ speed, throttle float64 }{{1, 1}, {0.9, 1.1}, {0.95, 0.9}} {
			c := e3Throttle(b)
			c.Settings.Tolerance = 6
			c.N, c.Exit.K = at.speed*c.N, at.throttle*c.Exit.K
			from, _ := run(b, c)
			for _, by := range []struct{ speed, throttle float64 }{{1.03, 1}, {0.97, 1}, {1, 1.07}, {1, 1 / 1.07}} {
				to := c
				to.N, to.Exit.K = by.speed*c.N, by.throttle*c.Exit.K
				ratio := jumpWork(b, to, from.Solution())
				b.Logf("N %.0f, K %.4g: %.2f of the iterations", to.N, to.Exit.K, ratio)
				sum, worst, n = sum+ratio, max(worst, ratio), n+1
			}
		}
		b.ReportMetric(sum/float64(n), "iterations/cold")
		b.ReportMetric(worst, "worst")
	}
}

// jumpWork is the number of iterations after which a run from a solution is as near to where it settles as a cold run
// at its end, and stays so, over those of the cold run.
func jumpWork(b *testing.B, c Case, from *Solution) float64 {
	cold, r := run(b, c)
	further := c
	further.Settings.Tolerance, further.Settings.MaxIterations = 9, 8000
	truth := ended(b, resumed(b, further, cold.Solution()))
	off := func(w, pr, eff float64) float64 {
		return max(math.Abs(w/truth.W-1), math.Abs(pr/truth.PR-1), math.Abs(eff/truth.Eff-1))
	}
	further.Settings.Every = 5
	further.Settings.Tolerance = 8
	last := 0
	if _, err := started(b, further, from).Run(context.Background(), func(p march.Progress) march.Reply {
		if off(p.WIn, p.PR, p.Eff) > off(r.W, r.PR, r.Eff) {
			last = p.Iteration
		}
		return march.Continue
	}); err != nil {
		b.Fatal(err)
	}
	return float64(last+5) / float64(r.Iterations)
}
