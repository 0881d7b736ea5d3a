package rules

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// begins begins a run whose events are written into a folder, as its host does before the judge gets them, and returns
// the function that reports an iteration of it.
func (j *judged) begins(name string) (iterate func(x float64) []string) {
	j.Helper()
	folder := j.TempDir()
	log, err := event.Append(filepath.Join(folder, plugin.EventsFile))
	if err != nil {
		j.Fatal(err)
	}
	j.Cleanup(func() { _ = log.Close() })
	n := 0.0
	see := func(e event.Event) []string {
		j.n++
		e.Run, e.Seq, e.Time = name, j.n, time.Unix(j.n, 0)
		if err := log.Write(e); err != nil {
			j.Fatal(err)
		}
		if halt := j.Observe(e); halt != nil {
			return []string{"stop"}
		}
		return texts(j.Orders(name))
	}
	see(event.Event{Source: event.Host, Kind: event.Started, Folder: folder, Attempt: 1})
	return func(x float64) []string {
		n++
		return see(event.Event{
			Source: event.Plugin, Kind: event.Iteration,
			Values: map[string]float64{"iteration": n, "residual": 1, "x": x},
		})
	}
}

// found counts the findings of a rule.
func (j *judged) found(name string) (n int) {
	for _, w := range j.Warnings() {
		if w.Rule == name {
			n++
		}
	}
	return n
}

// An added rule knows the run's earlier reports; it acts if it holds now, not because it held earlier. Unchanged rules
// repeat no finding.
func TestRulesAdded(t *testing.T) {
	j := newJudged(t, "  - {name: old, when: x > 1}\n  - {name: wide, each: {a: run}, when: a.x > 1}\n")
	r := j.begins("r")
	for _, x := range []float64{5, 5, 5, 2} {
		if got := r(x); len(got) > 0 {
			t.Errorf("%q", got)
		}
	}
	key, version := j.Key(), j.Version()
	err := j.Add(`rules:
  - {name: mean, when: 'mean(x, 4) > 4', act: true, action: {set: {cfl: 5}}}
  - {name: past, when: x > 4, act: true, action: checkpoint}
  - {name: wide2, each: {a: run}, when: a.x > 1 and a.iteration == 4, act: true, action: pause}
`)
	must.OK(t, err)
	if j.Key() == key || j.Version() == version {
		t.Error("the rules are the same")
	}
	got := r(2)
	slices.Sort(got)
	if want := []string{"", "pause", "set cfl=5"}; !slices.Equal(got, want) {
		t.Errorf("orders %q, want %q", got, want)
	}
	for name, want := range map[string]int{"old": 1, "wide": 1, "mean": 1, "past": 0, "wide2": 1} {
		if n := j.found(name); n != want {
			t.Errorf("%s: %d findings, want %d", name, n, want)
		}
	}
	if got := r(9); !slices.Equal(got, []string{"checkpoint"}) {
		t.Errorf("then %q", got)
	}
}

// An added rule that stops a run does so at the next occasion.
func TestAddedRuleStops(t *testing.T) {
	j := newJudged(t, "  - {name: old, when: x > 1}\n")
	r := j.begins("r")
	r(5)
	must.OK(t, j.Add("rules:\n  - {name: halt, when: x > 4, act: true, action: stop}\n"))
	if halts := j.byTheClock(time.Unix(j.n, 0)); len(halts) != 1 || !strings.Contains(halts["r"].Message, "rule halt") {
		t.Errorf("%+v", halts)
	}
}

// Rules are switched off and on, replaced and removed; an ineffective change is no change, and a failed change leaves
// all rules unchanged. Changed back, the rules have their former key, but not their former version.
func TestTable(t *testing.T) {
	j := newJudged(t, "  - {name: old, when: x > 1}\n  - {name: on_old, when: fired('old') and x > 5}\n")
	key := j.Key()
	state := func(name string) string {
		for _, r := range j.Table() {
			if r.Name == name {
				return map[bool]string{true: "on", false: "off"}[r.On]
			}
		}
		return "none"
	}
	for _, step := range []struct {
		do    func() error
		fails string
		name  string
		state string
		same  bool
	}{
		{func() error { return j.Switch("old", false) }, "", "old", "off", false},
		{func() error { return j.Switch("old", false) }, "", "old", "off", false},
		{func() error { return j.Switch("old", true) }, "", "old", "on", true},
		{func() error { return j.Switch("old", true) }, "", "old", "on", true},
		{func() error { return j.Switch("hung", false) }, "", "hung", "off", false},
		{func() error { return j.Switch("hung", true) }, "", "hung", "on", true},
		{func() error { return j.Switch("olld", false) }, "did you mean old", "old", "on", true},
		{func() error { return j.Switch("nobody", true) }, "there is no rule", "old", "on", true},
		{func() error { return j.Remove("hung") }, "built in", "hung", "on", true},
		{func() error { return j.Remove("nobody") }, "there is no rule", "old", "on", true},
		{func() error { return j.Remove("old") }, "there is no rule old", "old", "on", true},
		{func() error { return j.Act("hung") }, "acts already", "hung", "on", true},
		{func() error { return j.Add("rules: 5") }, "want", "old", "on", true},
		{func() error { return j.Add("rules:\n  - {name: new, when: residul > 1}\n") },
			"the rules that are added:2:23: rules.new: \"residul > 1\": there is no residul, did you mean residual",
			"new", "none", true},
		{func() error { return j.Add("rules:\n  - {name: new, when: x > 3}\n") }, "", "new", "on", false},
		{func() error { return j.Remove("new") }, "", "new", "none", true},
		{func() error { return j.Switch("cfl_governor", true) }, "", "cfl_governor", "on", false},
		{func() error { return j.Act("cfl_governor") }, "", "cfl_governor", "on", false},
		{func() error { return j.Remove("cfl_governor") }, "", "cfl_governor", "off", true},
	} {
		version := j.Version()
		err := step.do()
		if (err == nil) != (step.fails == "") || err != nil && !strings.Contains(err.Error(), step.fails) {
			t.Errorf("%+v: %v", step, err)
		}
		if err != nil && j.Version() != version {
			t.Errorf("%s: changed all the same", step.fails)
		}
		if got := state(step.name); got != step.state || (j.Key() == key) != step.same {
			t.Errorf("%s is %s, want %s; the rules are as at first: %v", step.name, got, step.state, j.Key() == key)
		}
	}
	must.Equal(t, 9, j.Version())
}

// A cached run was not silent since it was made, whenever the judge looks at the time.
func TestReplayedRunIsNotSilent(t *testing.T) {
	folder := t.TempDir()
	log := must.Value(event.Append(filepath.Join(folder, plugin.EventsFile)))(t)
	for n := range int64(2000) {
		must.OK(t, log.Write(event.Event{Run: "r", Seq: n, Time: time.Unix(n, 0), Source: event.Plugin,
			Kind: event.Iteration, Values: map[string]float64{"iteration": float64(n), "residual": 1}}))
	}
	must.OK(t, log.Write(event.Event{Run: "r", Seq: 1, Time: time.Unix(2000, 0), Source: event.Host, Kind: event.Ended,
		Class: event.Converged}))
	must.OK(t, log.Close())
	j := newJudged(t, "  - {name: quiet, when: silent > 3600}\n")
	ctx, end := context.WithCancel(t.Context())
	var ticking sync.WaitGroup
	ticking.Go(func() {
		for n := int64(0); ctx.Err() == nil; n++ {
			j.Tick(time.Unix(1e6+2*n, 0))
		}
	})
	j.Replay(ctx, run.Outcome{Answer: run.Answer{Folder: folder}})
	end()
	ticking.Wait()
	if n := j.found("quiet"); n > 0 {
		t.Errorf("%d findings", n)
	}
}

// A cached run is judged by the events in its folder, until its study is interrupted.
func TestReplayHeedsContext(t *testing.T) {
	folder := t.TempDir()
	log := must.Value(event.Append(filepath.Join(folder, plugin.EventsFile)))(t)
	must.OK(t, log.Write(event.Event{Run: "r", Seq: 1, Source: event.Plugin, Kind: event.Iteration,
		Values: map[string]float64{"iteration": 1, "residual": 1, "x": 5}}))
	must.OK(t, log.Close())
	ended, end := context.WithCancel(t.Context())
	end()
	for ctx, want := range map[context.Context]int{t.Context(): 1, ended: 0} {
		j := newJudged(t, "  - {name: large, when: x > 1}\n")
		if j.Replay(ctx, run.Outcome{Answer: run.Answer{Folder: folder}}); j.found("large") != want {
			t.Errorf("%d findings, want %d", j.found("large"), want)
		}
	}
}
