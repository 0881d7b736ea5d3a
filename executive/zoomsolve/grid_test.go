package zoomsolve

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// The runs of a transient on a grid name what led to them, and its map is announced, whichever way it is made.
func TestGridNamesTheCauseOfItsRuns(t *testing.T) {
	of := &study.Study{Pool: &pool.Pool{}}
	z := &componentZoom{cfg: &config.Zoom{Component: "fan"}, studies: []*study.Study{of},
		record: func(e event.Event) event.Event { return e }}
	g := &gridPlan{componentZoom: z, Grid: zoom.NewGrid(machine.Machine{Name: "fan"}, of, 3)}
	z.plan = g
	for _, c := range []struct {
		way  string
		make func() error
	}{
		{"make", func() error { return g.make(t.Context()) }},
		{"redo", func() error { return g.redo(t.Context(), zoom.Requests{}) }},
	} {
		g.cause, g.Making = &event.Ref{}, nil
		must.Fail(t, c.make(), "fan could not be zoomed") // nothing is planned
		if g.Cause != g.cause || g.Making == nil {
			t.Errorf("%s: the cause is %v, want %v; its map is announced: %t", c.way, g.Cause, g.cause, g.Making != nil)
		}
	}
}
