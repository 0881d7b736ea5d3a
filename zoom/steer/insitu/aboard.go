// Package insitu lets a run judge rules itself, in the solver's process: at each safe point after an iteration, on the
// values of the run's objects there. The action of a rule is a command to the run's registry, applied at the same safe
// point, with a receipt like any other. So a rule sees each iteration, while the host sees only each report, and acts
// before the next iteration. Its actions follow from the run alone.
package insitu

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// judge judges the rules of one run.
type judge struct {
	registry *steer.Registry
	course   *rule.Course
	names    []string
	values   []float64
	there    []bool
	emit     func(event.Event)
	given    map[string]int // commands, by rule
	broken   bool
}

// mostActs is how often one rule may act on a run; the rule may set a lower limit. The registry takes a bounded number
// of commands, and other clients need some of them.
const mostActs = 10_000

// limitObject is the object with the iteration limit for rules.
const limitObject = "max_iterations"

// Board has a run judge the rules of a text, see [rule.Set.Text]. It emits a message that lists them, or a warning with
// the reason why they cannot be judged. Call it before the run begins.
func Board(text, run string, r *steer.Registry, emit func(event.Event)) {
	set, err := rule.ParseText(text)
	if err != nil { // of a host of another version: it judges them
		emit(event.Event{Kind: event.Warning, Text: fmt.Sprintf("the run does not judge rules itself: %v", err)})
		return
	}
	j := &judge{registry: r, course: rule.NewCourse(set, rule.Run{Name: run}), emit: emit, given: map[string]int{}}
	j.names = j.course.Names()
	j.values, j.there = make([]float64, len(j.names)), make([]bool, len(j.names))
	r.Judge = j.iteration
	emit(event.Event{
		Kind: event.Message, Name: rule.InSitu,
		Text: "judges at each iteration the rules " + strings.Join(set.InSitu(), ", "),
	})
}

// iteration judges the rules after an iteration. It is called by the solver's thread. A fault of a rule must not end
// a run of hours.
func (j *judge) iteration(n int64) {
	if j.broken {
		return
	}
	defer func() {
		if fault := recover(); fault != nil {
			j.broken = true
			j.emit(event.Event{
				Kind: event.Warning,
				Text: fmt.Sprintf("the run judges its rules no more: they failed at iteration %d: %v", n, fault),
			})
		}
	}()
	for i, name := range j.names {
		j.values[i], j.there[i] = j.registry.Number(name)
	}
	if limit, there := j.registry.Number(limitObject); there {
		j.course.Limit(limit)
	}
	for _, f := range j.course.Iteration(n, j.values, j.there) {
		j.tell(n, &f)
	}
}

// tell reports a finding and submits its action.
func (j *judge) tell(n int64, f *rule.Finding) {
	at := map[string]float64{"iteration": float64(n)}
	most := mostActs
	if f.Most > 0 {
		most = min(f.Most, most)
	}
	if f.Severity != rule.Info {
		j.emit(event.Event{Kind: event.Finding, Name: f.Rule, Severity: f.Severity, Text: f.Message, Values: at})
	}
	switch {
	case f.Action == "":
	case !f.Acts:
		j.emit(event.Event{
			Kind: event.Would, Name: f.Rule, Severity: f.Severity,
			Text: rule.Action{Verb: f.Action, Values: f.Values}.String(), Values: at,
		})
	case j.given[f.Rule] > most:
	case j.given[f.Rule] == most:
		j.given[f.Rule]++
		j.emit(event.Event{
			Kind: event.Warning, Text: fmt.Sprintf("rule %s has acted %d times on the run, and acts no more", f.Rule,
				most), Values: at,
		})
	default:
		c := command(f)
		j.given[f.Rule]++
		c.ID, c.By, c.Rule = fmt.Sprintf("rule %s %d", f.Rule, j.given[f.Rule]), "rule "+f.Rule, f.Rule
		j.registry.Submit(c, func(event.Receipt) {}) // its fate is recorded as an event
	}
}

// command returns the command of a rule's action.
func command(f *rule.Finding) steer.Command {
	switch f.Action {
	case rule.Change:
		c := steer.Command{Verb: steer.Set}
		for _, name := range slices.Sorted(maps.Keys(f.Values)) {
			c.Changes = append(c.Changes, steer.Change{Object: name, Value: steer.FloatValue(f.Values[name])})
		}
		return c
	case rule.Checkpoint: // the checkpoint without a name, from which the host restarts a run
		return steer.Command{
			Verb: steer.CallOf, Changes: []steer.Change{{Object: steer.CheckpointFunction, Value: steer.TextValue("")}},
		}
	}
	return steer.Command{Verb: steer.Verb(f.Action)} // pause and stop have the same names
}
