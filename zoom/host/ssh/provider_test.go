package ssh_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/providertest"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/bridge"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/sshtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// TestMain makes the test's executable a solver, a bridge and a relay, too.
func TestMain(m *testing.M) {
	mock.Serve()
	if len(os.Args) > 1 && os.Args[1] == relayArg {
		if err := serveRelay(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == bridgeArg {
		os.Exit(bridge.Serve(context.Background(), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(tests(m))
}

// tests runs the tests: the short ones with a stand-in for ssh.
func tests(m *testing.M) int {
	if os.Getenv(testenv.Variable) == "" {
		remove, err := sshtest.StandIn()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer remove()
	}
	return m.Run()
}

const (
	bridgeArg = "bridge"
	relayArg  = "relay"
)

// serveRelay serves as package executive does.
func serveRelay() error {
	ctx, stop := signal.NotifyContext(context.Background(), process.EndSignals...)
	defer stop()
	socket := os.Getenv(provider.EnvSocket)
	defer bridge.Leave(socket)
	at, err := new(net.ListenConfig).Listen(ctx, "unix", socket)
	if err != nil {
		return err
	}
	r, err := agent.New(agent.PlaceFromEnvironment(), clock.Real)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "the relay says something")
	err = r.Attend(ctx, at, func(text string) { fmt.Fprintln(os.Stderr, text) })
	r.Settle(time.Second)
	return errors.Join(err, r.Close())
}

// launcher is the entry of a hosts file.
func launcher(s *sshtest.Site) *hosts.Launcher {
	l := &hosts.Launcher{Name: "desks", Provider: hosts.SSH, Options: s.Options}
	for _, name := range s.Hosts {
		l.Hosts = append(l.Hosts, hosts.Host{Name: name})
	}
	return l
}

// installed is launcher where the program is on the hosts already: it need not be brought.
func installed(t testing.TB, s *sshtest.Site) *hosts.Launcher {
	t.Helper()
	self := must.Value(os.Executable())(t)
	l := launcher(s)
	l.Program = self
	return l
}

func open(t testing.TB, l *hosts.Launcher, at clock.Clock) *ssh.Provider {
	t.Helper()
	self := must.Value(os.Executable())(t)
	return ssh.New(l, []string{self, bridgeArg}, at)
}

// noError reports an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// Blocks of hosts are as any provider's.
func TestConform(t *testing.T) {
	s := sshtest.Start(t, 2)
	l := installed(t, s)
	if testenv.IsLong(t) {
		l = launcher(s) // the program has to be brought
	}
	providertest.Conform(t, providertest.Subject{
		Open:    func(t *testing.T) provider.Provider { return open(t, l, providertest.NewQuick()) },
		Nodes:   1,
		Unknown: "h1-aaaabbbbccccdddd",
	})
}
