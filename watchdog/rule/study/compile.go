package study

// From a rule of a file to conditions, messages and conclusions.

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// names returns the names that the rule's expressions may use. Its error reports an unknown kind.
func (s *Set) names(r *studyRule) (names, error) {
	n := names{s.kinds, slices.Clone(r.Each)}
	for i, e := range n.each {
		k := s.kinds[e.Kind]
		if k == nil {
			return n, r.fault(e.Pos, e.Kind,
				fmt.Errorf("unknown kind of facts %s: want run, or a kind that a rule asserts", e.Kind))
		}
		if n.kinds.of(e.Name) != nil {
			return n, r.fault(e.Pos, e.Name, fmt.Errorf("the name %s is that of a kind of facts", e.Name))
		}
		n.each[i].Kind = k.name
	}
	return n, nil
}

// infer finds the types of the fields that rules assert, from the types of the expressions. These may name fields of
// other asserted facts, so it repeats until no new type is found.
func (s *Set) infer(rules []*studyRule, lang *language.Language) error {
	var errs []error
	for learnt := true; learnt; {
		learnt, errs = false, nil
		for _, r := range rules {
			n, err := s.names(r)
			if err != nil {
				return err
			}
			for _, a := range r.Assert {
				for _, f := range a.Fields {
					c := &s.kinds[a.Kind].columns[s.kinds[a.Kind].place[f.Name]]
					node, _, err := n.parse(f.Value, lang)
					if err != nil {
						return r.fault(f.Pos, f.Value, err)
					}
					t := factTypes[node.Type().Kind()]
					switch {
					case c.typ == 0 && t != 0:
						c.typ, learnt = t, true
					case t == 0:
						errs = append(errs,
							r.fault(f.Pos, f.Value,
								fmt.Errorf("it is not clear whether %s.%s is a number, a text or a bool", a.Kind,
									f.Name)))
					case c.typ != t:
						return r.fault(f.Pos, f.Value,
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

// compile compiles a rule.
func (s *Set) compile(r *studyRule, lang *language.Language) error {
	n, err := s.names(r)
	if err != nil {
		return err
	}
	if r.Hold > 1 || r.For > 0 || r.Repeat > 0 || r.Pause > 0 {
		return r.fault(document.Pos{}, r.When,
			errors.New("it judges a study, which has no iterations: hold, for, repeat and pause are for rules on "+
				"a run"))
	}
	if r.Where == config.RunsJudge {
		return r.fault(document.Pos{}, r.When,
			errors.New("it judges a study, and a run knows only itself: where: run is for rules on a run"))
	}
	if err := errors.Join(rule.Check(&r.Rule)...); err != nil {
		return err
	}
	b := builder{n, lang}
	for i, text := range r.Conditions() {
		a, err := b.condition(text)
		if err != nil {
			return r.fault(r.Places.Condition(i), text, err)
		}
		r.when = append(r.when, a)
		if a.message, err = b.template(a, r.Message); err != nil {
			return r.fault(r.Places.Message, r.Message, err)
		}
		a.to = map[string]shown{}
		for object, text := range r.SetTo {
			if a.to[object], err = b.expression(a, text); err != nil {
				return r.fault(r.Places.Action, text, err)
			}
		}
		for _, c := range r.Assert {
			x, err := b.inference(a, c, s.kinds[c.Kind])
			if err != nil {
				return r.fault(c.Pos, c.Kind, err)
			}
			a.infers = append(a.infers, x)
		}
	}
	return nil
}

// expression compiles an expression that is evaluated when a condition holds. Its counts become counts of the
// condition.
func (b builder) expression(a *alternative, text string) (shown, error) {
	node, refs, err := b.parse(text, b.lang)
	if err != nil {
		return shown{}, err
	}
	v, err := a.counted(&node)
	refs = slices.DeleteFunc(refs, func(r reference) bool { return r.of == it })
	return shown{text: text, value: v, refs: refs}, err
}

// template compiles a message with expressions in braces.
func (b builder) template(a *alternative, message string) (list []fragment, err error) {
	parts, err := language.Fragments(message)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		f := fragment{text: part.Text}
		if part.Expression {
			if f.value, err = b.expression(a, part.Text); err != nil {
				return nil, err
			}
			f.text = ""
		}
		list = append(list, f)
	}
	return list, nil
}

// inference compiles the fields of an asserted fact.
func (b builder) inference(a *alternative, c config.Assertion, k *kind) (inference, error) {
	x := inference{kind: k, values: make([]shown, len(k.columns))}
	for _, f := range c.Fields {
		v, err := b.expression(a, f.Value)
		if err != nil {
			return x, err
		}
		x.values[k.place[f.Name]] = v
	}
	return x, nil
}
