package virtual

import (
	"math"
	"slices"
	"sort"

	"github.com/peregrine-sim/peregrine/internal/network"
)

// fixed is a network in which each message takes the same time, s.
type fixed float64

func (f fixed) claim(s *simulation, id int32) {
	s.schedule(s.now+float64(f), arrive, s.messages[id].to, id)
}
func (fixed) changed(*simulation) {}

// busy is the times in which a link is taken, in order and apart from each other.
type busy struct {
	list   []span
	begin  int       // those before are over
	joints []float64 // where spans touched that are one: gaps of no length, in order
}

type span struct{ begin, end float64 }

// take takes the earliest gap of a length from a time on, and returns its begin. No later call is from before now.
func (b *busy) take(now, from, length float64) float64 {
	for b.begin < len(b.list) && b.list[b.begin].end < now {
		b.begin++
	}
	if 2*b.begin > len(b.list) { // few spans stay: many links share the processor's caches
		b.list = append(b.list[:0], b.list[b.begin:]...)
		b.begin = 0
	}
	list := b.list[b.begin:]
	i := len(list)
	if i > 0 && list[i-1].end > from {
		i = sort.Search(i, func(i int) bool { return list[i].end > from })
	}
	at := from
	if length == 0 { // a message of no bytes passes between two that touch
		if i < len(list) && list[i].begin < from {
			at = list[i].end
			if j, _ := slices.BinarySearch(b.joints, from); j < len(b.joints) {
				at = min(at, b.joints[j])
			}
		}
		return at
	}
	for ; i < len(list) && list[i].begin < at+length; i++ {
		at = max(at, list[i].end)
	}
	b.insert(b.begin+i, span{at, at + length})
	if half := len(b.joints) / 2; half > 32 && b.joints[half] < now {
		b.joints = slices.Delete(b.joints, 0, half)
	}
	return at
}

// insert adds a span before place i, as a part of its neighbours if it touches them.
func (b *busy) insert(i int, s span) {
	if s.begin == s.end { // too short for a number
		return
	}
	join := func(at float64) {
		k, _ := slices.BinarySearch(b.joints, at)
		b.joints = slices.Insert(b.joints, k, at)
	}
	before := i > b.begin && b.list[i-1].end == s.begin
	after := i < len(b.list) && b.list[i].begin == s.end
	if before {
		join(s.begin)
	}
	if after {
		join(s.end)
	}
	switch {
	case before && after:
		b.list[i-1].end = b.list[i].end
		b.list = slices.Delete(b.list, i, i+1)
	case before:
		b.list[i-1].end = s.end
	case after:
		b.list[i].begin = s.begin
	case i == len(b.list):
		b.list = append(b.list, s)
	default:
		b.list = slices.Insert(b.list, i, s)
	}
}

// exclusive is a network whose links have one message at a time. A message claims all links of its route when it leaves
// its sender: of each the earliest gap after it has passed the link before.
type exclusive struct {
	links  []network.Link
	routes *network.Routes
	taken  []busy
	route  []int32
}

func newExclusive(g *network.Graph) *exclusive {
	return &exclusive{links: g.Links, routes: network.NewRoutes(g), taken: make([]busy, len(g.Links))}
}

func (x *exclusive) claim(s *simulation, id int32) {
	m := &s.messages[id]
	x.route = s.route(x.route[:0], x.routes, id)
	at := s.now
	for _, k := range x.route {
		l := &x.links[k]
		if math.IsInf(l.Bandwidth, 1) {
			at += l.Latency
			continue
		}
		length := float64(m.bytes) / l.Bandwidth
		at = x.taken[k].take(s.now, at, length) + length + l.Latency
	}
	s.schedule(at, arrive, m.to, id)
}
func (*exclusive) changed(*simulation) {}
