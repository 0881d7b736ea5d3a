package run_test

// Orders of a monitor to runs that go on.

import (
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// commander gives orders at the third iteration of a run.
type commander struct {
	mu     sync.Mutex
	orders []run.Order
	given  bool
	due    bool
}

func (c *commander) Observe(e event.Event) *run.Halt {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = c.due || e.Kind == event.Iteration && e.Source == event.Plugin && e.Values["iteration"] == 3
	return nil
}

func (c *commander) Orders(string) []run.Order {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.due || c.given {
		return nil
	}
	c.given = true
	return c.orders
}

func set(object string, x float64) steer.Command {
	return steer.Command{Verb: steer.Set, Changes: []steer.Change{{Object: object, Value: steer.FloatValue(x)}}}
}

// A run is changed while it goes on, which stands in its events; what its solver cannot do is a warning, and the run goes on.
func TestOrders(t *testing.T) {
	p := without(t)
	p.Monitor = &commander{orders: []run.Order{
		{Command: set("gain", 0.125), Reason: "a rule"},
		{Command: steer.Command{Verb: steer.Checkpoint}, Reason: "another rule"},
	}}
	var commands, done, warnings []string
	var last, ratio float64
	p.Observe = func(e event.Event) {
		switch {
		case e.Act != nil:
			done = append(done, e.Text)
		case e.Kind == event.Command:
			commands = append(commands, e.Name+" "+e.Text)
		case e.Kind == event.Warning:
			warnings = append(warnings, e.Text)
		case e.Kind == event.Iteration && e.Source == event.Plugin:
			ratio, last = e.Values["residual"]/last, e.Values["residual"]
		}
	}
	out, err := p.Run(t.Context(), []run.Job{job("a", 2, "iterate 40 20ms")})
	if err != nil || !out[0].OK() {
		t.Fatal(err, out[0].Err)
	}
	if ratio != 0.125 {
		t.Errorf("in the end the residual falls by %g an iteration", ratio)
	}
	if len(commands) != 1 || !strings.Contains(commands[0], "set") || !strings.Contains(commands[0], "a rule") {
		t.Errorf("commands %q", commands)
	}
	if len(done) != 1 || !strings.Contains(done[0], "set gain 0.5 -> 0.125") {
		t.Errorf("done: %q", done)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "another rule") || !strings.Contains(warnings[0], "checkpoint") {
		t.Errorf("warnings %q", warnings)
	}
}

// Orders that find no room are dropped, which is said once; those before them are given.
func TestTooManyOrders(t *testing.T) {
	p := without(t)
	many := &commander{}
	for range 100 {
		many.orders = append(many.orders, run.Order{Command: set("gain", 0.5), Reason: "a rule"})
	}
	p.Monitor = many
	commands := 0
	var warnings []string
	p.Observe = func(e event.Event) {
		switch e.Kind {
		case event.Command:
			commands++
		case event.Warning:
			warnings = append(warnings, e.Text)
		}
	}
	if out, err := p.Run(t.Context(), []run.Job{job("a", 2, "iterate 40 20ms")}); err != nil || !out[0].OK() {
		t.Fatal(err, out[0].Err)
	}
	if commands < 16 || commands > 50 {
		t.Errorf("%d orders of 100 were given", commands)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "a rule: set is dropped") {
		t.Errorf("warnings %q", warnings)
	}
}
