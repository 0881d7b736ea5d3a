package watchdog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
)

// ProtocolVersion is the version of the protocol that this package speaks.
const ProtocolVersion = 1

// service is the name under which the process is dispensed.
const service = "watchdog"

// Handshake keeps a watchdog from being started by hand, and a host from
// taking another plugin for one.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  ProtocolVersion,
	MagicCookieKey:   "PEREGRINE_WATCHDOG",
	MagicCookieValue: "f1b0e2a9-watch-solver-files",
}

// grpcPlugin joins the protocol to go-plugin: the server on one side, a client
// on the other.
type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	server proto.WatchdogServer // nil at the host
}

var _ plugin.GRPCPlugin = (*grpcPlugin)(nil)

func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	proto.RegisterWatchdogServer(s, p.server)
	return nil
}

func (p *grpcPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return proto.NewWatchdogClient(c), nil
}

// encode puts a batch on the wire.
func encode(id uint64, b history.Batch) (*proto.Batch, error) {
	position, err := encodePosition(b.FilePosition)
	if err != nil {
		return nil, err
	}
	out := &proto.Batch{Id: id, Position: position, Events: make([]*proto.Event, len(b.Events))}
	for i, e := range b.Events {
		x := &proto.Event{
			Seq: e.Seq, Time: e.Time.UnixNano(), Kind: string(e.Kind),
			Values: text(e.Values), NonFinite: e.NonFinite, Text: valid(e.Text), Line: valid(e.Line),
		}
		for j, name := range x.NonFinite {
			x.NonFinite[j] = valid(name)
		}
		for name, values := range e.Arrays {
			if x.Arrays == nil {
				x.Arrays = map[string]*proto.Array{}
			}
			x.Arrays[valid(name)] = &proto.Array{Values: values}
		}
		out.Events[i] = x
	}
	return out, nil
}

// valid makes s fit for a proto string, which must be UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// text returns values with names that fit.
func text(values map[string]float64) map[string]float64 {
	for name, x := range values {
		if fit := valid(name); fit != name {
			delete(values, name)
			values[fit] = x
		}
	}
	return values
}

// decode takes an event from the wire.
func decode(e *proto.Event, spec *history.FileSpec, file string) event.Event {
	out := event.Event{
		Study: spec.Study, Run: spec.Run, Seq: e.GetSeq(), Time: time.Unix(0, e.GetTime()).UTC(),
		Source: event.File, Kind: event.Kind(e.GetKind()),
		Values: e.GetValues(), NonFinite: e.GetNonFinite(), Text: e.GetText(),
		File: file, Line: e.GetLine(),
	}
	for name, a := range e.GetArrays() {
		if out.Arrays == nil {
			out.Arrays = map[string][]float64{}
		}
		out.Arrays[name] = a.GetValues()
	}
	return out
}

func encodePosition(at history.FilePosition) (*proto.Position, error) {
	state, err := json.Marshal(at)
	if err != nil {
		return nil, fmt.Errorf("position in %s: %w", at.File, err)
	}
	return &proto.Position{File: valid(at.File), State: state}, nil
}

func decodePositions(from []*proto.Position) ([]history.FilePosition, error) {
	var out []history.FilePosition
	for _, p := range from {
		var at history.FilePosition
		if err := json.Unmarshal(p.GetState(), &at); err != nil {
			return nil, fmt.Errorf("position in %s: %w", p.GetFile(), err)
		}
		out = append(out, at)
	}
	return out, nil
}
