package attempt

// Merging the events of a plugin with the events that the watchdog reads from the solver's files. The plugin's values
// take precedence. The file adds the values that the plugin did not report: whole iterations, or single values of an
// iteration.

import (
	"maps"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// pluginValues records the names of the values that a plugin reported at each iteration.
type pluginValues struct {
	names  map[float64]map[string]bool // by iteration
	latest float64                     // iteration
	gaps   bool                        // the last iteration of a file that was compared had other values
	held   []heldEvent                 // of files, which the plugin is likely to report in a moment
}

// heldEvent is an event, and when it was heard.
type heldEvent struct {
	event.Event
	heard time.Time
}

// mostHeld is how many events of files are held.
const mostHeld = 8

// awaits reports whether the plugin is likely to report the same as a file's event, which was read sooner than the
// plugin's arrived.
func (p *pluginValues) awaits(e *event.Event) bool {
	n, ok := e.Values["iteration"]
	return e.Kind == event.Iteration && ok && len(e.NonFinite)+len(e.Arrays) == 0 &&
		p.names != nil && !p.gaps && n > p.latest
}

// iterationWindow bounds the memory that pluginValues needs. If the file's events come more
// than this many iterations after the plugin's, their values are recorded twice.
const iterationWindow = 4096

// note records the names of an event of the plugin.
func (p *pluginValues) note(e event.Event) {
	n, ok := e.Values["iteration"]
	if e.Kind != event.Iteration || !ok {
		return
	}
	if p.names == nil {
		p.names = map[float64]map[string]bool{}
	}
	names := p.names[n]
	if names == nil {
		names = map[string]bool{}
		p.names[n] = names
	}
	for name := range e.Values {
		names[name] = true
	}
	for _, name := range e.NonFinite {
		names[name] = true
	}
	p.latest = max(p.latest, n)
	if len(p.names) > 2*iterationWindow {
		maps.DeleteFunc(p.names, func(n float64, _ map[string]bool) bool { return n < p.latest-iterationWindow })
		if len(p.names) > 2*iterationWindow { // iterations that are no whole numbers
			clear(p.names)
		}
	}
}

// missing returns a file's event without the values that the plugin reported, and whether
// any value is left.
func (p *pluginValues) missing(e event.Event) (event.Event, bool) {
	n, ok := e.Values["iteration"]
	if e.Kind != event.Iteration || !ok {
		return e, true
	}
	names := p.names[n]
	if names == nil {
		p.gaps = p.gaps || n < p.latest
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
	found := len(rest) > 1 || len(bad) > 0 || len(e.Arrays) > 0
	p.gaps = found
	e.Values, e.NonFinite = rest, bad
	return e, found
}
