package plugin

// Registries of other objects than solvers, such as a study, are served by the same calls.

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// registryServer answers the calls Describe, Objects and Steer.
type registryServer struct {
	pb.UnimplementedSolverServer
	find func(name string) *steer.Registry
}

func (s registryServer) Describe(context.Context, *pb.DescribeRequest) (*pb.Description, error) {
	return encodeDescription(Description{Name: "study", Steers: true}), nil
}

func (s registryServer) Objects(m *pb.ObjectsRequest, stream grpc.ServerStreamingServer[pb.ObjectsUpdate]) error {
	r := s.find(m.GetRun())
	if r == nil {
		return status.Error(codes.FailedPrecondition, ErrNotRunning.Error())
	}
	return follow(r, m, stream)
}

func (s registryServer) Steer(m *pb.SteerRequest, stream grpc.ServerStreamingServer[pb.SteerReply]) error {
	r := s.find(m.GetRun())
	if r == nil {
		return status.Error(codes.FailedPrecondition, ErrNotRunning.Error())
	}
	c, err := decodeCommand(m.GetCommand())
	if err != nil {
		return err
	}
	return obey(r, c, stream)
}

// ServeRegistries serves registries at a listener. It accepts commands for them from clients with the study's
// certificates. find returns the registry of a name; nil: unknown. stop ends the service, closes the listener, and
// returns when all calls have ended.
func ServeRegistries(at net.Listener, certificates *certificate.Store,
	find func(name string) *steer.Registry) (stop func(), err error) {
	config, err := certificates.Plugin()
	if err != nil {
		return nil, err
	}
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(config)), grpc.WaitForHandlers(true))
	pb.RegisterSolverServer(s, registryServer{find: find})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(at) // until it is stopped
	}()
	return func() {
		s.Stop()
		<-done
	}, nil
}
