package plugin_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// trusted serves a solver over TLS on a unix socket, as a plugin's process does, and returns a client with the
// study's certificate.
func trusted(b *testing.B, solver plugin.Solver) *plugin.Client {
	b.Helper()
	dir := b.TempDir()
	store := must.Value(certificate.Open(filepath.Join(dir, "tls")))(b)
	pluginTLS := must.Value(store.Plugin())(b)
	host := must.Value(store.Host())(b)
	l := must.Value(net.Listen("unix", filepath.Join(dir, "s")))(b)
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(pluginTLS)))
	plugin.Register(s, solver)
	go func() { _ = s.Serve(l) }() // ends with Stop
	b.Cleanup(s.Stop)
	conn := must.Value(grpc.NewClient("unix:"+l.Addr().String(),
		grpc.WithTransportCredentials(credentials.NewTLS(host))))(b)
	b.Cleanup(func() { _ = conn.Close() })
	return plugin.NewClient(conn)
}

// A `set` through gRPC and mutual TLS over a unix socket to a solver whose iteration takes 1 ms: until it is
// accepted, and until it is known to be applied.
func BenchmarkSteerSet(b *testing.B) {
	tick := make(chan bool)
	c := trusted(b, &marcher{tick: tick})
	folder, ended, stop := b.TempDir(), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		if _, err := c.Run(context.Background(), plugin.Request{Run: "r", Folder: folder},
			func(event.Event) {}); err != nil {
			b.Error(err)
		}
	}()
	go func() {
		defer close(tick)
		beat := time.NewTicker(time.Millisecond)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				tick <- true
			case <-stop:
				return
			}
		}
	}()
	tick <- true
	var accepted, applied []time.Duration
	for n := 0; b.Loop(); n++ {
		cmd := set(float64(n%100 + 1))
		cmd.ID = fmt.Sprint(n)
		begun := time.Now()
		err := c.Steer(context.Background(), cmd, "r", func(r event.Receipt) {
			switch r.State {
			case event.Accepted:
				accepted = append(accepted, time.Since(begun))
			case event.Applied:
				applied = append(applied, time.Since(begun))
			}
		})
		if err != nil || len(applied) != n+1 {
			b.Fatalf("%v, %d applied of %d", err, len(applied), n+1)
		}
	}
	close(stop)
	<-ended
	percentiles(b, accepted, "us/accepted", "us/accepted-p99")
	percentiles(b, applied, "us/applied", "us/applied-p99")
}

// percentiles reports the median of durations and the one that a hundredth of them exceeds, in microseconds.
func percentiles(b *testing.B, list []time.Duration, median, p99 string) {
	slices.Sort(list)
	at := func(q float64) float64 { return float64(list[min(len(list)-1, int(q*float64(len(list))))]) / 1e3 }
	b.ReportMetric(at(0.5), median)
	b.ReportMetric(at(0.99), p99)
}
