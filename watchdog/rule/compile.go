package rule

// From the rules of files to a set that can be judged.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// New compiles the built-in rules and the user's, except the rules on all runs of a study; see NewStudy. Its error
// joins a [*language.Error] for each fault of each rule.
func New(shape Shape, user []config.Rule) (*Set, error) {
	sources, err := sources(user)
	if err != nil {
		return nil, err
	}
	return compile(shape, sources)
}

// compile compiles rules on runs, components and cases, and no others.
func compile(shape Shape, sources []config.Rule) (s *Set, err error) {
	words := newVocabulary(shape, sources)
	if words.language, err = newLanguage(shape.Functions); err != nil {
		return nil, err
	}
	s = &Set{layout: layout{ids: words.rules}, words: words, sources: sources, functions: shape.Functions}
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

// checkRule returns the errors in the severity and the action of a rule.
func checkRule(r *config.Rule) (errs []error) {
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
	errs := checkRule(&src)
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
		to, err := v.assignments(src.SetTo, r.InSitu())
		if err != nil {
			fail(src.Places.Action, r.action.String(), err)
		}
		expression := func(text string) (*condition, error) { return v.compile(text, r.scope) }
		message, err := newTemplate(src.Message, expression)
		if err != nil {
			fail(src.Places.Message, src.Message, err)
		}
		for _, c := range r.when {
			c.message, c.to = message, to
		}
	}
	return r, errors.Join(errs...)
}

// assignments compiles the expressions of an action, in the order of their names. A run that judges its rules itself
// sets numbers alone.
func (v *vocabulary) assignments(of map[string]string, inSitu bool) (list []assignment, err error) {
	var options []expr.Option
	if inSitu {
		options = append(options, expr.AsFloat64())
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		c, err := v.compile(of[name], runScope, options...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, assignment{name, c})
	}
	return list, nil
}

// newLanguage returns the language of conditions with the user's functions. The error joins a [*language.Error] for
// each fault.
func newLanguage(functions []config.Function) (*language.Language, error) {
	return language.New(functions, isFunction)
}

// ParseText compiles the rules of a text that [Set.Text] made, and no others.
func ParseText(text string) (*Set, error) {
	file, err := config.ParseRules("rules of the run", []byte(text))
	if err != nil {
		return nil, err
	}
	return compile(Shape{Functions: file.Functions}, file.Rules)
}

// The order of evaluation: a rule that refers to fired("x") comes after x, whatever the order of the files and their
// priorities. So a single pass over the rules is enough for an event, except for rules that refer to each other in a
// circle. Such rules are judged until none of them fires. This ends, because each fires at most once for an event. In
// such a circle no rule may require that another has not fired: the findings would depend on the order.

// order sorts the rules, and forms groups of the rules on runs. Its error joins a [*language.Error] for each
// contradictory circle.
func (s *Set) order() error {
	slices.SortFunc(s.rules, (*rule).compare)
	o := &orderer{byID: map[int]*rule{}, set: s, low: map[*rule]int{}, number: map[*rule]int{}}
	for _, r := range s.rules {
		o.byID[r.id] = r
	}
	for _, r := range s.rules {
		if o.number[r] == 0 {
			o.visit(r)
		}
	}
	s.rules = s.rules[:0:0]
	var errs []error
	for _, group := range o.groups {
		s.rules = append(s.rules, group...)
		if group[0].scope == runScope {
			s.runs = append(s.runs, group)
		}
		if err := o.contradiction(group); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// compare puts rules of higher priority first, then the order of the files.
func (r *rule) compare(o *rule) int {
	return cmp.Or(cmp.Compare(o.Priority, r.Priority), cmp.Compare(r.id, o.id))
}

// orderer finds the strongly connected components of the rules (Tarjan, Depth-first search and linear graph algorithms,
// SIAM J. Comput. 1(2), 1972). A rule comes after the rules to which it refers.
type orderer struct {
	set         *Set
	byID        map[int]*rule
	number, low map[*rule]int
	stack       []*rule
	groups      [][]*rule
}

func (o *orderer) visit(r *rule) {
	o.number[r] = len(o.number) + 1
	o.low[r] = o.number[r]
	o.stack = append(o.stack, r)
	for _, of := range o.needs(r) {
		switch {
		case o.number[of] == 0:
			o.visit(of)
			o.low[r] = min(o.low[r], o.low[of])
		case slices.Contains(o.stack, of):
			o.low[r] = min(o.low[r], o.number[of])
		}
	}
	if o.low[r] == o.number[r] {
		at := slices.Index(o.stack, r)
		group := slices.Clone(o.stack[at:])
		o.stack = o.stack[:at]
		slices.SortFunc(group, (*rule).compare)
		o.groups = append(o.groups, group)
	}
}

// needs lists the rules to which a rule refers, in their order.
func (o *orderer) needs(r *rule) []*rule {
	var list []*rule
	for _, c := range r.when {
		for _, name := range c.refs.rules {
			if of := o.byID[o.set.ids[name]]; of != nil && of != r && !slices.Contains(list, of) {
				list = append(list, of)
			}
		}
	}
	slices.SortFunc(list, (*rule).compare)
	return list
}

// contradiction reports a circle in which a rule requires that another has not fired.
func (o *orderer) contradiction(group []*rule) error {
	if len(group) == 1 {
		return nil
	}
	names := convert.All(group, (*rule).name)
	for _, r := range group {
		for _, c := range r.when {
			for _, other := range c.refs.negative {
				if other != r.Name && slices.Contains(names, other) {
					return language.Fault(&r.Rule, document.Pos{}, fmt.Sprintf("fired(%q)", other), fmt.Errorf(
						"the rules %s refer to each other, and this one needs that %s has not fired: what is found "+
							"would depend on the order", strings.Join(names, ", "), other))
				}
			}
		}
	}
	return nil
}
