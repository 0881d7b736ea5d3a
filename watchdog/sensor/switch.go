package sensor

// On, off and rate, while the solver runs.

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Selector selects instances. Each of its fields is a pattern as of [path.Match], as "fan-*"; an empty field selects
// all.
type Selector struct {
	Sensor string `json:"sensor,omitempty"`
	Run    string `json:"run,omitempty"`
	Thread string `json:"thread,omitempty"`
	Block  string `json:"block,omitempty"`
}

func (s *Selector) matches(o *Origin) bool {
	return match(s.Sensor, o.Spec.Name) && match(s.Run, o.Run) && match(s.Thread, o.Thread) && match(s.Block, o.Block)
}

func match(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// check returns an error for a pattern that is none.
func (s *Selector) check() error {
	for _, p := range []string{s.Sensor, s.Run, s.Thread, s.Block} {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("sensors %q: %w: write * for any letters, ? for one", p, err)
		}
	}
	return nil
}

// Setting is how much an instance records. The zero Setting is on, at the rate that the sensor was declared
// with.
type Setting struct {
	Off bool `json:"off,omitempty"`
	// tracing and extended: one of every so many records is looked at
	Every    int           `json:"every,omitempty"`
	Interval time.Duration `json:"interval,omitempty"` // sampling: between two readings
}

// rule is a setting for all instances that a selector selects, including later instances.
type rule struct {
	Selector
	Setting
}

// Switch changes the setting of the selected instances, including later ones, and returns the number of present
// instances. The last switch counts. It fails without any change if no sensor has the name, or if a rate is out of
// bounds.
func (b *Board) Switch(which Selector, to Setting) (changed int, err error) {
	if err := which.check(); err != nil {
		return 0, err
	}
	if to.Every < 0 || to.Every > mostEvery || to.Interval != 0 && to.Interval < leastInterval {
		return 0, fmt.Errorf("sensors %q: every %d, interval %v: choose 0 to %d, and 0 or at least %v", which.Sensor,
			to.Every, to.Interval, mostEvery, leastInterval)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	known := slices.Sorted(maps.Keys(b.sensors))
	if !slices.ContainsFunc(known, func(name string) bool { return match(which.Sensor, name) }) {
		return 0, fmt.Errorf("there is no sensor %q%s", which.Sensor, spell.Hint(which.Sensor, known))
	}
	b.rules = slices.DeleteFunc(b.rules, func(r rule) bool { return r.Selector == which })
	b.rules = append(b.rules, rule{which, to})
	for i := range b.instances {
		if which.matches(i.origin) {
			b.set(i, b.sensors[i.origin.Spec.Name].factor)
			changed++
		}
	}
	b.bell.ring() // an interval may be shorter than the monitor's sleep
	return changed, nil
}

// instances calls yield with each instance; the lock is held.
func (b *Board) instances(yield func(*Instance) bool) {
	for _, t := range *b.threads.Load() {
		for _, i := range *t.instances.Load() {
			if !yield(i) {
				return
			}
		}
	}
}

// setting returns the setting of an instance by the rules; the lock is held.
func (b *Board) setting(o *Origin) Setting {
	to := Setting{Off: o.Spec.Off}
	for _, r := range b.rules {
		if r.matches(o) {
			to = r.Setting
		}
	}
	to.Every = cmp.Or(to.Every, o.Spec.Every, 1)
	to.Interval = cmp.Or(to.Interval, o.Spec.Interval)
	return to
}

// set brings an instance to its setting, at a rate that is lower by a factor; the lock is held.
func (b *Board) set(i *Instance, factor uint32) {
	defer b.settings.Add(1)
	to := b.setting(i.origin)
	if to.Off {
		i.every.Store(0)
		i.interval.Store(0)
		return
	}
	if i.cells != nil {
		i.interval.Store(int64(to.Interval) * int64(factor))
		i.every.Store(1)
		return
	}
	i.every.Store(uint32(min(uint64(to.Every)*uint64(factor), mostEvery)))
}

// Status is the status of an instance.
type Status struct {
	Origin
	Setting         // with the present rate
	Lowered  int    // factor by which the budget has lowered the rate; 1: not lowered
	Recorded uint64 // records that reached the monitor
	Dropped  uint64 // records that found their ring full
	Thinned  uint64 // records that were left out before the ring was full
	Waited   time.Duration
	Filter   time.Duration // that its filter takes, the median of some records; 0: not known
	Trace    time.Duration // that recording takes, as measured
}

// Status returns the status of all instances, in the order in which they came.
func (b *Board) Status() []Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []Status
	for i := range b.instances {
		every := i.every.Load()
		list = append(list, Status{
			Origin:  *i.origin,
			Setting: Setting{Off: every == 0, Every: int(every), Interval: time.Duration(i.interval.Load())},
			Lowered: int(b.sensors[i.origin.Spec.Name].factor), Recorded: i.reader.recorded.Load(),
			Dropped: i.account.dropped.Load(), Thinned: i.account.thinned.Load(),
			Waited: time.Duration(i.account.waited.Load()),
			Filter: time.Duration(i.account.filtered.each()), Trace: time.Duration(i.account.traced.each()),
		})
	}
	return list
}
