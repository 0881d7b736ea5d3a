package nodes

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

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
	t.conn, err = hosting.DialBy(filepath.Join(h.Study, local.CertificateDir),
		func(ctx context.Context) (net.Conn, error) {
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
func (t *recovered) Place() launch.Location {
	return launch.Location{Machine: t.handle.Node, PID: t.handle.Process.PID, Block: t.handle.Block}
}
func (t *recovered) Conn() grpc.ClientConnInterface { return t.conn }

// Turn has no effect: the host that started the process handles its log.
func (t *recovered) Turn(string) {}

func (t *recovered) Used() process.Usage {
	r, _, _ := t.handle.ask(t.life, "look") // zero if the process cannot be queried
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

// Ending is unknown: only the host that started the process learns it.
func (t *recovered) Ending() launch.Ending {
	return launch.Ending{Text: "its end was not seen", Fault: true}
}

func (t *recovered) Stop(grace time.Duration) {
	done := t.Done()
	ctx, cancel := context.WithTimeout(t.life, grace)
	defer cancel()
	_ = plugin.NewClient(t.conn).Stop(ctx, "") // a solver that did not get it is killed after grace
	select {
	case <-done:
	case <-ctx.Done():
		_, _, _ = t.handle.ask(t.life, "kill") // without its host the process ends by itself
		<-done
	}
	t.Release()
}

func (t *recovered) Release() {
	t.end()
	_ = t.conn.Close() // an error means it is closed
}
