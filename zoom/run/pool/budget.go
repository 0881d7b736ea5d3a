package pool

// The limits of a study's core time and of its end.

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Budget limits the core time of a study's attempts and the time at which they end. No attempt starts that would pass
// it. If attempts reach it all the same, they are stopped as by an interruption of the study: at their next checkpoint.
// All pools of a study share it. A nil budget has no limit.
type Budget struct {
	Cores float64   // core time, s; negative: no limit
	By    time.Time // zero: no limit
	Clock clock.Clock
	Usual map[string]float64 // time of a run in earlier studies, s, by component; not known if missing

	mu     sync.Mutex
	used   float64            // by attempts that have ended, s
	means  map[string]average // by component: attempts with an answer
	living map[*living]bool
	timer  *clock.Timer
	state  BudgetState
}

// BudgetState is the use of a budget.
type BudgetState struct {
	Used    float64 // core time, s
	LeftOut int     // attempts that did not start
	Stopped int     // attempts that were stopped
	Why     string  // the first reason for either, or for runs that were not even planned; empty: none
}

type average struct {
	n              int
	time, coreTime float64
}

// living is an attempt under way.
type living struct {
	cores    int
	began    time.Time
	expected float64 // s; 0: not known
	stop     context.CancelCauseFunc
	stopped  bool
}

// BudgetError is why an attempt does not start, or is stopped.
type BudgetError struct{ Why string }

func (e *BudgetError) Error() string { return e.Why }

// State returns the use of the budget so far.
func (b *Budget) State() BudgetState {
	if b == nil {
		return BudgetState{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.state
	s.Used, _ = b.spent(b.Clock.Now())
	return s
}

// longestWait is the time after which a limit that is far away is looked at again.
const longestWait = 24 * time.Hour

// byTimer returns a timer for the time at which all attempts are to have ended. It may fire earlier, as a clock may be
// set back.
func (b *Budget) byTimer() *clock.Timer {
	if b == nil || b.By.IsZero() {
		return clock.Never()
	}
	return b.Clock.NewTimer(min(longestWait, max(time.Millisecond, b.By.Sub(b.Clock.Now()))))
}

// over reports whether no attempt may start any more.
func (b *Budget) over() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.passed(b.Clock.Now(), 0, 0) != ""
}

// refuses returns why no attempt at a wanted run of a component may start now, and notes it; empty: it may.
func (b *Budget) refuses(component string, cores int) string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	why := b.passed(b.Clock.Now(), cores, b.expected(component))
	b.state.Why = cmp.Or(b.state.Why, why)
	return why
}

// expected returns the time of a run of a component, s; 0: not known.
func (b *Budget) expected(component string) float64 {
	return cmp.Or(b.means[component].time, b.Usual[component])
}

// Cost returns the mean core time of a component's runs of this study, s; 0: not known.
func (b *Budget) Cost(component string) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.means[component].coreTime
}

// begin counts an attempt from now until the returned function is called. It calls stop when the budget is used up. The
// error is a [*BudgetError] if the attempt must not start, which is noted unless the study does without it.
func (b *Budget) begin(stop context.CancelCauseFunc, component string, cores int, needed bool) (func(), error) {
	if b == nil {
		return func() {}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.Clock.Now()
	expected := b.expected(component)
	if why := b.passed(now, cores, expected); why != "" {
		if needed {
			b.state.LeftOut++
			b.state.Why = cmp.Or(b.state.Why, why)
		}
		return nil, &BudgetError{why}
	}
	a := &living{cores: cores, began: now, expected: expected, stop: stop}
	if b.living == nil {
		b.living = map[*living]bool{}
	}
	b.living[a] = true
	b.wait(now)
	return func() { b.end(a) }, nil
}

// passed returns why an attempt would pass the budget; empty: it would not.
func (b *Budget) passed(now time.Time, cores int, expected float64) string {
	if !b.By.IsZero() && !now.Add(seconds(expected)).Before(b.By) {
		if !now.Before(b.By) {
			return fmt.Sprintf("budget: the time until %s is over", b.By.Format(time.DateTime))
		}
		return fmt.Sprintf("budget: a run of about %v would not end by %s", seconds(expected).Round(time.Second),
			b.By.Format(time.DateTime))
	}
	used, held := b.spent(now)
	switch {
	case b.Cores < 0:
	case used >= b.Cores:
		return fmt.Sprintf("budget: the %.4g core-hours are used up", b.Cores/3600)
	case held+float64(cores)*expected > b.Cores:
		return fmt.Sprintf("budget: a run of about %.3g core-hours would pass %.4g core-hours, of which %.4g are used "+
			"or planned", float64(cores)*expected/3600, b.Cores/3600, held/3600)
	}
	return ""
}

// spent returns the core time until now, s, and the same with the rest of the attempts under way, as expected.
func (b *Budget) spent(now time.Time) (used, held float64) {
	used, held = b.used, b.used
	for a := range b.living {
		t := now.Sub(a.began).Seconds()
		used, held = used+float64(a.cores)*t, held+float64(a.cores)*max(t, a.expected)
	}
	return used, held
}

// wait sets the timer for the moment at which the attempts under way reach the budget.
func (b *Budget) wait(now time.Time) {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	if len(b.living) == 0 {
		return
	}
	left := longestWait
	if !b.By.IsZero() {
		left = min(left, b.By.Sub(now))
	}
	if used, _ := b.spent(now); b.Cores >= 0 {
		cores := 0
		for a := range b.living {
			cores += a.cores
		}
		left = min(left, seconds((b.Cores-used)/float64(cores)))
	}
	b.timer = b.Clock.AfterFunc(max(left, 0)+time.Millisecond, b.stop) // later than any round-off
}

// stop stops the attempts under way if the budget is used up.
func (b *Budget) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	why := b.passed(b.Clock.Now(), 0, 0)
	if why == "" { // attempts have ended meanwhile
		b.wait(b.Clock.Now())
		return
	}
	b.state.Why = cmp.Or(b.state.Why, why)
	for a := range b.living {
		if a.stop(&BudgetError{why}); !a.stopped {
			a.stopped = true
			b.state.Stopped++
		}
	}
}

func (b *Budget) end(a *living) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.Clock.Now()
	delete(b.living, a)
	b.used += float64(a.cores) * now.Sub(a.began).Seconds()
	b.wait(now)
}

// learn notes the time of a run with an answer.
func (b *Budget) learn(component string, wall time.Duration, cores int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.means == nil {
		b.means = map[string]average{}
	}
	m, t := b.means[component], wall.Seconds()
	m.n++
	m.time += (t - m.time) / float64(m.n)
	m.coreTime += (float64(cores)*t - m.coreTime) / float64(m.n)
	b.means[component] = m
}

// seconds is a time of so many seconds; very long ones end at some 290 years.
func seconds(s float64) time.Duration {
	return time.Duration(min(s*float64(time.Second), 1<<63-1024))
}
