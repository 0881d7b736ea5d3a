package rule

// From the rules of files on all runs of a study to a set that can be judged.

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// studyFunctions are the functions for conditions on a study besides the user's. The comments are the list of the help
// page on rules.
var studyFunctions = map[string]config.Function{
	// neighbours(a, b): whether b is the next run after a, at a higher throttle, among the runs of their speed line
	// that have answers
	"neighbours": {
		Name: "neighbours", Arguments: []string{"x", "y"},
		Body: `x.curve != "" and x.curve == y.curve and x.answered and y.answered and x.place < y.place and ` +
			`none(runs, .curve == x.curve and .answered and .place > x.place and .place < y.place)`,
	},
}

// NewStudy compiles the built-in rules and the user's rules that judge all runs of a study together. Its error joins a
// [*language.Error] for each fault of each rule.
func NewStudy(functions []config.Function, user []config.Rule) (*Set, error) {
	library := slices.Clone(functions)
	for _, name := range slices.Sorted(maps.Keys(studyFunctions)) {
		if !slices.ContainsFunc(functions, func(f config.Function) bool { return f.Name == name }) {
			library = append(library, studyFunctions[name])
		}
	}
	lang, err := newLanguage(library)
	if err != nil {
		return nil, err
	}
	sources, err := studySources(user)
	if err != nil {
		return nil, err
	}
	s := &Set{kinds: kinds{config.Kind: newRuns()}}
	var errs []error
	for i := range sources {
		errs = append(errs, s.declare(&sources[i]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := s.infer(sources, lang); err != nil {
		return nil, err
	}
	for _, src := range sources {
		r := &rule{Rule: src, scope: studyScope, action: ActionOf(&src)}
		if !isOff(&src) {
			errs = append(errs, s.compile(r, lang))
		}
		s.rules = append(s.rules, r)
	}
	s.judges = s.kinds[config.Kind].has("state")
	slices.SortStableFunc(s.rules, func(a, b *rule) int { return b.Priority - a.Priority })
	return s, errors.Join(errs...)
}

// declare takes in the kinds that a rule asserts.
func (s *Set) declare(r *config.Rule) error {
	for _, a := range r.Assert {
		if a.Kind == config.Kind || a.Kind == config.Kind+"s" {
			return language.Fault(r, a.Pos, a.Kind, errors.New("runs are no conclusions: want another kind of facts"))
		}
		if s.kinds[a.Kind] == nil {
			s.kinds[a.Kind] = newKind(a.Kind)
		}
		for _, f := range a.Fields {
			s.kinds[a.Kind].add(field{name: f.Name})
		}
	}
	return nil
}

// ranges returns the facts that the rule's expressions may name. Its error reports an unknown kind.
func (s *Set) ranges(r *config.Rule, lang *language.Language) (ranges, error) {
	n := ranges{s.kinds, slices.Clone(r.Each), lang}
	for i, e := range n.each {
		k := s.kinds[e.Kind]
		if k == nil {
			return n, language.Fault(r, e.Pos, e.Kind,
				fmt.Errorf("unknown kind of facts %s: want run, or a kind that a rule asserts", e.Kind))
		}
		if n.kinds.of(e.Name) != nil {
			return n, language.Fault(r, e.Pos, e.Name, fmt.Errorf("the name %s is that of a kind of facts", e.Name))
		}
		n.each[i].Kind = k.name
	}
	return n, nil
}

// infer finds the types of the fields that rules assert, from the types of the expressions. These may name fields of
// other asserted facts, so it repeats until no new type is found.
func (s *Set) infer(rules []config.Rule, lang *language.Language) error {
	var errs []error
	for learnt := true; learnt; {
		learnt, errs = false, nil
		for i := range rules {
			r := &rules[i]
			n, err := s.ranges(r, lang)
			if err != nil {
				return err
			}
			for _, a := range r.Assert {
				for _, f := range a.Fields {
					c := &s.kinds[a.Kind].columns[s.kinds[a.Kind].place[f.Name]]
					node, _, err := n.parse(f.Value)
					if err != nil {
						return language.Fault(r, f.Pos, f.Value, err)
					}
					t := factTypes[node.Type().Kind()]
					switch {
					case c.typ == 0 && t != 0:
						c.typ, learnt = t, true
					case t == 0:
						errs = append(errs, language.Fault(r, f.Pos, f.Value, fmt.Errorf(
							"it is not clear whether %s.%s is a number, a text or a bool", a.Kind, f.Name)))
					case c.typ != t:
						return language.Fault(r, f.Pos, f.Value,
							fmt.Errorf("%s.%s is a %s, of another rule a %s", a.Kind, f.Name, t, c.typ))
					}
				}
			}
		}
	}
	return errors.Join(errs...)
}

// factTypes are the types of fields by the types of expressions.
var factTypes = map[reflect.Kind]fact.Type{reflect.Float64: fact.Number, reflect.Int: fact.Number,
	reflect.String: fact.Text, reflect.Bool: fact.Bool}

// compile compiles a rule on a study.
func (s *Set) compile(r *rule, lang *language.Language) error {
	fault := func(at document.Pos, text string, err error) error { return language.Fault(&r.Rule, at, text, err) }
	n, err := s.ranges(&r.Rule, lang)
	if err != nil {
		return err
	}
	if r.Hold > 1 || r.Repeat > 0 || r.Pause > 0 {
		return fault(document.Pos{}, r.When, errors.New("it judges a study, which has no iterations: hold, "+
			"repeat and pause are for rules on a run"))
	}
	if r.For > 0 && len(r.Assert) > 0 {
		return fault(document.Pos{}, r.When, errors.New("it asserts a fact, which exists as long as the condition "+
			"holds: for is for rules with a message or an action"))
	}
	if r.InSitu() {
		return fault(document.Pos{}, r.When,
			errors.New("it judges a study, and a run knows only itself: where: run is for rules on a run"))
	}
	if err := errors.Join(checkRule(&r.Rule)...); err != nil {
		return err
	}
	for i, text := range r.Conditions() {
		c, err := n.condition(text)
		if err != nil {
			return fault(r.Places.Condition(i), text, err)
		}
		r.when = append(r.when, c)
		if c.message, err = newTemplate(r.Message, c.expression); err != nil {
			return fault(r.Places.Message, r.Message, err)
		}
		for _, object := range slices.Sorted(maps.Keys(r.SetTo)) {
			x, err := c.expression(r.SetTo[object])
			if err != nil {
				return fault(r.Places.Action, r.SetTo[object], err)
			}
			c.to = append(c.to, assignment{object, x})
		}
		for _, a := range r.Assert {
			k := s.kinds[a.Kind]
			x := inference{kind: k, values: make([]*condition, len(k.columns))}
			for _, f := range a.Fields {
				if x.values[k.place[f.Name]], err = c.expression(f.Value); err != nil {
					return fault(a.Pos, a.Kind, err)
				}
			}
			c.infers = append(c.infers, x)
		}
	}
	return nil
}

// memory makes the memory. calls returns what is called when a match of a condition begins and ends.
func (s *Set) memory(calls func(*rule, *condition) (then, gone func(*fact.Match))) *fact.Memory {
	var kinds []fact.Kind
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		kinds = append(kinds, s.kinds[name].facts())
	}
	var rules []fact.Rule
	for _, r := range s.rules {
		for i, c := range r.when {
			f := c.fact
			f.Name, f.Priority = factName(r, i), r.Priority
			f.Then, f.Gone = calls(r, c)
			rules = append(rules, f)
		}
	}
	return fact.New(kinds, rules, mostMatches)
}

// factName is the name in the memory of a rule's condition.
func factName(r *rule, i int) string { return fmt.Sprintf("%s, condition %d", r.Name, i+1) }

// mostMatches bounds the matches that rules keep of a study's runs: a rule on pairs has a million matches for a
// thousand runs.
const mostMatches = 1 << 21
