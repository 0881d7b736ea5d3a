package agent_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
)

// A relay at a socket serves one host after the other: another connection takes the place of one that has not broken,
// and another host that of one that has not gone. It ends when a host dismisses it, or when none comes for the grace
// time.
func TestAttend(t *testing.T) {
	for name, last := range map[string]func(*agent.Node){
		"dismissed": func(n *agent.Node) { n.Dismiss(context.Background()) },
		"alone":     (*agent.Node).Close,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := clock.NewManual(time.Unix(1e9, 0)) // nothing is lost by chance
			terms := agent.Terms{Beat: time.Minute, Lease: time.Hour, Grace: time.Second, Clock: at}
			r, err := agent.New(agent.NodeInfo{Node: "there", Block: "b"}, at)
			must.OK(t, err)
			defer func() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}()
			socket := testenv.Socket(t)
			door, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
			must.OK(t, err)
			ended := make(chan error, 1)
			go func() { ended <- r.Attend(t.Context(), door, func(string) {}) }()
			connect := func(host *agent.Exchange) *agent.Line {
				conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
				must.OK(t, err)
				line, err := host.Answer(t.Context(), conn)
				must.OK(t, err)
				return line
			}
			meet := func(line *agent.Line) *agent.Node {
				n, err := agent.Meet(t.Context(), line, terms)
				must.OK(t, err)
				return n
			}
			var one, two agent.Exchange
			first := meet(connect(&one))
			defer first.Close()
			if connect(&one) != nil {
				t.Error("what was under way does not go on over the next connection")
			}
			if _, _, err := first.MakeFolder(t.Context(), "x"); err != nil {
				t.Errorf("by the next connection: %v", err)
			}
			second := meet(connect(&two))
			if _, _, err := second.MakeFolder(t.Context(), "y"); err != nil {
				t.Errorf("by the connection of another host: %v", err)
			}
			last(second)
			for waits := true; waits; {
				select {
				case err = <-ended:
					waits = false
				case <-time.After(time.Millisecond):
					at.Advance(time.Minute)
				}
			}
			if name == "dismissed" && err != nil ||
				name == "alone" && (err == nil || !strings.Contains(err.Error(), "no host for 1s")) {
				t.Errorf("the relay ended: %v", err)
			}
			if _, err := new(net.Dialer).DialContext(t.Context(), "unix", socket); err == nil {
				t.Error("somebody still listens there")
			}
		})
	}
}

// A relay whose block has a time ends with it, and warns its host before.
func TestAttendEnds(t *testing.T) {
	t.Parallel()
	at := clock.NewManual(time.Unix(1e9, 0))
	r, err := agent.New(agent.NodeInfo{Ends: at.Now().Add(time.Hour)}, at)
	must.OK(t, err)
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	socket := testenv.Socket(t)
	door, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	must.OK(t, err)
	ended := make(chan error, 1)
	go func() { ended <- r.Attend(t.Context(), door, func(string) {}) }()
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
	must.OK(t, err)
	var host agent.Exchange
	line, err := host.Answer(t.Context(), conn)
	must.OK(t, err)
	n, err := agent.Meet(t.Context(), line, agent.Terms{Beat: 20 * time.Millisecond, Lease: 1e5 * time.Second,
		Grace: time.Second})
	must.OK(t, err)
	defer n.Close()
	select {
	case <-n.Warned():
		t.Error("it warns too early")
	default:
	}
	at.Advance(time.Hour - time.Minute)
	<-n.Warned()
	at.Advance(time.Minute)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the relay ended: %v", err)
	}
}
