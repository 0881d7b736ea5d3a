package rules

// What rules may do to a run is bounded: each so many actions, all together so many, and two that undo each other are
// stopped. What is counted is what is done to a run and to those that follow it for the same point, so that a rule
// that sends a run back does not do so for ever.

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

const (
	usualMost = 10 // actions of a rule that does not say how many
	mostOfAll = 30 // actions of all of these
)

// guard is what rules did, by the job of the run; empty: to the study.
type guard map[string]*doings

// doings is what was done to one run.
type doings struct {
	all   int            // by rules that do not say how many they may take
	of    map[string]int // by rule
	ended map[string]bool
	last  map[string][]doing // by object, the latest of each
}

// doing is what a rule made of an object.
type doing struct {
	rule  string
	value steer.Value
}

// back is how many changes of an object in a row show that two rules undo each other: there, back, there, back.
const back = 4

// may reports whether a rule may act on a run, which then counts as done. Why is to be told, once: why it may no more.
func (g guard) may(f *rule.Finding, name string, c steer.Command) (may bool, why string) {
	d := g.of(record.JobOf(name))
	most := f.Most
	if most == 0 {
		most = usualMost
	}
	switch other, object := d.undone(f.Rule, c); {
	case d.ended[f.Rule]:
		return false, ""
	case other != "":
		d.ended[f.Rule], d.ended[other] = true, true
		return false, fmt.Sprintf(
			"the rules %s and %s undo each other: %s was %v, then %v, and so again; neither acts %s any more",
			other, f.Rule, object, d.last[object][back-2].value, d.last[object][back-1].value, where(name))
	case d.of[f.Rule] >= most:
		d.ended[f.Rule] = true
		return false, fmt.Sprintf("it has acted %d times, as often as it may (most), and does not act %s any more",
			most, where(name))
	case f.Most == 0 && d.all >= mostOfAll:
		d.ended[f.Rule] = true
		return false, fmt.Sprintf(
			"rules have acted %d times, as often as all together may that do not say (most), and this one does not "+
				"act %s any more", mostOfAll, where(name))
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

// undone notes what a rule is to do, and returns the other one of two that do and undo the same thing twice, and which.
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
