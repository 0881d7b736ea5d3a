package plugin

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
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

// Where there is no room for the log of the next run, that run failed for the machine's sake, and ends as others do.
func TestNoRoomForTheNextLog(t *testing.T) {
	for err, want := range map[error]Result{
		nil:            {Class: event.Converged},
		syscall.ENOSPC: {Class: event.Crashed, MachineFault: true},
		syscall.EBADF:  {Class: event.Crashed},
	} {
		s := must.Value(newServer(quiet{}))(t)
		var run *session
		s.prints = func(*os.File) error { run = s.tenancy.running(); return err }
		first := t.TempDir()
		s.log = filepath.Join(first, LogFile)
		must.OK(t, os.WriteFile(s.log, []byte("it printed\n"), 0o644)) // so that it does not go along
		o := &outcomes{ctx: t.Context()}
		must.OK(t, s.Run(encodeRequest(Request{Run: "next", Folder: t.TempDir()}), o))
		if o.last.Class != want.Class || o.last.MachineFault != want.MachineFault {
			t.Errorf("%v: %+v", err, o.last)
		}
		if x := firstReceipt(run, steer.Command{ID: "a", Verb: steer.Stop}); x.State != event.Late {
			t.Errorf("%v: the registry is open: %+v", err, x)
		}
	}
}

// firstReceipt gives a command to a run.
func firstReceipt(run *session, c steer.Command) (first event.Receipt) {
	run.registry.Submit(c, func(x event.Receipt) {
		if first.State == "" {
			first = x
		}
	})
	return first
}

// A solver that does not steer refuses a pause at once, also before its registry is attended. One whose description
// says that it pauses all the same is not served.
func TestSolverThatCannotPause(t *testing.T) {
	s := must.Value(newServer(quiet{}))(t)
	run := newSession(Request{Run: "r"}, nil, &s.tenancy)
	run.broken = true // its events are of no interest
	must.OK(t, s.steerable(run))
	if x := firstReceipt(run, steer.Command{ID: "a", Verb: steer.Pause}); x.State != event.Refused {
		t.Errorf("%+v", x)
	}
	for _, d := range []Description{{Pauses: true}, {Checkpoints: true}, {Pauses: true, Steers: true}} {
		if _, err := newServer(described{d: d}); (err == nil) != d.Steers {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

// The gRPC of each language has its own words for a call that the process does not know.
func TestUnknownCall(t *testing.T) {
	for _, text := range []string{"unknown service peregrine.solver.v3.Solver", "Method not found!"} {
		err := explain(status.Error(codes.Unimplemented, text))
		if !strings.Contains(err.Error(), "use the Peregrine") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// described is a solver with any description.
type described struct {
	quiet
	d Description
}

func (s described) Describe() Description { return s.d }
