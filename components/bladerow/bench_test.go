package bladerow

import (
	"math"
	"runtime"
	"testing"
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
			g := NewGrid(ni, nj, nk, func(i, j, k int) (x, y, z float64) {
				r, th := 0.5+0.5*float64(k)/nk, -pitch*float64(j)/nj
				return r * math.Cos(th), r * math.Sin(th), float64(i) / ni
			})
			bl := testBlock(b, g, -pitch, 1.2)
			q := [5]float64{1, 0, 0, 0.6, 1}
			bl.put(iLo, prescribed{func(int, int) [5]float64 { return q }})
			bl.put(iHi, outflow{})
			bl.put(jLo, newPeriodic(-pitch))
			bl.put(jHi, newPeriodic(-pitch))
			bl.put(kLo, slip{})
			bl.put(kHi, slip{})
			if tc.viscous {
				bl.makeViscous(sutherland(1, 288), 0.72, 0.9)
			}
			bl.fill(func(i, j, k int) [5]float64 { return q })
			for b.Loop() {
				bl.step(20)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(ni*nj*nk), "ns/cell/step")
		})
	}
}

// BenchmarkMemory measures the bytes per cell that a viscous case of Rotor 67 with
// 304,128 cells and three meshes keeps.
func BenchmarkMemory(b *testing.B) {
	c := tiny67(b)
	c.Settings = Settings{Mesh: Mesh{Upstream: 40, Blade: 72, Downstream: 32, Pitch: 48, Span: 44, Wall: 0.005, Edge: 0.006}}
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s, err := New(c)
		if err != nil {
			b.Fatal(err)
		}
		iterate(s.rows, 2, 10)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/304128, "B/cell")
		runtime.KeepAlive(s)
	}
}
