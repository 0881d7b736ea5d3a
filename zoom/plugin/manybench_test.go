package plugin_test

// What many runs cost whoever looks at them, and what it takes to have them all stand.

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// TestMain lets this binary play the processes of many runs: ARGS registries FOLDER NUMBER.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "registries" {
		n, err := strconv.Atoi(os.Args[3])
		if err == nil {
			err = registries(os.Args[2], n)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// watched is how many objects each run has, and how often each of them has another value.
const (
	watched = 10
	beat    = time.Second / 10
)

// registries serves the objects of n runs, each at a socket of its own, until standard input ends.
func registries(folder string, n int) error {
	store, err := certificate.Open(filepath.Join(folder, "tls"))
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	for i := range n {
		r := steer.New(clock.Real)
		var gauges [watched]steer.Gauge
		for j := range gauges {
			r.Add(steer.Object{Name: fmt.Sprint("object", j), Type: steer.Float, Effect: steer.Monitor,
				Operations: []steer.Operation{steer.Read}}, gauges[j].Binding())
		}
		l, err := net.Listen("unix", socket(folder, i))
		if err != nil {
			return err
		}
		stop, err := plugin.ServeRegistries(l, store, func(string) *steer.Registry { return r })
		if err != nil {
			return err
		}
		defer stop()
		go r.Attend(ctx)
		go func() {
			tick := time.NewTicker(beat)
			defer tick.Stop()
			for k := 0; ; k++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					for j := range gauges {
						gauges[j].Put(float64(k + j))
					}
				}
			}
		}()
	}
	if _, err := fmt.Println("served"); err != nil {
		return err
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it ends
	return nil
}

func socket(folder string, i int) string { return filepath.Join(folder, fmt.Sprint(i)) }

// BenchmarkWatched has a host follow ten objects of each of a thousand runs, which another process plays, ten times a
// second: what that takes of a core, and of memory.
func BenchmarkWatched(b *testing.B) {
	const runs, during = 1000, 10 * time.Second
	for b.Loop() {
		folder := b.TempDir()
		cmd := exec.Command(os.Args[0], "registries", folder, strconv.Itoa(runs))
		cmd.Stderr = os.Stderr
		out := must.Value(cmd.StdoutPipe())(b)
		in := must.Value(cmd.StdinPipe())(b)
		must.OK(b, cmd.Start())
		must.Value(out.Read(make([]byte, 16)))(b)
		before := resident()
		ctx, end := context.WithCancel(context.Background())
		var calls sync.WaitGroup
		var updates atomic.Int64
		for i := range runs {
			conn := must.Value(hosting.Dial(socket(folder, i), filepath.Join(folder, "tls")))(b)
			calls.Go(func() {
				defer func() { _ = conn.Close() }()
				// until ctx ends
				_ = plugin.NewClient(conn).Watch(ctx, "r", nil, beat,
					func(u steer.Update) { updates.Add(int64(len(u.Objects))) })
			})
		}
		for updates.Load() < 2*runs*watched {
			time.Sleep(beat)
		}
		first, cpu, began := updates.Load(), process.Used(os.Getpid()).CPU, time.Now()
		time.Sleep(during)
		b.ReportMetric(100*(process.Used(os.Getpid()).CPU-cpu).Seconds()/time.Since(began).Seconds(), "%cpu")
		b.ReportMetric(float64(updates.Load()-first)/time.Since(began).Seconds(), "updates/s")
		b.ReportMetric((resident()-before)/1e6, "MB")
		end()
		calls.Wait()
		_ = in.Close()
		must.OK(b, cmd.Wait())
	}
}

// resident is the memory of this process that is in use, bytes.
func resident() float64 {
	debug.FreeOSMemory()
	return float64(process.Used(os.Getpid()).Resident)
}

// BenchmarkSync has thirty runs come to a common sync point by commands through gRPC under mTLS: how much later than
// the longest iteration among theirs the last one stands there.
func BenchmarkSync(b *testing.B) {
	const runs, longest = 30, 50 * time.Millisecond
	type member struct {
		*plugin.Client
		stop, ended chan bool
	}
	all := make([]member, runs)
	for i := range all {
		tick := make(chan bool)
		m := member{trusted(b, &marcher{tick: tick}), make(chan bool), make(chan bool)}
		folder := b.TempDir()
		go func() {
			defer close(tick)
			for {
				select {
				case <-time.After(longest * time.Duration(i+1) / runs):
					select {
					case tick <- true:
					case <-m.stop:
						return
					}
				case <-m.stop:
					return
				}
			}
		}()
		go func() {
			defer close(m.ended)
			// until its ticks end
			_, _ = m.Run(context.Background(), plugin.Request{Run: "r", Folder: folder}, func(event.Event) {})
		}()
		all[i] = m
	}
	time.Sleep(2 * longest)
	give := func(c steer.Command) {
		var calls sync.WaitGroup
		for _, m := range all {
			calls.Go(func() {
				last := event.State("")
				if err := m.Steer(context.Background(), c, "r",
					func(x event.Receipt) { last = x.State }); err != nil || last != event.Applied {
					b.Errorf("%s: %s, %v", c.ID, last, err)
				}
			})
		}
		calls.Wait()
	}
	var late []time.Duration
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		give(steer.Command{ID: fmt.Sprint("sync", n), Verb: steer.Sync, Name: "all"})
		late = append(late, time.Since(began)-longest)
		give(steer.Command{ID: fmt.Sprint("on", n), Verb: steer.Release, Name: "all"})
		time.Sleep(time.Duration(n%7) * 3 * time.Millisecond)
	}
	for _, m := range all {
		close(m.stop)
		<-m.ended
	}
	percentiles(b, late, "us/late", "us/late-p99")
}
