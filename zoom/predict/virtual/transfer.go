package virtual

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/network"
)

// Transfers is a network that carries data between its nodes at given times, without processors.
type Transfers struct {
	s      simulation
	routes *network.Routes
	nodes  int
}

// NewTransfers returns the network of a machine, idle at time 0.
func NewTransfers(m *Machine) *Transfers {
	t := &Transfers{s: simulation{m: m, messages: make([]message, 1), links: newCarrier(m)}, nodes: m.Processors}
	if m.Model != Fixed {
		t.routes, t.nodes = network.NewRoutes(m.Network), m.Network.Nodes
	}
	return t
}

// Path returns the links from the first node of a route over its other nodes to the last. Between two nodes it is the
// network's own route.
func (t *Transfers) Path(route []int) (links []int32, err error) {
	if len(route) < 2 {
		return nil, fmt.Errorf("a route of %d nodes; want two or more", len(route))
	}
	for i, node := range route {
		switch {
		case node < 0 || node >= t.nodes:
			return nil, fmt.Errorf("no node %d; nodes are 0 to %d", node, t.nodes-1)
		case i == 0:
		case node == route[i-1]:
			return nil, fmt.Errorf("node %d is there twice in turn", node)
		case t.routes != nil:
			links = t.routes.Append(links, route[i-1], node)
		}
	}
	return links, nil
}

// Send sends bytes over a path at a time, not before that of the last arrival. Of those sent at one time the network
// serves first the lowest sender, then the earlier call. It returns the number by which Next reports the arrival.
func (t *Transfers) Send(at float64, from, to int, path []int32, bytes int64) (id int32) {
	s := &t.s
	id = int32(len(s.messages))
	if n := len(s.free); n > 0 {
		id, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.messages = append(s.messages, message{})
	}
	s.messages[id] = message{from: int32(from), to: int32(to), bytes: bytes}
	if s.via == nil {
		s.via = map[int32][]int32{}
	}
	s.via[id] = path
	s.schedule(at, claim, int32(from), id)
	return id
}

// Due returns the time of the network's next change; false: it is idle.
func (t *Transfers) Due() (at float64, ok bool) {
	if len(t.s.events) == 0 {
		return 0, false
	}
	return t.s.events[0].at, true
}

// Next makes the next change of a network that is not idle. If this is the arrival of data, it returns its number.
func (t *Transfers) Next() (at float64, id int32, arrived bool) {
	s := &t.s
	e := s.events.pop()
	s.now = max(s.now, e.at)
	switch e.phase() {
	case claim:
		s.links.claim(s, e.of)
	case share:
		s.links.changed(s)
	case arrive:
		delete(s.via, e.of)
		s.free = append(s.free, e.of)
		return s.now, e.of, true
	}
	return s.now, 0, false
}
