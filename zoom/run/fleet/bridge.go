package fleet

// The way from other processes of this machine to tasks: through the host that has the nodes' connections. A socket in the host's
// scratch folder takes one line, which says what is wanted of which task. What follows a dial are the bytes of the connection, which
// the solver's certificates protect end to end.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/local"
)

// wish is the line.
type wish struct {
	Node    string `json:"node"`
	Number  uint64 `json:"number"`
	Want    string `json:"want"` // look, kill, or dial
	Network string `json:"network,omitempty"`
	Address string `json:"address,omitempty"`
}

// reply is its answer.
type reply struct {
	Lives bool          `json:"lives"`
	Used  process.Usage `json:"used,omitzero"`
	Error string        `json:"error,omitempty"`
}

// openBridge listens for other processes.
func (f *Fleet) openBridge() (err error) {
	if f.scratch, err = hosting.MakeScratch(); err != nil {
		return err
	}
	f.bridge, err = net.Listen("unix", filepath.Join(f.scratch, "bridge"))
	if err != nil {
		return errors.Join(err, os.RemoveAll(f.scratch))
	}
	f.work.Go(func() {
		for {
			conn, err := f.bridge.Accept()
			if err != nil {
				return
			}
			f.work.Go(func() { f.serveWish(conn) })
		}
	})
	return nil
}

// wishTime bounds how long somebody may take to say what is wanted.
const wishTime = 5 * time.Second

// mostWish is the length of the line, bytes.
const mostWish = 4096

func (f *Fleet) serveWish(conn net.Conn) {
	defer context.AfterFunc(f.ctx, func() { _ = conn.Close() })()
	_ = conn.SetReadDeadline(clock.Real.Now().Add(wishTime)) // of a socket: it has deadlines
	in := bufio.NewReaderSize(io.LimitReader(conn, mostWish), mostWish)
	line, err := in.ReadBytes('\n')
	var w wish
	if err == nil {
		err = json.Unmarshal(line, &w)
	}
	if err != nil {
		_ = conn.Close()
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	m, err := f.member(w.Node)
	r := reply{}
	var there net.Conn
	switch {
	case err != nil:
	case w.Want == "kill":
		m.node.Kill(w.Number)
	case w.Want == "dial":
		there, err = m.node.Dial(f.ctx, w.Network, w.Address)
		r.Lives = err == nil
	default:
		r.Lives = m.node.Lives(w.Number)
		r.Used = m.node.Used(w.Number)
	}
	if err != nil {
		r.Error = err.Error()
	}
	answer, err := json.Marshal(r)
	if err == nil {
		_, err = conn.Write(append(answer, '\n'))
	}
	if there == nil || err != nil {
		_ = conn.Close()
		return
	}
	pipe(conn, there)
}

// pipe carries bytes both ways until one side ends, and closes both.
func pipe(a, b net.Conn) {
	var wg sync.WaitGroup
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		wg.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // an error ends the other way, too
			_ = way[0].Close()
			_ = way[1].Close()
		})
	}
	wg.Wait()
}

// ask sends a wish to a host and returns its answer, and the connection behind a dial.
func (h *Handle) ask(ctx context.Context, want string) (reply, net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", h.Bridge)
	if err != nil {
		return reply{}, nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	line, err := json.Marshal(wish{Node: h.Node, Number: h.Number, Want: want, Network: h.Network, Address: h.Address})
	var r reply
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	in := make([]byte, 0, 256)
	for b := make([]byte, 1); err == nil; in = append(in, b[0]) { // byte by byte: what follows is not ours
		if _, err = conn.Read(b); err != nil || b[0] == '\n' {
			break
		}
	}
	if err == nil {
		err = json.Unmarshal(in, &r)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil || want != "dial" || !r.Lives {
		return r, nil, errors.Join(err, conn.Close())
	}
	return r, conn, nil
}

// recovered is a task of another host of this machine.
type recovered struct {
	handle Handle
	text   launch.Handle
	conn   *grpc.ClientConn
	life   context.Context // ends with Release
	end    context.CancelFunc

	watch sync.Once
	done  chan struct{}
}

var _ launch.Task = (*recovered)(nil)

// attach reaches a task through its host.
func attach(h Handle, text launch.Handle) (*recovered, error) {
	t := &recovered{handle: h, text: text, done: make(chan struct{})}
	t.life, t.end = context.WithCancel(context.Background())
	var err error
	t.conn, err = hosting.DialBy(filepath.Join(h.Study, local.CertificateDir), func(ctx context.Context) (net.Conn, error) {
		r, conn, err := h.ask(ctx, "dial")
		if err == nil && conn == nil {
			err = errors.New(r.Error)
		}
		return conn, err
	})
	if err != nil {
		t.end()
		return nil, err
	}
	return t, nil
}

func (t *recovered) Handle() launch.Handle { return t.text }
func (t *recovered) Place() launch.Place {
	return launch.Place{Machine: t.handle.Node, PID: t.handle.Process.PID, Block: t.handle.Block}
}
func (t *recovered) Conn() grpc.ClientConnInterface { return t.conn }

// Turn does nothing: the host that started the process looks after its log.
func (t *recovered) Turn(string) {}

func (t *recovered) Used() process.Usage {
	r, _, _ := t.handle.ask(t.life, "look") // nothing is known of a process that cannot be asked about
	return r.Used
}

func (t *recovered) Children() bool { return false }

// Done polls the process through its host, from the first call until Release.
func (t *recovered) Done() <-chan struct{} {
	t.watch.Do(func() {
		go func() { // ends with the process, its host or Release
			for {
				r, _, err := t.handle.ask(t.life, "look")
				if t.life.Err() != nil {
					return
				}
				if err != nil || !r.Lives {
					close(t.done)
					return
				}
				_ = clock.Sleep(t.life, clock.Real, pollTime) // the next round sees why
			}
		}()
	})
	return t.done
}

// pollTime is how often Done looks.
const pollTime = 100 * time.Millisecond

// Ending is unknown: only the host that started the process hears it.
func (t *recovered) Ending() launch.Ending {
	return launch.Ending{Text: "its end was not seen", Fault: true}
}

func (t *recovered) Stop(grace time.Duration) {
	done := t.Done()
	ctx, cancel := context.WithTimeout(t.life, grace)
	defer cancel()
	_ = plugin.NewClient(t.conn).Control(ctx, plugin.Command{Verb: plugin.Stop}) // a solver that did not get it is killed after grace
	select {
	case <-done:
	case <-ctx.Done():
		_, _, _ = t.handle.ask(t.life, "kill") // a host that is gone has nothing to kill
		<-done
	}
	t.Release()
}

func (t *recovered) Release() {
	t.end()
	_ = t.conn.Close() // an error means it is closed
}
