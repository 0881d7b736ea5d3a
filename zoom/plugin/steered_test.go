package plugin_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// marcher iterates until it is stopped, a step for each value of tick.
type marcher struct {
	tick <-chan bool
	cfl  float64
}

func (*marcher) Describe() plugin.Description {
	return plugin.Description{Name: "marcher", Version: "1", Fidelity: "none", Steers: true}
}

func (m *marcher) Run(ctx context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	m.cfl = 20
	r.Steer.Add(steer.Object{
		Name: "cfl", Type: steer.Float, Min: new(0.1), Effect: steer.Numerics, Operations: []steer.Operation{steer.Sense, steer.Actuate},
	}, steer.FloatAt(&m.cfl))
	for n := int64(0); ; n++ {
		if r.Steer.Armed() && r.Steer.Obey(ctx, n) == steer.End {
			return plugin.Result{Class: event.Killed}, nil
		}
		if !<-m.tick {
			return plugin.Result{Class: event.Converged}, nil
		}
	}
}

// serve serves a solver in this process, and returns a client.
func serve(t testing.TB, solver plugin.Solver) *plugin.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	plugin.Register(s, solver)
	go func() { _ = s.Serve(l) }() // ends with Stop
	t.Cleanup(s.Stop)
	conn, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return plugin.NewClient(conn)
}

// A command through the protocol is applied at the next safe point, and the run's events tell of it.
func TestSteer(t *testing.T) {
	tick := make(chan bool)
	c := serve(t, &marcher{tick: tick})
	acts := make(chan event.Event, 10)
	ended := make(chan error, 1)
	folder := t.TempDir()
	go func() {
		_, err := c.Run(t.Context(), plugin.Request{Run: "r", Folder: folder}, func(e event.Event) { acts <- e })
		ended <- err
	}()
	tick <- true
	receipts := make(chan steer.Receipt, 10)
	given := make(chan error, 1)
	go func() {
		given <- c.Steer(t.Context(), steer.Command{
			ID: "a", Verb: steer.Set, By: "ann", Changes: []steer.Change{{Object: "cfl", Value: steer.FloatValue(5)}},
		}, "r", func(r steer.Receipt) { receipts <- r })
	}()
	if r := <-receipts; r.State != steer.Accepted {
		t.Fatalf("%+v", r)
	}
	tick <- true
	r := <-receipts
	if err := <-given; err != nil || r.State != steer.Applied || r.Effects[0].Old.Number != 20 || r.Effects[0].New.Number != 5 {
		t.Fatalf("%+v, %v", r, err)
	}
	close(tick)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	e := <-acts
	if e.Kind != event.Command || e.Name != "set" || e.Text != "by ann: set cfl 20 -> 5" || e.Act.State != "applied" || e.Values["iteration"] != float64(r.Iteration) {
		t.Errorf("%+v, %+v", e, e.Act)
	}
	if err := c.Steer(t.Context(), steer.Command{ID: "b", Verb: steer.Pause}, "r", nil); err != plugin.ErrNotRunning {
		t.Error(err)
	}
}
