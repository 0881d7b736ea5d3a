package session

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

// Derivatives agree with differences between engines that are designed and solved with
// changed parameters: of the design and of the case, at design and off design, and where a
// limit binds.
func TestSensitivities(t *testing.T) {
	text := enginetest.Turbojet + `
cases:
  part: {set: {ambient.mach: 0.4, ambient.altitude: 3000 m}, solve: [{vary: burner.FAR, until: performance.Fn = 25 kN}]}
  hot: {solve: [{vary: burner.FAR, until: performance.Fn = 80 kN}], limits: [{path: burner.out.Tt, max: 1300 K}]}
`
	// The maps stay those of the unchanged engine, as the derivatives have it.
	base := enginetest.Parse(t, text)
	s := must.Value(Open(context.Background(), base))(t)
	dir := t.TempDir()
	for name, m := range s.Model.Maps() {
		file := dir + "/" + name + ".map"
		must.OK(t, format.Write(file, m.Map))
		text = strings.Replace(text, name+": {type: "+name, name+": {map: "+file+", type: "+name, 1)
	}
	s = must.Value(Open(context.Background(), enginetest.Parse(t, text)))(t)
	outputs := []string{"performance.TSFC", "performance.Fn", "spool.N", "compressor.SMN", "turbine.out.Tt",
		"compressor.out.MN"}
	solve := func(name, path string, value float64) map[string]float64 {
		t.Helper()
		cfg := must.Value(config.Parse("test.yaml", []byte(text), components.Catalogue(), nil))(t)
		comp, param, _ := strings.Cut(path, ".")
		inCase := false
		for i := range cfg.Cases {
			for j := range cfg.Cases[i].Set {
				if cfg.Cases[i].Name == name && cfg.Cases[i].Set[j].Path == path {
					cfg.Cases[i].Set[j].Value.Num, inCase = value, true
				}
			}
		}
		if !inCase {
			for i := range cfg.Components {
				if cfg.Components[i].Name == comp {
					v := cfg.Components[i].Values[param]
					v.Num = value
					cfg.Components[i].Values[param] = v
				}
			}
			for i := range cfg.Shafts {
				if cfg.Shafts[i].Name == comp {
					v := cfg.Shafts[i].Values[param]
					v.Num = value
					cfg.Shafts[i].Values[param] = v
				}
			}
		}
		session := must.Value(Open(context.Background(), cfg))(t)
		p := must.Value(session.Point())(t)
		if name != cfg.DesignCase {
			must.Value(p.Solve(context.Background(), cfg.Case(name)))(t)
		}
		out := map[string]float64{}
		for _, o := range outputs {
			out[o] = p.Value(o)
		}
		return out
	}
	for _, c := range []struct {
		name   string
		inputs []string
	}{
		{"design", []string{"compressor.eff", "compressor.PR", "burner.dPqP", "spool.loss"}},
		{
			"part", []string{"compressor.eff", "turbine.eff", "burner.dPqP", "ambient.mach", "nozzle.Cv",
				"spool.offtake"},
		},
		{"hot", []string{"compressor.eff", "nozzle.area"}},
	} {
		if !testenv.IsLong(t) {
			c.inputs = c.inputs[:1]
		}
		got, err := s.Sensitivities(context.Background(), c.name, c.inputs, outputs)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, g := range got {
			h := 1e-4 * max(math.Abs(g.At), 1e-2)
			up, down := solve(c.name, g.Input, g.At+h), solve(c.name, g.Input, g.At-h)
			want := (up[g.Output] - down[g.Output]) / (2 * h)
			scale := math.Max(math.Abs(want), 1e-3*math.Abs(g.Value)/math.Max(math.Abs(g.At), 1e-2))
			if math.Abs(g.Slope-want) > 2e-4*scale {
				t.Errorf("%s: d %s/d %s is %.8g, by differences %.8g", c.name, g.Output, g.Input, g.Slope, want)
			}
		}
	}
	for input, want := range map[string]string{"burner.FAR": "varies it", "nothing.x": "no such parameter"} {
		must.Refuse(s.Sensitivities(context.Background(), "part", []string{input}, outputs))(t, want)
	}
	if _, err := s.Sensitivities(context.Background(), "nowhere", []string{"compressor.eff"}, outputs); err == nil {
		t.Error("a case that is not there")
	}
}

// An engine with controls has derivatives, at its design and at a case: the parameters of its controls stay as they
// are.
func TestSensitivitiesWithControls(t *testing.T) {
	s := governedSession(t, "", "1300 K", "rosenbrock")
	for _, name := range []string{s.Engine.DesignCase, "low"} {
		rows := must.Value(s.Sensitivities(t.Context(), name, []string{"ambient.dTs"}, []string{"performance.TSFC"}))(t)
		if len(rows) != 1 || !(rows[0].Slope != 0) {
			t.Errorf("%s: %+v", name, rows)
		}
	}
}
