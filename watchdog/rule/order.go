package rule

// The order of evaluation: a rule that refers to fired("x") comes after x, whatever the order of the files and their
// priorities. So a single pass over the rules is enough for an event, except for rules that refer to each other in a
// circle. Such rules are judged until none of them fires. This ends, because each fires at most once for an event. In
// such a circle no rule may require that another has not fired: the findings would depend on the order.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

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
	names := make([]string, len(group))
	for i, r := range group {
		names[i] = r.Name
	}
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
