package bladerow

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// BenchmarkStep measures one full time step (two stages of residual,
// implicit sweeps and update) per cell on one core, of a turning annular sector of 96 x 40 x 40 cells.
func BenchmarkStep(b *testing.B) {
	for _, tc := range []struct {
		name    string
		viscous bool
	}{{"euler", false}, {"viscous", true}} {
		b.Run(tc.name, func(b *testing.B) {
			const pitch, ni, nj, nk = 2 * math.Pi / 20, 96, 40, 40
			g := mesh.NewGrid(ni, nj, nk, func(i, j, k int) (x, y, z float64) {
				r, th := 0.5+0.5*float64(k)/nk, -pitch*float64(j)/nj
				return r * math.Cos(th), r * math.Sin(th), float64(i) / ni
			})
			bl := testBlock(b, g, -pitch, 1.2)
			q := [5]float64{1, 0, 0, 0.6, 1}
			sides := newPeriodic(-pitch)
			bl.around(prescribed{func(int, int) [5]float64 { return q }}, outflow{}, sides, sides, slip{}, slip{})
			if tc.viscous {
				bl.makeViscous(newSutherland(1, 288), 0.72, 0.9)
			}
			bl.fill(func(i, j, k int) [5]float64 { return q })
			for b.Loop() {
				bl.step(20)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(ni*nj*nk), "ns/cell/step")
		})
	}
}

// BenchmarkRotor67 measures the time from rest to a converged point of Rotor 67, at 0.99 of
// its choking flow: with 46,080 cells, and with 294,272 where PEREGRINE_VERIFY is "fine".
func BenchmarkRotor67(b *testing.B) {
	for _, tc := range []struct {
		name            string
		refine, workers float64
	}{{"coarse", 1, 1}, {"coarse", 1, 2}, {"fine", 1.9, 1}, {"fine", 1.9, 2}} {
		if tc.name == "fine" && os.Getenv("PEREGRINE_VERIFY") != "fine" {
			continue
		}
		b.Run(fmt.Sprintf("%s-%g", tc.name, tc.workers), func(b *testing.B) {
			c := case67(b, tc.refine)
			c.Exit, c.Settings.Workers = march.Exit{Ps: 118e3}, int(tc.workers)
			for b.Loop() {
				r := run(b, solver(b, c))
				if r.Status != march.Converged {
					b.Fatal(r.Message)
				}
				b.ReportMetric(float64(r.Iterations), "iterations")
			}
		})
	}
}

// BenchmarkNeighbour counts the iterations of a run from a neighbour's flow over those of a cold one from rest, at
// equal error: the cold one's by three orders. It is Rotor 67 on a crude mesh, with viscosity; neighbours are 3 %
// away in speed or 7 % in throttle.
func BenchmarkNeighbour(b *testing.B) {
	for b.Loop() {
		c := crude67(b)
		c.Settings.Model = Helical
		c.N, c.Exit, c.Settings.Tolerance = 11230, march.Exit{K: 150}, 3
		from := solver(b, c)
		run(b, from)
		sum, worst, n := 0.0, 0.0, 0
		for _, by := range []struct{ speed, throttle float64 }{{1.03, 1}, {0.97, 1}, {1, 1.07}, {1, 1 / 1.07}} {
			to := c
			to.N, to.Exit.K = by.speed*c.N, by.throttle*c.Exit.K
			ratio := jumpWork(b, to, from.Solution())
			b.Logf("N %.0f, K %.4g: %.2f of the iterations", to.N, to.Exit.K, ratio)
			sum, worst, n = sum+ratio, max(worst, ratio), n+1
		}
		b.ReportMetric(sum/float64(n), "iterations/cold")
		b.ReportMetric(worst, "worst")
	}
}

// jumpWork is the number of iterations after which a run from a solution is as near to where it settles as a cold run
// at its end, and stays so, over those of the cold run.
func jumpWork(b *testing.B, c Case, from *Solution) float64 {
	cold := solver(b, c)
	r := run(b, cold)
	c.Settings.Tolerance, c.Settings.Every = 6.5, 5
	further := solver(b, c)
	must.OK(b, further.Resume(cold.Solution()))
	truth := run(b, further)
	if r.Status != march.Converged || truth.Status != march.Converged {
		b.Fatal(r.Message, truth.Message)
	}
	off := func(w, pr, eff float64) float64 {
		return max(math.Abs(w/truth.W-1), math.Abs(pr/truth.PR-1), math.Abs(eff/truth.Eff-1))
	}
	jumped, last := solver(b, c), 0
	must.OK(b, jumped.StartFrom(from))
	if _, err := jumped.Run(b.Context(), func(p march.Progress) march.Reply {
		if off(p.WIn, p.PR, p.Eff) > off(r.W, r.PR, r.Eff) {
			last = p.Iteration
		}
		return march.Continue
	}); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d iterations cold, off by %.2g", r.Iterations, off(r.W, r.PR, r.Eff))
	return float64(last+5) / float64(r.Iterations)
}

// BenchmarkMemory measures the bytes per cell that a viscous case of Rotor 67 with
// 304,128 cells and three meshes keeps.
func BenchmarkMemory(b *testing.B) {
	c := tiny67(b)
	c.Settings = Settings{
		Mesh: mesh.Mesh{Upstream: 40, Blade: 72, Downstream: 32, Pitch: 48, Span: 44, Wall: 0.005, Edge: 0.006},
	}
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := must.Value(New(c))(b)
		iterate(s.rows, 2, 10)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/304128, "B/cell")
		runtime.KeepAlive(s)
	}
}
