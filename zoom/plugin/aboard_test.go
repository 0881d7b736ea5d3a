package plugin_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

const halve = `{"rules": [{"name": "halve", "when": ["iteration == 2"], "severity": "warning", "message": "cfl was {cfl}", "action": {"set": {"cfl": "cfl / 2"}}, "act": true, "where": "run"}]}`

// A plugin that steers judges the rules of a request, and says so in its description and by its first event. One whose host has died goes on doing so, and
// the answer that it leaves is that of its request.
func TestRulesAboardOutliveTheHost(t *testing.T) {
	o := newOrphan(t, plugin.Request{Rules: halve, Commands: []steer.Command{{ID: "a", Verb: steer.Pause, At: 1}}})
	if d, err := o.Describe(t.Context()); err != nil || !d.Judges {
		t.Fatalf("%+v, %v", d, err)
	}
	if e := <-o.said; e.Kind != event.Message || e.Name != "rules_aboard" {
		t.Errorf("%+v", e)
	}
	o.tick <- true
	if e := <-o.said; e.Act == nil || e.Act.Verb != string(steer.Pause) {
		t.Errorf("%+v", e)
	}
	o.lose()
	for _, more := range []bool{true, true, false} { // the pause ends with the host
		o.tick <- more
	}
	list := o.left(4)
	if list[1].Kind != event.Finding || list[1].Text != "cfl was 20" || list[1].Severity != "warning" || list[2].Act == nil || list[2].Act.Rule != "halve" ||
		list[2].Act.Iteration != 2 || list[2].Text != "by rule halve: set cfl 20 -> 10" {
		t.Errorf("%+v", list)
	}
	var end plugin.Ending
	if err := plugin.ReadFile(o.folder, plugin.ResultFile, &end); err != nil || end.Class != event.Converged || end.Steered != nil {
		t.Errorf("%+v, %v", end, err)
	}
}

// Nobody else can say that his command is a rule's.
func TestCommandThatPretends(t *testing.T) {
	r := march(t)
	r.tick <- true
	c := set(5)
	c.ID, c.By, c.Rule = "rule halve 1", "rule halve", "halve"
	receipts := r.give(t.Context(), c)
	want(t, receipts, steer.Accepted)
	r.tick <- true
	for range receipts {
	}
	if e := <-r.events; e.Act == nil || e.Act.State != "applied" || e.Act.Rule != "" || !e.Act.Changes() {
		t.Errorf("%+v", e)
	}
}
