package hosting

// The plugin's side. It must not print before Serve: the host reads the first line of standard output as the handshake.

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Service describes the service of a plugin.
type Service struct {
	Handshake goplugin.HandshakeConfig
	Register  func(grpc.ServiceRegistrar) // its gRPC service
	Lease     *Lease                      // taken by a handler of the service
	Patience  time.Duration               // for a host that cannot be seen to take the lease; then Serve returns
}

// Serve serves the host that started this process, and returns when the host has dismissed it or has ended, by
// Service.Lease. The caller then ends the process. If no host started the process, it reports this on standard error
// and exits with status 1.
//
// From the first call on, all output of the process is written to its standard error, the host's log of the process.
func Serve(s Service) {
	log := os.Stderr // go-plugin replaces it
	certificates := sync.OnceValues(certificate.FromEnvironment)
	if os.Getenv(s.Handshake.MagicCookieKey) == s.Handshake.MagicCookieValue {
		if _, err := certificates(); err != nil { // go-plugin would end as if all were well
			_, _ = log.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
	}
	gone := hostGone()
	var once sync.Once
	begin := func(method string) {
		once.Do(func() { redirect(log) })
		if strings.HasSuffix(method, "GRPCController/Shutdown") { // go-plugin's dismissal
			s.Lease.dismiss()
		}
	}
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: s.Handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{
			int(s.Handshake.ProtocolVersion): {"service": &served{register: s.Register}},
		},
		TLSProvider: certificates,
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			// The host bounds its messages; gRPC's own 4 MB would not hold a mesh.
			server := grpc.NewServer(append(opts, grpc.MaxRecvMsgSize(math.MaxInt32),
				grpc.MaxSendMsgSize(math.MaxInt32),
				grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo,
					next grpc.UnaryHandler) (any, error) {
					begin(info.FullMethod)
					return next(ctx, req)
				}),
				grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo,
					next grpc.StreamHandler) error {
					begin(info.FullMethod)
					return next(srv, stream)
				}))...)
			s.Lease.Await(server.Stop, s.Patience, gone)
			return server
		},
		Logger: hclog.New(&hclog.LoggerOptions{Output: log, Level: hclog.Warn}),
	})
	if !s.Lease.sentHome() {
		removeSockets(os.Getenv(goplugin.EnvUnixSocketDir))
	}
}

// Exit ends a plugin's process that cannot wait for Serve to return, and removes its socket.
func Exit(code int) {
	removeSockets(os.Getenv(goplugin.EnvUnixSocketDir))
	os.Exit(code)
}

// served joins a gRPC service to go-plugin.
type served struct {
	goplugin.NetRPCUnsupportedPlugin
	register func(grpc.ServiceRegistrar)
}

var _ goplugin.GRPCPlugin = (*served)(nil)

func (s *served) GRPCServer(_ *goplugin.GRPCBroker, server *grpc.Server) error {
	s.register(server)
	return nil
}

// GRPCClient is not called: a host takes the connection itself.
func (s *served) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.ErrUnsupported
}

// redirect sends all output of this process to the log. go-plugin has pointed os.Stdout and os.Stderr at pipes that it
// relays through the host, which would block the plugin after the host's end. File descriptor 1, the output of C and
// Fortran, is a pipe without a reader after the handshake.
func redirect(log *os.File) {
	os.Stdout, os.Stderr = log, log
	_ = process.RedirectStdout(log) // else the output of C is lost
}

// Turn sends everything that this plugin prints to another log from now on, for another run.
func Turn(log *os.File) error { return process.RedirectOutput(log) }
