// Package clock finds how far the clocks of processes are apart, from the times of messages between them.
//
// The offset o of a process is added to its times, and makes them those of the reference. No message arrives before it
// was sent: one from A, sent at s by A's clock, to B, received at r by B's, bounds
//
//	o_B - o_A >= s - r
//
// (F. Cristian, Probabilistic clock synchronization, Distributed Computing 3, 1989, for one pair.) The tightest bounds
// of all processes are longest paths in the graph of these differences. Where no offset satisfies all messages with a
// process, its clock may be faster or slower: then a line o(t) is sought that leaves the most room on both sides.
package clock

import (
	"encoding/json"
	"math"
)

// MostDrift is the largest drift of a clock that is believed. Clocks of computers are within 1e-4 of each other.
const MostDrift = 1e-3

// Message is a message between two processes, with the times of their own clocks, s.
type Message struct {
	From     string  `json:"from"`
	To       string  `json:"to"`
	Sent     float64 `json:"sent"`
	Received float64 `json:"received"`
}

// Offset is the clock of a process against the reference. A time t of the process is t + Offset + Drift (t - At) by the
// reference's clock.
type Offset struct {
	Process    string  `json:"process"`
	Offset     float64 `json:"offset"` // s
	Low        float64 `json:"low"`    // bounds of Offset, s; infinite: none, null in JSON
	High       float64 `json:"high"`
	Drift      float64 `json:"drift"`      // of the offset, s/s
	At         float64 `json:"at"`         // by the process' clock, s
	Consistent bool    `json:"consistent"` // an offset and a drift satisfy all messages
}

// MarshalJSON implements [json.Marshaler].
func (o Offset) MarshalJSON() ([]byte, error) {
	bound := func(x float64) *float64 {
		if math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	type plain Offset
	return json.Marshal(struct {
		plain
		Low  *float64 `json:"low"`
		High *float64 `json:"high"`
	}{plain(o), bound(o.Low), bound(o.High)})
}

// Find returns the offset of each process, in the order in which the messages name them. The first one's sender is the
// reference.
func Find(messages []Message) []Offset {
	g := newGraph(messages)
	list := make([]Offset, len(g.names))
	for i, name := range g.names {
		low, high := g.bound[0][i], -g.bound[i][0]
		list[i] = Offset{
			Process: name, Low: low, High: high, At: g.first[i], Consistent: low <= high, Offset: middle(low, high),
		}
		if i == 0 {
			list[i] = Offset{Process: name, At: g.first[0], Consistent: true}
		}
	}
	for i := 1; i < len(list); i++ {
		if !list[i].Consistent {
			list[i].drifting(messages, g.names[0])
		}
		list[i].Consistent = list[i].Consistent && (list[i].Drift != 0 || !g.contradicted(i))
	}
	return list
}

// middle is the best offset between two bounds. With one bound it is that bound: the message took no time.
func middle(low, high float64) float64 {
	switch {
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		return 0
	case math.IsInf(low, 0):
		return high
	case math.IsInf(high, 0):
		return low
	}
	return low + (high-low)/2
}

// graph has the differences of offsets.
type graph struct {
	names  []string
	number map[string]int
	first  []float64   // time of each process
	bound  [][]float64 // o_j - o_i is at least bound[i][j]
	direct [][]float64 // bounds by the messages between the two alone
}

func newGraph(messages []Message) *graph {
	g := &graph{number: map[string]int{}}
	index := func(name string, at float64) int {
		i, known := g.number[name]
		if !known {
			i = len(g.names)
			g.number[name] = i
			g.names, g.first = append(g.names, name), append(g.first, at)
		}
		g.first[i] = min(g.first[i], at)
		return i
	}
	for _, m := range messages {
		index(m.From, m.Sent)
		index(m.To, m.Received)
	}
	n := len(g.names)
	g.bound = make([][]float64, n)
	for i := range g.bound {
		g.bound[i] = make([]float64, n)
		for j := range g.bound[i] {
			if i != j {
				g.bound[i][j] = math.Inf(-1)
			}
		}
	}
	for _, m := range messages {
		b := &g.bound[g.number[m.From]][g.number[m.To]]
		*b = max(*b, m.Sent-m.Received)
	}
	direct := make([][]float64, n)
	for i := range direct {
		direct[i] = append([]float64(nil), g.bound[i]...)
	}
	for k := range n { // Floyd and Warshall, for longest paths, and not by way of a contradiction
		for i := range n {
			if g.bound[k][k] > 0 {
				break
			}
			for j := range n {
				g.bound[i][j] = max(g.bound[i][j], g.bound[i][k]+g.bound[k][j])
			}
		}
	}
	g.direct = direct
	g.keepDirect()
	return g
}

// keepDirect undoes paths to and from the reference that lead through clocks that contradict each other: their bounds
// would grow without limit.
func (g *graph) keepDirect() {
	for i := range g.names {
		if g.bound[0][i] > -g.bound[i][0] && !math.IsInf(g.direct[0][i], 0) && !math.IsInf(g.direct[i][0], 0) {
			g.bound[0][i], g.bound[i][0] = g.direct[0][i], g.direct[i][0]
		}
	}
}

// contradicted reports whether a process and another, which is not the reference, contradict each other.
func (g *graph) contradicted(i int) bool {
	for j := 1; j < len(g.names); j++ {
		if g.direct[i][j] > -g.direct[j][i] {
			return true
		}
	}
	return false
}

// drifting fits a line to the messages between a process and the reference.
func (o *Offset) drifting(messages []Message, reference string) {
	type limit struct{ at, value float64 }
	var lows, highs []limit
	begin, end := math.Inf(1), math.Inf(-1)
	for _, m := range messages {
		switch {
		case m.From == reference && m.To == o.Process:
			lows = append(lows, limit{m.Received, m.Sent - m.Received})
			begin, end = min(begin, m.Received), max(end, m.Received)
		case m.From == o.Process && m.To == reference:
			highs = append(highs, limit{m.Sent, m.Received - m.Sent})
			begin, end = min(begin, m.Sent), max(end, m.Sent)
		}
	}
	if len(lows) == 0 || len(highs) == 0 {
		return
	}
	interval := func(drift float64) (low, high float64) {
		low, high = math.Inf(-1), math.Inf(1)
		for _, l := range lows {
			low = max(low, l.value-drift*(l.at-o.At))
		}
		for _, h := range highs {
			high = min(high, h.value-drift*(h.at-o.At))
		}
		return low, high
	}
	room := func(drift float64) float64 {
		low, high := interval(drift)
		return high - low
	}
	from, to := -MostDrift, MostDrift
	for range 200 { // the room is concave in the drift
		a, b := from+(to-from)/3, to-(to-from)/3
		if room(a) < room(b) {
			from = a
		} else {
			to = b
		}
	}
	drift := (from + to) / 2
	if low, high := interval(drift); low <= high {
		o.Low, o.High, o.Offset, o.Drift, o.Consistent = low, high, middle(low, high), drift, true
	}
}
