//go:build !amd64.v3

package bladerow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// The kernels in Go and in assembly, on the same lines, want the same bits. With
// GOAMD64=v3 the compiler fuses products and sums, so that they differ.

// rough returns a block of ni x 3 x 3 cells full of random numbers, of which some are such
// as to take every branch of the kernels: uniform flow, strong jumps, streams at rest and
// at the speed of sound, faces of no area.
func rough(rng *rand.Rand, ni int) (*block, *scratch) {
	sh := newShape(ni, 3, 3)
	m := &metric{vol: apart[float64](sh.size, 0)}
	some := func() float64 {
		switch rng.IntN(8) {
		case 0:
			return 0
		case 1:
			return 0.1 * rng.NormFloat64()
		}
		return rng.NormFloat64()
	}
	for d := range 3 {
		m.g[d] = apart[float64](sh.size, 4+4*d)
		for c := range 3 {
			m.s[d][c] = apart[float64](sh.size, 1+4*d+c)
		}
	}
	b := newBlock(sh, m, gamma, 0.7, 1)
	b.makeViscous(newSutherland(0.01, 288), 0.72, 0.9)
	b.visc.skew = saCh1 * float64(rng.IntN(2))
	b.visc.nt, b.visc.dist = make([]float64, sh.size), make([]float32, sh.size)
	for c := range sh.size {
		m.vol[c] = max(0, rng.Float64()-0.02)
		for d := range 3 {
			flat := rng.IntN(8) == 0
			m.g[d][c] = some()
			for x := range 3 {
				if m.s[d][x][c] = some(); flat {
					m.s[d][x][c] = math.Copysign(0, m.s[d][x][c])
				}
			}
		}
		b.q[0][c], b.q[4][c] = 0.01+rng.ExpFloat64(), 0.01+rng.ExpFloat64()
		for v := range 3 {
			b.q[1+v][c] = some()
		}
		for v := range 5 {
			b.r[v][c], b.was[v][c] = 0.1*some(), float32(0.01*some())
		}
		if c > 0 && rng.IntN(3) == 0 { // no jump
			for v := range 5 {
				b.q[v][c] = b.q[v][c-1]
			}
		}
		b.visc.t[c], b.visc.mu[c], b.visc.mt[c] = 0.5+rng.Float64(), float32(0.01*rng.ExpFloat64()), float32(
			0.1*rng.ExpFloat64()-0.02)
		b.visc.nt[c], b.visc.dist[c] = 0.1*rng.ExpFloat64()-0.02, float32(0.01+rng.ExpFloat64())
		b.sound[c], b.diffuse[c] = float32(0.5+rng.Float64()), float32(rng.ExpFloat64())
	}
	w := b.scratch[0]
	for _, lines := range [][]([]float64){w.line.l[:], w.line.r[:], w.line.f[:], w.line.fv[:], w.line.d[:],
		w.line.c[:], w.lower[:]} {
		for _, x := range lines {
			for i := range x {
				x[i] = 0.1 + rng.ExpFloat64()
			}
		}
	}
	return b, w
}

// kernels are those that have two forms, each as one call on the middle line of a block.
var kernels = []struct {
	name string
	run  func(b *block, w *scratch)
}{
	{"states", func(b *block, w *scratch) {
		w.line.states(b.n[0]+1, &b.q, b.at(0, 1, 1), 1)
	}},
	{"states across", func(b *block, w *scratch) {
		w.line.states(b.n[0], &b.q, b.at(0, 1, 1), b.stride[2])
	}},
	{"roe", func(b *block, w *scratch) {
		o, m := b.at(0, 1, 1), b.metric
		w.line.roe(b.n[0]+1, m.s[1][0][o:], m.s[1][1][o:], m.s[1][2][o:], m.g[1][o:], b.omega, b.gamma)
	}},
	{"viscous 0", func(b *block, w *scratch) { b.viscous(w, 0, b.at(0, 1, 1), b.n[0]+1) }},
	{"viscous 1", func(b *block, w *scratch) { b.viscous(w, 1, b.at(0, 1, 1), b.n[0]) }},
	{"viscous 2", func(b *block, w *scratch) { b.viscous(w, 2, b.at(0, 1, 1), b.n[0]) }},
	{"along", func(b *block, w *scratch) { b.along(w.line, b.at(0, 1, 1)) }},
	{"across", func(b *block, w *scratch) { b.across(w.line, b.at(0, 1, 1), &w.lower, b.n[0]) }},
	{"speeds", func(b *block, _ *scratch) { b.speedLine(b.at(-1, 1, 1), b.n[0]+2) }},
	{"sutherland", func(b *block, _ *scratch) { b.refresh() }},
	{"sounds", func(b *block, _ *scratch) {
		b.visc = nil
		b.speedLine(b.at(-1, 1, 1), b.n[0]+2)
	}},
	{"primitive", func(b *block, w *scratch) { b.primitive(w.line, b.at(0, 1, 1)) }},
	{"couple", func(b *block, w *scratch) {
		o := b.at(0, 1, 1)
		b.couple(w.line, 1, o-b.stride[1], o, 1)
	}},
	{"couple back", func(b *block, w *scratch) {
		o := b.at(0, 2, 1)
		b.couple(w.line, 2, o, o, -1)
	}},
	{"links", func(b *block, w *scratch) { b.links(w.line, b.at(-1, 1, 1), b.at(0, 1, 1), 1) }},
	{"links back", func(b *block, w *scratch) { b.links(w.line, b.at(1, 1, 1), b.at(1, 1, 1), -1) }},
	{"diagonal", func(b *block, w *scratch) { b.diagonal(w.line, b.at(0, 1, 1), 10) }},
	{"advance early", func(b *block, w *scratch) { b.advanceLine(w.line, b.at(0, 1, 1), early) }},
	{"advance", func(b *block, w *scratch) { b.advanceLine(w.line, b.at(0, 1, 1), 1) }},
	{"eddy", func(b *block, _ *scratch) { b.eddyChanges(b.at(0, 1, 1)) }},
}

// numbers are all that a kernel may have written, and what must stay around it.
func numbers(b *block, w *scratch) (out [][]float64) {
	l := w.line
	for _, lines := range [][][]float64{b.q[:], b.r[:], l.l[:], l.r[:], l.f[:], l.prev[:], l.fv[:], l.d[:], l.c[:],
		w.lower[:]} {
		out = append(out, lines...)
	}
	shorts := append(b.was[:], b.sound, b.diffuse)
	if v := b.visc; v != nil {
		shorts, out = append(shorts, v.mu, v.mt), append(out, v.t, v.nt)
	}
	for _, short := range shorts {
		x := make([]float64, len(short))
		for i := range x {
			x[i] = float64(short[i])
		}
		out = append(out, x)
	}
	return append(out, l.good)
}

// both runs f in Go, then with AVX2.
func both(t testing.TB, f func(avx bool)) {
	if !avx2 {
		testenv.NotHere(t, "this processor has no AVX2")
	}
	defer func() { avx2 = true }()
	avx2 = false
	f(false)
	avx2 = true
	f(true)
}

func TestKernels(t *testing.T) {
	for _, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			step := uint64(10) // to lines of many lengths, some of them with bad numbers
			if testenv.IsLong(t) {
				step = 1
			}
			for seed := uint64(0); seed < 60; seed += step {
				ni := int(seed)%12 + 1
				if seed >= 48 {
					ni = 90 + int(seed)%7
				}
				var want [][]float64
				both(t, func(avx bool) {
					b, w := rough(rand.New(rand.NewPCG(seed, 1)), ni)
					if seed%3 == 2 {
						spoil(b, rand.New(rand.NewPCG(seed, 2)))
					}
					if k.run(b, w); !avx {
						want = numbers(b, w)
						return
					}
					for n, line := range numbers(b, w) {
						for i, x := range line {
							y := want[n][i]
							if math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
								t.Fatalf("%d cells, seed %d: array %d, element %d: %v (%#x) by AVX2, %v (%#x) in Go",
									ni, seed, n, i, x, math.Float64bits(x), y, math.Float64bits(y))
							}
						}
					}
				})
			}
		})
	}
}

// Iterations of a rotor on two meshes, to the last bit.
func TestIterationKernels(t *testing.T) {
	var want [][]float64
	both(t, func(avx bool) {
		c := viscous67(t)
		c.Settings.Levels = 2
		if got := flow(begun(t, c, 3)); avx {
			same(t, got, want)
		} else {
			want = got
		}
	})
}

// spoil puts NaN, infinities and negative densities and pressures into some cells.
func spoil(b *block, rng *rand.Rand) {
	for c := range b.size {
		if rng.IntN(20) == 0 {
			b.q[rng.IntN(5)][c] = [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0}[rng.IntN(5)]
		}
		if rng.IntN(40) == 0 {
			b.sound[c] = float32(math.NaN())
		}
	}
}

// BenchmarkKernels measures each kernel per cell or face in Go and with AVX2, on lines of 96 cells.
func BenchmarkKernels(b *testing.B) {
	for _, k := range kernels {
		for _, name := range []string{"go", "avx2"} {
			b.Run(fmt.Sprintf("%s/%s", k.name, name), func(b *testing.B) {
				if !avx2 {
					b.Skip("this processor has no AVX2")
				}
				defer func() { avx2 = true }()
				bl, w := rough(rand.New(rand.NewPCG(1, 1)), 96)
				avx2 = name == "avx2"
				for b.Loop() {
					k.run(bl, w)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/96, "ns/cell")
			})
		}
	}
}

// BenchmarkIteration measures a whole iteration per cell, in Go and with AVX2, and on two workers:
// that of Rotor 67 on 46,080 cells and two coarser meshes, turbulence model included.
func BenchmarkIteration(b *testing.B) {
	for _, tc := range []struct {
		name    string
		avx     bool
		workers int
	}{{"go", false, 1}, {"avx2", true, 1}, {"avx2", true, 2}} {
		b.Run(fmt.Sprintf("%s-%d", tc.name, tc.workers), func(b *testing.B) {
			if !avx2 {
				b.Skip("this processor has no AVX2")
			}
			defer func() { avx2 = true }()
			avx2 = tc.avx
			c := case67(b, 1)
			c.Exit, c.Settings.Workers = march.Exit{Ps: 110e3}, tc.workers
			s := begun(b, c, 5)
			for b.Loop() {
				iterate(s.rows, s.at, 20)
			}
			n := s.last().n
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n[0]*n[1]*n[2]), "ns/cell")
		})
	}
}
