package run_test

// Orders of a monitor to runs that go on.

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// commander gives orders at the third iteration of a run.
type commander struct {
	mu     sync.Mutex
	orders []attempt.Instruction
	given  bool
	due    bool
}

func (c *commander) Observe(e event.Event) *attempt.Halt {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = c.due || e.Kind == event.Iteration && e.Source == event.Plugin && e.Values["iteration"] == 3
	return nil
}

func (c *commander) Orders(string) []attempt.Instruction {
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

// whenTaken returns the script of a run that ends when so many of its orders have been taken or refused.
func whenTaken(t *testing.T, p *pool.Pool, orders int) string {
	taken, observe := filepath.Join(t.TempDir(), "taken"), p.Observe
	p.Limits.Grace = time.Minute
	p.Observe = func(e event.Event) {
		if e.Kind == event.Command || e.Kind == event.Warning {
			if orders--; orders == 0 {
				noError(t, os.WriteFile(taken, nil, 0o600))
			}
		}
		if observe != nil {
			observe(e)
		}
	}
	return "iterate 3; wait " + taken + "; iterate 3"
}

// A run is changed while it goes on, which stands in its events; what its solver cannot do is a warning, and the run
// goes on.
func TestOrders(t *testing.T) {
	p := without(t)
	p.Monitor = &commander{orders: []attempt.Instruction{
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
	out, err := p.Run(t.Context(), []run.Job{job("a", 2, whenTaken(t, p, 2))})
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
	if len(warnings) != 1 || !strings.Contains(warnings[0], "another rule") ||
		!strings.Contains(warnings[0], "checkpoint") {
		t.Errorf("warnings %q", warnings)
	}
}

// An order to go back waits for the checkpoint that was ordered just before it.
func TestRewindWaitsForItsCheckpoint(t *testing.T) {
	p := without(t)
	p.Limits.Grace = time.Minute
	p.Monitor = &commander{orders: []attempt.Instruction{
		{Command: steer.Command{Verb: steer.Checkpoint, Name: "here"}, Reason: "a rule"},
		{Command: steer.Command{Verb: attempt.Rewind, Name: "here"}, Reason: "another rule"},
	}}
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second") // order was given
	given := 0
	var warnings []string
	p.Observe = func(e event.Event) {
		switch {
		case e.Kind == event.Warning:
			warnings = append(warnings, e.Text)
		case e.Source == event.Host && e.Kind == event.Command:
			noError(t, os.WriteFile(first, nil, 0o600))
			given++
		}
		if given == 2 || len(warnings) > 0 {
			noError(t, os.WriteFile(second, nil, 0o600))
		}
	}
	script := "iterate 3; wait " + first + "; iterate 3; wait " + second + "; iterate 3"
	out, err := p.Run(t.Context(), []run.Job{job("a", 2, script)})
	if err != nil || !out[0].OK() || out[0].Run != "a~2" || len(warnings) > 0 {
		t.Errorf("%v, %+v, warnings %q", err, out[0], warnings)
	}
}

// Orders that find no room are dropped, which is said once; those before them are given. The one that is under way when
// the run ends may fail.
func TestTooManyOrders(t *testing.T) {
	p := without(t)
	many := &commander{}
	for range 100 {
		many.orders = append(many.orders, attempt.Instruction{Command: set("gain", 0.5), Reason: "a rule"})
	}
	p.Monitor = many
	commands := 0
	var warnings []string
	p.Observe = func(e event.Event) {
		switch e.Kind {
		case event.Command:
			commands++
		case event.Warning:
			if !strings.HasPrefix(e.Text, "a rule: set: ") {
				warnings = append(warnings, e.Text)
			}
		}
	}
	if out, err := p.Run(t.Context(), []run.Job{job("a", 2, whenTaken(t, p, 1+16))}); err != nil || !out[0].OK() {
		t.Fatal(err, out[0].Err)
	}
	if commands < 16 || commands > 50 {
		t.Errorf("%d orders of 100 were given", commands)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "a rule: set is dropped") {
		t.Errorf("warnings %q", warnings)
	}
}

// changing are rules that are changed at the third iteration of a run, and changed back at the fifth, as far as there
// are changes left.
type changing struct {
	version, left atomic.Int64
}

func (c *changing) Key() string {
	return map[bool]string{true: "odd", false: "even"}[c.version.Load()%2 == 1]
}
func (c *changing) Version() int { return int(c.version.Load()) }

func (*changing) Verdict(string) json.RawMessage { return nil }

func (c *changing) Observe(e event.Event) *attempt.Halt {
	if n := e.Values["iteration"]; e.Kind == event.Iteration && e.Source == event.Plugin && (n == 3 || n == 5) &&
		c.left.Add(-1) >= 0 {
		c.version.Add(1)
	}
	return nil
}

// A run that a change of the rules meets has no key, also where they are changed back before it ends. One that begins
// later has that of the rules that are in force then, and so is found by it.
func TestChangedRules(t *testing.T) {
	for _, changes := range []int64{1, 2} {
		cache := openCache(t, t.TempDir())
		rules := &changing{}
		rules.left.Store(changes)
		s := newStudy(t, cache)
		s.Pool.Monitor, s.Rules = rules, rules
		out, runs := evaluate(t, s, job("a", 1, "iterate 10 1ms"))
		if runs != 1 || !out[0].OK() || out[0].Key != "" {
			t.Fatalf("%d changes: %d runs, kept under %q; %v", changes, runs, out[0].Key, out[0].Err)
		}
		if _, runs = evaluate(t, s, job("a", 1, "iterate 10 1ms")); runs != 1 {
			t.Errorf("%d changes: the answer of a run that they met was taken", changes)
		}
		if _, runs = evaluate(t, s, job("a", 1, "iterate 10 1ms")); runs != 0 {
			t.Errorf("%d changes: the answer by the rules that are in force was not taken", changes)
		}
		rules.version.Add(1)
		if _, runs = evaluate(t, s, job("a", 1, "iterate 10 1ms")); runs != 1 {
			t.Errorf("%d changes: the answer by other rules was taken", changes)
		}
	}
}

// An order without a verb takes the key from a run that goes on, at once: whoever harvests it after the death of its
// host finds none.
func TestOrderForgetsKey(t *testing.T) {
	s := newStudy(t, nil)
	s.Pool.Monitor = &commander{orders: []attempt.Instruction{{Reason: "the rules were changed", Beyond: true},
		{Command: set("gain", 0.5)}}} // is taken after it, and changes nothing
	out, _ := evaluate(t, s, job("a", 1, whenTaken(t, s.Pool, 1)))
	record, err := record.Read(out[0].Folder)
	if err != nil || record.Key != "" || out[0].Key != "" || !out[0].OK() {
		t.Errorf("its record has the key %q, it is kept under %q; %v, %v", record.Key, out[0].Key, err, out[0].Err)
	}
}
