package sensor

// How much of a solver's time its sensors may take.

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// DefaultBudget is the share of a thread's time that its sensors may take.
const DefaultBudget = 0.01

// reviewTime is the time between two checks of the cost of sensors.
const reviewTime = int64(time.Second)

// budget lowers the rates of expensive sensors.
//
// The cost of a sensor to a thread is measured: the number of filtered and traced records times the duration of each
// (see meter), the time for which the thread waited, and the time for which the monitors read its records, because they
// run on the solver's processors. The share of this cost in the elapsed time is compared with the budget, thread by
// thread, as a solver whose threads meet is as slow as the slowest. Above the budget, the rate of the most expensive
// sensor there is halved in all threads, until the rest should fit. A rate is raised again when twice the cost would be
// half of the budget at most.
type budget struct {
	board *Board
	share float64 // 0: any
	due   int64
	since int64
	busy  atomic.Int64  // of the monitors, ns, since the last review
	taken atomic.Uint64 // records, since the last review
	seen  map[*Instance]spent
}

// spent is the cost of an instance at the last review.
type spent struct {
	filtered, traced, recorded uint64
	waited                     int64
}

// mostLowered is the greatest factor by which a rate is lowered.
const mostLowered = 1 << 20

func newBudget(b *Board, share float64) *budget {
	if share == 0 {
		share = DefaultBudget
	}
	now := b.now()
	return &budget{board: b, share: max(0, share), since: now, due: now + reviewTime, seen: map[*Instance]spent{}}
}

// read adds the time for which the monitors read records.
func (g *budget) read(records int, took int64) {
	g.taken.Add(uint64(records))
	g.busy.Add(took)
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

// dearest returns the sensor that costs most and may be lowered, or "".
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
	if g.share == 0 {
		return nil
	}
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
func (g *budget) bills() map[*Thread]bill {
	each := 0.0
	if n := g.taken.Swap(0); n > 0 {
		each = float64(g.busy.Swap(0)) / float64(n)
	}
	bills, seen := map[*Thread]bill{}, map[*Instance]spent{}
	for i := range g.board.instances {
		a := &i.account
		is := spent{a.filtered.known.Load(), a.traced.known.Load(), i.reader.recorded.Load(), a.waited.Load()}
		was := g.seen[i]
		seen[i] = is
		if bills[i.thread] == nil {
			bills[i.thread] = bill{}
		}
		bills[i.thread][i.origin.Spec.Name] += float64(is.filtered-was.filtered)*float64(a.filtered.each()) +
			float64(is.traced-was.traced)*float64(a.traced.each()) + float64(is.waited-was.waited) +
			float64(is.recorded-was.recorded)*each
	}
	g.seen = seen // closed threads are forgotten
	return bills
}

// raise doubles the rate of a lowered sensor, if all threads have room for it.
func (g *budget) raise(bills map[*Thread]bill, passed float64) []event.Event {
	for _, name := range slices.Sorted(maps.Keys(g.board.sensors)) {
		s := g.board.sensors[name]
		if s.factor == 1 {
			continue
		}
		var worst *Thread
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
func (g *budget) change(t *Thread, name string, factor uint32, share float64) event.Event {
	b := g.board
	s := b.sensors[name]
	verb := "lowered"
	if factor < s.factor {
		verb = "raised"
	}
	s.factor = factor
	for i := range b.instances {
		if i.origin.Spec == s.spec {
			b.set(i, factor)
		}
	}
	return event.Event{
		Source: event.Plugin, Time: b.epoch.Add(time.Duration(b.now())), Kind: event.Rate, Run: t.run, Name: name,
		Values: map[string]float64{"lowered": float64(factor), "share": share, "budget": g.share},
		Text: fmt.Sprintf("the rate of sensor %s was %s to 1/%d of what is set: sensors took %.3g %% of the time of "+
			"thread %s, their budget is %.3g %%",
			name, verb, factor, 100*share, t.name, 100*g.share),
	}
}
