package main

import (
	"context"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow"
)

// A geometry of two rows is solved as a stage, and started from an axisymmetric solution of
// both.
func TestBladerowTakesAStage(t *testing.T) {
	t.Parallel()
	r := e3Point(t, coarseSettings["bladerow"], 2, 30)
	r.Folder = t.TempDir()
	r.Numbers[zoom.InSpeed], r.Numbers[zoom.InThrottle] = 6000, 11
	r.Texts[zoom.InGeometry] = `
geometry: A fan stage
source: a test
units: {length: m, angle: deg}
flowpath:
  hub: {z: [-0.4, 0.8], r: [0.25, 0.25]}
  casing: {z: [-0.4, 0.8], r: [0.5, 0.5]}
rows:
  - name: rotor
    blades: 20
    rotating: true
    stacking_axis: 0
    radius: [0.25, 0.375, 0.5]
    chord: [0.12, 0.12, 0.12]
    stagger: [30, 50, 60]
    beta_le: [47, 56, 63]
    beta_te: [15, 42, 57]
    tm_over_c: [0.08, 0.06, 0.03]
    max_thickness: {radius: [0.25, 0.5], at: [0.5, 0.5]}
  - name: vanes
    blades: 24
    rotating: false
    stacking_axis: 0.25
    radius: [0.25, 0.375, 0.5]
    chord: [0.12, 0.12, 0.12]
    stagger: [17, 12, 10]
    beta_le: [35, 25, 20]
    beta_te: [0, 0, 0]
    tm_over_c: [0.06, 0.06, 0.06]
    max_thickness: {radius: [0.25, 0.5], at: [0.5, 0.5]}
`
	s := &solver.BladeRow{}
	d := s.Describe()
	must.OK(t, d.CheckRequest(r))
	var told []string
	res, err := s.Run(context.Background(), d.WithDefaults(r), func(e event.Event) {
		if e.Kind == event.Message {
			told = append(told, e.Text)
		}
	})
	must.OK(t, err)
	if err := d.CheckResult(res); err != nil || res.Numbers[zoom.OutW] == 0 || len(told) > 0 {
		t.Errorf("%v, %s: %s, %v, told %q", err, res.Class, res.Message, res.Numbers, told)
	}
	t.Log(res.Class, res.Message, res.Numbers)
	fields, err := bladerow.ReadFields(r.Folder)
	if err != nil || len(fields) != 2 || fields[1].Row != "vanes" || fields[1].N != 0 {
		t.Errorf("%v, %d rows", err, len(fields))
	}
}
