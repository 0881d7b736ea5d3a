package plugin

// A registry that is no solver's, such as that of a study, is shown and steered by the same calls.

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/certificate"
	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// registryServer answers the calls Objects and Steer, and says that it does.
type registryServer struct {
	pb.UnimplementedSolverServer
	registry *steer.Registry
}

func (s registryServer) Describe(context.Context, *pb.DescribeRequest) (*pb.Description, error) {
	return encodeDescription(Description{Name: "study", Steers: true}), nil
}

func (s registryServer) Objects(_ *pb.ObjectsRequest, stream grpc.ServerStreamingServer[pb.ObjectsUpdate]) error {
	return follow(s.registry, stream)
}

func (s registryServer) Steer(m *pb.SteerCommand, stream grpc.ServerStreamingServer[eventproto.Act]) error {
	return obey(s.registry, m, stream)
}

// ServeRegistry shows a registry at a listener, and takes commands for it, of those who have the study's certificates. stop ends that, and
// returns when all calls have ended; it closes the listener.
func ServeRegistry(at net.Listener, certificates *certificate.Store, r *steer.Registry) (stop func(), err error) {
	config, err := certificates.Plugin()
	if err != nil {
		return nil, err
	}
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(config)))
	pb.RegisterSolverServer(s, registryServer{registry: r})
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
