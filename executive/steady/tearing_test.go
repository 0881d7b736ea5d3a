package steady

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Equations close in the order of flow: unknowns fed back from downstream are torn.
func TestClosingOrder(t *testing.T) {
	for name, want := range map[string]struct{ inner, torn []string }{
		"turbojet": {[]string{"burner.FAR", "turbine.PR"}, []string{"ambient.W"}},
		"geared":   {[]string{"gearbox.power", "burner.FAR", "hpt.PR", "lpt.PR"}, []string{"ambient.W"}},
		"e3":       {[]string{"ambient.W", "burner.FAR", "hpt.PR", "lpt.PR"}, nil},
		"recuperated": {
			[]string{"burner.FAR", "turbine.PR", "power_turbine.PR"}, []string{"recuperator.Q", "ambient.W"},
		},
	} {
		cfg := must.Value(config.Load(enginetest.Example(name+".yaml"), components.Catalogue(), nil))(t)
		m := New(must.Value(graph.New(cfg))(t))
		here, _ := designBalances(m.Model)
		s := must.Value(m.equations(components.Design, here))(t)
		o := s.order()
		names := func(list []int) (out []string) {
			for _, i := range list {
				out = append(out, s.Unknowns[i].Name)
			}
			return out
		}
		if inner, torn := names(o.inner), names(o.torn); !slices.Equal(inner, want.inner) ||
			!slices.Equal(torn, want.torn) {
			t.Errorf("%s: %v, torn %v; want %v, torn %v", name, inner, torn, want.inner, want.torn)
		}
		for i, r := range o.residual {
			if u := s.Unknowns[i]; s.Residuals[r].Vary != nil && s.Residuals[r].Vary != u.At {
				t.Errorf("%s: %s is to close %s", name, u.Name, s.Residuals[r].Name)
			}
		}
	}
}

// Closed one after the other, an engine's equations hold but for the last digits, and Newton's method has no work left.
func TestCycleThatCloses(t *testing.T) {
	for _, file := range enginetest.SomeExamples(t) {
		cfg := must.Value(config.Load(file, components.Catalogue(), nil))(t)
		m := New(must.Value(graph.New(cfg))(t))
		here, _ := designBalances(m.Model)
		s := must.Value(m.equations(components.Design, here))(t)
		m.Context.Mode = components.Design
		c := newClosing(t.Context(), s)
		if err := c.close(); err != nil {
			t.Errorf("%s: %v", file, c.explain(err))
			continue
		}
		r := make([]float64, len(s.Residuals))
		if err := s.Eval(s.InitialX(), r); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for i, v := range r {
			if !(v < closedLoose && v > -closedLoose) {
				t.Errorf("%s: %s is off by %g", file, s.Residuals[i].Name, v)
			}
		}
		if n := c.evaluations(); n > 400 {
			t.Errorf("%s: %d evaluations", file, n)
		}
		of := &s.Residuals[len(s.Residuals)-1]
		of.Get = math.NaN
		want := cmp.Or(of.Until, of.Name) + " is not a number"
		if err := newClosing(t.Context(), s).close(); err == nil || !strings.Contains(c.explain(err).Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
