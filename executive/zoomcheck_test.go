package executive

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// A solver that is no solver of turbomachines is found before anything is solved.
func TestUnfitSolver(t *testing.T) {
	cfg := &config.Engine{File: "engine.yaml", Components: []config.Component{{Name: "fan", Type: &config.Type{Name: "fan", Zoomable: true}}}}
	err := CheckZoom(cfg, &config.Zoom{Component: "fan", Pos: document.Pos{Line: 3, Column: 5}}, &plugin.Description{Name: "weather"})
	if want := "engine.yaml:3:5: zoom of fan: weather cannot serve a zoom: it has no output exit_Tt, a profile"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
