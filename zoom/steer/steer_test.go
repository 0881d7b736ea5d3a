package steer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// solver marches in the test's own goroutine.
type solver struct {
	*steer.Registry
	cfl    float64
	levels int
	n      int64
	told   map[string][]event.Receipt
}

func newSolver(t *testing.T) *solver {
	s := &solver{Registry: steer.New(clock.Real), cfl: 20, levels: 3, told: map[string][]event.Receipt{}}
	least, most := 0.1, 100.0
	s.Add(steer.Object{Name: "cfl", Type: steer.Float, Min: &least, Max: &most, Effect: steer.Numerics,
		Operations: []steer.Operation{steer.Sense, steer.Actuate}}, steer.FloatAt(&s.cfl))
	levels := steer.IntAt(&s.levels)
	levels.Verify = func() error {
		if s.levels > 5 {
			return errors.New("no mesh is so coarse")
		}
		return nil
	}
	s.Add(steer.Object{
		Name: "levels", Type: steer.Int, Effect: steer.Numerics,
		Operations: []steer.Operation{steer.Sense, steer.Actuate},
	}, levels)
	t.Cleanup(s.Close)
	return s
}

// begun returns a solver that has come to its first safe point.
func begun(t *testing.T) *solver {
	s := newSolver(t)
	s.Obey(t.Context(), 0)
	return s
}

// give submits a command and keeps its receipts.
func (s *solver) give(c steer.Command) {
	s.Submit(c, func(r event.Receipt) { s.told[r.ID] = append(s.told[r.ID], r) })
}

// march makes an iteration.
func (s *solver) march(t *testing.T) {
	t.Helper()
	s.n++
	if s.Armed() && s.Obey(t.Context(), s.n) == steer.End {
		t.Fatal("it ends")
	}
}

// states are what became of a command.
func (s *solver) states(id string) string {
	list := convert.All(s.told[id], func(r event.Receipt) string { return string(r.State) })
	return strings.Join(list, " ")
}

func set(id, name string, v float64) steer.Command {
	return steer.Command{ID: id, Verb: steer.Set, Changes: []steer.Change{{Object: name, Value: steer.FloatValue(v)}}}
}

// A change by some per cent that is given again under its ID is the same one, whatever it comes to now.
func TestFoundedChangeAgain(t *testing.T) {
	s := begun(t)
	more := func() steer.Command {
		c := set("more", "cfl", 1.1*s.cfl)
		c.Changes[0].Expect = steer.FloatValue(s.cfl)
		return c
	}
	for range 2 {
		s.give(more())
		s.march(t)
	}
	if s.cfl != 22 || s.told["more"][len(s.told["more"])-1].State != event.Applied {
		t.Errorf("CFL %v, %s", s.cfl, s.states("more"))
	}
}

// An object whose binding panics fails its command, and nothing else.
func TestPanics(t *testing.T) {
	s := begun(t)
	bad := func() { panic("out of range") }
	change := []steer.Operation{steer.Sense, steer.Actuate}
	s.Add(steer.Object{Name: "a", Type: steer.Float, Operations: change},
		steer.Binding{
			Get: func() steer.Value { bad(); return steer.Value{} }, Set: func(steer.Value) error { return nil },
		})
	s.Add(steer.Object{Name: "b", Type: steer.Float, Operations: change},
		steer.Binding{
			Get: func() steer.Value { return steer.FloatValue(1) }, Set: func(steer.Value) error { bad(); return nil },
		})
	x := 1.0
	last := steer.FloatAt(&x)
	last.Verify = func() error { bad(); return nil }
	s.Add(steer.Object{Name: "c", Type: steer.Float, Operations: change}, last)
	for _, name := range []string{"a", "b", "c"} {
		s.give(set("set "+name, name, 2))
		s.give(steer.Command{ID: "get " + name, Verb: steer.Get, At: s.n + 1, Changes: []steer.Change{{Object: name}}})
	}
	s.give(set("on", "cfl", 7))
	s.march(t)
	s.march(t)
	for id, want := range map[string]string{"set a": "accepted refused", "set b": "accepted rolled_back",
		"set c": "accepted rolled_back", "get b": "accepted armed applied", "on": "accepted applied"} {
		if got := s.states(id); got != want {
			t.Errorf("%s: %s, want %s: %+v", id, got, want, s.told[id])
		}
	}
	if s.cfl != 7 || x != 1 {
		t.Errorf("CFL %v, c %v", s.cfl, x)
	}
}

// A run that is made again begins with any number of commands, and others may still be given.
func TestGiven(t *testing.T) {
	s := newSolver(t)
	var all []steer.Command
	for n := range 1000 {
		c := set(fmt.Sprint(n), "cfl", float64(n%7+1))
		c.At = int64(n/2 + 1)
		all = append(all, c)
	}
	s.Given(all)
	s.Obey(t.Context(), 0)
	s.give(set("own", "levels", 4))
	for range 500 {
		s.march(t)
		if want := float64((2*s.n-1)%7 + 1); s.cfl != want {
			t.Fatalf("CFL %v behind iteration %d, want %v", s.cfl, s.n, want)
		}
	}
	if s.levels != 4 || s.Armed() {
		t.Errorf("levels %d, armed %v", s.levels, s.Armed())
	}
}

func TestArmed(t *testing.T) {
	s := begun(t)
	s.Compile = func(string) (steer.Predicate, error) {
		return func(get func(string) (float64, bool)) (bool, error) {
			n, _ := get("iteration")
			return n >= 4, nil
		}, nil
	}
	at := set("at", "cfl", 5)
	at.At = 3
	when := set("when", "cfl", 7)
	when.When = "iteration >= 4"
	again := at
	again.ID, again.Changes = "again", []steer.Change{{Object: "cfl", Value: steer.FloatValue(6)}}
	expires := set("expires", "levels", 4)
	expires.When, expires.Until = "iteration >= 4", 1
	for _, c := range []steer.Command{at, when, again, expires} {
		s.give(c)
	}
	var seen []float64
	for range 5 {
		s.march(t)
		seen = append(seen, s.cfl)
	}
	if want := []float64{20, 20, 6, 7, 7}; !slices.Equal(seen, want) {
		t.Errorf("CFL %v, want %v", seen, want)
	}
	for id, want := range map[string]string{"at": "accepted armed overtaken", "again": "accepted armed applied",
		"when": "accepted armed applied", "expires": "accepted armed expired"} {
		if got := s.states(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	s := begun(t)
	number := s.Add(steer.Object{Name: "gone", Type: steer.Float, Operations: []steer.Operation{steer.Actuate}},
		steer.FloatAt(new(float64)))
	s.Remove(number)
	expects := set("expects", "cfl", 5)
	expects.Changes[0].Expect = steer.FloatValue(10)
	stale := set("stale", "cfl", 5)
	stale.Changes[0].Number = number
	for c, want := range map[*steer.Command]string{
		new(set("a", "cfk", 5)):          `did you mean "cfl"`,
		new(set("b", "cfl", 1e9)):        "at most 100",
		new(set("c", "cfl", math.NaN())): "finite",
		new(set("d", "gone", 1)):         "no object",
		new(set("e", "cfl[3]", 1)):       "no entry 3",
		&expects:                         "20, not 10",
		&stale:                           "not used again",
		new(steer.Command{ID: "f", Verb: steer.Checkpoint, Name: "x"}): "no checkpoints",
		new(steer.Command{ID: "g", Verb: "fly"}):                       "unknown command",
	} {
		s.give(*c)
		s.march(t)
		last := s.told[c.ID][len(s.told[c.ID])-1]
		if last.State != event.Refused || !strings.Contains(last.Reason, want) {
			t.Errorf("%+v: %+v, want %q", c, last, want)
		}
	}
	if s.cfl != 20 {
		t.Errorf("CFL %g", s.cfl)
	}
}

// A held run does what it is commanded, and goes on where it is let.
func TestPauseStepResume(t *testing.T) {
	s := newSolver(t)
	done, steps := make(chan struct{}), make(chan int64, 100)
	ctx, cancel := context.WithCancel(t.Context())
	applied := make(chan event.Receipt, 100)
	report := func(r event.Receipt) {
		if r.State.Final() {
			applied <- r
		}
	}
	s.Submit(steer.Command{ID: "pause", Verb: steer.Pause}, report)
	go func() {
		defer close(done)
		for n := int64(1); ; n++ {
			steps <- n
			if s.Armed() && s.Obey(ctx, n) == steer.End {
				return
			}
			if n == 50 {
				return
			}
		}
	}()
	<-applied
	s.Submit(set("a", "cfl", 5), report)
	if r := <-applied; r.State != event.Applied || r.Iteration != 1 {
		t.Errorf("a held run: %+v", r)
	}
	s.Submit(steer.Command{ID: "step", Verb: steer.Step, Steps: 3}, report)
	<-applied
	s.Submit(steer.Command{ID: "sync", Verb: steer.Get, At: 4, Changes: []steer.Change{{Object: "cfl"}}}, report)
	if r := <-applied; r.Iteration != 4 {
		t.Errorf("after three steps: %+v", r)
	}
	if !s.Held() || len(steps) != 4 {
		t.Errorf("held: %v, after %d iterations", s.Held(), len(steps))
	}
	s.Submit(steer.Command{ID: "resume", Verb: steer.Resume}, report)
	<-done
	if len(steps) != 50 {
		t.Errorf("%d iterations", len(steps))
	}
	cancel()
}

// Commands may come before there are objects: what they are for is found at the first safe point.
func TestEarlyCommands(t *testing.T) {
	s := &solver{Registry: steer.New(clock.Real), told: map[string][]event.Receipt{}}
	later := set("later", "cfl", 7)
	later.At = 2
	for _, c := range []steer.Command{set("a", "cfl", 5), set("b", "cfk", 5), later} {
		s.give(c)
	}
	s.Add(steer.Object{Name: "cfl", Type: steer.Float, Operations: []steer.Operation{steer.Actuate}},
		steer.FloatAt(&s.cfl))
	s.Obey(t.Context(), 0)
	if s.cfl != 5 {
		t.Errorf("CFL %g before the first iteration", s.cfl)
	}
	s.march(t)
	s.march(t)
	if s.cfl != 7 || s.states("a") != "accepted applied" || s.states("b") != "accepted refused" ||
		s.states("later") != "accepted armed applied" {
		t.Errorf("CFL %g, %+v", s.cfl, s.told)
	}
}

// A solver that takes over from another goes on with what commands have made of its objects.
func TestReplace(t *testing.T) {
	s := begun(t)
	s.give(set("a", "cfl", 5))
	s.march(t)
	other, levels := 20.0, 2
	numbered := s.Replace(steer.Object{Name: "cfl", Type: steer.Float}, steer.FloatAt(&other))
	s.Replace(steer.Object{Name: "levels", Type: steer.Int}, steer.IntAt(&levels))
	if other != 5 || levels != 2 || numbered != 1 {
		t.Errorf("CFL %g, levels %d, number %d", other, levels, numbered)
	}
	s.give(set("b", "cfl", 6))
	s.march(t)
	if other != 6 || s.cfl != 5 {
		t.Errorf("CFL %g, of the former solver %g", other, s.cfl)
	}
}

// A registry that is no solver's does what it is told at once, and has no iterations to wait for.
func TestAttend(t *testing.T) {
	r := steer.New(clock.Real)
	workers := 2
	r.Add(steer.Object{Name: "workers", Type: steer.Int, Operations: []steer.Operation{steer.Actuate}},
		steer.IntAt(&workers))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Attend(ctx)
	}()
	last := func(c steer.Command) event.Receipt {
		got := make(chan event.Receipt, 3)
		r.Submit(c, func(x event.Receipt) {
			if x.State.Final() {
				got <- x
			}
		})
		return <-got
	}
	if x := last(set("a", "workers", 4)); x.State != event.Applied || x.Effects[0].Old.Number != 2 {
		t.Errorf("%+v", x)
	}
	later := set("b", "workers", 4)
	later.At = 3
	for _, c := range []steer.Command{later, {ID: "c", Verb: steer.Pause}} {
		if x := last(c); x.State != event.Refused || !strings.Contains(x.Reason, "no iterations") {
			t.Errorf("%+v", x)
		}
	}
	cancel()
	<-done
	if workers != 4 {
		t.Errorf("%d workers", workers)
	}
}
