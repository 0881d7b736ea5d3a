package plugin

// The versioned handshake, on which host and plugin agree before the first
// call. A change to the protocol that old plugins cannot understand gets a
// new version; the host then offers both for as long as it speaks both.

import (
	"os"

	"github.com/hashicorp/go-plugin"
)

// ProtocolVersion is the version of proto/solver.proto. It is part of the key
// under which an answer is cached.
const ProtocolVersion = 1

// Handshake is what go-plugin compares before it talks. The cookie is no
// secret: it distinguishes a solver that a host started from one that was started by hand.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  ProtocolVersion,
	MagicCookieKey:   "PEREGRINE_SOLVER",
	MagicCookieValue: "c1d4a7e2-solver",
}

// Started reports whether a host started this process as a solver.
func Started() bool { return os.Getenv(Handshake.MagicCookieKey) == Handshake.MagicCookieValue }
