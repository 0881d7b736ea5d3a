package executive_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/zoomsolve"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever moves the vanes of a zoomed component is found at its place: its runs would not know of it. Vanes of
// others may move.
func TestSettingOfAZoomedComponent(t *testing.T) {
	solvers := must.Value(executive.Solvers(settings.Settings{Launcher: "local"}))(t)
	cfg := must.Value(config.Load(enginetest.Example("turbofan-zoomed.yaml"), executive.Catalogue(solvers), nil))(t)
	must.OK(t, zoomsolve.Check(t.Context(), cfg, solvers))
	at := func(line int) document.Pos { return document.Pos{Line: line, Column: 5} }
	move := func(component string, line int) {
		path := component + ".alpha"
		cfg.Component(component).Values["alpha"] = config.Value{Text: "3", Num: 3, Set: true, Pos: at(line)}
		cfg.Design = append(cfg.Design, config.Balance{Vary: path, Pos: at(line + 1)})
		cfg.Cases = append(cfg.Cases, config.Case{
			Name: "moved", Set: []config.Setting{{Path: path, Pos: at(line + 2)}},
			Solve: []config.Balance{{Vary: path, Pos: at(line + 3)}},
			Transient: &config.Transient{
				Schedules: []config.Schedule{{Quantity: config.Quantity{Path: path}, Pos: at(line + 4)}},
			},
		})
		cfg.Controls = append(cfg.Controls,
			config.Control{Name: "vanes", Moves: config.Move{Path: path, Pos: at(line + 5)}})
	}
	move("hpc", 200)
	if err := zoomsolve.Check(t.Context(), cfg, solvers); err != nil {
		t.Errorf("vanes of a component that is not zoomed: %v", err)
	}
	move("fan", 100)
	var got []string
	for line := range strings.Lines(zoomsolve.Check(t.Context(), cfg, solvers).Error()) {
		if _, after, ok := strings.Cut(line, "turbofan-zoomed.yaml:"); ok {
			place, _, _ := strings.Cut(after,
				": fan is zoomed, and its runs have one setting of its blades: no row of its geometry turns")
			got = append(got, place)
		}
	}
	if d := cmp.Diff([]string{
		`100:5: components.fan: "fan.alpha"`, `101:5: design: "fan.alpha"`, `102:5: cases.moved.set: "fan.alpha"`,
		`103:5: cases.moved.solve: "fan.alpha"`, `104:5: cases.moved.schedule: "fan.alpha"`,
		`105:5: controls.vanes: "fan.alpha"`,
	}, got); d != "" {
		t.Error(d)
	}
}

// If rows turn, a zoom that cannot follow them reports the reason.
func TestSettingThatIsNotFollowed(t *testing.T) {
	solvers := must.Value(executive.Solvers(settings.Settings{Launcher: "local"}))(t)
	cases := steadyCases([2]float64{3, 1400})
	must.OK(t, zoomsolve.Check(t.Context(), vaned(t, cases, "to: 0.1 %"), solvers))
	across := steadyCases([2]float64{95, 1400})
	if err := zoomsolve.Check(t.Context(), vaned(t, across, "to: 0.1 %"), solvers); err == nil ||
		!strings.Contains(err.Error(),
			`cases.a95_1400.set: "fan.alpha": fan is zoomed, and its blades cannot take this position: at a setting of 95 deg: row "vane"`) {
		t.Errorf("a vane across the flow: %v", err)
	}
	for _, zoom := range []string{"runs: 4", "span: whole, to: 0.5 %"} {
		err := zoomsolve.Check(t.Context(), vaned(t, cases, zoom), solvers)
		must.Fail(t, err,
			`cases.a3_1400.set: "fan.alpha": fan is zoomed, and its runs have one setting of its blades: runs on speed lines are made at one setting`)
	}
}
