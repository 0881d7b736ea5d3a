package plugin

// Serve turns a process into a plugin. Nothing may be printed before it: the
// host reads the first line of standard output as the handshake.

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// ScratchPrefix begins the name of every scratch folder that a host makes for
// sockets. A plugin whose host died removes that folder when it is the last to leave.
const ScratchPrefix = "peregrine-"

// noHostTimeout is how long a plugin waits for its host's first lease.
const noHostTimeout = 60 * time.Second

// Serve serves the solver to the host that started this process, and returns
// when the host is done with it or is gone. The caller then ends the process.
// If a wrong description is given, or no host started the process, it says so on standard
// error and exits with status 1.
func Serve(solver Solver) {
	s := newServer(solver)
	if err := s.description.Check(); err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	s.log = os.Stderr
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  Handshake,
		VersionedPlugins: map[int]plugin.PluginSet{ProtocolVersion: {Kind: &grpcSide{server: s}}},
		TLSProvider:      certificate.FromEnvironment,
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			// The host bounds what it sends; gRPC's own 4 MB would not hold a mesh.
			server := grpc.NewServer(append(opts, grpc.MaxRecvMsgSize(math.MaxInt32),
				grpc.UnaryInterceptor(s.leases.noticeDismissal))...)
			s.leases.serve(server.Stop)
			return server
		},
		Logger: hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Warn}),
	})
	if !s.leases.dismissed() {
		removeSocket()
	}
}

// removeSocket removes the folder that the host made for this plugin's socket,
// and the host's scratch folder if nobody else uses it: there is no host
// any more to do so. Folders that are not empty or not ours stay.
func removeSocket() {
	dir := os.Getenv(plugin.EnvUnixSocketDir)
	if dir == "" {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type()&os.ModeSocket != 0 {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir)
	if parent := filepath.Dir(dir); strings.HasPrefix(filepath.Base(parent), ScratchPrefix) {
		_ = os.Remove(parent)
	}
}

// redirect sends everything that the solver prints to the log. go-plugin has
// pointed os.Stdout and os.Stderr at pipes that it relays through the host,
// which would block the solver once the host is gone; and file descriptor 1,
// where C and Fortran print, is a pipe that nobody reads after the handshake.
func redirect(log *os.File) {
	os.Stdout, os.Stderr = log, log
	_ = process.RedirectStdout(log)
}
