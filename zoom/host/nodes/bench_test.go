package nodes_test

// What nodes cost beside this machine, with relays of this process and plugins of their own.

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

// starter starts mocks by one launcher.
type starter struct {
	b     *testing.B
	l     launch.Launcher
	study string
	slot  string
	n     int
}

func newStarter(b *testing.B, l launch.Launcher, study string) *starter {
	b.Helper()
	s := &starter{b: b, l: l, study: study}
	b.Cleanup(func() { noError(b, l.Close()) })
	if p, ok := l.(launch.Placer); ok {
		slot, release, err := p.Place(b.Context(), launch.Need{Name: "r", Cores: 1}, nil)
		must.OK(b, err)
		b.Cleanup(release)
		s.slot = slot
	}
	return s
}

// onNode starts mocks on a node; onThis on this machine.
func onNode(b *testing.B) *starter {
	study := b.TempDir()
	return newStarter(b, newInProcess(b).fleet(study, &hosts.Launcher{Name: "test", Cores: 2}), study)
}

func onThis(b *testing.B) *starter {
	study := b.TempDir()
	return newStarter(b, local.Open(study), study)
}

// start starts a mock, which has answered once when it returns, and how long that took.
func (s *starter) start() (launch.Task, *plugin.Client, string, time.Duration) {
	s.b.Helper()
	s.n++
	folder := filepath.Join(s.study, fmt.Sprint("r", s.n))
	write(s.b, filepath.Join(folder, "x"), nil)
	began := time.Now()
	task, err := s.l.Start(s.b.Context(), launch.TaskSpec{Program: mocked(s.b), Slot: s.slot, Folder: folder})
	must.OK(s.b, err)
	client := plugin.NewClient(task.Conn())
	must.Value(client.Describe(s.b.Context()))(s.b)
	return task, client, folder, time.Since(began)
}

// BenchmarkRelayStart measures start, handshake and first call on a node, in turn with those on this machine: what
// the node takes more.
func BenchmarkRelayStart(b *testing.B) {
	sides := []*starter{onThis(b), onNode(b)}
	var took [2]time.Duration
	n := 0
	for b.Loop() {
		for i := range sides {
			at := (i + n) % 2 // so that neither is always the second
			task, _, _, d := sides[at].start()
			took[at] += d
			task.Stop(time.Second)
		}
		n++
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(n) }
	b.ReportMetric(ms(took[0]), "ms/local")
	b.ReportMetric(ms(took[1]), "ms/node")
	b.ReportMetric(ms(took[1]-took[0]), "ms/more")
}

// BenchmarkRelayRuns makes 100 runs that do nothing over four nodes that are there, each by a process of its own.
func BenchmarkRelayRuns(b *testing.B) {
	for _, side := range []struct {
		name string
		of   func() (command, env []string, err error)
	}{{"fresh", mock.Command}, {"warm", mock.Reusable}} {
		b.Run(side.name, func(b *testing.B) {
			study, p := b.TempDir(), newInProcess(b)
			f := p.fleet(study, &hosts.Launcher{Name: "test", Cores: 2, Blocks: 4})
			var slots []func()
			for range 8 {
				_, release, err := f.Place(b.Context(), launch.Need{Name: "r", Cores: 1}, nil)
				must.OK(b, err)
				slots = append(slots, release)
			}
			for _, release := range slots {
				release()
			}
			host, err := attempt.NewHost(study, launch.Registry{"test": func(string) launch.Launcher { return f }},
				"test")
			must.OK(b, err)
			command, env, err := side.of()
			must.OK(b, err)
			pool := &pool.Pool{
				Runner: attempt.Runner{
					Host: host, Program: launch.Program{Command: command, Environment: env}, Study: "test",
				},
				Workers: 8,
			}
			n := 0
			for b.Loop() {
				var jobs []run.Job
				for range 100 {
					n++
					jobs = append(jobs,
						run.Job{
							Name:    fmt.Sprint("r", n),
							Request: plugin.Request{Numbers: map[string]float64{"x": float64(n)}},
						})
				}
				out := must.Value(pool.Run(b.Context(), jobs))(b)
				for _, o := range out {
					if !o.OK() {
						b.Fatal(o.Err)
					}
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(n)*100, "s/100")
			noError(b, host.Close())
		})
	}
}

// BenchmarkRelayCalls measures a call, and 100,000 events of one run, from a node and from this machine.
func BenchmarkRelayCalls(b *testing.B) {
	for name, side := range map[string]func(*testing.B) *starter{"local": onThis, "node": onNode} {
		b.Run("call/"+name, func(b *testing.B) {
			task, client, _, _ := side(b).start()
			defer task.Stop(0)
			n := 0
			for b.Loop() {
				must.Value(client.Describe(b.Context()))(b)
				n++
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(n), "ms/call")
		})
		b.Run("events/"+name, func(b *testing.B) {
			task, client, folder, _ := side(b).start()
			defer task.Stop(0)
			release := must.Value(client.Lease(b.Context(), plugin.Terms{}))(b)
			defer release()
			n := 0
			for b.Loop() {
				events := 0
				r := plugin.Request{
					Study: "s", Run: "r", Folder: folder, Numbers: map[string]float64{"x": 1, "gain": 0.5},
					Texts: map[string]string{"script": "emit 100000"},
				}
				if _, err := client.Run(b.Context(), r, func(event.Event) { events++ }); err != nil ||
					events != 100000 {
					b.Fatal(events, err)
				}
				n++
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(n), "s/100000")
		})
	}
}

// BenchmarkRelayFolder brings a run folder of 100 MB back: one file, and a thousand; counted, a proxy counts the
// bytes that pass, and takes time itself.
func BenchmarkRelayFolder(b *testing.B) {
	const size = 100_000_000
	for _, c := range []struct {
		name    string
		files   int
		counted bool
	}{{"one", 1, false}, {"many", 1000, false}, {"counted", 1, true}} {
		b.Run(c.name, func(b *testing.B) {
			var g *gate
			a := newApart(b, &hosts.Launcher{}, func(p *inProcess) {
				if c.counted {
					g = newGate(b, p)
				}
			})
			data := noise(size/c.files, 1)
			var took time.Duration
			var passed int64
			n := 0
			for b.Loop() {
				task, here, there := a.run()
				for i := range c.files {
					write(b, filepath.Join(there, fmt.Sprint("f", i)), data)
				}
				if c.counted {
					passed -= g.in.Load()
				}
				began := time.Now()
				must.OK(b, task.Fetch(context.Background(), here, plugin.Description{}, false))
				took += time.Since(began)
				if c.counted {
					passed += g.in.Load()
				}
				task.Stop(0)
				n++
			}
			b.ReportMetric(size*float64(n)/took.Seconds()/1e6, "MB/s")
			if c.counted {
				b.ReportMetric(100*(float64(passed)/float64(n)/size-1), "%more")
			}
		})
	}
}
