package executive

import (
	"errors"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// Rules compiles the built-in rules and those of an engine's file; nil is no engine. The error names each faulty rule with
// its place.
func Rules(cfg *config.Engine) (*rule.Set, error) {
	if cfg == nil {
		return rule.New(rule.Shape{}, nil)
	}
	m, err := model.New(cfg)
	if err != nil {
		return nil, err
	}
	return rulesOf(m)
}

func rulesOf(m *model.Model) (*rule.Set, error) {
	set, err := rule.New(m.RuleShape(), m.Engine.Rules)
	if err != nil {
		return nil, errors.Join(ruleProblems(m.Engine.File, err)...)
	}
	return set, nil
}
