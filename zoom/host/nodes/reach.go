package nodes

// How tasks are reached: by a host through its own connection to the node, and by other processes of its machine
// through the host. A socket in the host's scratch folder takes the name of a node in a line, and answers with a byte.
// Then it is a stream to the node's relay, like the host's own. The solver's certificates protect its bytes end to end.

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// Handle is the content of a launch.Handle.
type Handle struct {
	Node     string     `json:"node"`
	Boot     string     `json:"boot,omitempty"` // of the node
	Block    string     `json:"block,omitempty"`
	Process  process.ID `json:"process"` // on the node
	Number   uint64     `json:"number"`  // of the process, to the relay
	Network  string     `json:"network"` // where it listens there
	Address  string     `json:"address"`
	Bridge   string     `json:"bridge"` // socket of the host
	Relay    process.ID `json:"relay"`  // on the node
	Host     process.ID `json:"host"`
	HostBoot string     `json:"host_boot,omitempty"`
	Study    string     `json:"study"`
	Lease    float64    `json:"lease"` // time from the last sign of the host until no process of it can live, s
}

// is reports whether the handle names a process of a relay on a node.
func (h *Handle) is(p *pb.Process) bool {
	return h.Number == p.GetNumber() && h.Process == process.ID{PID: int(p.GetPid()), Mark: p.GetMark()}
}

// bridge is the host's side for other processes.
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

// Limits of the line: its time, and its length in bytes.
const (
	lineTime = 5 * time.Second
	mostLine = 512
)

// Answers to the line.
const (
	passes = "+" // the bytes of the stream follow
	absent = "-" // the host has no such node
)

func (b *bridge) serve(conn net.Conn) {
	defer context.AfterFunc(b.ctx, func() { _ = conn.Close() })()
	_ = conn.SetReadDeadline(clock.Real.Now().Add(lineTime)) // sockets have deadlines
	line, err := bufio.NewReaderSize(io.LimitReader(conn, mostLine), mostLine).ReadString('\n')
	_ = conn.SetReadDeadline(time.Time{})
	var there net.Conn
	answer := passes
	if err == nil {
		n, nerr := b.node(strings.TrimSuffix(line, "\n"))
		if nerr != nil {
			answer = absent
		} else {
			there, err = n.Open()
		}
	}
	if err == nil {
		_, err = io.WriteString(conn, answer)
	}
	if there != nil && err == nil {
		agent.Join(conn, there)
		return
	}
	_ = conn.Close()
	if there != nil {
		_ = there.Close()
	}
}

// errAbsent reports that a host lost the node of a task, and with it the task.
var errAbsent = errors.New("the node was lost")

// visit opens a stream to the task's relay through its host.
func (h *Handle) visit() (net.Conn, error) {
	conn, err := net.Dial("unix", h.Bridge)
	if err != nil {
		return nil, err
	}
	_ = conn.SetReadDeadline(clock.Real.Now().Add(lineTime))
	answer := make([]byte, 1)
	if _, err = io.WriteString(conn, h.Node+"\n"); err == nil {
		_, err = io.ReadFull(conn, answer)
	}
	_ = conn.SetReadDeadline(time.Time{})
	if err == nil && string(answer) == absent {
		err = errAbsent
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
