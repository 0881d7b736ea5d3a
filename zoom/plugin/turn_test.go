package plugin

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// quiet is a solver that answers at once.
type quiet struct{}

func (quiet) Describe() Description {
	return Description{Name: "quiet", Version: "1", Fidelity: "none", Reusable: true}
}

func (quiet) Run(context.Context, Request, func(event.Event)) (Result, error) {
	return Result{Class: event.Converged}, nil
}

// outcomes is a stream that keeps the last result.
type outcomes struct {
	grpc.ServerStream
	ctx  context.Context
	last Result
}

func (o *outcomes) Context() context.Context { return o.ctx }
func (o *outcomes) Send(r *pb.RunReply) error {
	if r.GetOutcome() != nil {
		o.last = decodeResult(r.GetOutcome())
	}
	return nil
}

// Where there is no room for the log of the next run, that run failed for the machine's sake.
func TestNoRoomForTheNextLog(t *testing.T) {
	for err, want := range map[error]Result{
		nil:            {Class: event.Converged},
		syscall.ENOSPC: {Class: event.Crashed, MachineFault: true},
		syscall.EBADF:  {Class: event.Crashed},
	} {
		s := newServer(quiet{})
		s.prints = func(*os.File) error { return err }
		first := t.TempDir()
		s.log = filepath.Join(first, LogFile)
		must.OK(t, os.WriteFile(s.log, []byte("it printed\n"), 0o644)) // so that it does not go along
		o := &outcomes{ctx: t.Context()}
		must.OK(t, s.Run(encodeRequest(Request{Run: "next", Folder: t.TempDir()}), o))
		if o.last.Class != want.Class || o.last.MachineFault != want.MachineFault {
			t.Errorf("%v: %+v", err, o.last)
		}
	}
}
