package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// A compressor whose map gives more than an ideal one destroys entropy: such an operating point is no answer, and the
// case names the component. With a possible map the answer is possible, too.
func TestNoAnswerDestroysEntropy(t *testing.T) {
	s := turbojetSession(t, "")
	user := s.Model.Index["compressor"].Component.(components.MapUser)
	pm, _, absolute := user.Map()
	m := *pm
	m.Tables = slices.Clone(m.Tables)
	for i, table := range m.Tables {
		if table.Name != "eff" {
			continue
		}
		v := slices.Clone(table.V)
		for row, nc := range m.Nc {
			if nc < 0.95*m.Design.Nc {
				for k := range m.X {
					v[row*len(m.X)+k] *= 1.6
				}
			}
		}
		m.Tables[i].V = v
	}
	promising := must.Value(perfmap.New(m))(t)
	must.OK(t, user.SetMap(promising, absolute))
	for fn, want := range map[float64]string{51e3: "", 20e3: "compressor: entropy is destroyed"} { // N
		c := fnCase(fn, nil)
		r := must.Value(s.SolveCase(t.Context(), s.Model, &c))(t)
		if r.Converged != (want == "") || !strings.Contains(r.Message, want) {
			t.Errorf("%g N: converged %t at an efficiency of %g: %s", fn, r.Converged,
				r.Components["compressor"].Value("eff"), r.Message)
		}
	}
}

// A booster that expands, cools the air and drives its shaft is none, though shafts, flows and energies balance there:
// whatever was solved before, it compresses.
func TestBoosterCompresses(t *testing.T) {
	s := must.Value(Open(t.Context(), enginetest.Edited(t, "geared")))(t)
	p := must.Value(s.Point())(t)
	for _, fn := range []float64{7002, 60e3, 20e3, 7002} { // N
		number := func(v float64) config.Value { return config.Value{Num: v} }
		c := config.Case{
			Name: "fast and low", Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: fn}},
			Set: []config.Setting{
				{Path: "ambient.altitude", Value: number(0)}, {Path: "ambient.mach", Value: number(0.75)},
				{Path: "ambient.dTs", Value: number(40)},
			}}
		must.Value(p.Solve(t.Context(), &c))(t)
		if pr, eff := p.Value("booster.PR"), p.Value("booster.eff"); pr < 1 || eff < 0.5 || eff > 1 {
			t.Errorf("%g N: the booster has a pressure ratio of %g and an efficiency of %g", fn, pr, eff)
		}
	}
}
