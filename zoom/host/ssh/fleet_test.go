package ssh_test

// Relays through ssh, as a fleet has them.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/sshtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// terms are shorter than those of a study.
var terms = agent.Terms{Beat: 200 * time.Millisecond, Lease: 8 * time.Second, Grace: 5 * time.Second}

func newFleet(t *testing.T, study string, l *hosts.Launcher) *nodes.Fleet {
	self, err := os.Executable()
	noError(t, err)
	return nodes.New(study, nodes.Config{
		Hosts: l, Relay: []string{self, relayArg}, Terms: terms,
		Open: func(l *hosts.Launcher, at clock.Clock) (provider.Provider, error) {
			return ssh.New(l, []string{self, bridgeArg}, at), nil
		},
	})
}

func mocked(t *testing.T) launch.Program {
	t.Helper()
	command, env, err := mock.Command()
	must.OK(t, err)
	return launch.Program{Command: command, Environment: env}
}

// A fleet of hosts is as any launcher. Nothing is left of it.
func TestFleetConforms(t *testing.T) {
	t.Parallel()
	s := sshtest.Start(t, 1)
	l := installed(t, s)
	l.Hosts[0].Cores = 4  // also on a machine of one
	l.Lease = time.Minute // no node is lost because this machine is busy
	launchers := launch.Registry{l.Name: func(study string) launch.Launcher { return newFleet(t, study, l) }}
	launchtest.Conform(t, launchers, l.Name, mocked(t))
	s.AwaitNone()
}

// start places a task and starts it.
func start(t *testing.T, f *nodes.Fleet, study, run string) (launch.Task, nodes.Handle) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	folder := filepath.Join(study, run)
	must.OK(t, os.Mkdir(folder, 0o700))
	var task launch.Task
	for task == nil {
		slot, release, err := f.Place(ctx, launch.Need{Name: run, Cores: 1}, nil)
		must.OK(t, err)
		task, err = f.Start(ctx, launch.TaskSpec{Program: mocked(t), Slot: slot, Folder: folder})
		var lost *agent.LostError
		switch {
		case errors.As(err, &lost): // just now
			release()
		case err != nil:
			t.Fatal(err)
		default:
			t.Cleanup(release)
		}
	}
	var h nodes.Handle
	must.OK(t, json.Unmarshal(task.Handle(), &h))
	return task, h
}

// A run whose ssh is killed goes on by another connection to the same relay. When the relay is killed, the run is
// lost, and another relay takes its place.
func TestKilled(t *testing.T) {
	testenv.Long(t, "kills calls of ssh")
	t.Parallel()
	s := sshtest.Start(t, 1)
	l, folder := installed(t, s), t.TempDir()
	l.Hosts[0].Cores = 7 // as the hosts file says, and not as many as there are
	f := newFleet(t, folder, l)
	block := ""
	defer func() {
		noError(t, f.Close())
		s.AwaitNone()
		printed := filepath.Join(folder, ".blocks", "block-"+block+".txt")
		text, err := os.ReadFile(printed)
		// of a test with coverage
		said := strings.ReplaceAll(string(text), "warning: GOCOVERDIR not set, no coverage data emitted\n", "")
		if err != nil || said != "the relay says something\n" {
			t.Errorf("the last relay printed %q, %v", text, err)
		}
	}()
	task, first := start(t, f, folder, "first")
	if room, _ := f.Room(); room != 7 {
		t.Errorf("room for %d cores, want 7", room)
	}
	s.KillClients()
	if _, err := plugin.NewClient(task.Conn()).Describe(t.Context()); err != nil {
		t.Errorf("the task does not answer by the next connection: %v", err)
	}
	process.Kill(first.Relay)
	select {
	case <-task.Done():
		if !task.Ending().Lost {
			t.Errorf("the task whose relay was killed ended: %+v", task.Ending())
		}
	case <-time.After(time.Minute):
		t.Fatal("nobody notices that the relay was killed")
	}
	task, second := start(t, f, folder, "second")
	if second.Relay == first.Relay || second.Block == first.Block {
		t.Errorf("the second run has relay %v in block %s, which have ended", second.Relay, second.Block)
	}
	task.Stop(time.Second)
	block = second.Block
}

// A run whose ssh falls silent is lost with the lease, and its process ends. Another run begins on the host, by the
// same relay if that is back in time.
func TestFrozen(t *testing.T) {
	testenv.Long(t, "kills calls of ssh")
	t.Parallel()
	s := sshtest.Start(t, 1)
	folder := t.TempDir()
	f := newFleet(t, folder, installed(t, s))
	defer func() {
		noError(t, f.Close())
		s.AwaitNone()
	}()
	task, first := start(t, f, folder, "first")
	for _, id := range s.Clients() {
		must.OK(t, exec.Command("kill", "-STOP", strconv.Itoa(id.PID)).Run())
	}
	select {
	case <-task.Done():
		if !task.Ending().Lost {
			t.Errorf("the task whose ssh was frozen ended: %+v", task.Ending())
		}
	case <-time.After(time.Minute):
		t.Fatal("nobody notices that ssh was frozen")
	}
	task, _ = start(t, f, folder, "second")
	if err := first.Process.Wait(t.Context()); err != nil {
		t.Errorf("the process that was given up does not end: %v", err)
	}
	task.Stop(time.Second)
}

// connection is one that a provider has made.
type connection struct {
	block, node string
	conn        io.ReadWriteCloser
}

// relayRequest asks for relays, whose connections go to a channel.
func relayRequest(t testing.TB) (provider.Request, chan connection) {
	t.Helper()
	self := must.Value(os.Executable())(t)
	come := make(chan connection, 10)
	r := request(t, self, relayArg, "home")
	r.Connected = func(block, node string, conn io.ReadWriteCloser) { come <- connection{block, node, conn} }
	return r, come
}

// meet greets the relay of the next connection. A relay that had another host closes the first one, which does not
// know what was under way.
func meet(t testing.TB, host *agent.Exchange, come <-chan connection) *agent.Node {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		select {
		case c := <-come:
			line := must.Value(host.Answer(ctx, c.conn))(t)
			if line == nil {
				continue
			}
			n := must.Value(agent.Meet(ctx, line, terms))(t)
			if n.Name() != c.node || n.Facts.GetBlock() != c.block {
				t.Errorf("relay of %s, block %s; want %s, %s", n.Name(), n.Facts.GetBlock(), c.node, c.block)
			}
			return n
		case <-ctx.Done():
			t.Fatal("no connection")
		}
	}
}

// A relay outlives the process that had it started. The next one of the same study finds it; another study does not.
// One that nobody finds ends by itself, and takes its folder along.
func TestTakenOver(t *testing.T) {
	testenv.Long(t, "waits for relays that end by themselves")
	t.Parallel()
	s := sshtest.Start(t, 2)
	l := installed(t, s)
	l.Hosts[0].Folder = filepath.Join(t.TempDir(), "it's  here")
	r, come := relayRequest(t)
	before := open(t, l, clock.Real)
	ids := must.Value(before.Submit(t.Context(), r, 2))(t)
	nodes := map[string]*agent.Node{}
	var host agent.Exchange
	for range ids {
		n := meet(t, &host, come)
		nodes[n.Name()] = n
	}
	must.OK(t, before.Close()) // as if it were killed: nobody dismisses the relays
	for _, n := range nodes {
		<-n.Done()
		n.Close()
	}
	after := open(t, &hosts.Launcher{Name: l.Name, Provider: l.Provider, Options: l.Options, Program: l.Program,
		Hosts: l.Hosts[:1]}, clock.Real)
	defer func() { _ = after.Close() }()
	if states, err := after.List(t.Context(), "another"); err != nil || len(states) > 0 {
		t.Errorf("blocks of another study: %v, %v", states, err)
	}
	states, err := after.List(t.Context(), r.Study)
	if err != nil || len(states) != 1 || states[0].ID != ids[0] || states[0].Phase != provider.Running {
		t.Fatalf("blocks found: %+v, %v; want %s", states, err, ids[0])
	}
	after.Resume(r, ids)
	var next agent.Exchange
	n := meet(t, &next, come)
	if n.Facts.GetPid() != nodes["h1"].Facts.GetPid() || n.Facts.GetFolder() != l.Hosts[0].Folder {
		t.Errorf("relay %d in %s, want %d in %s", n.Facts.GetPid(), n.Facts.GetFolder(), nodes["h1"].Facts.GetPid(),
			l.Hosts[0].Folder)
	}
	n.Dismiss(t.Context())
	await(t, after, ids[0], provider.Ended)
	s.AwaitNone() // of h2 neither: its relay waits no longer than agreed
	for _, id := range ids {
		if left, err := filepath.Glob("/tmp/peregrine.*/" + id[len("h1-"):]); err != nil || len(left) > 0 {
			t.Errorf("left: %q, %v", left, err)
		}
	}
}

// What a relay leaves that is killed with its bridge, the next bridge sweeps.
func TestSwept(t *testing.T) {
	t.Parallel()
	s := sshtest.Start(t, 1)
	l := installed(t, s)
	r, come := relayRequest(t)
	p := open(t, l, clock.Real)
	ids := must.Value(p.Submit(t.Context(), r, 1))(t)
	var host agent.Exchange
	meet(t, &host, come)
	noError(t, p.Close())
	s.KillSessions()
	s.AwaitEnd()
	if sockets := s.Temporary(); len(sockets) != 1 {
		t.Errorf("a relay that is killed leaves %q, want the folder of its sockets", sockets)
	}
	left, err := filepath.Glob("/tmp/peregrine.*/" + ids[0][len("h1-"):])
	if err != nil || len(left) != 1 {
		t.Fatalf("left: %q, %v", left, err)
	}
	long := time.Now().Add(-time.Hour)
	must.OK(t, os.Chtimes(left[0], long, long))
	p = open(t, l, clock.Real)
	defer func() { _ = p.Close() }()
	ids = must.Value(p.Submit(t.Context(), r, 1))(t)
	meet(t, &host, come).Dismiss(t.Context())
	await(t, p, ids[0], provider.Ended)
	if _, err := os.Stat(left[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", left[0], err)
	}
	s.AwaitNone()
}
