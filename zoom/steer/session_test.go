package steer_test

import (
	"context"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// A command that is given again, since its client lost the connection, is not done again: its giver is told what
// became of it.
func TestGivenAgain(t *testing.T) {
	s := begun(t)
	s.give(set("a", "cfl", 5))
	s.give(set("a", "cfl", 5)) // while it waits
	s.march(t)
	s.cfl = 8
	s.give(set("a", "cfl", 5))
	s.march(t)
	if s.cfl != 8 || s.states("a") != "accepted accepted applied applied applied" {
		t.Errorf("CFL %g, %s", s.cfl, s.states("a"))
	}
	other := set("a", "cfl", 6)
	s.give(other)
	s.march(t)
	if last := s.told["a"][len(s.told["a"])-1]; s.cfl != 8 || last.State != event.Refused {
		t.Errorf("CFL %g, %+v", s.cfl, last)
	}
}

// What a command holds goes with whoever gave it, before it was applied and after.
func TestLeave(t *testing.T) {
	s := begun(t)
	s.give(steer.Command{ID: "waits", Verb: steer.Pause, Holds: true})
	s.Leave("waits")
	s.march(t)
	if s.states("waits") != "accepted expired" || s.Held() {
		t.Errorf("%s, held: %v", s.states("waits"), s.Held())
	}
	held, ended := make(chan bool, 1), make(chan bool)
	s.Submit(steer.Command{ID: "holds", Verb: steer.Pause, Holds: true}, func(r event.Receipt) {
		if r.State == event.Applied {
			held <- true
		}
	})
	go func() {
		s.march(t)
		close(ended)
	}()
	<-held
	ctx, leave := context.WithCancel(t.Context())
	stays := make(chan bool)
	go func() {
		s.Stay(ctx, "holds")
		close(stays)
	}()
	select {
	case <-ended:
		t.Error("it goes on though it is held")
	default:
	}
	leave()
	<-ended
	<-stays
}

// A function that does not return holds up neither the solver nor the end of the run.
func TestFunctionThatBlocks(t *testing.T) {
	at := clock.NewManual(time.Unix(0, 0))
	s := &solver{Registry: steer.New(at), told: map[string][]event.Receipt{}}
	block := make(chan bool)
	s.Add(steer.Object{Name: "stuck", Operations: []steer.Operation{steer.Call}}, steer.Binding{
		Beside: true, Call: func(context.Context, steer.Value) (steer.Value, error) {
			<-block
			return steer.Value{}, nil
		},
	})
	s.Obey(t.Context(), 0)
	s.give(steer.Command{ID: "a", Verb: steer.CallOf, Changes: []steer.Change{{Object: "stuck"}}})
	closed := make(chan bool)
	go func() {
		s.Close()
		close(closed)
	}()
	must.OK(t, at.AwaitPending(t.Context(), 1))
	at.Advance(time.Minute)
	<-closed
	if s.states("a") != "accepted late" {
		t.Error(s.states("a"))
	}
	close(block)
}

// A flood of commands is refused, and does not fill the run's record.
func TestFlood(t *testing.T) {
	s := begun(t)
	recorded, refused := 0, 0
	s.Record = func(event.Receipt) { recorded++ }
	for i := range 5000 {
		s.Submit(set(string(rune('a'+i%26))+time.Duration(i).String(), "cfl", 5), func(r event.Receipt) {
			if r.State == event.Refused {
				refused++
			}
		})
	}
	s.march(t)
	if refused != 5000-256 || recorded != 1000+256 || s.cfl != 5 {
		t.Errorf("%d refused, %d recorded, CFL %g", refused, recorded, s.cfl)
	}
}

// Who follows slowly misses what a later change made void, is told how much, and ends with what there is.
func TestFollow(t *testing.T) {
	s := begun(t)
	var last steer.Update
	got := map[string]steer.Value{}
	first, goOn, ended := make(chan bool, 1), make(chan bool), make(chan error)
	go func() {
		ended <- s.Follow(t.Context(), func(u steer.Update) error {
			select {
			case first <- true:
				<-goOn
			default:
			}
			for _, o := range u.Objects {
				got[o.Name] = o.Value
			}
			for range u.Gone {
				delete(got, "gone")
			}
			last = u
			return nil
		})
	}()
	<-first
	for i := range 100 {
		s.give(set(time.Duration(i).String(), "cfl", float64(i+1)))
		s.march(t)
	}
	s.Remove(s.Add(steer.Object{Name: "gone", Type: steer.Float}, steer.FloatAt(new(float64))))
	close(goOn)
	s.Close()
	must.OK(t, <-ended)
	if len(got) != 2 || got["cfl"].Number != 100 || last.Lost != 100 || last.Version != 104 {
		t.Errorf("%v, %d lost, version %d", got, last.Lost, last.Version)
	}
}

// Who watches sees values as they are, though nobody changes them by command: at once, or at safe points.
func TestWatch(t *testing.T) {
	at := clock.NewManual(time.Unix(0, 0))
	r := steer.New(at)
	cfl, load := 1.0, &steer.Gauge{}
	r.Add(steer.Object{Name: "cfl", Type: steer.Float, Operations: []steer.Operation{steer.Sense}}, steer.FloatAt(&cfl))
	r.Add(steer.Object{Name: "load", Type: steer.Float, Operations: []steer.Operation{steer.Read}}, load.Binding())
	r.Add(steer.Object{Name: "other", Type: steer.Float, Operations: []steer.Operation{steer.Read}}, load.Binding())
	r.Obey(t.Context(), 0)
	updates, ended := make(chan steer.Update, 10), make(chan error)
	go func() {
		ended <- r.Watch(t.Context(), []string{"cfl", "load"}, time.Second,
			func(u steer.Update) error { updates <- u; return nil })
	}()
	<-updates
	must.OK(t, at.AwaitPending(t.Context(), 1))
	r.Obey(t.Context(), 1)
	cfl = 2
	load.Put(3)
	at.Advance(time.Second)
	for got := map[string]float64{}; got["cfl"] != 2 || got["load"] != 3; {
		if r.Armed() {
			r.Obey(t.Context(), 2)
		}
		select {
		case u := <-updates:
			for _, o := range u.Objects {
				if got[o.Name] = o.Value.Number; o.Name == "other" {
					t.Error("it sees what it does not watch")
				}
			}
		default:
		}
	}
	r.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
