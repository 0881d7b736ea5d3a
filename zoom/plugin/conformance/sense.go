package conformance

// The requirements for a plugin that declares sensors or judges rules.

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// heard waits for an event that belongs neither to a command nor to an iteration.
func (h *helm) heard(like func(*event.Event) bool) (found *event.Event) {
	h.s.soon(func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		for i := range h.others {
			if like(&h.others[i]) {
				found = &h.others[i]
			}
		}
		return found != nil
	})
	return found
}

// senses switches each sensor of the description on, and checks its records.
func (s *Subject) senses(t T) {
	h := s.helm(t)
	sensors := h.process.Description.Sensors
	if len(sensors) == 0 {
		t.Skip("it declares no sensors")
	}
	for _, spec := range sensors {
		on := "sensors." + spec.Name + ".on"
		h.last(steer.Command{Verb: steer.Set, Changes: []steer.Change{{Object: on, Value: steer.BoolValue(true)}}},
			event.Applied)
		if v := h.sense(on); !v.Bool {
			t.Errorf("%s is %v after it was switched on", on, v)
		}
		if spec.Kind != sensor.Tracing { // the file has its records
			continue
		}
		want := convert.All(spec.Fields, func(f sensor.Field) string { return f.Name })
		slices.Sort(want)
		e := h.heard(func(e *event.Event) bool { return e.Kind == event.Sensed && e.Name == spec.Name })
		switch {
		case e == nil:
			t.Errorf("sensor %s was switched on, and finds nothing", spec.Name)
		case !slices.Equal(slices.Sorted(maps.Keys(e.Values)), want):
			t.Errorf("sensor %s finds %v; its fields are %v", spec.Name, e.Values, want)
		}
		h.last(steer.Command{Verb: steer.Set, Changes: []steer.Change{{Object: on, Value: steer.BoolValue(false)}}},
			event.Applied)
	}
}

// judges sends rules along with a request: one acts on an object, one reports its action without acting, and one only
// warns.
func (s *Subject) judges(t T) {
	first := s.helm(t)
	if !first.process.Description.Judges {
		t.Skip("the description does not state that it judges rules")
	}
	o := first.adjustable()
	if o.Type != steer.Float && o.Type != steer.Int {
		t.Skip("none of its numbers may be changed")
	}
	same, err := json.Marshal(map[string]any{"set": map[string]string{o.Name: fmt.Sprintf("value(%q)", o.Name)}})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"rules": [
  {"name": "acts", "when": ["iteration >= 2"], "severity": "info", "message": "m", "action": %s, "act": true, "where": "run"},
  {"name": "would", "when": ["iteration >= 2"], "severity": "info", "message": "m", "action": %s, "where": "run"},
  {"name": "warns", "when": ["iteration >= 2"], "severity": "warning", "message": "at {iteration}", "where": "run"}]}`,
		same, same)
	h := s.helmWith(t, func(r *plugin.Request) { r.Rules = text })
	there := set(&o, o.Value)
	there.At = 3
	h.give(there) // a program may take long to reach its first iteration, or be past this iteration
	if h.heard(func(e *event.Event) bool { return e.Kind == event.Message && e.Name == rule.InSitu }) == nil {
		t.Errorf("it says by no message %s that it judges rules", rule.InSitu)
	}
	if h.heard(func(e *event.Event) bool { return e.Kind == event.Would && e.Name == "would" }) == nil {
		t.Error("a rule that does not act says nothing of what it would do")
	}
	if e := h.heard(func(e *event.Event) bool { return e.Kind == event.Finding && e.Name == "warns" }); e == nil ||
		e.Severity != rule.Warning || !s.at(int64(e.Values["iteration"]), 2) ||
		e.Text != fmt.Sprint("at ", e.Values["iteration"]) {
		t.Errorf("a rule that warns at iteration 2: %+v", e)
	}
	acted := func() (found *event.Receipt) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, a := range h.acts {
			if a.Rule == "acts" {
				found = a
			}
		}
		return found
	}
	if !s.soon(func() bool { return acted() != nil }) {
		t.Fatal("a rule that acts does nothing")
	}
	if a := acted(); !s.at(a.Iteration, 2) || a.State != event.Applied || a.Verb != steer.Set || len(a.Effects) != 1 ||
		a.Effects[0].Object != o.Name {
		t.Errorf("a rule that acts at iteration 2: %+v", a)
	}
}
