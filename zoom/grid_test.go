package zoom

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// knownFan is a fan whose speed lines are known: flow falls with the throttle, and
// beyond a stall throttle there is no answer.
func knownFan() machine.Machine {
	return machine.Machine{
		Name:    "fan",
		Gamma:   1.4,
		R:       287.05,
		Split:   0.25,
		Nc:      4000,
		Wc:      600,
		PR:      1.6,
		Eff:     0.9,
		PRCore:  1.5,
		EffCore: 0.85,
		RHub:    0.36,
		RTip:    1.06,
	}
}

// knownAnswer is the known fan at a point of the grid, with two cells at the exit.
func knownAnswer(b *Grid, at gridPoint) run.Outcome {
	n := b.lattice.speedOf(at.speed) / 4000
	k := b.lattice.throttleOf(at.throttle) / b.lattice.k0
	if k > 1.5 {
		return failed(event.Stalled, fmt.Sprint(at))
	}
	w := 600 * n * (1 - 0.2*(k-1.16)*(k-1.16) - 0.3*(k-1.16))
	pr := k * w * w / (0.72 * 600 * 600)
	tr := 1 + (math.Pow(pr, 0.4/1.4)-1)/0.9
	return run.Outcome{
		Job: run.Job{
			Name: fmt.Sprint(at),
			Request: plugin.Request{
				Numbers: map[string]float64{
					machine.InSpeed: b.lattice.speedOf(at.speed), machine.InThrottle: b.lattice.throttleOf(at.throttle),
				},
			},
		},
		Answer: run.Answer{
			Run:    fmt.Sprint(at) + record.AttemptMark + "2", // the first attempt was killed
			Solver: "known 1", Fidelity: "exact",
			Result: plugin.Result{
				Class:   event.Converged,
				Numbers: map[string]float64{machine.OutW: w, machine.OutMass: 1e-5},
				Arrays: map[string][]float64{
					machine.OutExitW: {w / 4, 3 * w / 4}, machine.OutExitPt: {101325 * pr * 0.95, 101325 * pr},
					machine.OutExitTt: {288.15 * tr, 288.15 * tr},
				},
			},
		},
	}
}

// failed is the outcome of a run without an answer.
func failed(class event.Class, name string) run.Outcome {
	o := run.NewOutcome(run.Job{}, class, fmt.Errorf("%s", class))
	o.Run = name
	return o
}

// put sets the outcome of a point.
func put(b *Grid, at gridPoint, o run.Outcome) {
	b.entries = slices.DeleteFunc(b.entries, func(e *entry) bool { return e.Name == b.jobName(at) })
	delete(b.named, b.jobName(at))
	b.enter(machine.Wanted{Name: b.jobName(at)}, &o)
}

// filled is a map with the account of its runs.
type filled struct {
	Account
	Map *perfmap.Map
}

// fill gives every planned run its known answer.
func fill(t *testing.T, b *Grid) filled {
	t.Helper()
	for _, p := range b.todo() {
		put(b, p, knownAnswer(b, p))
	}
	must.OK(t, b.Make(context.Background()))
	return filled{b.Account(), b.Map()}
}

func linesOf(m *perfmap.Map) []float64 {
	return convert.All(m.Nc, func(nc float64) float64 { return math.Round(nc/4000*1e4) / 1e4 })
}

func TestGridBracketsTargets(t *testing.T) {
	b := NewGrid(knownFan(), nil, 6)
	design := machine.Target{Nc: 4000, Wc: 600, PR: 1.6}
	slow := machine.Target{Nc: 0.9269 * 4000, Wc: 560, PR: 1.5}
	b.PlanNear([]machine.Target{design, slow})
	must.Equal(t, []float64{0.925, 1}, linesOf(fill(t, b).Map))
	// The engine moved: a line within reach serves, one beyond it is added, and the one
	// that nobody needs is left out.
	slow.Nc = 0.9321 * 4000
	if b.Extend([]machine.Target{design, slow}, []perfmap.Edge{0, 0}) {
		t.Error("a line within reach was not enough")
	}
	slow.Nc = 0.938 * 4000
	if !b.Extend([]machine.Target{design, slow}, []perfmap.Edge{0, 0}) {
		t.Error("no line was planned")
	}
	must.Equal(t, []float64{0.935, 1}, linesOf(fill(t, b).Map))
	// Back again: the first line serves again, without new runs, and the other may stay.
	slow.Nc = 0.9269 * 4000
	if !b.Extend([]machine.Target{design, slow}, []perfmap.Edge{0, 0}) || len(b.todo()) > 0 {
		t.Errorf("a line that the map has no more: %d runs", len(b.todo()))
	}
	must.Equal(t, []float64{0.925, 0.935, 1}, linesOf(fill(t, b).Map))
	if b.Extend([]machine.Target{design, slow}, []perfmap.Edge{0, 0}) || b.Stale() {
		t.Error("it goes on for ever")
	}
	// A target alone lies between its line and the design's.
	alone := NewGrid(knownFan(), nil, 6)
	alone.PlanNear([]machine.Target{slow})
	m := fill(t, alone).Map
	if slow.Nc < m.Nc[0] || slow.Nc > m.Nc[len(m.Nc)-1] {
		t.Errorf("lines %v do not hold %g", m.Nc, slow.Nc)
	}
}

// A line of many runs does not walk outwards: all but its first runs lie between the answers of these, at the same
// throttles as those of a line of fewer runs.
func TestGridOfManyRuns(t *testing.T) {
	target := machine.Target{Nc: 4000, Wc: 600, PR: 1.6}
	throttles := map[int][]float64{}
	for _, n := range []int{mostSteps, 40, 100, 1000} {
		b := NewGrid(knownFan(), nil, n)
		var making [][2]int
		b.Making = func(runs, lines int) { making = append(making, [2]int{runs, lines}) }
		b.PlanNear([]machine.Target{target})
		for more := true; more; more = b.refine() {
			for _, p := range b.todo() {
				put(b, p, knownAnswer(b, p))
			}
		}
		built := fill(t, b)
		if built.Failed == 0 || built.Failed > mostSteps/2 || len(built.Outcomes) != n || len(built.Map.Nc) != 1 {
			t.Errorf("%d runs: %d, of which %d failed", n, len(built.Outcomes), built.Failed)
		}
		if many := [][2]int{{1000, 1}}; n < 1000 && making != nil || n == 1000 && !slices.Equal(making, many) {
			t.Errorf("%d runs: the map was announced for %v", n, making)
		}
		for _, k := range b.planned[200] {
			throttles[n] = append(throttles[n], b.lattice.throttleOf(k))
		}
		if b.refine() || b.Stale() {
			t.Errorf("%d runs: more are planned", n)
		}
		if b.Extend([]machine.Target{target}, []perfmap.Edge{perfmap.XHigh}) {
			if step := throttles[n][0] / b.lattice.throttleOf(b.planned[200][0]); math.Abs(step-ThrottleStep) > 1e-6 {
				t.Errorf("%d runs: a line grows by a factor of %g", n, step)
			}
		}
	}
	for _, k := range throttles[mostSteps] {
		if !slices.Contains(throttles[1000], k) {
			t.Errorf("throttle %g of a line of %d runs is not in one of 1000", k, mostSteps)
		}
	}
	if first, last := throttles[1000][0], throttles[1000][999]; first != throttles[mostSteps][0] ||
		last != throttles[mostSteps][mostSteps-1] {
		t.Errorf("from %g to %g", first, last)
	}
}

// Throttles are added where the engine is beyond the end of a line, but not
// beyond a run that found no steady flow.
func TestGridExtendsLines(t *testing.T) {
	b := NewGrid(knownFan(), nil, 5)
	design := machine.Target{Nc: 4000, Wc: 600, PR: 1.6}
	b.PlanNear([]machine.Target{design})
	fill(t, b)
	first := slices.Clone(b.planned[200])
	if !b.Extend([]machine.Target{design}, []perfmap.Edge{perfmap.XHigh}) || b.planned[200][0] != first[0]-1 {
		t.Errorf("towards choke: %v after %v", b.planned[200], first)
	}
	fill(t, b)
	for range 20 {
		if !b.Extend([]machine.Target{design}, []perfmap.Edge{perfmap.XLow}) {
			break
		}
		fill(t, b)
	}
	last := b.planned[200][len(b.planned[200])-1]
	if !b.failed(gridPoint{200, last}) || b.failed(gridPoint{200, last - 1}) {
		t.Errorf("the line goes on to throttle %d", last)
	}
	built := fill(t, b)
	if built.Map.Stall == nil {
		t.Error("a line that ends at stall has no stall line")
	}
	if built.Failed != 1 {
		t.Errorf("%d failed", built.Failed)
	}
}

// A line ends at stall only if the solver said so of the run behind its last point.
func TestStallIsOfTheFlow(t *testing.T) {
	for class, stall := range map[event.Class]bool{
		event.Stalled: true, event.NotConverged: true, event.Diverged: true, event.Unphysical: false,
		event.Hung: false, event.Crashed: false,
		event.Killed: false, event.Timeout: false, event.OutOfMemory: false, event.BadOutput: false, event.Lost: false,
	} {
		b := NewGrid(knownFan(), nil, 5)
		b.PlanNear([]machine.Target{{Nc: 4000, Wc: 600, PR: 1.6}})
		last := gridPoint{200, slices.Max(b.planned[200])}
		put(b, last, failed(class, "last"))
		if m := fill(t, b).Map; (m.Stall != nil) != stall {
			t.Errorf("%s: the map has a stall line: %t", class, m.Stall != nil)
		}
	}
}

// The map goes through the answers, whatever the order in which they came, and is
// anchored at the engine's design flow.
func TestGridMap(t *testing.T) {
	b := NewGrid(knownFan(), nil, 6)
	targets := []machine.Target{{Nc: 4000, Wc: 600, PR: 1.6}, {Nc: 3800, Wc: 570, PR: 1.5}}
	b.PlanNear(targets)
	m := fill(t, b).Map
	for _, p := range b.planned.points() {
		o := knownAnswer(b, p)
		want, err := b.Machine.LinePoint(&o)
		if err != nil {
			continue
		}
		nc := b.lattice.speedOf(p.speed)
		x := atFlow(m, 0, nc, want.Values["Wc"])
		for name, v := range want.Values {
			got, _ := m.Value(name, perfmap.Point{Nc: nc, X: x})
			if math.Abs(got.V/v-1) > 1e-7 {
				t.Errorf("%v: %s is %g on the map, %g in the run", p, name, got.V, v)
			}
		}
	}
	for _, p := range m.Origin.Points { // else the map would depend on what was killed
		if strings.Contains(p.Run, record.AttemptMark) {
			t.Errorf("the map names an attempt, %s", p.Run)
		}
	}
	if v, _ := m.Value("Wc", m.Design); math.Abs(v.V-600) > 1e-9 || m.Design.Nc != 4000 {
		t.Errorf("anchored at Nc %g, Wc %g", m.Design.Nc, v.V)
	}
	core, _ := m.Value("PR_core", m.Design)
	byp, _ := m.Value("PR", m.Design)
	if math.Abs(core.V/byp.V-0.95) > 1e-9 {
		t.Errorf("PR of the core %g, of the bypass %g", core.V, byp.V)
	}
	if e := b.CausesAt(m.Design).Largest(); !(e >= 1e-5 && e < 2e-3) {
		t.Errorf("estimated error %g", e)
	}
}

// Fewer answers leave a larger error estimate; too few leave no map.
func TestGridWithFailures(t *testing.T) {
	b := NewGrid(knownFan(), nil, 6)
	b.PlanNear([]machine.Target{{Nc: 4000, Wc: 600, PR: 1.6}})
	m := fill(t, b).Map
	all := b.CausesAt(m.Design).Largest()
	fail := func(k int) {
		put(b, gridPoint{200, k}, failed(event.Crashed, "x"))
	}
	ts := b.planned[200]
	nearest := slices.MinFunc(ts, func(i, j int) int {
		off := func(k int) float64 {
			o := knownAnswer(b, gridPoint{200, k})
			return math.Abs(o.Result.Numbers[machine.OutW] - 600)
		}
		return int(math.Copysign(1, off(i)-off(j)))
	})
	fail(nearest)
	m = fill(t, b).Map
	if fewer := b.CausesAt(m.Design).Largest(); fewer <= all {
		t.Errorf("estimated error %g with a failed run, %g without", fewer, all)
	}
	for _, k := range ts {
		fail(k)
	}
	if err := b.Make(context.Background()); err == nil {
		t.Error("a map of nothing")
	}
}

// An interruption leaves the account of the map before.
func TestAccountOfAnInterruptedMap(t *testing.T) {
	b := NewGrid(knownFan(), nil, 5)
	b.PlanNear([]machine.Target{{Nc: 4000, Wc: 600, PR: 1.6}})
	before := fill(t, b).Account
	b.PlanAhead(machine.Target{Nc: 3900, Wc: 580, PR: 1.55}, perfmap.NcLow)
	for _, p := range b.todo() {
		put(b, p, knownAnswer(b, p))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Make(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	after := b.Account()
	if len(after.Outcomes) != len(before.Outcomes) || after.Anchor != before.Anchor || after.Anchor.Far() {
		t.Errorf("%d outcomes and anchor %+v after %d and %+v", len(after.Outcomes), after.Anchor,
			len(before.Outcomes), before.Anchor)
	}
}

// A line of good runs that crosses others from end to end is left out. The estimate does not hold there, and does
// elsewhere.
func TestGridWithCrossingLines(t *testing.T) {
	b := NewGrid(knownFan(), nil, 3)
	b.PlanLines([]float64{0.95, 1}, []machine.Target{{Nc: 4000, Wc: 600, PR: 1.6}})
	b.Fixed = true
	for i, k := range b.planned[190] {
		o := knownAnswer(b, gridPoint{190 + []int{20, 0, -20}[i], k}) // the speeds of its ends are others
		put(b, gridPoint{190, k}, o)
	}
	built := fill(t, b)
	if len(built.Cut) != 3 || len(built.Map.Nc) != 1 || built.Failed > 0 || len(built.Dropped) > 0 {
		t.Fatalf("%d lines, cut %v", len(built.Map.Nc), built.Cut)
	}
	for _, nc := range []float64{0.95 * 4000, 4000} {
		if holds := b.ErrorHolds(nc); holds != (built.Map.Nc[0] == nc) {
			t.Errorf("the estimate holds at Nc %g: %t; the map's line is at %g", nc, holds, built.Map.Nc[0])
		}
	}
}

// A run is as urgent as its point is near to a target, of whichever line; with no target none is.
func TestRemote(t *testing.T) {
	b := NewGrid(knownFan(), nil, 3)
	home := b.lattice.near(machine.Target{Nc: 4000, Wc: 600, PR: 1.6})
	if x := b.remote(home); x != 0 {
		t.Errorf("%g without a target", x)
	}
	b.PlanNear([]machine.Target{{Nc: 4000, Wc: 600, PR: 1.6}, {Nc: 0.9 * 4000, Wc: 540, PR: 1.45}})
	for _, c := range []struct {
		speed, throttle int
		want            float64
	}{{0, 0, 0}, {0, 2, 2}, {3, 4, 5}} {
		if x := b.remote(gridPoint{home.speed + c.speed, home.throttle + c.throttle}); math.Abs(x-c.want) > 1e-12 {
			t.Errorf("%d, %d away: %g", c.speed, c.throttle, x)
		}
	}
	slow := b.lattice.near(machine.Target{Nc: 0.9 * 4000, Wc: 540, PR: 1.45})
	if x := b.remote(gridPoint{slow.speed, slow.throttle + 1}); x != 1 {
		t.Errorf("beside the other target: %g", x)
	}
}
