package steer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// distant is a solver in another process: what is changed there shows later.
type distant struct {
	*steer.Registry
	relax  atomic.Uint64
	answer chan error // that Confirm gives
	told   chan event.Receipt
}

func newDistant(t *testing.T) *distant {
	d := &distant{Registry: steer.New(clock.NewManual(time.Unix(0, 0))), answer: make(chan error),
		told: make(chan event.Receipt, 100)}
	d.Add(steer.Object{
		Name: "relax", Type: steer.Float, Effect: steer.Numerics,
		Operations: []steer.Operation{steer.Sense, steer.Read, steer.Actuate},
	}, steer.Binding{
		Get: func() steer.Value { return steer.FloatValue(float64(d.relax.Load())) },
		Set: func(v steer.Value) error { d.relax.Store(uint64(v.Number)); return nil },
		Confirm: func(ctx context.Context) (int64, error) {
			select {
			case err := <-d.answer:
				return 17, err
			case <-ctx.Done():
				return 0, &steer.UnconfirmedError{Reason: "the run is over"}
			}
		},
	})
	d.Obey(t.Context(), 3)
	t.Cleanup(d.Close)
	return d
}

// set gives a command and takes its first receipt.
func (d *distant) set(t *testing.T, id string, to float64) {
	t.Helper()
	d.Submit(set(id, "relax", to), func(r event.Receipt) { d.told <- r })
	if r := <-d.told; r.State != event.Accepted {
		t.Fatalf("%+v", r)
	}
	d.Obey(t.Context(), 3)
}

// A change is applied once that shows, at the iteration at which it does; it is rolled back if the solver will not
// have it; and it is neither if nothing shows.
func TestConfirm(t *testing.T) {
	d := newDistant(t)
	for _, c := range []struct {
		id     string
		answer error
		state  event.State
		to     float64
		is     float64
	}{
		{"shows", nil, event.Applied, 5, 5},
		{"refused", errors.New("it says no"), event.RolledBack, 6, 5},
		{"nothing", &steer.UnconfirmedError{Reason: "its log does not show it"}, event.Unconfirmed, 7, 7},
	} {
		d.set(t, c.id, c.to)
		for float64(d.relax.Load()) != c.to { // the one before it has been told of a moment before it counts
			d.Obey(t.Context(), 3)
		}
		select {
		case r := <-d.told:
			t.Errorf("%s: before anything shows it is said %+v", c.id, r)
		default:
		}
		d.answer <- c.answer
		r := <-d.told
		if r.State != c.state || r.Iteration != 17 || len(r.Effects) != 1 || r.Effects[0].New.Number != c.is {
			t.Errorf("%s: %+v", c.id, r)
		}
		if c.answer != nil && r.Reason != "relax: "+c.answer.Error() {
			t.Errorf("%s: reason %q", c.id, r.Reason)
		}
	}
}

// What panics confirms nothing, and ends no process.
func TestConfirmPanics(t *testing.T) {
	r := steer.New(clock.Real)
	defer r.Close()
	var x float64
	b := steer.FloatAt(&x)
	b.Confirm = func(context.Context) (int64, error) { panic("no such log") }
	r.Add(steer.Object{Name: "relax", Type: steer.Float, Operations: []steer.Operation{steer.Actuate}}, b)
	r.Obey(t.Context(), 0)
	told := make(chan event.Receipt, 10)
	r.Submit(set("a", "relax", 1), func(x event.Receipt) { told <- x })
	r.Obey(t.Context(), 1)
	<-told
	if x := <-told; x.State != event.Unconfirmed || !strings.Contains(x.Reason, "no such log") {
		t.Errorf("%+v", x)
	}
}

// While a change is to be confirmed the next one waits, and what changes nothing does not.
func TestOneChangeAtATime(t *testing.T) {
	d := newDistant(t)
	d.set(t, "first", 1)
	d.set(t, "second", 2)
	if x := d.relax.Load(); x != 1 {
		t.Fatalf("the second change was made before the first one showed: %d", x)
	}
	d.Submit(steer.Command{ID: "look", Verb: steer.Get, Changes: []steer.Change{{Object: "relax"}}},
		func(r event.Receipt) { d.told <- r })
	<-d.told
	if r := <-d.told; r.ID != "look" || r.State != event.Applied {
		t.Errorf("%+v", r)
	}
	d.answer <- nil
	if r := <-d.told; r.ID != "first" || r.State != event.Applied {
		t.Errorf("%+v", r)
	}
	for d.relax.Load() != 2 { // see TestConfirm
		d.Obey(t.Context(), 4)
	}
	d.answer <- nil
	if r := <-d.told; r.ID != "second" || r.State != event.Applied {
		t.Errorf("%+v", r)
	}
}

// The end of the run ends the wait.
func TestCloseEndsConfirmation(t *testing.T) {
	d := newDistant(t)
	d.set(t, "first", 1)
	d.set(t, "second", 2)
	d.Close()
	states := map[string]event.State{}
	for range 2 {
		r := <-d.told
		states[r.ID] = r.State
	}
	if states["first"] != event.Unconfirmed || states["second"] != event.Late {
		t.Errorf("%v", states)
	}
}

// A solver elsewhere is made to stand still before a pause holds, and to go on after it, also where that ends the run.
func TestHalt(t *testing.T) {
	for _, ending := range []steer.Verb{steer.Resume, steer.Stop} {
		d := newDistant(t)
		var calls atomic.Int64
		halts := make(chan bool, 10)
		d.Halt = func(still bool) int64 {
			if calls.Add(1) == 1 {
				d.Submit(steer.Command{ID: "end", Verb: ending}, func(event.Receipt) {})
			}
			halts <- still
			return 9
		}
		d.Submit(steer.Command{ID: "pause", Verb: steer.Pause}, func(r event.Receipt) {
			if r.State.Final() && r.Iteration != 9 {
				t.Errorf("it stands still at iteration 9, and it is said %+v", r)
			}
		})
		if v := d.Obey(t.Context(), 4); (v == steer.End) != (ending == steer.Stop) {
			t.Errorf("%s: verdict %v", ending, v)
		}
		close(halts)
		var all []bool
		for h := range halts {
			all = append(all, h)
		}
		if !slices.Equal(all, []bool{true, false}) {
			t.Errorf("%s: it was halted %v", ending, all)
		}
	}
}
