package zoom

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// passing returns a map of the known fan for two operating points far apart.
func passing(t *testing.T) (*Grid, *perfmap.Map) {
	b := NewGrid(knownFan(), nil, 5)
	b.PlanNear([]machine.Target{{Nc: 4000, Wc: 600, PR: 1.6}, {Nc: 3400, Wc: 510, PR: 1.4}})
	return b, fill(t, b).Map
}

// A band ends at the last run of its speed, between speeds on the line between their last runs, and at no other speed.
func TestBandsEndAtRuns(t *testing.T) {
	var runs []surrogate.Observation
	for _, x := range [][]float64{{0.9, 8}, {0.9, 9}, {1, 8.4}, {1, 9.6}, {0.95, 8.9}} {
		runs = append(runs, surrogate.Observation{X: x})
	}
	for _, c := range [][3]float64{{0.9, 8, 9}, {1, 8.4, 9.6}, {0.95, 8.2, 9.3}} {
		lo, hi := covered(runs, c[0])
		must.Within(t, "lowest", lo, c[1], 1e-12)
		must.Within(t, "highest", hi, c[2], 1e-12)
	}
	if lo, hi := covered(runs, 1.01); lo < hi {
		t.Errorf("beyond all runs from %g to %g", lo, hi)
	}
}

// The margin of a point ends at the bounds of the map, and between distant lines at the
// reach of the nearest.
func TestMargin(t *testing.T) {
	_, m := passing(t)
	mid := (m.X[0] + m.X[len(m.X)-1]) / 2
	const all = perfmap.NcLow | perfmap.NcHigh | perfmap.XLow | perfmap.XHigh
	for _, c := range []struct {
		nc, x   float64
		watched perfmap.Edge
		margin  float64
		sides   perfmap.Edge
	}{
		{4000, mid, all, 0, 0}, // at the bound
		{3990, mid, all, 0.0025, 0},
		{3450, mid, all, 0.0125, 0},
		{3500, mid, all, 0, 0}, // at the line's reach
		{3520, mid, all, -0.005, perfmap.NcHigh},
		{3860, mid, all, -0.01, perfmap.NcLow},
		{4040, mid, all, -0.01, perfmap.NcHigh},
		{4040, mid, all &^ perfmap.NcHigh, 0.16, 0}, // only what is left is watched,
		{3450, m.X[0] - 0.3, all, -0.3, perfmap.XLow},
		{4040, m.X[len(m.X)-1] + 0.3, all, -0.3, perfmap.NcHigh | perfmap.XHigh},
		{4040, 9, 0, math.Inf(1), 0},
	} {
		margin, sides := Margin(m, c.nc, c.x, c.watched, -BoundsTolerance)
		if margin != c.margin && !(math.Abs(margin-c.margin) <= 2e-6) || sides != c.sides {
			t.Errorf("at %g, %g the margin is %g at %v, want %g at %v", c.nc, c.x, margin, sides, c.margin, c.sides)
		}
	}
}

// An engine that leaves the reach of a line gets a line twice that away, in the direction of
// its motion. An engine that leaves the ends of lines gets both neighbours extended, until
// they stall.
func TestGridPlanAhead(t *testing.T) {
	b, m := passing(t)
	c := b.Clone()
	if !c.PlanAhead(machine.Target{Nc: 3500, Wc: 520, PR: 1.45}, perfmap.NcHigh) {
		t.Error("no line was planned")
	}
	must.Equal(t, []float64{0.85, 0.9, 1}, linesOf(fill(t, c).Map))
	if !c.PlanAhead(machine.Target{Nc: 3401, Wc: 510, PR: 1.4}, perfmap.NcLow) {
		t.Error("no line was planned below")
	}
	must.Equal(t, []float64{0.8, 0.85, 0.9, 1}, linesOf(fill(t, c).Map))
	if c.PlanAhead(machine.Target{Nc: 3401, Wc: 510, PR: 1.4}, perfmap.NcLow) {
		t.Error("an existing line was planned twice")
	}
	// Their runs towards stall have found no steady flow, those towards choke have.
	if c.PlanAhead(machine.Target{Nc: 3500, Wc: 520, PR: 1.5}, perfmap.XLow) {
		t.Errorf("lines are extended beyond stall: %v", c.planned)
	}
	if !c.PlanAhead(machine.Target{Nc: 3500, Wc: 520, PR: 1.5}, perfmap.XHigh) {
		t.Error("lines are not extended towards choke")
	}
	if d := cmp.Diff(throttles{160: {3, 4, 5, 6, 7}, 170: {2, 3, 4, 5, 6, 7}, 180: {2, 3, 4, 5, 6, 7},
		200: {0, 1, 2, 3, 4}}, c.planned); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(linesOf(m), linesOf(fill(t, b).Map)); d != "" {
		t.Errorf("the original changed: %s", d)
	}
	b.Fixed = true
	if b.PlanAhead(machine.Target{Nc: 3500, Wc: 520, PR: 1.5}, perfmap.NcLow) {
		t.Error("a map that is fixed to its lines got another")
	}
}
