package rule

// From the rules of files to a set that can be judged.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// New compiles the built-in rules and the user's, except the rules on all runs of a study; see package study. Its error
// joins a [*language.Error] for each fault of each rule.
func New(shape Shape, user []config.Rule) (*Set, error) {
	sources, err := sources(user)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, src := range sources {
		names = append(names, src.Name)
	}
	words := newVocabulary(shape, names)
	if words.language, err = NewLanguage(shape.Functions); err != nil {
		return nil, err
	}
	s := &Set{layout: layout{ids: words.rules}, words: words, sources: sources, functions: shape.Functions}
	var errs []error
	for i, src := range sources {
		r, err := words.rule(i, src)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.rules = append(s.rules, r)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.named, s.slots, s.judges = words.named, words.slots, words.judges
	s.connect()
	err = errors.Join(s.order(), s.checkInSitu())
	s.quieten()
	return s, err
}

// connect finds the inputs of each rule on runs.
func (s *Set) connect() {
	s.inputs = len(variableInputs) + len(s.named) + len(s.ids)
	for _, r := range s.rules {
		r.inputs = make(bits, s.inputs/64+1)
		if r.scope != runScope {
			continue
		}
		for _, c := range r.when {
			r.silence = r.silence || c.silence
			for _, name := range slices.Concat(c.refs.names, c.refs.series) {
				r.profiles = r.profiles || isList(name)
				if input, ok := variableInputs[name]; ok {
					r.inputs.set(input)
				}
				if slot, ok := s.slots[name]; ok {
					r.inputs.set(len(variableInputs) + slot)
				}
			}
			if c.refs.absent {
				r.inputs.set(iterationsInput)
			}
			for _, other := range c.refs.rules {
				r.inputs.set(s.firedInput(s.ids[other]))
			}
		}
	}
}

// settling is the default pause, in iterations, after an action that changes the run. The built-in solvers report each
// twentieth iteration, so that the effect is seen before the rule is judged again.
const settling = 20

// Check returns the errors in the severity and the action of a rule.
func Check(r *config.Rule) (errs []error) {
	if !slices.Contains([]string{Info, Warning, Severe}, r.Severity) {
		errs = append(errs, language.Fault(r, document.Pos{}, r.Severity,
			fmt.Errorf("a severity is %s, %s or %s", Info, Warning, Severe)))
	}
	if action := ActionOf(r); action.check() != nil {
		errs = append(errs, language.Fault(r, r.Places.Action, action.String(), action.check()))
	}
	return errs
}

func (v *vocabulary) rule(id int, src config.Rule) (*rule, error) {
	r := &rule{Rule: src, id: id, action: ActionOf(&src)}
	r.Hold = max(1, r.Hold)
	errs := Check(&src)
	fail := func(at document.Pos, text string, err error) {
		errs = append(errs, language.Fault(&src, at, text, err))
	}
	if r.Act && r.action.Verb == Change && !r.InSitu() && r.Pause+r.Repeat == 0 {
		r.Pause = settling
	}
	for i, text := range src.Conditions() {
		at := src.Places.Condition(i)
		c, err := v.condition(text)
		switch {
		case err != nil:
			all := []error{err}
			if joined, ok := err.(interface{ Unwrap() []error }); ok {
				all = joined.Unwrap()
			}
			for _, err := range all {
				fail(at, text, err)
			}
			continue
		case c.scope == anyScope: // it never holds
			continue
		case len(r.when) > 0 && c.scope != r.scope:
			fail(at, text, fmt.Errorf("it judges %s, the condition before %s", c.scope, r.scope))
		}
		r.scope, c.pos = c.scope, at
		r.when = append(r.when, c)
	}
	switch {
	case r.scope <= runScope:
	case src.Hold > 1, src.Repeat > 0, src.Pause > 0, src.For > 0:
		fail(src.Pos, strings.Join(src.Conditions(), " or "),
			fmt.Errorf("it judges %s, which has no iterations: hold, for, repeat and pause are for runs", r.scope))
	case r.action.Verb != "" && !r.action.Ends() && (r.scope != componentScope || !r.action.OnStudy()):
		fail(src.Places.Action, r.action.String(), fmt.Errorf("it judges %s: the action is for runs", r.scope))
	}
	if err := r.checkWhere(); err != nil {
		fail(src.Pos, "where: "+src.Where, err)
	}
	if len(errs) == 0 {
		var err error
		if r.to, err = v.assignments(src.SetTo, r.InSitu()); err != nil {
			fail(src.Places.Action, r.action.String(), err)
		}
		if r.message, err = v.template(src.Message, r.scope); err != nil {
			fail(src.Places.Message, src.Message, err)
		}
	}
	return r, errors.Join(errs...)
}

// NewLanguage returns the language of conditions with the user's functions. The error joins a [*language.Error] for
// each fault.
func NewLanguage(functions []config.Function) (*language.Language, error) {
	return language.New(functions, isFunction)
}

// ParseText compiles the rules of a text that [Set.Text] made, and no others.
func ParseText(text string) (*Set, error) {
	file, err := config.ParseRules("rules of the run", []byte(text))
	if err != nil {
		return nil, err
	}
	set, err := New(Shape{Functions: file.Functions}, file.Rules)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range file.Rules {
		names = append(names, r.Name)
	}
	return set.Only(names), nil
}
