package perfmap_test

import (
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
)

func TestStreamPicksOneOutletOfAFan(t *testing.T) {
	core := &perfmap.CoreShape{PR: 1.55, Eff: 0.9}
	m := compressor(t, perfmap.CompressorShape{Name: "fan", PR: 1.68, Eff: 0.888, Core: core})
	for _, c := range []struct{ stream, pr, eff string }{{"", "PR", "eff"}, {"core", "PR_core", "eff_core"}} {
		s := must.Value(m.Stream(c.stream))(t)
		if len(s.Tables) != 3 || s.Index("Wc") < 0 {
			t.Fatalf("%q: tables %v", c.stream, s.Tables)
		}
		p := perfmap.Point{Nc: 0.93, X: 1.7}
		for have, want := range map[string]string{"PR": c.pr, "eff": c.eff, "Wc": "Wc"} {
			a, _ := s.Value(have, p)
			if b, _ := m.Value(want, p); a != b {
				t.Errorf("%q: %s %v, want %v", c.stream, have, a, b)
			}
		}
	}
	if _, err := m.Stream("bypass"); err == nil {
		t.Error("no error for a stream that is not there")
	}
}

func TestPlanePicksOneStatorSetting(t *testing.T) {
	plane := []float64{0.84, 0.9, 0.83, 0.89}
	m, err := perfmap.New(perfmap.Map{
		Name: "two planes", Kind: perfmap.Compressor, Alpha: []float64{0, 30}, Nc: []float64{0.9, 1},
		X: []float64{1, 2}, XName: "Rline",
		Design: perfmap.Point{Alpha: 0, Nc: 1, X: 2},
		Tables: []perfmap.Table{
			{Name: "Wc", V: []float64{80, 90, 92, 100, 85, 94, 96, 105}},
			{Name: "PR", V: []float64{1.55, 1.5, 1.7, 1.65, 1.45, 1.4, 1.6, 1.55}},
			{Name: "eff", V: slices.Concat(plane, plane)},
		},
	})
	must.OK(t, err)
	p := must.Value(m.Plane(30))(t)
	for _, table := range m.Tables {
		want, _ := m.Value(table.Name, perfmap.Point{Alpha: 30, Nc: 0.95, X: 1.2})
		got, _ := p.Value(table.Name, perfmap.Point{Alpha: 30, Nc: 0.95, X: 1.2})
		if want.DAlpha = 0; got != want {
			t.Errorf("%s: %v, want %v", table.Name, got, want)
		}
	}
	if _, err := m.Plane(15); err == nil ||
		err.Error() != `map "two planes" has no stator setting alpha 15; it has [0, 30]` {
		t.Error(err)
	}
}
