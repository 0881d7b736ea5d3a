// Package play plays a trace again: from any time, at any speed, step by step and back. Snapshots of the state make
// each place quick to reach. A trace may still grow while it is played, or while the player has stopped.
package play

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// between is the least number of records between two snapshots. A larger state has fewer snapshots, so that they take
// no more room than the records.
const between = chunkSize

// Player plays a trace. Its methods may be called from several goroutines.
type Player struct {
	mu     sync.Mutex
	clock  clock.Clock
	store  *store
	front  *machine   // after the last record
	saved  []*machine // by place, the first at 0
	closed bool       // no more records come

	now   *machine
	at    float64 // time of the trace
	going bool
	speed float64   // seconds of the trace per second
	began time.Time // when it was last at from while it plays
	from  float64
}

// New returns a player without records, which has stopped. Its clock measures the speed.
func New(c clock.Clock) *Player {
	return &Player{clock: c, store: newStore(), front: newMachine(),
		saved: []*machine{newMachine()}, now: newMachine(), speed: 1}
}

// Add adds the next record. It is taken at once, also while the player has stopped. A record that is earlier than the
// one before it passes after it, and [State.Late] counts it.
func (p *Player) Add(r *trace.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.store.add(*r)
	if p.store.size == 1 {
		p.at = r.Time
		p.from = r.Time
	}
	p.front.pass(p.store)
	if n := p.front.passed - p.saved[len(p.saved)-1].passed; n >= between && n >= p.front.size()/4 {
		c := p.front.clone(p.store)
		p.saved = append(p.saved, c)
		p.front.sent = append([]uint32(nil), c.sent...)
	}
}

// do calls f at the present time of the player.
func (p *Player) do(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance()
	f()
}

// Close states that no more records come.
func (p *Player) Close() { p.do(func() { p.closed = true }) }

// Go plays at the speed.
func (p *Player) Go() { p.do(func() { p.going, p.began, p.from = true, p.clock.Now(), p.at }) }

// Stop stops.
func (p *Player) Stop() { p.do(func() { p.going = false }) }

// Step stops, and passes the next n records; below 0 it steps back.
func (p *Player) Step(n int) {
	p.do(func() { p.seek(p.now.passed + max(-p.now.passed, min(n, p.store.size-p.now.passed))) })
}

// Reset stops at the begin of the trace, before its first record, and sets the speed to 1.
func (p *Player) Reset() {
	p.do(func() {
		p.seek(0)
		p.speed = 1
	})
}

// SetSpeed sets how many seconds of the trace pass in one second.
func (p *Player) SetSpeed(x float64) error {
	if !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("the speed %v: it is a number above 0", x)
	}
	p.do(func() { p.speed, p.began, p.from = x, p.clock.Now(), p.at })
	return nil
}

// UntilTime stops at a time of the trace, earlier or later: after the records of that time. Beyond the first and the
// last record it stops there.
func (p *Player) UntilTime(t float64) {
	p.do(func() {
		if p.seek(p.store.until(t)); p.store.size > 0 {
			p.at = max(p.begin(), min(t, p.end()))
		}
	})
}

// Until stops after the next record for which a condition holds, and reports whether there is one; without one it
// stops at the end. The record is valid during the call.
func (p *Player) Until(holds func(r *trace.Record) bool) (found bool) {
	p.do(func() {
		n := p.now.passed
		for r := (trace.Record{}); n < p.store.size && !found; n++ {
			r = p.store.at(n)
			found = holds(&r)
		}
		p.seek(n)
	})
	return found
}

// Left is the time until a playing player reaches the end of its records; 0 of one that has stopped.
func (p *Player) Left() (left time.Duration) {
	p.do(func() {
		if p.going && p.store.size > 0 {
			left = time.Duration(min(math.Ceil((p.end()-p.at)/p.speed*1e9), math.MaxInt64/2))
		}
	})
	return left
}

// Around returns the begin and the end of a part of n records around the present time. The part stays the same while
// about half of it passes.
func (p *Player) Around(n int) (from, to float64) {
	p.do(func() {
		if from, to = p.at, p.at; p.store.size > 0 {
			half := n / 2
			first := max(0, min((p.now.passed+half/2)/half*half-half, p.store.size-n))
			from, to = p.store.time(first), p.store.time(min(first+n, p.store.size)-1)
		}
	})
	return from, to
}

func (p *Player) begin() float64 { return p.store.time(0) }
func (p *Player) end() float64   { return p.store.time(p.store.size - 1) }

// advance passes the records for which it is time.
func (p *Player) advance() {
	if !p.going {
		return
	}
	if p.store.size == 0 {
		p.going = !p.closed
		return
	}
	t := p.from + p.speed*clock.Since(p.clock, p.began).Seconds()
	if end := p.end(); t >= end { // it waits here for more records
		p.began, p.from, t = p.clock.Now(), end, end
		p.going = !p.closed
	}
	p.move(p.store.until(t))
	p.at = t
}

// seek stops after the first n records.
func (p *Player) seek(n int) {
	p.going = false
	p.move(n)
	switch {
	case n > 0:
		p.at = p.store.time(n - 1)
	case p.store.size > 0:
		p.at = p.begin()
	}
}

// move brings the state to the one after the first n records.
func (p *Player) move(n int) {
	i := len(p.saved) - 1
	for p.saved[i].passed > n {
		i--
	}
	if p.now.passed > n || p.now.passed < p.saved[i].passed {
		p.now = p.saved[i].clone(p.store)
	}
	for p.now.passed < n {
		p.now.pass(p.store)
	}
}
