package rule

import (
	_ "embed"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
)

// Set is a set of compiled rules. It does not change; several Monitors may share it.
type Set struct {
	layout
	rules []*rule     // in the order of evaluation
	runs  [][]*rule   // rules on runs, in groups that refer to each other
	calm  [][]*rule   // of these, the rules that name the time without a sign of life
	words *vocabulary // with which they were compiled

	sources   []config.Rule // of all rules, by id
	functions []config.Function
}

// Names returns the names of the rules in the order of evaluation.
func (s *Set) Names() []string {
	var names []string
	for _, r := range s.rules {
		names = append(names, r.Name)
	}
	return names
}

// EndsRuns reports whether a user's rule may end a run or reject its answer because of an earlier iteration. Built-in
// rules do so only for states that no run recovers from.
func (s *Set) EndsRuns() bool {
	return slices.ContainsFunc(s.rules, func(r *rule) bool {
		return !r.BuiltIn() && r.scope == runScope && (r.Act && r.action.Verb != "" || r.Severity == Severe)
	})
}

// Only returns a set with only the rules of these names.
func (s *Set) Only(names []string) *Set {
	few := *s
	few.rules, few.runs = nil, nil
	for _, r := range s.rules {
		if slices.Contains(names, r.Name) {
			few.rules = append(few.rules, r)
		}
	}
	for _, group := range s.runs {
		if group = slices.DeleteFunc(slices.Clone(group),
			func(r *rule) bool { return !slices.Contains(names, r.Name) }); len(group) > 0 {
			few.runs = append(few.runs, group)
		}
	}
	few.quieten()
	return &few
}

// rule is a compiled rule.
type rule struct {
	config.Rule
	id      int // its place in the files
	scope   scope
	when    []*condition // the rule fires if any of them holds
	message template
	action  Action
	to      []assignment // of the action's expressions

	inputs   bits // of its conditions on a run
	profiles bool // they name profiles
	silence  bool // they name the time without a sign of life
}

// quieten finds the rules that may fire because time passes, without an event.
func (s *Set) quieten() {
	s.calm = nil
	for _, group := range s.runs {
		group = slices.DeleteFunc(slices.Clone(group), func(r *rule) bool { return !r.silence && r.For == 0 })
		if len(group) > 0 {
			s.calm = append(s.calm, group)
		}
	}
}

// assignment is the new value of an object.
type assignment struct {
	name  string
	value *condition
}
