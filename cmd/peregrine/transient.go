package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive"
)

// How far transients are, on standard error.

const (
	sinceLine = 100 * time.Millisecond // between two states of a terminal's line
	sinceText = 10 * time.Second       // between two lines of a transient elsewhere
)

// transient shows how far a transient is. Of several that run at a time a terminal
// shows one until nothing more is heard of it.
func (p *progress) transient(at executive.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		if since := time.Since(p.shown); since < sinceLine || p.leads != at.Case && since < 5*sinceLine {
			return
		}
		p.leads = at.Case
		p.rewrite(transientText(at))
		return
	}
	if done := int(at.Wall / sinceText); done > p.told[at.Case] {
		p.told[at.Case] = done
		p.line(transientText(at))
	}
}

// transientText is one line: time, step, speeds, burner exit temperatures, stall
// margins, and the speed of the simulation.
func transientText(at executive.Progress) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %.3f of %g s, step %.2g s", at.Case, at.T, at.Duration, at.Step)
	for i, q := range at.Columns {
		name, v := q.Path, at.Values[i]
		switch {
		case v != v:
		case strings.HasPrefix(name, "shafts.") && strings.HasSuffix(name, ".N"):
			fmt.Fprintf(&b, ", %s %.0f rpm", strings.TrimSuffix(strings.TrimPrefix(name, "shafts."), ".N"), v)
		case q.Dim == unit.Temperature:
			fmt.Fprintf(&b, ", %s %.0f K", name, v)
		case strings.HasSuffix(name, ".SMN"):
			fmt.Fprintf(&b, ", %s %.1f %%", name, v)
		}
	}
	if s := at.Wall.Seconds(); s > 0 {
		fmt.Fprintf(&b, ", %.3g x real time", at.T/s)
	}
	return b.String()
}
