package executive_test

import (
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// A transient extends the response of a turbine and the law of a burner as it does the response of a fan, and its
// history agrees with that of the component itself.
func TestKindsInTime(t *testing.T) {
	const to = 1e-3
	plain := slowing(t, "0.1 %", "extend")
	turbine := turbineOf(t, plain, 1)
	law := func(p [2]float64) [2]float64 {
		return [2]float64{0.05 * p[0] * p[0] / 36, 0.995 - 400*(p[1]-0.024)*(p[1]-0.024)}
	}
	for _, c := range []struct {
		component string
		bladed    bool
		solver    plugin.Solver
		install   func(*steady.Solver) error
	}{
		{"hpt", true, turbine, installed("hpt", &turbine, true)},
		{"burner", false, mock.Passage{Type: "burner", Law: law}, func(m *steady.Solver) error {
			return m.Index["burner"].Declaration.LawUse.Set(&knownLaw{law}, true)
		}},
	}[:enginetest.Trials(t, 1, 2, 2)] {
		t.Run(c.component, func(t *testing.T) {
			engine := slowing(t, "0.1 %", "extend")
			engine.Zooms[0].Component = c.component
			engine.Zooms[0].Geometry = ""
			if c.bladed {
				blades := must.Value(filepath.Abs(enginetest.Example("geometry/hpt-stage.yaml")))(t)
				engine.Zooms[0].Geometry = blades
			}
			exact := transientWith(t, slowing(t, "0.1 %", "extend"), "dip", c.install)
			r := zoomKnown(t, engine, c.solver, 2)
			steady, dip := r.Cases[0], r.Cases[1]
			made := dip.Zoom[c.component].Runs - steady.Zoom[c.component].Runs
			e := farthest(exact, dip, "performance.Fn")
			t.Logf("%d steady runs, %d in time; thrust is at most %.2g off", steady.Zoom[c.component].Runs, made, e)
			if !dip.Converged || made <= 0 || e > to {
				t.Errorf("converged %t, %d runs in time, thrust is at most %.2g off: %+v", dip.Converged, made, e,
					dip.Zoom[c.component].InTime)
			}
		})
	}
}

// transientWith runs a transient of an engine with something installed in that.
func transientWith(t *testing.T, engine *config.Engine, name string,
	install func(*steady.Solver) error) *result.Result {
	t.Helper()
	s, m, err := coupled(t, engine, install)
	must.OK(t, err)
	must.OK(t, m.Settle())
	exact, err := s.RunTransient(t.Context(), m, engine.Case(name), nil)
	if err != nil || !exact.Converged {
		t.Fatal(err, exact.Message)
	}
	return exact
}
