//go:build linux

package crash

import (
	"fmt"
	"regexp"
)

// Nodes that a site's administrators take out of service, as Slurm does it: a drained node keeps what runs there and
// gets nothing new, and what runs on one that is set down is killed.

// away sets the state of a node.
func (c *cluster) away(n int, state string) {
	c.t.Helper()
	c.Command("scontrol", "update", fmt.Sprint("NodeName=n", n), "State="+state, "Reason=test")
}

const (
	drainedNode = 1 + iota
	downNode
)

// drained makes the study of 1994 while two of its four nodes are taken away. The others make its runs; blocks wait
// for the two, which is said.
func (s *suite) drained(t *trial) {
	t.Helper()
	m := onSlurm(t)
	c := t.start(study)
	t.calm(c, m, solver, drainedNode)
	m.away(drainedNode, "DRAIN")
	t.calm(c, m, solver, downNode)
	if len(m.on(drainedNode, relay)) == 0 {
		t.Error("the relay of a drained node ended")
	}
	m.away(downNode, "DRAIN") // or it comes back by itself
	m.away(downNode, "DOWN")
	t.await1994(c, "the loss of a node that is down", says(downNode, lostSays))
	t.calm(c, m, relay, drainedNode).kill() // its block ends
	t.await1994(c, "the loss of the drained node's block", says(drainedNode, lostSays))
	t.await1994(c, "a block that waits",
		regexp.MustCompile(`block \d+_\d+: waiting \([^)]*(DRAINED|Resources|Priority|NotAvail)`))
	t.calm(c, m, solver, downNode+1)
	if returned := append(m.on(drainedNode, relay), m.on(downNode, relay)...); len(returned) > 0 {
		t.Errorf("%d relays came back on nodes that are away", len(returned))
	}
	s.took1994(t, c, false, "1994 with nodes that are taken away")
}
