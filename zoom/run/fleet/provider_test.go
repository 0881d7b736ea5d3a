package fleet_test

// The launcher over the providers that need no other machine's help: each passes the suite of launchers.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/relay"
	"github.com/peregrine-sim/peregrine/zoom/run/command"
	"github.com/peregrine-sim/peregrine/zoom/run/fleet"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
	"github.com/peregrine-sim/peregrine/zoom/run/slurm"
	"github.com/peregrine-sim/peregrine/zoom/run/slurm/slurmtest"
)

// serveRelay makes this executable a relay, if it was started as one.
func serveRelay() {
	if len(os.Args) != 3 || os.Args[1] != "relay" {
		return
	}
	r, err := relay.New(relay.PlaceFromEnvironment(), clock.Real)
	if err == nil {
		err = r.CallHome(context.Background(), os.Args[2], func(text string) { fmt.Fprintln(os.Stderr, text) })
		_ = r.Close() // the process ends
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// conforms holds the launcher over a provider to the suite.
func conforms(t *testing.T, h *hosts.Launcher, open func(*hosts.Launcher, clock.Clock) (provider.Provider, error)) {
	solver := mock(t)
	h.Lease, h.Grace = 3*time.Second, 5*time.Second
	launchers := launch.Registry{h.Name: func(study string) launch.Launcher {
		return fleet.New(study, fleet.Config{Hosts: h, Open: open, Relay: []string{solver.Command[0], "relay"}})
	}}
	launchtest.Conform(t, launchers, h.Name, solver)
}

func TestCommandConforms(t *testing.T) {
	testenv.Long(t, "starts relays as an engine does")
	list := must.Value(hosts.Load(filepath.Join("..", "..", "..", "config", "hosts", "examples", "here.yaml")))(t)
	conforms(t, &list[0], func(l *hosts.Launcher, at clock.Clock) (provider.Provider, error) { return command.New(l, at) })
}

func TestSlurmConforms(t *testing.T) {
	slurmtest.Start(t, 2)
	conforms(t, &hosts.Launcher{Name: "cluster", Provider: hosts.Slurm, Blocks: 2, Cores: 1, Memory: 1 << 30},
		func(l *hosts.Launcher, at clock.Clock) (provider.Provider, error) { return slurm.New(l, at), nil })
}
