package run

// Where a plugin reports by itself its events win, and those that the watchdog
// reads from the solver's files fill the gaps: iterations of which the plugin
// said nothing, and values that it left out.

import (
	"maps"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// gaps remembers which values of which iterations a plugin has told.
type gaps struct {
	told map[float64]map[string]bool // names by iteration
	top  float64                     // latest iteration
}

// gapWindow bounds the memory: a file is read within this many iterations of
// the plugin's own report, or its values pass a second time.
const gapWindow = 4096

// tell notes an event of the plugin.
func (g *gaps) tell(e event.Event) {
	n, ok := e.Values["iteration"]
	if e.Kind != event.Iteration || !ok {
		return
	}
	if g.told == nil {
		g.told = map[float64]map[string]bool{}
	}
	names := g.told[n]
	if names == nil {
		names = map[string]bool{}
		g.told[n] = names
	}
	for name := range e.Values {
		names[name] = true
	}
	for _, name := range e.NonFinite {
		names[name] = true
	}
	g.top = max(g.top, n)
	if len(g.told) > 2*gapWindow {
		maps.DeleteFunc(g.told, func(n float64, _ map[string]bool) bool { return n < g.top-gapWindow })
	}
}

// fill returns the part of a file's event that the plugin has not told, and
// whether there is any.
func (g *gaps) fill(e event.Event) (event.Event, bool) {
	n, ok := e.Values["iteration"]
	if e.Kind != event.Iteration || !ok {
		return e, true
	}
	names := g.told[n]
	if names == nil {
		return e, true
	}
	rest := map[string]float64{"iteration": n}
	for name, v := range e.Values {
		if !names[name] {
			rest[name] = v
		}
	}
	var bad []string
	for _, name := range e.NonFinite {
		if !names[name] {
			bad = append(bad, name)
		}
	}
	fresh := len(rest) > 1 || len(bad) > 0 || len(e.Arrays) > 0
	e.Values, e.NonFinite = rest, bad
	return e, fresh
}
