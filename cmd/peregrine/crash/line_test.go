//go:build linux

package crash

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// The network between the machines and the host: what relays take for the host's address passes bytes on to it, until
// it is cut, or silent.

// line is that network.
type line struct {
	t      *trial
	socket net.Listener
	gate   sync.RWMutex // held for writing: silent
	mu     sync.Mutex
	conns  map[net.Conn]bool
	cut    bool
}

func newLine(t *trial) *line {
	t.Helper()
	socket := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	l := &line{t: t, socket: socket, conns: map[net.Conn]bool{}}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			work.Go(func() { l.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = socket.Close()
		l.breakAll()
		work.Wait()
	})
	return l
}

func (l *line) port() int { return l.socket.Addr().(*net.TCPAddr).Port }

// enter notes a connection, or closes it where the network is cut.
func (l *line) enter(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		_ = c.Close()
		return false
	}
	l.conns[c] = true
	return true
}

func (l *line) serve(from net.Conn) {
	defer func() { _ = from.Close() }()
	if !l.enter(from) {
		return
	}
	to, err := net.DialTimeout("tcp", l.host(), time.Second)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	if !l.enter(to) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.pass(to, from) })
	both.Go(func() { l.pass(from, to) })
	both.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, from)
	delete(l.conns, to)
}

// pass passes bytes on while the network is not silent.
func (l *line) pass(to, from net.Conn) {
	defer func() { _ = to.Close() }()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		l.gate.RLock()
		_, werr := to.Write(b[:n])
		l.gate.RUnlock()
		if err != nil || werr != nil {
			return
		}
	}
}

// breakAll breaks all connections.
func (l *line) breakAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Close()
	}
	clear(l.conns)
}

// down breaks all connections and takes no more for a while.
func (l *line) down(while time.Duration) {
	l.mu.Lock()
	l.cut = true
	l.mu.Unlock()
	l.breakAll()
	time.Sleep(while)
	l.mu.Lock()
	l.cut = false
	l.mu.Unlock()
}

// silent passes no byte for a while. What was sent meanwhile comes later, as TCP has it.
func (l *line) silent(while time.Duration) {
	l.gate.Lock()
	defer l.gate.Unlock()
	time.Sleep(while)
}

// host is where the last command of the trial listens, which the line alone is told: by the system's table of sockets.
func (l *line) host() string {
	pid := l.t.last.Load()
	sockets := map[string]bool{}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is right
	for _, f := range files {
		if to, err := os.Readlink(f); err == nil {
			sockets[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table)) // none: the process has ended
		for row := range strings.Lines(string(text)) {
			f := strings.Fields(row) // proc_net(5): number, local address, remote address, state, ..., inode
			if len(f) < 10 || f[3] != "0A" || !sockets[f[9]] {
				continue
			}
			_, port, _ := strings.Cut(f[1], ":")
			if p, err := strconv.ParseUint(port, 16, 16); err == nil {
				return fmt.Sprintf("127.0.0.1:%d", p)
			}
		}
	}
	return "127.0.0.1:1" // nobody is there
}
