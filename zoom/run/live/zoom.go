package live

// The wishes on a study's maps that may arrive while it makes them: points that count or do not, further points, and
// the required error. The zoom of a component declares when it takes such wishes, and reads them between its rounds.

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Added is a run added on command to a component's runs.
type Added struct {
	Component string
	Speed     float64 // corrected, over the design's
	Throttle  float64 // over the throttle that passes the design's flow at a pressure ratio of 1
	Alpha     float64 // setting of vanes and blades that turn, deg
}

// zoomed is a component whose map is being made.
type zoomed struct {
	check func(Added) error
	added []Added // that the zoom has not seen
	to    float64 // required error; 0: as in the engine file
	fresh bool    // the zoom has not read to yet
	busy  bool    // it takes wishes
}

// wishes are the wishes of the live settings, under the lock of these.
type wishes struct {
	zooms    map[string]*zoomed // by component
	unusable []string           // patterns
	turn     int                // number of their changes
	wall     time.Duration      // of runs that are yet to start; 0: as in their zoom
	hung     time.Duration      // likewise
}

// Offer declares that a component's zoom takes wishes from now on. check returns the reason why a run cannot be added;
// the zoom makes another offer when check changes.
func (c *Settings) Offer(component string, check func(Added) error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	z := c.zoomed(component)
	z.check, z.busy = check, true
}

func (c *Settings) zoomed(component string) *zoomed {
	if c.wishes.zooms == nil {
		c.wishes.zooms = map[string]*zoomed{}
	}
	if c.wishes.zooms[component] == nil {
		c.wishes.zooms[component] = &zoomed{}
	}
	return c.wishes.zooms[component]
}

// Withdraw declares that components' zooms take no more wishes, as their maps are made. It reports false, and changes
// nothing, if a zoom has unread wishes. turn is the value of Turn at their last reading.
func (c *Settings) Withdraw(components []string, turn int) bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range components {
		if z := c.zoomed(name); len(z.added) > 0 || z.fresh || c.wishes.turn != turn {
			return false
		}
	}
	for _, name := range components {
		c.zoomed(name).busy = false
	}
	return true
}

// busy returns the zoom of a component that takes wishes.
func (c *Settings) busy(component string) (*zoomed, error) {
	known := slices.Sorted(maps.Keys(c.wishes.zooms))
	z := c.wishes.zooms[component]
	switch {
	case z == nil && len(known) == 0:
		return nil, fmt.Errorf("no component is zoomed yet")
	case z == nil:
		return nil, fmt.Errorf("%q is not zoomed%s", component, spell.Hint(component, known))
	case !z.busy:
		return nil, fmt.Errorf("the map of %s is made, and is changed no more", component)
	}
	return z, nil
}

// Add adds a run to a component's runs.
func (c *Settings) Add(a Added) (err error) {
	c.change(func() {
		var z *zoomed
		if z, err = c.busy(a.Component); err != nil {
			return
		}
		if err = z.check(a); err == nil {
			z.added = append(z.added, a)
		}
	})
	return err
}

// TakeAdded returns the runs added to a component since the last call.
func (c *Settings) TakeAdded(component string) []Added {
	return read(c, func() []Added {
		z := c.zoomed(component)
		added := z.added
		z.added = nil
		return added
	})
}

// Want sets the error that a component's zoom is to reach.
func (c *Settings) Want(component string, to float64) (err error) {
	c.change(func() {
		var z *zoomed
		if z, err = c.busy(component); err == nil {
			z.to, z.fresh = to, true
		}
	})
	return err
}

// Goal returns the error set by Want; 0: none was set.
func (c *Settings) Goal(component string) float64 {
	return read(c, func() float64 {
		if z := c.wishes.zooms[component]; z != nil {
			return z.to
		}
		return 0
	})
}

// Wanted is Goal, called by the component's zoom, and marks it as read.
func (c *Settings) Wanted(component string) float64 {
	return read(c, func() float64 {
		z := c.zoomed(component)
		z.fresh = false
		return z.to
	})
}

// SetUsable has the answers of the runs whose names match a pattern count in the maps, or not any more.
func (c *Settings) SetUsable(pattern string, usable bool) (err error) {
	if err := checkPattern(pattern); err != nil {
		return err
	}
	c.change(func() {
		w := &c.wishes
		if !slices.ContainsFunc(slices.Collect(maps.Values(w.zooms)), func(z *zoomed) bool { return z.busy }) {
			err = fmt.Errorf("no map is being made that this would change")
			return
		}
		known := slices.Contains(w.unusable, pattern)
		switch {
		case usable && !known:
			err = fmt.Errorf("%q was not said to be unusable%s", pattern, spell.Hint(pattern, w.unusable))
		case usable:
			w.unusable = slices.DeleteFunc(w.unusable, func(p string) bool { return p == pattern })
			w.turn++
		case !known:
			w.unusable = append(w.unusable, pattern)
			w.turn++
		}
	})
	return err
}

// Turn returns how often the set of answers that count has changed.
func (c *Settings) Turn() int {
	return read(c, func() int { return c.wishes.turn })
}

// Unusable returns the pattern that excludes the answer of a run; empty: it counts.
func (c *Settings) Unusable(job string) string {
	return read(c, func() string {
		i := slices.IndexFunc(c.wishes.unusable, func(p string) bool { return matches(p, job) })
		if i < 0 {
			return ""
		}
		return c.wishes.unusable[i]
	})
}

// SetLimits sets the limits of wall-clock time and of silence for runs that are yet to start; 0: as in their zoom.
func (c *Settings) SetLimits(wall, hung time.Duration) {
	c.change(func() { c.wishes.wall, c.wishes.hung = wall, hung })
}

// Limits returns these limits.
func (c *Settings) Limits() (wall, hung time.Duration) {
	if c == nil {
		return 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wishes.wall, c.wishes.hung
}
