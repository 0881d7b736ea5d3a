package rules

// Actions on findings: stop a run, or send it a command with its next event or at the next tick, or command the study.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// act takes the action of a finding on a run, or records the action without taking it. It reports whether the run is to
// be stopped. Found is the finding's event.
func (j *Judge) act(f rule.Finding, found *event.Ref) (stop bool) {
	if f.Action == "" || f.Run == "" || f.Kind == event.Ended && !f.Does.OnStudy() {
		return false
	}
	if !f.Acts {
		j.would(f, f.Does.String(), found)
		return false
	}
	if f.Action == rule.Stop {
		return true
	}
	j.order(f, f.Run, found, false)
	return false
}

// would records the action that a rule would take.
func (j *Judge) would(f rule.Finding, text string, found *event.Ref) {
	j.Record(event.Event{Source: event.Executive, Kind: event.Would, Name: f.Rule, Severity: f.Severity, Case: f.Case,
		Component: f.Component, Run: f.Run, Text: text, Cause: found})
}

// together takes the findings on several runs, and their actions: each run gets its orders with its next event, and is
// stopped then or at the next Tick.
func (j *Judge) together(list []rule.Finding) {
	for _, f := range list {
		found := j.addLatest(f)
		for _, name := range f.On {
			// found by its course: the data at its end may not show it
			if _, iterated := j.study.Facts(name).Numbers["iteration"]; iterated || f.Action != "" {
				delete(j.verdicts, name)
			}
		}
		switch {
		case f.Action == "", len(f.On) == 0 && !f.Does.OnStudy():
			continue
		case !f.Acts && f.Does.OnStudy():
			j.would(f, f.Does.String(), found)
			continue
		case !f.Acts:
			j.would(f, f.Does.String()+" on "+strings.Join(f.On, ", "), found)
			continue
		case f.Does.OnStudy():
			j.order(f, "", found, true)
			continue
		}
		for _, name := range f.On {
			if f.Does.Ends() {
				j.halts[name] = attempt.Halt{Class: event.Unphysical, Message: "rule " + f.Rule + ": " + f.Message,
					Cause: found, Beyond: true}
			} else {
				j.order(f, name, found, true)
			}
		}
	}
}

// order commands a run, or the study, with the action of a finding, unless the guard forbids it. Beyond marks a finding
// that also concerns other runs.
func (j *Judge) order(f rule.Finding, name string, found *event.Ref, beyond bool) {
	if f.Action == rule.Unusable {
		return // its answer is rejected when it comes
	}
	c := command(f.Does)
	if f.Does.OnStudy() {
		name = ""
	}
	may, why := j.guard.may(&f, name, c)
	if why != "" {
		j.warn(result.Warning{Severity: rule.Warning, Rule: f.Rule, Component: f.Component, Run: name, Message: why,
			Evidence: []string{}}, found)
	}
	reason := "rule " + f.Rule + ": " + f.Message
	switch {
	case !may:
	case !f.Does.OnStudy():
		j.orders[name] = append(j.orders[name],
			attempt.Instruction{Command: c, Reason: reason, Cause: found, Beyond: beyond})
	case j.steer != nil:
		j.steered++
		c.ID, c.By = fmt.Sprintf("rule %d", j.steered), reason
		j.steer(c)
	}
}

// command returns the steering command of an action.
func command(a rule.Action) (c steer.Command) {
	c.Verb = steer.Verb(a.Verb)
	for _, object := range slices.Sorted(maps.Keys(a.Values)) {
		c.Changes = append(c.Changes, steer.Change{Object: object, Value: steer.FloatValue(a.Values[object])})
	}
	for _, object := range slices.Sorted(maps.Keys(a.Flags)) {
		c.Changes = append(c.Changes, steer.Change{Object: object, Value: steer.BoolValue(a.Flags[object])})
	}
	switch a.Verb {
	case rule.Checkpoint, rule.Rewind:
		c.Name = a.Target
	case rule.Call:
		c.Changes = []steer.Change{{Object: a.Target, Value: argument(a.Argument)}}
	case rule.First:
		c.Verb, c.Changes = steer.CallOf, []steer.Change{{Object: "first", Value: steer.TextValue(a.Target)}}
	case rule.Urgent:
		c.Verb, c.Changes = steer.Set, []steer.Change{{Object: "urgent", Value: steer.BoolValue(true)}}
	case rule.Workers:
		c.Verb, c.Changes = steer.Set, []steer.Change{{Object: "workers", Value: steer.IntValue(int64(a.Workers))}}
	}
	return c
}

// argument converts an argument of a function in the file: a number, true, false or a text; empty: no argument.
func argument(text string) steer.Value {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		return steer.Value{}
	case text == "true" || text == "false":
		return steer.BoolValue(text == "true")
	case err == nil:
		return steer.FloatValue(x)
	}
	return steer.TextValue(text)
}

// Orders implements attempt.Commander.
func (j *Judge) Orders(name string) []attempt.Instruction {
	j.mu.Lock()
	defer j.mu.Unlock()
	orders := j.orders[name]
	delete(j.orders, name)
	return orders
}

// runs is the set of runs of a host.
type runs interface {
	// Order commands a run, Halt ends a run. Each reports whether the host has the run.
	Order(name string, o attempt.Instruction) bool
	Halt(name string, h attempt.Halt) bool
}

var _ runs = (*attempt.Host)(nil)

// Deliver gives a host its waiting orders and halts. They wait for the next event of a run, which does not come from a
// run that is held and reports no events. Orders for the run of another host keep waiting; orders for an ended run are
// dropped.
func (j *Judge) Deliver(to runs) {
	j.mu.Lock()
	over := func(name string) bool { return j.going[name] == nil }
	maps.DeleteFunc(j.orders, func(name string, _ []attempt.Instruction) bool { return over(name) })
	maps.DeleteFunc(j.halts, func(name string, _ attempt.Halt) bool { return over(name) })
	orders, halts := maps.Clone(j.orders), maps.Clone(j.halts)
	clear(j.orders)
	clear(j.halts)
	j.mu.Unlock()
	maps.DeleteFunc(halts, to.Halt)
	for name, list := range orders {
		orders[name] = slices.DeleteFunc(list, func(o attempt.Instruction) bool { return to.Order(name, o) })
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for name, list := range orders {
		if len(list) > 0 { // another host's
			j.orders[name] = append(list, j.orders[name]...)
		}
	}
	for name, h := range halts {
		if _, later := j.halts[name]; !later {
			j.halts[name] = h
		}
	}
}
