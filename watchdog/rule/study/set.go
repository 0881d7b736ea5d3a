package study

// A set of rules on studies, compiled.

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

//go:embed builtin.yaml
var builtin []byte

// Set is a set of compiled rules. It does not change; several Monitors may share it.
type Set struct {
	kinds kinds
	rules []*studyRule // in the order of evaluation
	state bool         // some rule names the state of a run
}

// studyRule is a compiled rule.
type studyRule struct {
	config.Rule
	when []*alternative
}

// fragment is a text, or an expression in its place.
type fragment struct {
	text  string
	value shown
}

// inference is a fact that a rule asserts.
type inference struct {
	kind   *kind
	values []shown // by column; without an expression: it is not given
}

// functions are the functions for conditions besides the user's. The comments are the list of the help page on rules.
var functions = map[string]config.Function{
	// neighbours(a, b): whether b is the next run after a, at a higher throttle, among the runs of their speed line
	// that have answers
	"neighbours": {
		Name: "neighbours", Arguments: []string{"x", "y"},
		Body: `x.curve != "" and x.curve == y.curve and x.answered and y.answered and x.place < y.place and ` +
			`none(runs, .curve == x.curve and .answered and .place > x.place and .place < y.place)`,
	},
}

// New compiles the built-in rules and, the user's rules that judge all runs of a study together. Its error joins a
// [*language.Error] for each fault of each rule.
func New(userFunctions []config.Function, user []config.Rule) (*Set, error) {
	library := slices.Clone(userFunctions)
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if !slices.ContainsFunc(userFunctions, func(f config.Function) bool { return f.Name == name }) {
			library = append(library, functions[name])
		}
	}
	lang, err := rule.NewLanguage(library)
	if err != nil {
		return nil, err
	}
	rules, err := sources(user)
	if err != nil {
		return nil, err
	}
	s := &Set{kinds: kinds{}}
	s.kinds[config.Kind] = newRuns()
	var errs []error
	for _, r := range rules {
		errs = append(errs, s.declare(r))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := s.infer(rules, lang); err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.off() {
			s.rules = append(s.rules, r)
			continue
		}
		if err := s.compile(r, lang); err != nil {
			errs = append(errs, err)
			continue
		}
		s.rules = append(s.rules, r)
	}
	s.state = s.kinds[config.Kind].has("state")
	slices.SortStableFunc(s.rules, func(a, b *studyRule) int { return b.Priority - a.Priority })
	return s, errors.Join(errs...)
}

// sources returns the built-in rules, except rules with the name of a user's rule, and then the user's.
func sources(user []config.Rule) (list []*studyRule, err error) {
	wide, _ := config.SplitRules(user)
	all, err := config.ParseOwnRules("built-in rules", builtin)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(b config.Rule) bool {
		return slices.ContainsFunc(user, func(u config.Rule) bool { return u.Name == b.Name })
	})
	for _, r := range append(all, wide...) {
		if r.Message == "" && (len(r.Assert) == 0 || r.Action != "") {
			r.Message = strings.Join(r.Conditions(), " or ")
		}
		list = append(list, &studyRule{Rule: r})
	}
	return list, nil
}

// off reports whether the rule is switched off.
func (r *studyRule) off() bool {
	return len(r.Or) == 0 && strings.TrimSpace(r.When) == "false"
}

// fault is an error of a rule.
func (r *studyRule) fault(at document.Pos, text string, err error) error {
	return language.Fault(&r.Rule, at, text, err)
}

// declare takes in the kinds that a rule asserts.
func (s *Set) declare(r *studyRule) error {
	for _, a := range r.Assert {
		if a.Kind == config.Kind || a.Kind == config.Kind+"s" {
			return r.fault(a.Pos, a.Kind, fmt.Errorf("runs are no conclusions: want another kind of facts"))
		}
		if s.kinds[a.Kind] == nil {
			s.kinds[a.Kind] = newKind(a.Kind)
		}
		for _, f := range a.Fields {
			s.kinds[a.Kind].add(column{name: f.Name})
		}
	}
	return nil
}

// memory makes the memory. then returns the action of each alternative; gone is called when a match ends.
func (s *Set) memory(then func(*studyRule, *alternative) func(*fact.Match), gone func(*fact.Match)) *fact.Memory {
	var kinds []fact.Kind
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		kinds = append(kinds, s.kinds[name].facts())
	}
	var rules []fact.Rule
	for _, r := range s.rules {
		for i, a := range r.when {
			f := a.fact
			f.Name, f.Priority, f.Then, f.Gone = factName(r, i), r.Priority, then(r, a), gone
			rules = append(rules, f)
		}
	}
	return fact.New(kinds, rules, mostMatches)
}

// factName is the name in the memory of a rule's condition.
func factName(r *studyRule, i int) string { return fmt.Sprintf("%s, condition %d", r.Name, i+1) }

// mostMatches bounds the matches that rules keep of a study's runs: a rule on pairs has a million matches for a
// thousand runs.
const mostMatches = 1 << 21

// Names returns the names of the rules in the order of evaluation.
func (s *Set) Names() (list []string) {
	for _, r := range s.rules {
		list = append(list, r.Name)
	}
	return list
}

// List describes the rules in the order of evaluation.
func (s *Set) List() (list []rule.Listed) {
	for _, r := range s.rules {
		when := []string{}
		for _, a := range r.when {
			when = append(when, a.text)
		}
		list = append(list, rule.Describe(&r.Rule, judges, when))
	}
	return list
}

// judges is the object that the rules judge, in lists.
const judges = "a study"
