package judging

import (
	"errors"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/study"
	"github.com/peregrine-sim/peregrine/zoom"
)

// Rules are the compiled rules of an engine, or of none.
type Rules struct {
	Single *rule.Set  // on one run, case or component
	Study  *study.Set // on all runs of a study
}

// List describes the rules in the order in which they are judged.
func (r Rules) List() []rule.Listed { return append(r.Single.List(), r.Study.List()...) }

// OnMap says which numbers of a request place a run on a map.
var OnMap = study.Map{Speed: zoom.InSpeed, Throttle: zoom.InThrottle}

// NewRules compiles the built-in rules and those of an engine's file; nil is no engine. The error names each faulty rule with
// its place.
func NewRules(cfg *config.Engine) (Rules, error) {
	if cfg == nil {
		return compile(rule.Shape{}, nil, "")
	}
	m, err := model.New(cfg)
	if err != nil {
		return Rules{}, err
	}
	return rulesOf(m)
}

// RulesOfFile compiles the built-in rules and those of a file of rules, whose name stands in messages.
func RulesOfFile(name string, file *config.RuleFile) (Rules, error) {
	return compile(rule.Shape{Functions: file.Functions}, file.Rules, name)
}

func rulesOf(m *model.Model) (Rules, error) {
	return compile(m.RuleShape(), m.Engine.Rules, m.Engine.File)
}

func compile(shape rule.Shape, user []config.Rule, file string) (r Rules, err error) {
	single, err := rule.New(shape, user)
	wide, more := study.New(shape.Functions, user)
	if err = errors.Join(append(ruleProblems(file, err), ruleProblems(file, more)...)...); err != nil {
		return r, err
	}
	return Rules{single, wide}, nil
}
