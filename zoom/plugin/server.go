package plugin

// The plugin's side of the protocol: a solver behind gRPC.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

type server struct {
	pb.UnimplementedSolverServer
	solver      Solver
	description Description
	tenancy     tenancy
	prints      func(*os.File) error // redirects this process's output to another log; nil: not redirected
	log         string               // path of the present log; empty: no run has begun
}

// newServer returns the server of a solver. It returns an error if the description declares pauses or checkpoints
// without Steers: this package implements them only by the registry of a solver that steers.
func newServer(solver Solver) (*server, error) {
	s := &server{solver: solver, description: solver.Describe()}
	s.tenancy.clock, s.tenancy.exit = clock.Real, func(int) {}
	if d := &s.description; !d.Steers && (d.Pauses || d.Checkpoints) {
		return nil, &DescriptionError{Solver: d.Name, Problems: []string{
			"it says Pauses or Checkpoints, and not Steers: a solver obeys those commands by Request.Steer"}}
	}
	return s, nil
}

func (s *server) register(r grpc.ServiceRegistrar) { pb.RegisterSolverServer(r, s) }

func (s *server) Describe(context.Context, *pb.DescribeRequest) (*pb.Description, error) {
	d := s.solver.Describe()
	d.Judges = d.Steers
	d.Reusable = d.Reusable && (s.prints == nil || process.CanRedirect)
	return encodeDescription(d), nil
}

func (s *server) Lease(r *pb.LeaseRequest, stream grpc.ServerStreamingServer[pb.LeaseReply]) error {
	end := s.tenancy.open(Terms{
		Finish: r.GetFinish(), Grace: time.Duration(r.GetGraceSeconds() * float64(time.Second)),
		Wait: time.Duration(r.GetWaitSeconds() * float64(time.Second)),
	})
	defer end()
	if err := stream.Send(&pb.LeaseReply{Pid: int64(os.Getpid())}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (s *server) Run(r *pb.RunRequest, stream grpc.ServerStreamingServer[pb.RunReply]) error {
	if r.GetAttach() {
		if run := s.tenancy.named(r.GetRun()); run != nil && run.attach(stream, r.GetSeen()) {
			return nil
		}
		return status.Errorf(codes.FailedPrecondition, "run %s waits for no host", r.GetRun())
	}
	if err := s.checkRequest(decodeRequest(r)); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	run := newSession(decodeRequest(r), stream, &s.tenancy)
	if err := s.steerable(run); err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	if !s.tenancy.begin(run) {
		return status.Error(codes.FailedPrecondition, "another run is in progress in this process")
	}
	defer s.tenancy.end()
	defer close(run.over)
	run.begin()
	defer run.cancel(nil)
	if err := s.turn(run.request.Folder); err != nil { // for example a full disk
		run.close()
		return run.finish(failedResult(run.ctx, Result{}, err), s.description)
	}
	defer context.AfterFunc(stream.Context(), func() { run.hostLeft(stream) })()
	res, err := s.solver.Run(run.ctx, run.request, run.emit)
	run.close()
	if err != nil {
		res = failedResult(run.ctx, res, err)
	}
	return run.finish(res, s.description)
}

// turn redirects this process's output to the log of another run; it began with the log of the first run. An empty log
// becomes the log of the next run: most solvers print no text, and making a file costs as much as all other work here.
func (s *server) turn(folder string) error {
	last := s.log
	s.log = filepath.Join(folder, LogFile)
	if s.prints == nil || last == "" {
		return nil
	}
	if info, err := os.Lstat(last); err == nil && info.Mode().IsRegular() && info.Size() == 0 &&
		os.Rename(last, s.log) == nil {
		return nil
	}
	log, err := OpenLog(folder)
	if err != nil {
		return err
	}
	return errors.Join(s.prints(log), log.Close())
}

// checkRequest checks a request against the description, as the host did: a caller may be
// another program, and a solver should not need checks of its input.
func (s *server) checkRequest(r Request) error {
	if info, err := os.Stat(r.Folder); err != nil || !info.IsDir() || !filepath.IsAbs(r.Folder) {
		return fmt.Errorf("run folder %q is not the absolute path of a folder", r.Folder)
	}
	return s.description.CheckRequest(r)
}

// lossDelay is the longest time, on a busy machine, between the ends of two streams of one connection: of a run and of
// its lease.
const lossDelay = 2 * time.Second

// failedResult returns the result of a run whose solver returned an error.
func failedResult(ctx context.Context, res Result, err error) Result {
	if res.Class == "" || res.Class == event.Converged {
		res.Class = event.Crashed
		if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
			res.Class = event.Killed
		}
	}
	res.MachineFault = res.Class == event.Crashed && fault.Is(err)
	if res.Message == "" {
		res.Message = err.Error()
		// the cause names the reason, unlike "context canceled"
		if cause := context.Cause(ctx); res.Class == event.Killed && cause != nil {
			res.Message = cause.Error() + "; its values so far are kept"
		}
	}
	return res
}
