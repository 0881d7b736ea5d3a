package rule_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

var watched = event.Event{Run: "r", Source: event.Host, Kind: event.Watched, Time: epoch}

// A solver that reports every tenth iteration, late, does not make the history begin anew
// that its file tells in full: the residual falls by 2.6 orders.
func TestLateSolverIsNoRestart(t *testing.T) {
	set := compile(t, config.Rule{Name: "slow", When: "iteration >= 100 and drop(residual) < 2", Action: "stop"})
	at := func(source event.Source, i int) event.Event {
		return event.Event{Run: "r", Source: source, Kind: event.Iteration, Time: epoch,
			Values: map[string]float64{"iteration": float64(i), "residual": math.Pow(10, -0.026*float64(i))}}
	}
	for _, lag := range []int{1, 5, 15, 60} {
		for _, known := range []bool{true, false} {
			all := []event.Event{at(event.Plugin, 0)}
			if known {
				all = append([]event.Event{watched}, all...)
			}
			for i := range 120 + lag {
				if i < 120 {
					all = append(all, at(event.File, i))
				}
				if j := i - lag; j > 0 && j%10 == 0 {
					all = append(all, at(event.Plugin, j))
				}
			}
			_, found := feed(t, set, append(all, ended(event.Host, event.Converged))...)
			if f, n := of(found, "slow"); n != 0 {
				t.Errorf("%d iterations late, files known %t: %+v", lag, known, f)
			}
		}
	}
}

// A solver's iteration is judged as soon as its file was read up to there, although the file told nothing else.
func TestReachedEndsTheWait(t *testing.T) {
	m := rule.NewMonitor(compile(t, config.Rule{Name: "far", When: "iteration >= 40", Action: "stop"}))
	m.Event(watched)
	at := func(source event.Source, kind event.Kind, i, seq int) (names []string) {
		e := event.Event{Run: "r", Source: source, Kind: kind, Time: epoch, Seq: int64(seq),
			Values: map[string]float64{"iteration": float64(i)}}
		if source == event.File {
			e.File = "history.dat"
		}
		for _, f := range m.Event(e) {
			names = append(names, fmt.Sprint(f.Rule, " by ", f.Cause.Source, " ", f.Cause.Seq))
		}
		return names
	}
	for _, step := range []struct {
		source event.Source
		kind   event.Kind
		i, seq int
		want   []string
	}{
		{event.Plugin, event.Iteration, 40, 1, nil},
		{event.File, event.Reached, 39, 0, nil},
		{event.Plugin, event.Iteration, 41, 2, nil},
		{event.File, event.Reached, 40, 0, []string{"far by plugin 1"}},
	} {
		must.Equal(t, step.want, at(step.source, step.kind, step.i, step.seq))
	}
}

// A study's rules judge by what the solver reported alone: how far its file was read adds no run and no sign of life.
func TestReachedIsNoEventOfAStudy(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t, "rules: [{name: runs, when: 'count(runs, not .ended) > 0'}]"), rotors)
	e := event.Event{Run: "r", Source: event.File, File: "history.dat", Kind: event.Reached, Time: epoch,
		Values: map[string]float64{"iteration": 1}}
	if found := m.Event(e); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	if e.Kind = event.Iteration; len(m.Event(e)) != 1 {
		t.Error("the rule does not fire by an iteration")
	}
}

// reports is what one source of a run reports, in its order.
func reports(t *rapid.T, source event.Source, file string, names ...string) []event.Event {
	var all []event.Event
	label := fmt.Sprint(source, file)
	iter := 0
	for range rapid.IntRange(0, 60).Draw(t, label+" count") {
		iter += rapid.SampledFrom([]int{0, 1, 1, 1, 1, 2, 7}).Draw(t, label+" step")
		if rapid.IntRange(0, 39).Draw(t, label+" restart") == 0 {
			iter = 0
		}
		values := map[string]float64{"iteration": float64(iter)}
		for _, name := range append([]string{"residual"}, names...) {
			values[name] = math.Pow(10, float64(rapid.IntRange(-40, 10).Draw(t, label+name))/10)
		}
		e := event.Event{Run: "r", Source: source, File: file, Kind: event.Iteration, Values: values, Time: epoch}
		e.Time = epoch.Add(time.Duration(rapid.IntRange(0, 900).Draw(t, label+"ms")) * time.Millisecond)
		if rapid.IntRange(0, 19).Draw(t, label+" odd") == 0 {
			delete(values, "residual")
			e.NonFinite = []string{"residual"}
		}
		all = append(all, e)
	}
	return all
}

// interleave merges lists at random, each in its own order.
func interleave(t *rapid.T, label string, lists ...[]event.Event) []event.Event {
	var out []event.Event
	for {
		var left []int
		for i, l := range lists {
			if len(l) > 0 {
				left = append(left, i)
			}
		}
		if len(left) == 0 {
			return out
		}
		i := rapid.SampledFrom(left).Draw(t, label)
		out, lists[i] = append(out, lists[i][0]), lists[i][1:]
	}
}

// Whatever the order in which a solver's reports and its files' arrive, the rules find the
// same, at the same iterations and by the same values, as long as each keeps its own order and
// none is a second behind.
func TestInterleavings(t *testing.T) {
	const all = "{iteration} {iterations} {value(\"residual\")} {drop(residual)} {rise(residual)} {trend(residual, " +
		"10)} {wobble(residual, 10)} {mean(residual, 10)} {most(W_in, 5)} {least(PR, 5)} {nonfinite(residual)} {pace}"
	set := compile(t,
		config.Rule{Name: "probe", When: "ended", Message: all},
		config.Rule{Name: "low", When: "drop(residual) > 3", Message: all},
		config.Rule{Name: "far", When: "iteration >= 30 and residual > 1", Message: all},
		config.Rule{Name: "both", When: "residual < W_in and W_in < PR", Message: all},
		config.Rule{Name: "steady", When: "steady(W_in, 4, 0.5) or trend(residual, 5) > 0.1", Message: all},
	)
	testenv.Check(t, func(t *rapid.T) {
		heard := []event.Event{watched}
		lists := [][]event.Event{reports(t, event.Plugin, "", "PR"), reports(t, event.File, "history.dat", "W_in")}
		if rapid.Bool().Draw(t, "two files") { // nobody waits for a second file of which nothing was ever heard
			lists = append(lists, reports(t, event.File, "more.dat", "W_in"))
			for _, name := range []string{"history.dat", "more.dat"} {
				heard = append(heard, event.Event{Run: "r", Source: event.File, Kind: event.Message, Time: epoch,
					File: name})
			}
		}
		end := ended(event.Host, event.Converged)
		end.Time = epoch.Add(time.Second)
		judge := func(order []event.Event) []rule.Finding {
			_, found := feed(t, set, slices.Concat(heard, order, []event.Event{end})...)
			return found
		}
		straight := slices.Concat(lists...)
		want := judge(straight)
		if _, n := of(want, "probe"); n != 1 || strings.Contains(fmt.Sprint(want), "cannot be judged") {
			t.Fatalf("%+v", want)
		}
		for k := range 3 {
			order := interleave(t, fmt.Sprint("order", k), slices.Clone(lists)...)
			must.Equal(t, want, judge(order))
		}
	})
}
