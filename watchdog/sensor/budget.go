package sensor

// How much of a solver's time its sensors may take.

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// budgetShare is the share of a thread's time that its sensors may take.
const budgetShare = 0.01

// reviewTime is the time between two checks of the cost of sensors.
const reviewTime = int64(time.Second)

// budget lowers the rates of expensive sensors.
//
// The cost of a sensor in a thread is measured: the number of its records times the cost of each (see meter), and the
// time that the monitor needed to read its records, as the monitor runs on the solver's processors. The share of this
// cost in the elapsed time is compared with the budget, thread by thread, as a solver whose threads meet is as slow as
// the slowest. Above the budget the rate of the most expensive sensor there is halved, in all threads, until the rest
// should fit. A rate is raised again when twice the cost would be half of the budget at most.
type budget struct {
	board *Board
	share float64
	since int64
	due   int64
	busy  int64 // of the monitor, ns, since the last review
	taken int   // records, since the last review
	seen  map[*instance]spent
}

// spent is the cost of an instance at the last review: calls that were traced, and records that were read.
type spent struct{ traced, recorded uint64 }

// mostLowered is the greatest factor by which a rate is lowered.
const mostLowered = 1 << 20

func newBudget(b *Board, share float64) *budget {
	now := b.now()
	return &budget{board: b, share: share, since: now, due: now + reviewTime, seen: map[*instance]spent{}}
}

// read adds the time that the monitor took to read records.
func (g *budget) read(records int, took int64) {
	g.taken += records
	g.busy += took
}

// bill is the cost of each sensor to a thread, ns.
type bill map[string]float64

func (b bill) total() float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(b)) {
		sum += b[name]
	}
	return sum
}

// dearest returns the most expensive sensor that may be lowered, or "".
func (b bill) dearest(factor func(name string) uint32) string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if factor(name) < mostLowered && b[name] > 0 && (best == "" || b[name] > b[best]) {
			best = name
		}
	}
	return best
}

// review compares the cost with the budget, changes rates and returns the changes.
func (g *budget) review(now int64) []event.Event {
	b := g.board
	b.mu.Lock()
	defer b.mu.Unlock()
	passed := float64(now - g.since)
	bills := g.bills()
	g.since, g.due = now, now+reviewTime
	factor := func(name string) uint32 { return b.sensors[name].factor }
	var events []event.Event
	for _, t := range *b.threads.Load() {
		cost := bills[t]
		for took := cost.total(); cost.total() > g.share*passed; took = cost.total() {
			name := cost.dearest(factor)
			if name == "" {
				break
			}
			events = append(events, g.change(t, name, 2*factor(name), took/passed))
			for _, other := range bills {
				other[name] /= 2
			}
		}
	}
	if events != nil {
		return events
	}
	return g.raise(bills, passed)
}

// bills returns the cost since the last review, by thread.
func (g *budget) bills() map[*thread]bill {
	each := float64(g.busy) / float64(max(1, g.taken))
	g.busy, g.taken = 0, 0
	bills := map[*thread]bill{}
	for i := range g.board.instances {
		is, was := spent{i.cost.known.Load(), i.recorded}, g.seen[i]
		g.seen[i] = is
		if bills[i.thread] == nil {
			bills[i.thread] = bill{}
		}
		bills[i.thread][i.origin.Spec.Name] += float64(is.traced-was.traced)*float64(i.cost.each()) +
			float64(is.recorded-was.recorded)*each
	}
	return bills
}

// raise doubles the rate of a lowered sensor, if all threads have room for it.
func (g *budget) raise(bills map[*thread]bill, passed float64) []event.Event {
	for _, name := range slices.Sorted(maps.Keys(g.board.sensors)) {
		s := g.board.sensors[name]
		if s.factor == 1 {
			continue
		}
		var worst *thread
		share := 0.0
		for _, t := range *g.board.threads.Load() {
			if x := (bills[t].total() + bills[t][name]) / passed; worst == nil || x > share {
				worst, share = t, x
			}
		}
		if worst != nil && share <= g.share/2 {
			return []event.Event{g.change(worst, name, s.factor/2, bills[worst].total()/passed)}
		}
	}
	return nil
}

// change gives a sensor another factor and returns its event.
func (g *budget) change(t *thread, name string, factor uint32, share float64) event.Event {
	b := g.board
	s := b.sensors[name]
	verb := "lowered"
	if factor < s.factor {
		verb = "raised"
	}
	s.factor = factor
	b.set(s)
	return event.Event{
		Source: event.Plugin, Time: b.epoch.Add(time.Duration(b.now())), Kind: event.Rate, Run: b.run, Name: name,
		Values: map[string]float64{"lowered": float64(factor), "share": share, "budget": g.share},
		Text: fmt.Sprintf("the rate of sensor %s was %s to 1/%d of what is set: sensors took %.3g %% of the time of "+
			"thread %s, their budget is %.3g %%",
			name, verb, factor, 100*share, t.name, 100*g.share),
	}
}
