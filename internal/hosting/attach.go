package hosting

// Plugins that another host has started. A host attaches to them by their address; for it they are like its own.

import (
	"context"
	"io"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Attach returns a plugin that another host has started: the process body, which listens at an address on a node; a
// node of nil is this machine. The certificates are the host's. No call has been made yet.
func (h *Host) Attach(at Node, body Body, network, address string) (*Process, error) {
	if at == nil {
		at = &h.here
	}
	p := &Process{ID: body.ID(), Network: network, Address: address, runner: &bodyRunner{node: at,
		clock: clock.Or(h.Clock), done: make(chan struct{}), body: body, network: network, address: address}}
	go func() { // ends with the process, or with Release
		<-body.Done()
		close(p.runner.done)
	}()
	var err error
	p.Conn, err = dial("passthrough:plugin", h.folder, grpc.WithContextDialer(p.dial))
	return p, err
}

// shutdown asks an attached plugin to end, as go-plugin asks its own.
func (p *Process) shutdown() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with the call, which ends with the process
		<-p.runner.done
		cancel()
	}()
	_ = p.Conn.Invoke(ctx, "/plugin.GRPCController/Shutdown", &emptypb.Empty{}, &emptypb.Empty{})
	_ = p.Conn.Close() // it ends, or is killed
}

// Found is a process of this machine that another process started. Its end is noticed by polling, and its ending is
// unknown: the system reports it to the parent process only.
func Found(id process.ID) Body {
	f := &found{id: id, done: make(chan struct{})}
	f.life, f.end = context.WithCancel(context.Background())
	return f
}

type found struct {
	id    process.ID
	life  context.Context // ends with Free
	end   context.CancelFunc
	watch sync.Once
	done  chan struct{}
}

func (f *found) ID() process.ID        { return f.id }
func (f *found) Stdout() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }
func (f *found) Look()                 {}
func (f *found) Terminate()            {}
func (f *found) Kill()                 { process.Kill(f.id) }
func (f *found) Turn(string)           {}
func (f *found) Used() process.Usage   { return process.Used(f.id.PID) }
func (f *found) Children() bool        { return process.Children(f.id.PID) }
func (f *found) Ending() Ending        { return Ending{Text: "its end was not seen", Fault: true} }
func (f *found) Free()                 { f.end() }
func (f *found) Done() <-chan struct{} {
	f.watch.Do(func() {
		go func() { // ends with the process or with Free
			_ = f.id.Wait(f.life)
			close(f.done)
		}()
	})
	return f.done
}
