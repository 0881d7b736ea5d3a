package agent

// A host and a relay in this process, over a connection of this machine. What they have made is gone when a test ends.

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// noError reports an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestMain(m *testing.M) {
	mock.Serve()
	os.Exit(m.Run())
}

// hang is a time after which a test gives up; nothing takes as long that is to happen.
const hang = time.Minute

// clean gives the test a temporary folder of its own, and holds in the end that no file, no open file, no goroutine
// and no process of it is left.
func clean(t *testing.T) {
	t.Helper()
	tmp, err := os.MkdirTemp("", "pgr") // short, for sockets
	must.OK(t, err)
	t.Setenv("TMPDIR", tmp)
	goroutines, files, children := runtime.NumGoroutine(), openFiles(), process.Children(os.Getpid())
	t.Cleanup(func() {
		eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
		eventually(t, "open files are left", func() bool { return openFiles() <= files })
		if !children && process.Children(os.Getpid()) {
			t.Error("a process is left")
		}
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("left in the temporary folder: %v", left)
		}
		if t.Failed() {
			text := make([]byte, 1<<20)
			t.Logf("%s", text[:runtime.Stack(text, true)])
		}
		_ = os.RemoveAll(tmp)
	})
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd") // none where there is no such folder
	return len(list)
}

// eventually waits until something holds.
func eventually(t *testing.T, not string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hang); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Error(not)
			return
		}
	}
}

// ended waits for a channel that is to be closed.
func awaitEnd(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(hang):
		t.Fatalf("%s goes on", what)
	}
}

// link is a connection between two sides of this process, by way of a proxy that can stop passing bytes, pass them
// late, or cut.
type link struct {
	host, relay net.Conn      // the ends
	late        time.Duration // on the way to the relay

	mu     sync.Mutex
	silent chan struct{} // not nil: nothing passes until it is closed
	conns  []net.Conn
	done   sync.WaitGroup
}

func newLink(t *testing.T) *link {
	t.Helper()
	l := &link{}
	var inner [2]net.Conn
	l.host, inner[0] = socketPair(t)
	l.relay, inner[1] = socketPair(t)
	l.conns = []net.Conn{l.host, l.relay, inner[0], inner[1]}
	l.done.Go(func() { l.pass(inner[1], inner[0], true) })
	l.done.Go(func() { l.pass(inner[0], inner[1], false) })
	t.Cleanup(l.cut)
	return l
}

// listen listens on a port of this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	return must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
}

// socketPair is a TCP connection.
func socketPair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	door := listen(t)
	defer func() { _ = door.Close() }()
	a = must.Value(net.Dial("tcp", door.Addr().String()))(t)
	b = must.Value(door.Accept())(t)
	return a, b
}

func (l *link) pass(to, from net.Conn, toRelay bool) {
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if toRelay && l.late > 0 {
			time.Sleep(l.late)
		}
		l.mu.Lock()
		silent := l.silent
		l.mu.Unlock()
		if silent != nil {
			<-silent
		}
		if err == nil {
			_, err = to.Write(piece[:n])
		}
		if err != nil {
			_ = to.Close()
			_ = from.Close()
			return
		}
	}
}

// mute has nothing pass any more, and breaks nothing.
func (l *link) mute() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.silent == nil {
		l.silent = make(chan struct{})
	}
}

// cut ends the connection.
func (l *link) cut() {
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.mu.Lock()
	if l.silent != nil {
		close(l.silent)
		l.silent = nil
	}
	l.mu.Unlock()
	l.done.Wait()
}

// pair is a host and a relay that are connected.
type pair struct {
	t     testing.TB
	relay *Relay
	node  *Node
	link  *link
	ended chan struct{} // closed when the relay serves no more, and err says why
	err   error
	close func()
}

// clocks are those of both sides.
type clocks struct{ host, relay clock.Clock }

var realClocks = clocks{clock.Real, clock.Real}

// terms with which nothing is lost by chance.
var longTerms = Terms{Beat: 50 * time.Millisecond, Lease: hang, Grace: hang}

func newRelay(t *testing.T, at clock.Clock) *Relay {
	t.Helper()
	r := must.Value(New(NodeInfo{Node: "n1", Block: "b1", Folder: t.TempDir()}, at))(t)
	t.Cleanup(func() {
		noError(t, r.Close())
		if r.Busy() {
			t.Error("processes of the relay are left")
		}
	})
	return r
}

// meet connects a host to a relay.
func meet(t *testing.T, r *Relay, l *link, terms Terms) *pair {
	t.Helper()
	p := &pair{t: t, relay: r, link: l, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = r.Serve(t.Context(), l.relay)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	p.node = must.Value(Meet(ctx, l.host, terms))(t)
	p.close = sync.OnceFunc(func() {
		p.node.Close()
		l.cut()
		awaitEnd(t, "the relay", p.ended)
	})
	t.Cleanup(p.close)
	return p
}

func newPair(t *testing.T) *pair {
	t.Helper()
	clean(t)
	return meet(t, newRelay(t, clock.Real), newLink(t), longTerms)
}

// host starts plugins on a node; nil: on this machine.
func host(t *testing.T, n hosting.Node) *hosting.Host {
	t.Helper()
	h := hosting.NewHost(filepath.Join(t.TempDir(), "certificate"))
	h.Node = n
	t.Cleanup(func() { noError(t, h.Close()) })
	return h
}

// start starts a mock.
func start(t *testing.T, h *hosting.Host, folder string, change func(*hosting.Program)) *hosting.Process {
	t.Helper()
	command, env, err := mock.Command()
	must.OK(t, err)
	program := hosting.Program{Handshake: plugin.Handshake, Command: command, Environment: env,
		LogPath: filepath.Join(folder, plugin.LogFile)}
	if change != nil {
		change(&program)
	}
	p := must.Value(h.Start(t.Context(), program))(t)
	t.Cleanup(func() { p.Stop(0) })
	return p
}

// wants fails the test unless an error says something.
func wants(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one of %q", texts)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}

// lost returns why a node was lost.
func lost(t *testing.T, n *Node) error {
	t.Helper()
	awaitEnd(t, "the node", n.Done())
	var lost *LostError
	if !errors.As(n.Err(), &lost) || lost.LostMachine() != "n1" {
		t.Fatalf("it ended with %v", n.Err())
	}
	return lost
}

// study is a folder with certificates.
func study(t *testing.T) *certificate.Store {
	t.Helper()
	return must.Value(certificate.Open(filepath.Join(t.TempDir(), "certificate")))(t)
}

// keysOf are those that a study gives to its relays.
func keysOf(t testing.TB, s *certificate.Store) map[string][]byte {
	t.Helper()
	return must.Value(s.Keys())(t)
}

// discard reads a connection to its end.
func discard(c io.Reader) { _, _ = io.Copy(io.Discard, c) }
