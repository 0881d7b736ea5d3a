package plugin

// The versioned handshake, on which host and plugin agree before the first
// call. A change to the protocol that old plugins cannot understand gets a
// new version; the host then offers both for as long as it speaks both.

import (
	"context"
	"errors"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// ProtocolVersion is the version of proto/solver.proto. It is part of the key
// under which an answer is cached.
const ProtocolVersion = 1

// Handshake is what go-plugin compares before it talks. The cookie is no
// secret: it tells a solver that was started by hand from one that a host started.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  ProtocolVersion,
	MagicCookieKey:   "PEREGRINE_SOLVER",
	MagicCookieValue: "c1d4a7e2-solver",
}

// Kind is the name under which go-plugin dispenses a solver.
const Kind = "solver"

// HostPlugins is the plugin set of a host: a dispensed Kind is a *Client.
func HostPlugins() map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{ProtocolVersion: {Kind: &grpcSide{}}}
}

// grpcSide joins the protocol to go-plugin; server is nil on the host's side.
type grpcSide struct {
	plugin.NetRPCUnsupportedPlugin
	server *server
}

func (g *grpcSide) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	if g.server == nil {
		return errors.New("a host serves no solver")
	}
	pb.RegisterSolverServer(s, g.server)
	return nil
}

func (g *grpcSide) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return &Client{rpc: pb.NewSolverClient(c)}, nil
}
