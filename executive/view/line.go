package view

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Line writes the progress in one line. It needs the present time to estimate the time left:
//
//	runs 5/8 done, 1 from the cache, 1 failed, about 40 s left | n100-p3: iteration 240, residual 3.2e-04
//
// It is empty if no progress is known.
func (p Progress) Line(now time.Time) string {
	var parts []string
	if p.Planned+p.Done+len(p.Running) > 0 {
		parts = append(parts, p.Counts(now))
	}
	if text := p.Queue(); text != "" {
		parts = append(parts, text)
	}
	for _, r := range p.Running {
		name := r.Name
		if len(p.Nodes) > 0 && r.Host != "" {
			name += " on " + r.Host
		}
		text := name + ": starts"
		if r.Iteration > 0 {
			text = fmt.Sprintf("%s: iteration %.0f", name, r.Iteration)
			if r.Residual != 0 {
				text += fmt.Sprintf(", residual %.1e", r.Residual)
			}
		}
		parts = append(parts, text)
	}
	if c, ok := p.latest(); ok && len(p.Running) == 0 {
		parts = append(parts, c.Line())
	}
	return strings.Join(parts, " | ")
}

// Counts writes the number of done, cached and failed runs, and the time left.
func (p Progress) Counts(now time.Time) string {
	text := fmt.Sprintf("runs %d/%d done", p.Done, max(p.Planned, p.Done))
	if p.Cached > 0 {
		text += fmt.Sprintf(", %d from the cache", p.Cached)
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	if left, ok := p.Left(now); ok {
		text += ", about " + duration(left) + " left"
	}
	return text
}

// Left estimates the time until the study has ended by its forecast, while that may hold. Else it estimates the time
// until the planned runs have ended, from the mean time of the ended runs and the number of concurrent runs. It reports
// false if no run has ended or no run is running.
func (p Progress) Left(now time.Time) (time.Duration, bool) {
	for _, end := range []time.Time{p.Expected, p.Latest} {
		if left := end.Sub(now); left > 0 && !p.Ended {
			return left, true
		}
	}
	if p.Ended || p.Mean == 0 || len(p.Running) == 0 {
		return 0, false
	}
	work := time.Duration(max(0, p.Planned-p.Done-len(p.Running))) * p.Mean
	for _, r := range p.Running {
		work += max(0, p.Mean-now.Sub(r.Began))
	}
	return work / time.Duration(len(p.Running)), true
}

// duration writes a time span rounded to seconds, minutes or hours.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return "1 s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}

// latest returns the case with the latest progress event.
func (p Progress) latest() (last Case, ok bool) {
	for _, c := range p.Cases {
		if !ok || c.At.After(last.At) {
			last, ok = c, true
		}
	}
	return last, ok
}

// Line writes the progress of a transient or a sweep. For a transient it has the time, the
// speed of the simulation, the step, shaft speeds, the exit temperature of the first burner
// and surge margins.
func (c Case) Line() string {
	if planned, ok := c.Values["planned"]; ok {
		text := fmt.Sprintf("%s: %.0f of %.0f points", c.Name, c.Values["points"], planned)
		if done := c.Values["points"]; done > 0 && done < planned {
			text += ", about " + duration(time.Duration(float64(c.Wall)*(planned-done)/done)) + " left"
		}
		return text
	}
	t, span := c.Values["t"], c.Values["duration"]
	text := fmt.Sprintf("%s: t %.3f of %g s", c.Name, t, span)
	if s := c.Wall.Seconds(); s > 0 {
		text += fmt.Sprintf(" (%.3g x real time", t/s)
		if t > 0 && t < span {
			text += ", about " + duration(time.Duration(float64(c.Wall)*(span-t)/t)) + " left"
		}
		text += ")"
	}
	text += fmt.Sprintf(", step %.2g s", c.Values["step"])
	speeds, margins := c.pick("shafts.", ".N"), c.pick("", ".SMN")
	if speeds != nil {
		text += ", N " + c.list(speeds, "%.0f") + " rpm"
	}
	for _, name := range c.pick("", ".out.Tt") {
		text += fmt.Sprintf(", %s %.0f K", part(name), c.Values[name])
	}
	if margins != nil {
		text += ", SMN " + c.list(margins, "%.1f") + " %"
	}
	return text
}

// pick returns the names of values with a prefix and a suffix, sorted.
func (c Case) pick(prefix, suffix string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) && !math.IsNaN(c.Values[name]) {
			names = append(names, name)
		}
	}
	return names
}

func (c Case) list(names []string, format string) string {
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprintf("%s "+format, part(name), c.Values[name]))
	}
	return strings.Join(out, ", ")
}

// part returns the component or shaft in a path.
func part(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "shafts."), ".")
	return name
}

// RunNote writes a line for an event that a terminal shows at once: the end of a run, or a warning. It is empty for all
// other events. If quiet is set it leaves out converged runs.
func RunNote(e event.Event, quiet bool) string {
	name := e.Run
	name = cmp.Or(name, "study")
	switch {
	case e.Kind == event.NodeLost:
		return "study: warning: " + e.Text
	case !quiet && e.Kind == event.Started && e.Source == event.Host && e.Waited >= sayWait:
		return fmt.Sprintf("%s: starts on %s, for which it waited %s", name, e.Host, duration(seconds(e.Waited)))
	case !quiet && (e.Kind == event.BlockState || e.Kind == event.NodeCame || e.Kind == event.Accounted):
		return "study: " + e.Text
	case e.Kind == event.Warning && e.Source == event.Executive, e.Kind == event.Warning && e.Run != "":
		return fmt.Sprintf("%s: warning: %s", name, e.Text)
	case e.Kind == event.Harvested:
		return fmt.Sprintf("%s: %s, finished after its host had ended; its answer is now in the cache", name,
			e.Outcome())
	case e.Kind != event.Ended || e.Source != event.Host && e.Source != event.Executive:
		return ""
	case quiet && e.Answers():
		return ""
	}
	return fmt.Sprintf("%s: %s%s", name, e.Outcome(), remark(e))
}

// sayWait is the shortest wait for a node, in s, that gets its own line when a run starts.
const sayWait = 10

func remark(e event.Event) string {
	switch {
	case e.Cached && !e.Answers() && e.Text != "":
		return ": " + e.Text
	case e.Cached:
		return " (from the cache)"
	case e.Outrun != "":
		return onHost(e) + ", as " + e.Outrun + " has ended first"
	case e.Follows:
		return onHost(e) + ", another attempt follows"
	case e.Wall > 0:
		return fmt.Sprintf(" in %.1f s", e.Wall) + onHost(e)
	}
	return ""
}

// onHost names the node of an event; it is empty for this machine.
func onHost(e event.Event) string {
	if e.Host == "" || e.Host == hosts.Local {
		return ""
	}
	return " on " + e.Host
}
