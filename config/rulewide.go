package config

// Rules that judge all runs of a study together: rules with each or assert, and rules that count facts.

import (
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
)

// Kind is the kind of the facts that are runs.
const Kind = "run"

// Folds are the functions of conditions that look at all facts of a kind, and Lists make a list of them.
var (
	Folds = []string{"count", "any", "all", "none"}
	Lists = []string{"map", "filter"}
)

// SplitRules separates the rules that judge all runs of a study together, the wide rules, from those that judge one
// run, component or case.
func SplitRules(rules []Rule) (wide, narrow []Rule) {
	kinds := []string{Kind}
	for i := range rules {
		for _, a := range rules[i].Assert {
			kinds = append(kinds, a.Kind)
		}
	}
	for i := range rules {
		r := rules[i]
		counts := func(when string) bool { return foldsOver(when, kinds) }
		if len(r.Each)+len(r.Assert) > 0 || slices.ContainsFunc(r.Conditions(), counts) {
			wide = append(wide, r)
		} else {
			narrow = append(narrow, r)
		}
	}
	return wide, narrow
}

// KindOf is the kind of fact that a word in conditions names, in the singular or plural: run and runs. It is empty for
// other words.
func KindOf(word string, kinds []string) string {
	for _, k := range kinds {
		if word == k || word == k+"s" {
			return k
		}
	}
	return ""
}

// foldsOver reports whether a condition looks at all facts of one of the kinds.
func foldsOver(when string, kinds []string) bool {
	if !strings.Contains(when, "(") {
		return false
	}
	tree, err := parser.Parse(expression.Plain(when))
	if err != nil {
		return false
	}
	found := false
	expression.Walk(tree.Node, func(node ast.Node) {
		n, ok := node.(*ast.BuiltinNode)
		if !ok || !slices.Contains(slices.Concat(Folds, Lists), n.Name) || len(n.Arguments) == 0 {
			return
		}
		id, ok := n.Arguments[0].(*ast.IdentifierNode)
		found = found || ok && KindOf(id.Value, kinds) != ""
	})
	return found
}

// Rule is an entry of `rules`.
type Rule struct {
	Name     string
	When     string        // condition; empty: the built-in rule of this name, which is off until a file names it
	Or       []string      // further conditions; one of them is enough
	Hold     int           // number of successive iterations with the condition true; 0 is 1
	For      time.Duration `json:",omitempty"` // wall-clock time for which the condition is to be true
	Priority int           // the higher ones are judged first
	Repeat   int           // iterations after which it fires again while the condition is true; 0: never
	Pause    int           // iterations after firing without judgement
	Most     int           `json:",omitempty"` // actions in a run; 0: the usual number
	Severity string        // "info", "warning" or "error"
	Message  string
	Notify   []string           `json:",omitempty"` // names of channels
	Action   string             // "", one of the words, or the key of an action with a value
	Set      map[string]float64 // of the actions "set" and "rewind": the new values by name, SI
	SetTo    map[string]string  `json:",omitempty"` // of the same: expressions for further ones
	// name of the checkpoint for "checkpoint" and "rewind", of the function for "call", of runs for "first"
	Target   string `json:",omitempty"`
	Argument string `json:",omitempty"` // of "call": a number, true, false or a text; empty: none
	Workers  int    `json:",omitempty"` // of "workers"
	// it is judged: "" or "host", or "run": in the solver's process, at each iteration
	Where  string      `json:",omitempty"`
	Act    bool        // the action is taken, not only noted
	Each   []Each      `json:",omitempty"` // facts that the conditions join, in their order
	Assert []Assertion `json:",omitempty"` // facts that it asserts while the condition is true
	Pos    document.Pos
	Places RulePlaces

	// of a rule of the program itself
	Why string `json:"-"` // reason for its thresholds
	Off bool   `json:"-"` // until a file names it
}

// BuiltIn reports whether the rule is built into the program.
func (r *Rule) BuiltIn() bool { return r.Pos == (document.Pos{}) }

// RunsJudge has a rule judged in the solver's process, between two iterations.
const RunsJudge = "run"

// InSitu reports whether the rule is judged in the solver's process.
func (r *Rule) InSitu() bool { return r.Where == RunsJudge }

// Each is a name in the conditions of a rule for each fact of a kind, in turn.
type Each struct {
	Name, Kind string // the kind run, or a kind that rules assert
	Pos        document.Pos
}

// Assertion is a fact that a rule asserts: expressions for its fields.
type Assertion struct {
	Kind   string
	Fields []AssertedField
	Pos    document.Pos
}

// AssertedField is a field of an asserted fact.
type AssertedField struct {
	Name, Value string // Value is an expression
	Pos         document.Pos
}

// RulePlaces are the places of a rule's values in the file. Missing values have no place.
type RulePlaces struct {
	When            []document.Pos // of each condition
	Message, Action document.Pos
}

// Condition is the place of a condition.
func (p RulePlaces) Condition(i int) document.Pos {
	if i < len(p.When) {
		return p.When[i]
	}
	return document.Pos{}
}

// Conditions lists the conditions of a rule.
func (r *Rule) Conditions() []string {
	if r.When == "" {
		return nil
	}
	return append([]string{r.When}, r.Or...)
}

// Function is an entry of `functions`: an expression with arguments that rules use by its name.
type Function struct {
	Name         string
	Arguments    []string
	Body         string
	Pos, BodyPos document.Pos
}
