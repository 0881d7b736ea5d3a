package rules

import (
	"errors"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
	"github.com/peregrine-sim/peregrine/zoom/machine"
)

// Rules are the compiled rules of an engine, or of none.
type Rules struct {
	Single *rule.Set // on one run, case or component
	Study  *rule.Set // on all runs of a study
}

// List describes the rules in the order in which they are judged.
func (r Rules) List() []rule.Listed { return append(r.Single.List(), r.Study.List()...) }

// OnMap names the numbers of a request that place a run on a map.
var OnMap = rule.Map{Speed: machine.InSpeed, Throttle: machine.InThrottle}

// NewRules compiles the built-in rules and the rules of an engine's file; nil: no engine. The error names each faulty
// rule with its place.
func NewRules(cfg *config.Engine) (Rules, error) {
	if cfg == nil {
		return compile(rule.Shape{}, nil, from(""))
	}
	m, err := graph.New(cfg)
	if err != nil {
		return Rules{}, err
	}
	return rulesOf(m)
}

// RulesOfFile compiles the built-in rules and the rules of a file of rules. Messages use the name of the file.
func RulesOfFile(name string, file *config.RuleFile) (Rules, error) {
	return compile(rule.Shape{Functions: file.Functions}, file.Rules, from(name))
}

func rulesOf(m *graph.Model) (Rules, error) {
	return compile(m.RuleShape(), m.Engine.Rules, from(m.Engine.File))
}

// origin returns the file that contains a path such as rules.hopeless.
type origin func(path string) string

// from returns the origin of rules that are all from one file.
func from(file string) origin { return func(string) string { return file } }

func compile(shape rule.Shape, user []config.Rule, file origin) (r Rules, err error) {
	single, err := rule.New(shape, user)
	wide, more := rule.NewStudy(shape.Functions, user)
	if err = errors.Join(append(ruleProblems(file, err), ruleProblems(file, more)...)...); err != nil {
		return r, err
	}
	return Rules{single, wide}, nil
}

// Problems returns faults of the rules of a file as problems of the file. They use the name of the file.
func Problems(file string, err error) error { return errors.Join(ruleProblems(from(file), err)...) }

// ruleProblems returns faults of rules as problems of the files that have them.
func ruleProblems(file origin, err error) []error {
	var all []error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, ruleProblems(file, e)...)
		}
		return all
	}
	var fault *language.Error
	if !errors.As(err, &fault) || fault.Pos == (document.Pos{}) { // of a built-in rule
		return []error{err}
	}
	section := "rules"
	if fault.Function {
		section = "functions"
	}
	path := section + "." + fault.Rule
	return []error{
		&document.Problem{File: file(path), Pos: fault.Pos, Path: path, Text: fault.Text, Message: fault.Reason},
	}
}
