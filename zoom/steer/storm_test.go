package steer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Many clients command, follow, leave and come back while the solver marches: each command ends once, and what was
// applied is one history, in which each change begins with what the one before it left.
func TestManyClients(t *testing.T) {
	const clients, commands = 8, 60
	r := steer.New(clock.Real)
	cfl, load := 0.0, &steer.Gauge{}
	var history []event.Receipt
	r.Record = func(x event.Receipt) {
		if x.Verb == steer.Set && x.State == event.Applied { // by the solver's thread
			history = append(history, x)
		}
	}
	r.Add(steer.Object{Name: "cfl", Type: steer.Float, Operations: []steer.Operation{steer.Sense, steer.Actuate}},
		steer.FloatAt(&cfl))
	r.Add(steer.Object{Name: "load", Type: steer.Float, Operations: []steer.Operation{steer.Read, steer.Write}},
		load.Binding())
	ctx, stop := context.WithCancel(t.Context())
	var solver, givers, followers sync.WaitGroup
	solver.Go(func() {
		for n := int64(0); ctx.Err() == nil; n++ {
			if r.Armed() && r.Obey(ctx, n) == steer.End {
				return
			}
			if n%64 == 0 { // another solver takes over
				r.Replace(steer.Object{
					Name: "load", Type: steer.Float, Operations: []steer.Operation{steer.Read, steer.Write},
				}, load.Binding())
			}
		}
	})
	for range 3 {
		followers.Go(func() { _ = r.Follow(ctx, func(steer.Update) error { return nil }) })
	}
	for client := range clients {
		givers.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(client)))
			for i := range commands {
				storm(t, r, random, fmt.Sprintf("%d-%d", client, i))
			}
		})
	}
	givers.Wait()
	stop()
	solver.Wait()
	followers.Wait()
	r.Close()
	if len(history) == 0 {
		t.Fatal("nothing was applied")
	}
	was := 0.0
	for _, x := range history {
		if d := x.Effects[0]; d.Old.Number != was {
			t.Fatalf("%s found %v where %g was left", x.ID, d.Old, was)
		} else {
			was = d.New.Number
		}
	}
	if cfl != was {
		t.Errorf("CFL %g, and the history ends with %g", cfl, was)
	}
}

// storm gives one command, and waits for its end. What it holds it lets go.
func storm(t *testing.T, r *steer.Registry, random *rand.Rand, id string) {
	change := func(name string) []steer.Change {
		return []steer.Change{{Object: name, Value: steer.FloatValue(random.Float64())}}
	}
	c := []steer.Command{
		{Verb: steer.Set, Changes: change("cfl")}, {Verb: steer.Set, Changes: change("cfl")},
		{Verb: steer.Get, Changes: change("cfl")},
		{Verb: steer.Poke, Changes: change("load")}, {Verb: steer.Get, Changes: change("load")},
		{Verb: steer.Pause, Holds: true},
		{Verb: steer.Sync, Name: "all", Holds: true}, {Verb: steer.Step, Steps: 2, Holds: true}, {Verb: steer.Resume},
	}[random.IntN(9)]
	c.ID = id
	receipts, last := make(chan event.Receipt, 3), 0
	r.Submit(c, func(x event.Receipt) { receipts <- x })
	for last == 0 {
		if x := <-receipts; x.State.Final() {
			last++
		}
	}
	if c.Holds {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		r.Stay(ctx, id)
		r.Leave(id)
	}
	select {
	case x := <-receipts:
		t.Errorf("after the last receipt: %+v", x)
	default:
	}
}
