package solver

import (
	"context"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/turns"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// BenchmarkSensors measures what sensors cost bladerow on the E3's fan of 46,080 cells: the numbers of each iteration,
// as events through gRPC to a host, and everything, in the run's file. They are on and off in turns of 20 iterations of
// one run. See [turns.Cost].
func BenchmarkSensors(b *testing.B) {
	b.Run("events", func(b *testing.B) {
		sensorsInTurns(b, "sensors.history.on", steer.BoolValue(false), steer.BoolValue(true))
	})
	b.Run("everything", func(b *testing.B) {
		sensorsInTurns(b, "sensors.record", steer.TextValue("none"), steer.TextValue("all"))
	})
}

func sensorsInTurns(b *testing.B, object string, off, on steer.Value) {
	const count = 61
	for b.Loop() {
		s := &BladeRow{}
		c := served(b, s)
		r := coarseRow(b)
		r.Folder = b.TempDir()
		r.Run, r.Numbers["refine"], r.Numbers["max_iterations"], r.Numbers["orders"] = "r", 1, 5000, 14
		r.Texts["start"], r.Texts["model"] = "throughflow", "spalart-helicity"
		// of throughflow
		maps.DeleteFunc(r.Numbers, func(name string, _ float64) bool {
			return name == "loss_change" ||
				name == "deviation_offset"
		})
		ctx, enough := context.WithCancel(b.Context())
		var last time.Time
		var times []float64
		finest, sensed := 0.0, 0
		_, err := c.Run(ctx, r, func(e event.Event) { // until it is enough
			if e.Kind == event.Sensed {
				sensed++
			}
			if e.Kind != event.Iteration {
				return
			}
			if mesh := e.Values["mesh"]; mesh > finest { // the turns before were on a coarser one
				finest, times, last = mesh, nil, time.Time{}
			}
			now := time.Now()
			if !last.IsZero() {
				times = append(times, now.Sub(last).Seconds())
			}
			last = now
			if len(times) == count {
				enough()
				return
			}
			value := off
			if len(times)%2 == 1 {
				value = on
			}
			set := steer.Command{ID: fmt.Sprint(finest, len(times)), Verb: steer.Set,
				Changes: []steer.Change{{Object: object, Value: value}}}
			go func() { _ = c.Steer(ctx, set, "r", func(event.Receipt) {}) }() // each turn has one
		})
		enough()
		if len(times) != count || off.Type == steer.Bool && sensed < count*20/3 {
			b.Fatalf("%d turns, %d records, %v", len(times), sensed, err)
		}
		median, upper := turns.Cost(times)
		b.ReportMetric(100*median, "%median")
		b.ReportMetric(100*upper, "%upper")
	}
}

// served serves a solver in this process, and returns a client.
func served(b *testing.B, s plugin.Solver) *plugin.Client {
	b.Helper()
	l := must.Value(net.Listen("unix", filepath.Join(b.TempDir(), "s")))(b)
	server := grpc.NewServer()
	plugin.Register(server, s)
	go func() { _ = server.Serve(l) }() // ends with Stop
	b.Cleanup(server.Stop)
	conn := must.Value(grpc.NewClient("unix:"+l.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials())))(b)
	b.Cleanup(func() { _ = conn.Close() })
	return plugin.NewClient(conn)
}
