package rules

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

const verdictRules = `
  - {name: large, when: x > 4, action: {set: {cfl: 5}}}
  - {name: late, when: status == "converged" and x > 1}
  - {name: alone, each: {a: run}, when: 'a.x > 2 and a.class == "converged"'}
  - {name: unheard, when: nothing > 1}
`

// record makes a judge record its events in a list.
func (j *judged) record() *[]event.Event {
	list := new([]event.Event)
	j.Record = func(e event.Event) event.Event {
		*list = append(*list, e)
		return e
	}
	return list
}

// eventsOfRun returns the events of a run of the compressor, from its start to its end as a class.
func eventsOfRun(class event.Class) []event.Event {
	list := []event.Event{{Source: event.Host, Kind: event.Started, Seq: 1},
		{Source: event.Plugin, Kind: event.Finding, Seq: 1, Name: "own", Severity: "info", Text: "found by itself"}}
	for n := range 4 {
		list = append(list, event.Event{Source: event.Plugin, Kind: event.Iteration, Seq: int64(n + 2),
			Values: map[string]float64{"iteration": float64(n + 1), "residual": 1, "x": float64(n + 2)}})
	}
	list = append(list, event.Event{Source: event.Host, Kind: event.Ended, Seq: 2, Class: class, Wall: 1})
	for i := range list {
		list[i].Run, list[i].Component, list[i].Time = "r", "compressor", time.Unix(int64(i), 0).UTC()
	}
	return list
}

// A run whose verdict is kept with its answer is found as one whose events are judged again, without its folder.
func TestKeptVerdict(t *testing.T) {
	folder := t.TempDir()
	log := must.Value(event.Append(filepath.Join(folder, plugin.EventsFile)))(t)
	live := newJudged(t, verdictRules)
	for _, e := range eventsOfRun(event.Converged) {
		must.OK(t, log.Write(e))
		live.Observe(e)
	}
	must.OK(t, log.Close())
	kept := live.Verdict("r")
	if kept == nil || live.Verdict("r") != nil {
		t.Fatalf("verdict %s, and once more after it was returned", kept)
	}
	outcome := func(change func(*run.Outcome)) (o run.Outcome) {
		o.Run, o.Class, o.Verdict, o.Job.Component = "r", event.Converged, kept, "compressor"
		change(&o)
		return o
	}
	judge := func(rules string, o run.Outcome) (*judged, []event.Event) {
		j := newJudged(t, rules)
		recorded := j.record()
		j.Replay(t.Context(), o)
		j.Replay(t.Context(), run.Outcome{}) // of an answer without a folder
		j.Unoffered()
		return j, *recorded
	}
	want, recorded := judge(verdictRules, outcome(func(o *run.Outcome) { o.Folder, o.Verdict = folder, nil }))
	got, again := judge(verdictRules, outcome(func(*run.Outcome) {}))
	if d := cmp.Diff(want.Warnings(), got.Warnings()); d != "" || len(got.Warnings()) != 5 {
		t.Errorf("%d warnings, by the events without -, by the verdict without +:\n%s", len(got.Warnings()), d)
	}
	if d := cmp.Diff(recorded, again); d != "" || !slices.ContainsFunc(again, func(e event.Event) bool {
		return e.Kind == event.Would && e.Name == "large"
	}) {
		t.Errorf("recorded by the events without -, by the verdict without +:\n%s", d)
	}
	for name, change := range map[string]func(*run.Outcome){
		"run":       func(o *run.Outcome) { o.Run = "other" },
		"component": func(o *run.Outcome) { o.Job.Component = "turbine" },
		"class":     func(o *run.Outcome) { o.Class = event.NotConverged },
		"form": func(o *run.Outcome) {
			o.Verdict = bytes.Replace(kept, []byte(`"form":1`), []byte(`"form":2`), 1)
		},
		"rules": func(o *run.Outcome) { o.Verdict = bytes.Replace(kept, []byte(live.Key()), []byte("x"), 1) },
	} {
		if j, _ := judge(verdictRules, outcome(change)); len(j.Warnings()) > 0 {
			t.Errorf("the verdict of another %s is believed: %v", name, j.Warnings())
		}
	}
	j := newJudged(t, verdictRules)
	for n := range kept {
		if j.Replay(t.Context(), outcome(func(o *run.Outcome) { o.Verdict = kept[:n] })); len(j.Warnings()) > 0 {
			t.Fatalf("the first %d of %d bytes are believed: %v", n, len(kept), j.Warnings())
		}
	}
}

// A run that was not seen whole, under the same rules and without orders of rules, has no verdict.
func TestNoVerdict(t *testing.T) {
	change := func(j *judged) { must.OK(t, j.Add("rules: [{name: more, when: x > 3}]\n")) }
	for _, c := range []struct {
		name, rules string
		events      []event.Event
		meanwhile   func(*judged)
	}{
		{"begun before", "", eventsOfRun(event.Converged)[1:], nil},
		{"unfinished", "", eventsOfRun(event.Converged)[:5], nil},
		{"an accident", "", eventsOfRun(event.Killed), nil},
		{"commanded", "  - {name: acts, when: x > 4, act: true, action: {set: {cfl: 5}}}\n",
			eventsOfRun(event.Converged), nil},
		{"found on the way", "  - {name: way, each: {a: run}, when: 'a.x > 2 and a.x < 4'}\n",
			eventsOfRun(event.Converged), nil},
		{"counted on the way", "  - {name: way, when: 'count(runs, .x > 2 and .x < 4) > 0'}\n",
			eventsOfRun(event.Converged), nil},
		{"other rules since", "", eventsOfRun(event.Converged), change},
	} {
		j := newJudged(t, c.rules+verdictRules)
		for i, e := range c.events {
			if j.Observe(e); i == 3 && c.meanwhile != nil {
				c.meanwhile(j)
			}
		}
		if v := j.Verdict("r"); v != nil {
			t.Errorf("%s: %s", c.name, v)
		}
	}
}

// A rule on the study that fires before a run has iterated leaves the verdict on the run as it is.
func TestVerdictOfARunThatHasStarted(t *testing.T) {
	j := newJudged(t, "  - {name: losses, when: 'count(runs, .lost) > 0'}\n"+verdictRules)
	other := eventsOfRun(event.Diverged)
	for i := range other {
		other[i].Run = "other"
	}
	own := eventsOfRun(event.Converged)
	for _, e := range slices.Concat(own[:1], other, own[1:]) {
		j.Observe(e)
	}
	if !slices.ContainsFunc(j.Warnings(), func(w result.Warning) bool { return w.Rule == "losses" }) {
		t.Error("the rule does not fire")
	}
	if j.Verdict("r") == nil {
		t.Error("no verdict")
	}
}
