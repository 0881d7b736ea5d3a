package ssh_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
	"github.com/peregrine-sim/peregrine/zoom/run/providertest"
	"github.com/peregrine-sim/peregrine/zoom/run/ssh"
	"github.com/peregrine-sim/peregrine/zoom/run/ssh/bridge"
	"github.com/peregrine-sim/peregrine/zoom/run/ssh/sshtest"
)

// TestMain makes the test's executable a bridge, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == bridgeArg {
		os.Exit(bridge.Serve(context.Background(), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const bridgeArg = "bridge"

// quick is a clock that runs faster, so that a test need not wait ten seconds for each look.
type quick struct {
	clock.Clock
	begun time.Time
}

func newQuick() quick { return quick{clock.Real, clock.Real.Now()} }

func (q quick) Now() time.Time { return q.begun.Add(50 * clock.Since(clock.Real, q.begun)) }

// launcher is the entry of a hosts file.
func launcher(s *sshtest.Site) *hosts.Launcher {
	l := &hosts.Launcher{Name: "desks", Provider: hosts.SSH, Options: s.Options}
	for _, name := range s.Hosts {
		l.Hosts = append(l.Hosts, hosts.Host{Name: name})
	}
	return l
}

func open(t *testing.T, l *hosts.Launcher, at clock.Clock) *ssh.Provider {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return ssh.New(l, []string{self, bridgeArg}, at)
}

// Blocks of hosts are as any provider's.
func TestConform(t *testing.T) {
	l := launcher(sshtest.Start(t, 2))
	providertest.Conform(t, providertest.Subject{
		Open:    func(t *testing.T) provider.Provider { return open(t, l, newQuick()) },
		Nodes:   1,
		Unknown: "h1-aaaabbbbccccdddd",
	})
}
