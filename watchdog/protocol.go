package watchdog

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/go-plugin"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
)

// ProtocolVersion is the version of the protocol that this package speaks.
const ProtocolVersion = 2

// handshake prevents the start of a watchdog by hand, and the use of another plugin as a watchdog.
var handshake = plugin.HandshakeConfig{
	ProtocolVersion:  ProtocolVersion,
	MagicCookieKey:   "PEREGRINE_WATCHDOG",
	MagicCookieValue: "f1b0e2a9-watch-solver-files",
}

// encode returns the message for a batch.
func encode(id uint64, b history.Batch) (*proto.Batch, error) {
	position, err := encodePosition(b.FilePosition)
	if err != nil {
		return nil, err
	}
	out := &proto.Batch{Id: id, Position: position, Events: make([]*eventproto.Event, len(b.Events))}
	for i := range b.Events {
		out.Events[i] = b.Events[i].Encode()
	}
	return out, nil
}

// valid replaces bytes of s that are not UTF-8; a proto string cannot hold them.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// decode returns the event of a message, for its run and file.
func decode(e *eventproto.Event, spec *history.FileSpec, file string) event.Event {
	out := event.Decode(e)
	out.Study, out.Run, out.Source, out.File = spec.Study, spec.Run, event.File, file
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

// Started reports whether a host started this process as a watchdog.
func Started() bool { return os.Getenv(handshake.MagicCookieKey) == handshake.MagicCookieValue }
