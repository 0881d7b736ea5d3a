package agent

// Who is alive, by clocks that stand still.

import (
	"context"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// begin is when the clocks of a test begin.
var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// manualPair is a host and a relay whose clocks stand still, that of the relay an hour ahead.
func manualPair(t *testing.T, terms Terms) (p *pair, here, there *clock.Manual) {
	t.Helper()
	clean(t)
	here, there = clock.NewManual(begin), clock.NewManual(begin.Add(time.Hour))
	terms.Clock = here
	p = meet(t, newRelay(t, there), newLink(t), terms)
	eventually(t, "no heartbeat comes back", func() bool {
		offset, _ := p.node.Offset()
		return offset != 0
	})
	ready(t, here, 2)  // the next heartbeat, and the relay's silence
	ready(t, there, 1) // the host's silence
	return p, here, there
}

// ready waits until so many timers of a clock are set.
func ready(t *testing.T, c *clock.Manual, timers int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	must.OK(t, c.AwaitPending(ctx, timers))
}

func awaitHeard(t *testing.T, n *Node, at time.Time) {
	t.Helper()
	eventually(t, "the node is silent", func() bool { return n.Heard().Equal(at) })
}

var leaseTerms = Terms{Beat: 5 * time.Second, Lease: 15 * time.Second, Grace: time.Minute}

// Heartbeats keep both sides for as long as they come.
func TestBeatKeepsTheLease(t *testing.T) {
	p, here, there := manualPair(t, leaseTerms)
	for i := range 20 {
		ready(t, here, 2)
		there.Advance(leaseTerms.Beat)
		here.Advance(leaseTerms.Beat)
		awaitHeard(t, p.node, begin.Add(time.Duration(i+1)*leaseTerms.Beat))
	}
	noError(t, p.node.Err())
	select {
	case <-p.ended:
		t.Errorf("the relay gave its host up: %v", p.err)
	default:
	}
	if offset, trip := p.node.Offset(); (offset - time.Hour).Abs() > trip/2+rounding {
		t.Errorf("the relay's clock is ahead by %v, within %v", offset, trip/2)
	}
}

// rounding is that of a time in seconds as a float, on either side: 2^-22 s until 2038.
const rounding = 2 * 240 * time.Nanosecond

// Of a network that passes nothing and breaks nothing both sides hear by their own clocks, within the lease and not
// before.
func TestSilence(t *testing.T) {
	p, here, there := manualPair(t, leaseTerms)
	p.link.mute()
	for range 2 { // heartbeats into the void
		here.Advance(leaseTerms.Beat)
		there.Advance(leaseTerms.Beat)
	}
	here.Advance(leaseTerms.Beat - time.Nanosecond)
	there.Advance(leaseTerms.Beat - time.Nanosecond)
	time.Sleep(20 * time.Millisecond) // so that who gives up too soon does it
	select {
	case <-p.node.Done():
		t.Errorf("the node was lost too soon: %v", p.node.Err())
	case <-p.ended:
		t.Errorf("the host was lost too soon: %v", p.err)
	default:
	}
	there.Advance(time.Nanosecond)
	awaitEnd(t, "the relay", p.ended)
	wants(t, p.err, "the host is silent")
	here.Advance(time.Nanosecond)
	wants(t, lost(t, p.node), "nothing was heard of its relay for 15s")
}

// The lease need be no multiple of the time between two heartbeats.
func TestLeaseBetweenTwoBeats(t *testing.T) {
	terms := Terms{Beat: 10 * time.Second, Lease: 15 * time.Second, Grace: time.Minute}
	p, here, _ := manualPair(t, terms)
	p.link.mute()
	here.Advance(10 * time.Second)
	here.Advance(5 * time.Second)
	wants(t, lost(t, p.node), "nothing was heard of its relay for 15s")
}

// A connection that breaks is noticed at once by both, with clocks that stand still.
func TestCut(t *testing.T) {
	p, _, _ := manualPair(t, leaseTerms)
	p.link.cut()
	awaitEnd(t, "the relay", p.ended)
	wants(t, p.err, "broke")
	if err := lost(t, p.node); err == nil {
		t.Error("no reason")
	}
}

// A block that ends soon says so by the next heartbeat.
func TestWarning(t *testing.T) {
	p, here, _ := manualPair(t, leaseTerms)
	p.relay.Warn()
	select {
	case <-p.node.Warned():
		t.Error("it was warned before a heartbeat")
	default:
	}
	here.Advance(leaseTerms.Beat)
	awaitEnd(t, "the host's ignorance", p.node.Warned())
	ready(t, here, 2)
	here.Advance(leaseTerms.Beat) // which says it once more
	awaitHeard(t, p.node, begin.Add(2*leaseTerms.Beat))
}

// skewed is a clock that is ahead.
type skewed struct {
	clock.Clock
	ahead time.Duration
}

func (c skewed) Now() time.Time { return c.Clock.Now().Add(c.ahead) }

// The offset of a node's clock is known to half a round trip, whichever way is the slow one and however wrong the
// clock is.
func TestOffset(t *testing.T) {
	for _, ahead := range []time.Duration{time.Hour, -time.Hour, 0} {
		clean(t)
		l := newLink(t)
		l.late = 10 * time.Millisecond
		terms := longTerms
		terms.Beat = 20 * time.Millisecond
		p := meet(t, newRelay(t, skewed{clock.Real, ahead}), l, terms)
		var offset, trip time.Duration
		eventually(t, "no heartbeat comes back", func() bool {
			offset, trip = p.node.Offset()
			return trip > 0
		})
		if trip < l.late || (offset-ahead).Abs() > trip/2+rounding {
			t.Errorf("%v ahead, want %v; round trip %v", offset, ahead, trip)
		}
		p.close()
	}
}

// A relay that nobody calls ends after the grace time, one with a process does not.
func TestGrace(t *testing.T) {
	clean(t)
	at := clock.NewManual(begin)
	r := newRelay(t, at)
	home := t.TempDir() + "/home.json"
	must.OK(t, (Home{}).Write(home)) // that of a host which was killed
	gone := make(chan error, 1)
	go func() { gone <- r.CallHome(t.Context(), home, func(string) {}) }()
	var err error
	for ended := false; !ended; {
		select {
		case err = <-gone:
			ended = true
		case <-time.After(time.Millisecond):
			at.Advance(time.Second)
			ended = at.Now().Sub(begin) > time.Hour
		}
	}
	wants(t, err, "no host for 1m0s")
	if waited := at.Now().Sub(begin); waited < DefaultGrace || waited > DefaultGrace+2*mostWait {
		t.Errorf("it waited for %v", waited)
	}
}
