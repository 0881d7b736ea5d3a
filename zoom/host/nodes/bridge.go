package nodes

// The connection from other processes of this machine to tasks, through the host that is connected to the nodes. A
// socket in the host's scratch folder takes one line, which names the task and the action. After a dial the bytes of
// the connection follow, which the solver's certificates protect end to end.

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

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
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

// bridge is the host's side.
type bridge struct {
	scratch string // folder
	socket  net.Listener
	node    func(name string) (*agent.Node, error)
	ctx     context.Context // ends with close
	end     context.CancelFunc
	work    sync.WaitGroup
}

// openBridge listens for other processes.
func openBridge(node func(name string) (*agent.Node, error)) (*bridge, error) {
	b := &bridge{node: node}
	var err error
	if b.scratch, err = hosting.MakeScratch(); err != nil {
		return nil, err
	}
	if b.socket, err = net.Listen("unix", filepath.Join(b.scratch, "bridge")); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.scratch))
	}
	b.ctx, b.end = context.WithCancel(context.Background())
	b.work.Go(func() {
		for {
			conn, err := b.socket.Accept()
			if err != nil {
				return
			}
			b.work.Go(func() { b.serve(conn) })
		}
	})
	return b, nil
}

// path returns the path of the socket.
func (b *bridge) path() string { return b.socket.Addr().String() }

func (b *bridge) close() error {
	b.end()
	_ = b.socket.Close() // the folder is removed too
	b.work.Wait()
	return os.RemoveAll(b.scratch)
}

// wishTime is the time limit for sending the line.
const wishTime = 5 * time.Second

// mostWish is the length of the line, bytes.
const mostWish = 4096

func (b *bridge) serve(conn net.Conn) {
	defer context.AfterFunc(b.ctx, func() { _ = conn.Close() })()
	_ = conn.SetReadDeadline(clock.Real.Now().Add(wishTime)) // sockets have deadlines
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
	n, err := b.node(w.Node)
	r := reply{}
	var there net.Conn
	switch {
	case err != nil:
	case w.Want == "kill":
		n.Kill(w.Number)
	case w.Want == "dial":
		there, err = n.Dial(b.ctx, w.Network, w.Address)
		r.Lives = err == nil
	default:
		r.Lives = n.Lives(w.Number)
		r.Used = n.Used(w.Number)
	}
	if err != nil {
		r.Error = err.Error()
	}
	r.send(conn, there)
}

// send answers at a connection, and joins it with the dialled one; nil: none. Both are closed in the end.
func (r reply) send(conn, there net.Conn) {
	answer, err := json.Marshal(r)
	if err == nil {
		_, err = conn.Write(append(answer, '\n'))
	}
	switch {
	case there == nil:
		_ = conn.Close()
	case err != nil: // the caller has left
		_, _ = conn.Close(), there.Close()
	default:
		agent.Join(conn, there)
	}
}
