package slurm_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
	"github.com/peregrine-sim/peregrine/zoom/run/providertest"
	"github.com/peregrine-sim/peregrine/zoom/run/slurm"
	"github.com/peregrine-sim/peregrine/zoom/run/slurm/slurmtest"
)

func open(t *testing.T, options ...string) *slurm.Provider {
	t.Helper()
	return openAt(t, providertest.NewQuick(), options...)
}

func openAt(t *testing.T, at clock.Clock, options ...string) *slurm.Provider {
	t.Helper()
	p := slurm.New(&hosts.Launcher{Name: "cluster", Provider: hosts.Slurm, Options: options}, at)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// Slurm's blocks are as any provider's.
func TestConform(t *testing.T) {
	slurmtest.Start(t, 4)
	providertest.Conform(t, providertest.Subject{
		Open:    func(t *testing.T) provider.Provider { return open(t) },
		Nodes:   2,
		Room:    2, // a job that asks for no memory gets all of its nodes
		Unknown: "99999_7",
	})
}
