package nodes_test

// A provider whose blocks are relays of this process: everything of the path but the other machine.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/command"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm/slurmtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

func TestMain(m *testing.M) {
	mock.Serve()
	serveRelay()
	serveRelays()
	os.Exit(m.Run())
}

// mocked is this executable as a solver.
func mocked(t testing.TB) launch.Program {
	t.Helper()
	command, env, err := mock.Command()
	must.OK(t, err)
	return launch.Program{Command: command, Environment: env}
}

// inProcess has blocks of one node each.
type inProcess struct {
	t      testing.TB
	folder string                   // of nodes, for what is not shared
	place  func(*agent.NodeInfo)    // changes that of a relay; nil: nothing
	home   func(path string) string // makes another file that says where the host is; nil: the host's
	clock  clock.Clock              // the host's; nil: the real one
	relays clock.Clock              // the relays'; nil: the real one

	mu     sync.Mutex
	last   int
	blocks map[string]*started
}

type started struct {
	relay *agent.Relay
	study string
	end   context.CancelFunc
	done  chan struct{}
}

func newInProcess(t testing.TB) *inProcess {
	return &inProcess{t: t, folder: t.TempDir(), blocks: map[string]*started{}}
}

func (p *inProcess) Submit(_ context.Context, r provider.Request, blocks int) (ids []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range blocks {
		p.last++
		id := fmt.Sprintf("b%03d", p.last)
		ctx, end := context.WithCancel(context.Background())
		s := &started{study: r.Study, end: end, done: make(chan struct{})}
		p.blocks[id] = s
		place, home := agent.NodeInfo{
			Node: "node-" + id, Block: id, Folder: filepath.Join(p.folder, id),
		}, r.Command[len(r.Command)-1]
		if p.place != nil {
			p.place(&place)
		}
		if p.home != nil {
			home = p.home(home)
		}
		rel, err := agent.New(place, clock.Or(p.relays))
		if err != nil {
			return ids, err
		}
		s.relay = rel
		go func() {
			defer close(s.done)
			_ = rel.CallHome(ctx, home, func(text string) { p.t.Log(id, text) })
			noError(p.t, rel.Close())
		}()
		ids = append(ids, id)
	}
	return ids, nil
}

func (p *inProcess) List(_ context.Context, study string) (list []provider.State, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, b := range p.blocks {
		s := provider.State{ID: id, Phase: provider.Running}
		select {
		case <-b.done:
			s.Phase = provider.Ended
		default:
		}
		if b.study == study {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b provider.State) int { return len(a.ID) - len(b.ID) })
	return list, nil
}

func (p *inProcess) Cancel(_ context.Context, id string) error {
	p.mu.Lock()
	b := p.blocks[id]
	p.mu.Unlock()
	if b != nil {
		b.end()
		<-b.done
	}
	return nil
}

func (p *inProcess) Close() error { return nil }

// fleet is one of these blocks that loses no node because this machine is busy.
func (p *inProcess) fleet(study string, h *hosts.Launcher) *nodes.Fleet {
	return nodes.New(study, nodes.Config{
		Hosts: h, Relay: []string{"relay"}, Clock: p.clock, Terms: agent.Terms{Beat: 200 * time.Millisecond,
			Lease: time.Hour, Grace: time.Hour},
		Open: func(*hosts.Launcher, clock.Clock) (provider.Provider, error) { return p, nil },
	})
}

// fleetOf is a fleet of the blocks of a provider, with the real clock if there is none.
func fleetOf(study string, h *hosts.Launcher, p provider.Provider, at clock.Clock) *nodes.Fleet {
	return nodes.New(study, nodes.Config{
		Hosts: h, Relay: []string{"relay"}, Clock: at,
		Open: func(*hosts.Launcher, clock.Clock) (provider.Provider, error) { return p, nil },
	})
}

// noError reports an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestFleetConforms(t *testing.T) {
	p := newInProcess(t)
	launchers := launch.Registry{
		"test": func(study string) launch.Launcher { return p.fleet(study, &hosts.Launcher{Name: "test", Cores: 2}) },
	}
	launchtest.Conform(t, launchers, "test", mocked(t))
}

// The launcher over the providers that need no other machine's help: each passes the suite of launchers.

// serveRelay makes this executable a relay, if it was started as one.
func serveRelay() {
	if len(os.Args) != 3 || os.Args[1] != "relay" {
		return
	}
	r, err := agent.New(agent.PlaceFromEnvironment(), clock.Real)
	if err == nil {
		err = r.CallHome(context.Background(), os.Args[2], func(text string) { fmt.Fprintln(os.Stderr, text) })
		_ = r.Close() // the process ends
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// conforms holds the launcher over a provider to the suite.
func conforms(t *testing.T, h *hosts.Launcher, open func(*hosts.Launcher, clock.Clock) (provider.Provider, error)) {
	solver := mocked(t)
	h.Lease, h.Grace = time.Minute, 5*time.Second // no node is lost because this machine is busy
	launchers := launch.Registry{h.Name: func(study string) launch.Launcher {
		return nodes.New(study, nodes.Config{Hosts: h, Open: open, Relay: []string{solver.Command[0], "relay"}})
	}}
	launchtest.Conform(t, launchers, h.Name, solver)
}

func TestCommandConforms(t *testing.T) {
	testenv.Long(t, "starts relays as an engine does")
	list := must.Value(hosts.Load(filepath.Join("..", "..", "..", "config", "hosts", "examples", "here.yaml")))(t)
	conforms(t, &list[0], func(l *hosts.Launcher, at clock.Clock) (provider.Provider, error) {
		return command.New(l, at)
	})
}

func TestSlurmConforms(t *testing.T) {
	slurmtest.Start(t, 2)
	conforms(t, &hosts.Launcher{Name: "cluster", Provider: hosts.Slurm, Blocks: 2, Cores: 1, Memory: 1 << 30},
		func(l *hosts.Launcher, at clock.Clock) (provider.Provider, error) { return slurm.New(l, at), nil })
}

// Blocks of a minute, of which Slurm warns as soon as they begin, make runs of twenty seconds, and are given back.
func TestSlurmBlocksOfAMinute(t *testing.T) {
	slurmtest.Start(t, 2)
	solver := mocked(t)
	h := &hosts.Launcher{Name: "cluster", Provider: hosts.Slurm, Blocks: 2, Cores: 1, Time: time.Minute,
		Lease: time.Minute}
	launchers := launch.Registry{h.Name: func(study string) launch.Launcher {
		return nodes.New(study, nodes.Config{Hosts: h, Relay: []string{solver.Command[0], "relay"},
			Open: func(l *hosts.Launcher, at clock.Clock) (provider.Provider, error) { return slurm.New(l, at), nil }})
	}}
	host := must.Value(attempt.NewHost(t.TempDir(), launchers, h.Name))(t)
	p := pool.Pool{Runner: attempt.Runner{Host: host, Program: solver, Study: "test"}, Policy: run.DefaultPolicy()}
	var jobs []run.Job
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		jobs = append(jobs, run.Job{Name: name, Request: plugin.Request{
			Numbers: map[string]float64{"x": 2}, Texts: map[string]string{"script": "sleep 20s"}}})
	}
	began := clock.Real.Now()
	for _, o := range must.Value(p.Run(t.Context(), jobs))(t) {
		if !o.OK() || o.Attempts > 2 { // the second if the first began late on a busy machine
			t.Errorf("%s: %s after %d attempts: %v", o.Job.Name, o.Class, o.Attempts, o.Err)
		}
	}
	t.Logf("%d runs in %v", len(jobs), clock.Since(clock.Real, began))
	noError(t, host.Close())
}
