package run_test

import (
	"sync/atomic"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// changing are rules that are changed at the third iteration of a run, and changed back at the fifth, as far as there are changes left.
type changing struct {
	version, left atomic.Int64
}

func (c *changing) Key() string {
	return map[bool]string{true: "odd", false: "even"}[c.version.Load()%2 == 1]
}
func (c *changing) Version() int { return int(c.version.Load()) }

func (c *changing) Observe(e event.Event) *run.Halt {
	if n := e.Values["iteration"]; e.Kind == event.Iteration && e.Source == event.Plugin && (n == 3 || n == 5) && c.left.Add(-1) >= 0 {
		c.version.Add(1)
	}
	return nil
}

// A run that a change of the rules meets has no key, also where they are changed back before it ends. One that begins later has that of the rules
// that are in force then, and so is found by it.
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

// An order without a verb takes the key from a run that goes on, at once: whoever harvests it after the death of its host finds none.
func TestOrderForgetsKey(t *testing.T) {
	s := newStudy(t, nil)
	s.Pool.Monitor = &commander{orders: []run.Order{{Reason: "the rules were changed", Beyond: true}}}
	out, _ := evaluate(t, s, job("a", 1, "iterate 40 20ms"))
	record, err := run.ReadRecord(out[0].Folder)
	if err != nil || record.Key != "" || out[0].Key != "" || !out[0].OK() {
		t.Errorf("its record has the key %q, it is kept under %q; %v, %v", record.Key, out[0].Key, err, out[0].Err)
	}
}
