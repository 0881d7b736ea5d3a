package executive_test

import (
	"context"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// holdingFan is a known fan that can hold the flow which leaves it.
type holdingFan struct {
	knownFan
	refuses event.Class // of requests for a flow; empty: they are answered
}

func (f holdingFan) Describe() plugin.Description {
	d := f.knownFan.Describe()
	d.Inputs = append(d.Inputs,
		plugin.Quantity{Name: machine.InExitFlow, Shape: plugin.Scalar, InPlaceOf: machine.InThrottle, Doc: "held"})
	d.Outputs = append(d.Outputs,
		plugin.Quantity{Name: machine.OutThrottle, Shape: plugin.Scalar, Doc: "of the flow that is held"})
	return d
}

// Run finds the throttle of a flow between half of that which passes the design flow at PR 1 and twice that.
func (f holdingFan) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	w, holds := r.Numbers[machine.InExitFlow]
	if !holds {
		return f.knownFan.Run(ctx, r, emit)
	}
	n := r.Numbers[machine.InSpeed] / knownSpeed
	lacks := func(k float64) float64 { return w/knownFlow - f.flow(n, k) }
	if f.refuses != "" {
		return plugin.Result{Class: f.refuses, Message: "scripted"}, nil
	}
	if lacks(0.5) > 0 {
		return plugin.Result{Class: event.NotConverged, Message: "choked"}, nil
	}
	k := numeric.Bisect(lacks, 0.5, 2) * 101325 / (knownFlow * knownFlow)
	r.Numbers[machine.InThrottle] = k
	res, err := f.knownFan.Run(ctx, r, emit)
	if res.Class == event.Converged {
		res.Numbers[machine.OutThrottle] = k
	}
	return res, err
}

// A solver that can hold a flow finds the design point, to which the fan is scaled, in one run: also on a vertical
// line.
func TestDesignFlowIsHeld(t *testing.T) {
	for _, c := range []struct {
		name string
		fan  knownFan
		to   float64
		most int // runs
	}{{"smooth", smooth, 2e-4, 3}, {"choked", choked, 5e-4, 5}}[:enginetest.Trials(t, 1, 2, 2)] {
		t.Run(c.name, func(t *testing.T) {
			engine := knownEngine(t, c.to, "design", 1400)
			exact := exactly(t, engine, c.fan)[0]
			var first *result.Result
			for _, workers := range []int{1, 3} {
				r := zoomKnown(t, engine, holdingFan{knownFan: c.fan}, workers)
				at := r.Cases[0]
				z, e := at.Zoom["fan"], trueError(at, exact)
				t.Logf("%d runs in %d rounds; true error %.2g, estimate %.2g", z.Runs, z.Rounds, e, z.Error)
				if !at.Converged || e > z.Error || z.Error > c.to {
					t.Errorf("converged %t, error %.2g, estimated %.2g, wanted %.2g: %s", at.Converged, e, z.Error,
						c.to, at.Message)
				}
				if z.Runs > c.most {
					t.Errorf("%d runs; at most %d are needed", z.Runs, c.most)
				}
				if len(r.Warnings) > 0 {
					t.Errorf("warnings: %v", r.Warnings)
				}
				if first == nil {
					first = at
				}
				if a, b := first.Performance.Fn, at.Performance.Fn; a != b {
					t.Errorf("%v N by %d runs at a time, %v by one", b, workers, a)
				}
			}
		})
	}
}

// A design flow that cannot be is no failure: the fan is scaled as by a solver that holds no flow, after one run more.
func TestDesignFlowThatCannotBe(t *testing.T) {
	small := choked
	small.flow = func(n, k float64) float64 { return 0.995 * choked.flow(n, k) }
	for _, c := range []struct {
		name string
		fan  holdingFan
	}{
		{"choked", holdingFan{knownFan: small}},
		{"stalled", holdingFan{smooth, event.Stalled}},
		{"diverged", holdingFan{smooth, event.Diverged}},
	}[:enginetest.Trials(t, 1, 3, 3)] {
		t.Run(c.name, func(t *testing.T) {
			engine := knownEngine(t, 1e-3, "design", 1400)
			want := zoomKnown(t, engine, c.fan.knownFan, 2)
			r := zoomKnown(t, engine, c.fan, 2)
			at, z := r.Cases[0], r.Cases[0].Zoom["fan"]
			without := want.Cases[0].Zoom["fan"]
			t.Logf("%d runs in %d rounds, estimate %.2g; without %d runs, estimate %.2g", z.Runs, z.Rounds, z.Error,
				without.Runs, without.Error)
			if !at.Converged || z.Failed > 0 || z.Runs > without.Runs+1 {
				t.Errorf("converged %t, %d runs of which %d failed; %d by a solver that holds no flow", at.Converged,
					z.Runs, z.Failed, without.Runs)
			}
			if e := trueError(at, want.Cases[0]); e > math.Hypot(z.Error, without.Error) {
				t.Errorf("%.2g off what a solver that holds no flow gives", e)
			}
		})
	}
}
