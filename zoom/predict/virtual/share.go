package virtual

import (
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/network"
)

// shared is a network in which messages flow over all links of their routes at once. Their rates are max-min fair: the
// most loaded link is shared in equal parts, then the next among those that it leaves (D. Bertsekas and R. Gallager,
// Data Networks, 2nd ed., section 6.5.2). The latencies of the links are added to the time of the flow.
type shared struct {
	links  []network.Link
	routes *network.Routes
	flows  []flow
	at     float64 // time of the flows' rest
	due    float64 // time for which a change is scheduled; NaN: none
	left   []float64
	load   []int32 // flows of each link that have no rate yet
	used   []int32 // links that flows use
	users  [][]int32
}

// flow is a message in the network.
type flow struct {
	id      int32
	route   []int32
	rest    float64 // bytes
	rate    float64 // B/s; negative: not yet found
	latency float64 // s
}

func newShared(g *network.Graph) *shared {
	return &shared{links: g.Links, routes: network.NewRoutes(g), due: math.NaN(), left: make([]float64, len(g.Links)),
		load: make([]int32, len(g.Links)), users: make([][]int32, len(g.Links))}
}

func (x *shared) claim(s *simulation, id int32) {
	m := &s.messages[id]
	f := flow{id: id, rest: float64(m.bytes)}
	for _, k := range s.route(nil, x.routes, id) {
		f.latency += x.links[k].Latency
		if !math.IsInf(x.links[k].Bandwidth, 1) {
			f.route = append(f.route, k)
		}
	}
	if m.bytes == 0 || len(f.route) == 0 {
		s.schedule(s.now+f.latency, arrive, m.to, id)
		return
	}
	x.advance(s.now)
	x.flows = append(x.flows, f)
	x.wake(s, s.now)
}

// wake has the rates found anew at a time.
func (x *shared) wake(s *simulation, at float64) {
	if x.due != at {
		x.due = at
		s.schedule(at, share, 0, 0)
	}
}

// advance moves the flows to a time.
func (x *shared) advance(to float64) {
	if to > x.at {
		for i := range x.flows {
			x.flows[i].rest -= x.flows[i].rate * (to - x.at)
		}
		x.at = to
	}
}

// lastBytes is the rest of a flow that has ended but for round-off, as a share of the bytes of a second.
const lastBytes = 1e-12

// changed lets the flows go that have ended, finds the rates of the others, and schedules the next end.
func (x *shared) changed(s *simulation) {
	if x.due != s.now {
		return // replaced by another change
	}
	x.due = math.NaN()
	x.advance(s.now)
	x.flows = slices.DeleteFunc(x.flows, func(f flow) bool {
		m := &s.messages[f.id]
		if f.rest > lastBytes*(1+s.now)*f.rate+1e-9*lastBytes*float64(m.bytes) || f.rate <= 0 {
			return false
		}
		s.schedule(s.now+f.latency, arrive, m.to, f.id)
		return true
	})
	if len(x.flows) == 0 {
		return
	}
	x.fill()
	next := math.Inf(1)
	for i := range x.flows {
		next = min(next, s.now+x.flows[i].rest/x.flows[i].rate)
	}
	x.wake(s, max(next, math.Nextafter(s.now, math.Inf(1))))
}

// fill finds the rates by progressive filling.
func (x *shared) fill() {
	x.used = x.used[:0]
	for i := range x.flows {
		x.flows[i].rate = -1
		for _, k := range x.flows[i].route {
			if x.load[k] == 0 {
				x.used = append(x.used, k)
				x.left[k] = x.links[k].Bandwidth
				x.users[k] = x.users[k][:0]
			}
			x.load[k]++
			x.users[k] = append(x.users[k], int32(i))
		}
	}
	slices.Sort(x.used)
	for open := len(x.flows); open > 0; {
		least := math.Inf(1)
		for _, k := range x.used {
			if x.load[k] > 0 {
				least = min(least, x.left[k]/float64(x.load[k]))
			}
		}
		for _, k := range x.used {
			if x.load[k] == 0 || x.left[k]/float64(x.load[k]) > least*(1+1e-12) {
				continue
			}
			for _, i := range x.users[k] {
				if f := &x.flows[i]; f.rate < 0 {
					f.rate = least
					open--
					for _, other := range f.route {
						x.load[other]--
						x.left[other] = max(0, x.left[other]-least)
					}
				}
			}
		}
	}
	for _, k := range x.used {
		x.load[k] = 0
	}
}
