package rules

// Limits on the actions of rules on a run. Each rule has a largest number of actions, all together have one, and two
// rules that undo each other are stopped. The counts include the runs that follow a run for the same point, so that a
// rule cannot send a run back for ever.

import (
	"cmp"
	"fmt"

	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

const (
	mostOfAll = 30 // actions of all of these
)

// guard holds the actions of rules, by the job of the run; an empty name is the study.
type guard map[string]*doings

// doings holds the actions on one run.
type doings struct {
	all   int            // by rules without their own limit
	of    map[string]int // by rule
	ended map[string]bool
	last  map[string][]doing // by object, the latest of each
}

// doing is a change of an object by a rule.
type doing struct {
	rule  string
	value steer.Value
}

// back is the number of successive changes of an object that show that two rules undo each other: set, back, set, back.
const back = 4

// may reports whether a rule may act on a run, and counts the action if so. Why is the reason for a refusal; it is
// reported once.
func (g guard) may(f *rule.Finding, name string, c steer.Command) (may bool, why string) {
	d := g.of(record.JobOf(name))
	most := f.Most
	most = cmp.Or(most, rule.UsualMost)
	switch other, object := d.undone(f.Rule, c); {
	case d.ended[f.Rule]:
		return false, ""
	case other != "":
		d.ended[f.Rule], d.ended[other] = true, true
		return false, fmt.Sprintf(
			"the rules %s and %s undo each other: %s was set to %v, then to %v, twice; neither acts %s any more",
			other, f.Rule, object, d.last[object][back-2].value, d.last[object][back-1].value, where(name))
	case d.of[f.Rule] >= most:
		d.ended[f.Rule] = true
		return false, fmt.Sprintf("it has acted %d times, its limit (most), and no longer acts %s", most, where(name))
	case f.Most == 0 && d.all >= mostOfAll:
		d.ended[f.Rule] = true
		return false, fmt.Sprintf(
			"the rules without a limit of their own (most) have acted %d times, their common limit; this one no "+
				"longer acts %s", mostOfAll, where(name))
	}
	if f.Most == 0 {
		d.all++
	}
	d.of[f.Rule]++
	return true, ""
}

func where(name string) string {
	if name == "" {
		return "on the study"
	}
	return "on " + name
}

func (g guard) of(job string) *doings {
	if g[job] == nil {
		g[job] = &doings{of: map[string]int{}, ended: map[string]bool{}, last: map[string][]doing{}}
	}
	return g[job]
}

// undone records the next change of a rule. If two rules set and undo the same object twice, it returns the other rule
// and the object.
func (d *doings) undone(name string, c steer.Command) (other, object string) {
	changes := c.Changes
	switch c.Verb {
	case steer.Pause, steer.Resume:
		changes = []steer.Change{{Object: "its hold", Value: steer.BoolValue(c.Verb == steer.Pause)}}
	case steer.Set:
	default:
		return "", ""
	}
	for _, x := range changes {
		l := append(d.last[x.Object], doing{name, x.Value})
		l = l[max(0, len(l)-back):]
		d.last[x.Object] = l
		if len(l) == back && l[0].rule == l[2].rule && l[1].rule == l[3].rule && l[0].rule != l[1].rule &&
			l[0].value.Equal(l[2].value) && l[1].value.Equal(l[3].value) && !l[0].value.Equal(l[1].value) {
			other, object = l[0].rule, x.Object
		}
	}
	return other, object
}
