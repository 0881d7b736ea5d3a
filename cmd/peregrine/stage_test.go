package main

import (
	"context"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
)

// A geometry of two rows is solved as a stage, and started from an axisymmetric solution of
// both.
func TestBladerowTakesAStage(t *testing.T) {
	t.Parallel()
	r := e3Point(t, coarseSettings["bladerow"], 2, 30)
	r.Folder = t.TempDir()
	r.Texts[machine.InGeometry] = programtest.Read(t, "../../config/examples/geometry/e3-fan-vane.yaml")
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
	if err := d.CheckResult(res); err != nil || res.Numbers[machine.OutW] == 0 || len(told) > 0 {
		t.Errorf("%v, %s: %s, %v, told %q", err, res.Class, res.Message, res.Numbers, told)
	}
	t.Log(res.Class, res.Message, res.Numbers)
	fields, err := field.ReadFields(r.Folder)
	if err != nil || len(fields) != 2 || fields[0].Row != "vane" || fields[0].N != 0 || fields[1].N == 0 {
		t.Errorf("%v, %d rows", err, len(fields))
	}
}
