package plugin

// The main function of a plugin's process. It must print nothing before Serve: the host reads the first line of
// standard output as the handshake.

import (
	"os"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/hosting"
)

// noHostTimeout is how long a plugin waits for the first lease of a host.
const noHostTimeout = 60 * time.Second

// Serve serves the solver to the host that started this process, and returns when the host releases it or has died. The
// caller then ends the process. If the description is wrong, or no host started the process, Serve prints the error to
// standard error and exits with status 1.
func Serve(solver Solver) {
	s, err := newServer(solver)
	if err == nil {
		err = s.description.Check()
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	s.tenancy.exit, s.prints = hosting.Exit, hosting.Turn
	hosting.Serve(hosting.Service{Handshake: Handshake, Register: s.register, Lease: &s.tenancy.lease,
		Patience: noHostTimeout})
}

// Register adds a solver to a gRPC server in this process, for tests. The end of a lease cancels a run, as in a
// plugin's process, but ends no process. It panics if newServer fails.
func Register(r grpc.ServiceRegistrar, solver Solver) {
	s, err := newServer(solver)
	if err != nil {
		panic(err)
	}
	s.register(r)
}
