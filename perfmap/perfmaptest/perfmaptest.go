// Package perfmaptest draws maps for tests of packages that work with maps.
package perfmaptest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Random returns a compressor map of random size whose speed lines do not
// cross: flow and pressure ratio rise with speed at every X, everything else is free.
func Random(t *rapid.T) *perfmap.Map {
	axis := func(name string, least, most int, from float64) []float64 {
		v := make([]float64, rapid.IntRange(least, most).Draw(t, name))
		for i := range v {
			from += rapid.Float64Range(0.05, 1).Draw(t, "step")
			v[i] = from
		}
		return v
	}
	m := perfmap.Map{Name: "random", Kind: perfmap.Compressor, XName: "Rline"}
	m.Interp = rapid.SampledFrom([]perfmap.Interp{perfmap.Monotone, perfmap.Monotone, perfmap.Monotone, perfmap.Linear,
		perfmap.Lagrange2}).Draw(t, "interp")
	m.Alpha = axis("alpha", 1, 3, -1)
	m.Nc = axis("Nc", 2, 6, 0)
	m.X = axis("X", 2, 7, 0)
	m.Design = perfmap.Point{Alpha: m.Alpha[0], Nc: m.Nc[0], X: m.X[0]}
	stall := m.X[0]
	m.Stall = &stall
	wc, pr, eff := perfmap.Table{Name: "Wc"}, perfmap.Table{Name: "PR"}, perfmap.Table{Name: "eff"}
	for range m.Alpha {
		for r := range m.Nc {
			w, p := 10*float64(r+1), 5*float64(r+1)
			for range m.X {
				w += rapid.Float64Range(0, 1).Draw(t, "dW")
				p -= rapid.Float64Range(0, 0.5).Draw(t, "dPR")
				wc.V = append(wc.V, w)
				pr.V = append(pr.V, p)
				eff.V = append(eff.V, rapid.Float64Range(0.3, 0.95).Draw(t, "eff"))
			}
		}
	}
	m.Tables = []perfmap.Table{wc, pr, eff}
	p, err := perfmap.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// In draws a value between the ends of an axis.
func In(t *rapid.T, name string, axis []float64) float64 {
	return rapid.Float64Range(axis[0], numeric.Last(axis)).Draw(t, name)
}

// Fan returns the map of a fan with two outlet streams, of 13 speed lines and 21 R-lines.
func Fan(b testing.TB, interp perfmap.Interp) *perfmap.Map {
	m, err := perfmap.MakeCompressor(perfmap.CompressorShape{Name: "fan", PR: 1.68, Eff: 0.888, Wc: 643.7,
		Core: &perfmap.CoreShape{PR: 1.55, Eff: 0.9}})
	if err != nil {
		b.Fatal(err)
	}
	m.Interp = interp
	if m, err = perfmap.New(*m); err != nil {
		b.Fatal(err)
	}
	return m
}

// Line returns a speed line of runs a, b, c ... with the given Wc, PR and eff.
func Line(nc float64, points ...[3]float64) perfmap.Line {
	l := perfmap.Line{Nc: nc}
	for i, p := range points {
		l.Points = append(l.Points,
			perfmap.LinePoint{
				Run: string(rune('a' + i)), Values: map[string]float64{"Wc": p[0], "PR": p[1], "eff": p[2]},
			})
	}
	return l
}
