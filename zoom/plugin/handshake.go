package plugin

// The handshake, in which host and plugin agree on a version of the protocol before the first call. A change that
// breaks old plugins gets a new version; the host then offers each version that it supports.

import (
	"os"

	"github.com/hashicorp/go-plugin"
)

// ProtocolVersion is the version of proto/solver.proto.
const ProtocolVersion = 2

// AnswerVersion is the version of the protocol that last changed the answers of solvers. It is part of every cache key.
const AnswerVersion = 1

// Handshake is the data that go-plugin compares before the first call. The cookie is no secret: it distinguishes a
// solver started by a host from a solver started by hand.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  ProtocolVersion,
	MagicCookieKey:   "PEREGRINE_SOLVER",
	MagicCookieValue: "c1d4a7e2-solver",
}

// Started reports whether a host started this process as a solver.
func Started() bool { return os.Getenv(Handshake.MagicCookieKey) == Handshake.MagicCookieValue }
