// Package order puts records of several sources in an order that agrees with cause and effect.
//
// The records of a source have numbers from 1 without gaps, and keep that order. Rules are data: a record of a kind may
// pass after records that its arguments name. A [Filter] takes records as they arrive, from streams or from files, and
// releases a record when all its causes have been released. The rules for cthreads are those of Falcon (W. Gu, G.
// Eisenhauer, K. Schwan, J. Vetter, Falcon: On-line Monitoring for Steering Parallel Programs, 1998), except where its
// printed rules let programs wait for ever: a thread that was never forked needs no fork, and the first lock of a mutex
// no unlock.
package order

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// Rule lets records of a kind pass after others. Its patterns name the arguments: a word is a variable, "_" any value,
// a number itself.
type Rule struct {
	Kind   string   `yaml:"kind"`   // empty: each kind
	Except []string `yaml:"except"` // kinds to which it does not apply
	Source string   `yaml:"source"` // pattern; empty: any
	Args   []string `yaml:"args"`   // patterns of the first arguments
	First  bool     `yaml:"first"`  // the first record of the kind passes without a cause
	After  []Term   `yaml:"after"`  // one of these must have been released
}

// Term names records that must have been released. A pattern may also be a variable with a number added or subtracted,
// as n-1: below 1 there is no such record, and the term holds. Two patterns "..n" and "n.." are a range that contains
// n.
type Term struct {
	Kind   string   `yaml:"kind"`
	Source string   `yaml:"source"`
	Args   []string `yaml:"args"`
}

//go:embed rules.yaml
var builtin []byte

// Names lists the rule sets that the package has.
func Names() []string { return []string{"messages", "cthreads", "study"} }

// Builtin returns a rule set of [Names].
func Builtin(name string) ([]Rule, error) {
	var sets map[string][]Rule
	if err := yaml.UnmarshalWithOptions(builtin, &sets, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("built-in rules of order: %w", err)
	}
	rules, ok := sets[name]
	if !ok {
		return nil, fmt.Errorf("no rule set %q; the sets are %s", name, strings.Join(Names(), ", "))
	}
	return rules, nil
}

// Parse reads rules from a file's text: a list "rules".
func Parse(text []byte) ([]Rule, error) {
	var file struct {
		Rules []Rule `yaml:"rules"`
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("rules of order: %s", yaml.FormatError(err, false, false))
	}
	if len(file.Rules) == 0 {
		return nil, fmt.Errorf("rules of order: the list rules is empty")
	}
	return file.Rules, nil
}

// compiled is a rule whose variables are positions.
type compiled struct {
	kind   string
	except []string
	args   int // at least
	first  bool
	terms  []term
}

// term finds the facts of one projection: of the records of a kind, the values at some positions, of which the last
// may be a number of an interval.
type term struct {
	to    *projection
	exact []operand // of the asking record, in the order of to.exact
	last  operand   // of the asking record; from < 0: the projection has no interval
}

// operand is a value of the asking record: the source (position 0), an argument (from 1), or a constant.
type operand struct {
	from     int    // position; below 0: none
	add      int64  // to the value
	constant string // if it is not empty
}

// projection keeps which values have been released. Terms of the same shape share it.
type projection struct {
	kind     string
	exact    []int // positions, 0: source
	low, top int   // positions of the interval; below 0: none
	facts    map[string]*facts
}

// compile checks rules and finds their projections.
func compile(rules []Rule) (list []compiled, projections []*projection, err error) {
	for i := range rules {
		c := compiled{kind: rules[i].Kind, except: rules[i].Except, args: len(rules[i].Args), first: rules[i].First}
		variables, err := rules[i].variables()
		if err != nil {
			return nil, nil, fmt.Errorf("rule %d, of %q: %w", i+1, rules[i].Kind, err)
		}
		if len(rules[i].After) == 0 {
			return nil, nil, fmt.Errorf("rule %d, of %q: after is empty", i+1, rules[i].Kind)
		}
		for _, a := range rules[i].After {
			t, p, err := a.compile(variables)
			if err != nil {
				return nil, nil, fmt.Errorf("rule %d, of %q, after %q: %w", i+1, rules[i].Kind, a.Kind, err)
			}
			same := slices.IndexFunc(projections, func(o *projection) bool {
				return o.kind == p.kind && slices.Equal(o.exact, p.exact) && o.low == p.low && o.top == p.top
			})
			if same < 0 {
				same = len(projections)
				projections = append(projections, p)
			}
			t.to = projections[same]
			c.terms = append(c.terms, t)
		}
		list = append(list, c)
	}
	return list, projections, nil
}

// variables returns the positions of the rule's variables: 0 is the source, 1 the first argument.
func (r *Rule) variables() (map[string]int, error) {
	list := map[string]int{}
	for i, word := range slices.Concat([]string{r.Source}, r.Args) {
		switch {
		case word == "" && i == 0 || word == "_":
		case !nameShape().MatchString(word):
			return nil, fmt.Errorf("argument %d is %q, want a name or _", i, word)
		default:
			if _, twice := list[word]; twice {
				return nil, fmt.Errorf("%s names two arguments; use two names", word)
			}
			list[word] = i
		}
	}
	return list, nil
}

func (a *Term) compile(variables map[string]int) (term, *projection, error) {
	t := term{last: operand{from: -1}}
	p := &projection{kind: a.Kind, low: -1, top: -1, facts: map[string]*facts{}}
	if a.Kind == "" {
		return t, p, fmt.Errorf("kind is missing")
	}
	interval := func(o operand, low, top int) error {
		if t.last.from >= 0 {
			return fmt.Errorf("only one pattern may count or be a range")
		}
		t.last, p.low, p.top = o, low, top
		return nil
	}
	words := slices.Concat([]string{a.Source}, a.Args)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "_" || word == "" {
			continue
		}
		if name, ok := strings.CutPrefix(word, ".."); ok {
			from, known := variables[name]
			if !known || i+1 >= len(words) || words[i+1] != name+".." {
				return t, p, fmt.Errorf("%q begins a range; write ..n and n.. of a variable, one after the other", word)
			}
			if err := interval(operand{from: from}, i, i+1); err != nil {
				return t, p, err
			}
			i++
			continue
		}
		o, counts, err := parseOperand(word, variables)
		if err != nil {
			return t, p, err
		}
		if counts {
			if err := interval(o, i, i); err != nil {
				return t, p, err
			}
			continue
		}
		p.exact = append(p.exact, i)
		t.exact = append(t.exact, o)
	}
	return t, p, nil
}

// parseOperand parses a variable, a number, or a variable with a number added. The last, and a variable with a "#"
// before it, count.
func parseOperand(word string, variables map[string]int) (o operand, counts bool, err error) {
	if _, err := strconv.ParseInt(word, 10, 64); err == nil {
		return operand{from: -1, constant: word}, false, nil
	}
	name, counts := strings.CutPrefix(word, "#")
	if at := strings.IndexAny(name, "+-"); at > 0 {
		add, err := strconv.ParseInt(name[at:], 10, 32)
		if err != nil {
			return o, false, fmt.Errorf("%q is no variable with a number added", word)
		}
		o.add, name, counts = add, name[:at], true
	}
	from, ok := variables[name]
	if !ok {
		return o, false, fmt.Errorf("%q is no argument of the rule", name)
	}
	o.from = from
	return o, counts, nil
}

var nameShape = regex.Lazy(`^[a-z_][a-z_0-9]*$`)
