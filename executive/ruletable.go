package executive

// The rules of a running study are steered like its other parts: by objects of its registry, so that each change is
// recorded in the study's log.

import (
	"encoding/json"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// ruleChanges are the functions that change the rules. Each has the name used by `peregrine steer rule`, after the
// prefix rules.
var ruleChanges = []struct {
	name, doc string
	do        func(j *rules.Judge, argument string) error
}{
	{"add", "takes the rules of a text, as of a file of rules, into those of the study", (*rules.Judge).Add},
	{"remove", "takes a rule out; a built-in one of its name is in force then", (*rules.Judge).Remove},
	{"on", "switches a rule on, including built-in rules that are off by default",
		func(j *rules.Judge, name string) error { return j.Switch(name, true) }},
	{"off", "switches a rule off", func(j *rules.Judge, name string) error { return j.Switch(name, false) }},
	{"act", "switches a rule on, and has it take its action", (*rules.Judge).Act},
}

// rules registers the rules of a judge, and lets them act on the study. If the study already has another judge, the
// earlier changes of its rules are repeated on the new one.
func (t *steering) rules(j *rules.Judge) error {
	j.Steer(t.give)
	t.mu.Lock()
	first, same, done := t.judge == nil, t.judge == j, slices.Clone(t.ruled)
	t.judge = j
	t.mu.Unlock()
	if first {
		t.registerRules()
	}
	for i := 0; i < len(done) && !same; i++ {
		if err := done[i](j); err != nil {
			return err
		}
	}
	return nil
}

// judged returns the judge whose rules are in force.
func (t *steering) judged() *rules.Judge {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.judge
}

// registerRules registers the list of the rules and the functions that change it.
func (t *steering) registerRules() {
	r := t.registries[record.StudyAddress]
	r.Add(steer.Object{
		Name: "rules", Type: steer.Text, Effect: steer.Monitor, Operations: []steer.Operation{steer.Read},
		Doc: "the rules that are in force, and those that are off, as JSON",
	}, steer.Binding{
		Get: func() steer.Value {
			text, err := json.Marshal(t.judged().Table())
			if err != nil { // of such a value it does not fail
				return steer.TextValue(err.Error())
			}
			return steer.TextValue(string(text))
		},
	})
	r.Add(steer.Object{
		Name: "urgent", Type: steer.Bool, Effect: steer.Monitor,
		Operations: []steer.Operation{steer.Read, steer.Actuate},
		Doc:        "runs start first that are nearest to where the engine works",
	}, steer.Binding{
		Get: func() steer.Value { return steer.BoolValue(t.live.Urgent()) },
		Set: func(v steer.Value) error { t.live.SetUrgent(v.Bool); return nil },
	})
	for _, c := range ruleChanges {
		call(r, "rules."+c.name, steer.Answer, c.doc, func(argument string) error {
			change := func(j *rules.Judge) error { return c.do(j, argument) }
			if err := change(t.judged()); err != nil {
				return err
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			t.ruled = append(t.ruled, change)
			return nil
		})
	}
}
