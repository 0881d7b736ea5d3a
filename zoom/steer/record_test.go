package steer_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// The end of what a command holds with whoever gave it is on the record, as that of a pause which was still to come.
func TestLeavingIsRecorded(t *testing.T) {
	r := steer.New(clock.Real)
	var record []event.Receipt
	recorded := make(chan bool, 10)
	r.Record = func(x event.Receipt) {
		record = append(record, x)
		recorded <- true
	}
	nobody := func(event.Receipt) {}
	r.Submit(steer.Command{ID: "a", Verb: steer.Pause, Holds: true}, nobody)
	r.Submit(steer.Command{ID: "b", Verb: steer.Sync, Name: "all", Holds: true}, nobody)
	r.Submit(steer.Command{ID: "c", Verb: steer.Pause, Holds: true}, nobody)
	r.Leave("c")
	verdict := make(chan steer.Verdict)
	go func() { verdict <- r.Obey(t.Context(), 3) }()
	for range 3 {
		<-recorded
	}
	r.Leave("a")
	<-recorded
	r.Leave("a") // nothing more
	r.Leave("b")
	<-recorded
	if <-verdict != steer.GoOn || len(record) != 5 {
		t.Fatalf("%+v", record)
	}
	for i, want := range []event.Receipt{
		{Verb: steer.Pause, State: event.Expired}, {Verb: steer.Pause, State: event.Applied, Held: true},
		{Verb: steer.Sync, State: event.Applied, Held: true}, {Verb: steer.Resume, State: event.Applied, Held: true},
		{Verb: steer.Release, State: event.Applied, Name: "all"},
	} {
		if got := record[i]; got.Verb != want.Verb || got.Held != want.Held || got.State != want.State ||
			i > 0 && got.Iteration != 3 {
			t.Errorf("%d: %+v", i, got)
		}
	}
}

// A name means an object of a list, or a place in one.
func TestLookup(t *testing.T) {
	part := steer.Part{Name: "k4", Type: steer.Float, Unit: "m", Max: new(1.0)}
	list := []steer.Listed{
		{Object: steer.Object{Number: 1, Name: "cfl", Type: steer.Float, Setting: "cfl"}, Value: steer.FloatValue(5)},
		{Object: steer.Object{Number: 2, Name: "loads", Type: steer.Array, Shape: []int{2}, Unit: "s"},
			Value: steer.ArrayValue([]float64{1, 2})},
		{
			Object: steer.Object{Number: 3, Name: "limits", Type: steer.Struct, Fields: []steer.Part{part},
				Effect: steer.Numerics},
			Value: steer.Value{Type: steer.Struct, Fields: []steer.Field{{Name: "k4", Value: steer.FloatValue(0.5)}}},
		},
	}
	for name, want := range map[string]struct {
		number  int64
		value   float64
		unit    string
		setting string
	}{"cfl": {1, 5, "", "cfl"}, "loads[1]": {2, 2, "s", ""}, "limits.k4": {3, 0.5, "m", ""}} {
		o, err := steer.Lookup(list, name)
		if err != nil || o.Name != name || o.Number != want.number || o.Value.Number != want.value ||
			o.Unit != want.unit || o.Setting != want.setting || o.Type != steer.Float {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	if o, _ := steer.Lookup(list, "limits.k4"); o.Max == nil || o.Effect != steer.Numerics {
		t.Errorf("%+v", o)
	}
	for name, want := range map[string]string{"cfk": `there is no object "cfk"; did you mean "cfl"?`,
		"loads[2]": "loads[2]: it has no entry 2", "limits.k5": "limits.k5: it has no field k5"} {
		if _, err := steer.Lookup(list, name); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
