package rule

import (
	"cmp"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// Set is a set of compiled rules. It does not change; several Monitors may share it.
type Set struct {
	layout
	rules []*rule     // in the order of evaluation
	runs  [][]*rule   // rules on runs, in groups that refer to each other
	calm  [][]*rule   // of these, the rules that name the time without a sign of life
	words *vocabulary // with which they were compiled
	kinds kinds       // of facts, for rules on studies

	sources   []config.Rule // of all rules, by id
	functions []config.Function
}

// Names returns the names of the rules in the order of evaluation.
func (s *Set) Names() []string { return convert.All(s.rules, (*rule).name) }

// EndsRuns reports whether a user's rule may end a run or reject its answer because of an earlier iteration. Built-in
// rules do so only for states that no run recovers from.
func (s *Set) EndsRuns() bool {
	return slices.ContainsFunc(s.rules, func(r *rule) bool {
		return !r.BuiltIn() && r.scope == runScope && (r.Act && r.action.Verb != "" || r.Severity == Severe)
	})
}

// Only returns a set with only the rules of these names.
func (s *Set) Only(names []string) *Set {
	few := *s
	few.rules, few.runs = nil, nil
	for _, r := range s.rules {
		if slices.Contains(names, r.Name) {
			few.rules = append(few.rules, r)
		}
	}
	for _, group := range s.runs {
		if group = slices.DeleteFunc(slices.Clone(group),
			func(r *rule) bool { return !slices.Contains(names, r.Name) }); len(group) > 0 {
			few.runs = append(few.runs, group)
		}
	}
	few.quieten()
	return &few
}

// rule is a compiled rule.
type rule struct {
	config.Rule
	id     int // its place in the files
	scope  scope
	when   []*condition // the rule fires if any of them holds
	action Action

	inputs   bits // of its conditions on a run
	profiles bool // they name profiles
	silence  bool // they name the time without a sign of life
}

func (r *rule) name() string { return r.Name }

// quieten finds the rules that may fire because time passes, without an event.
func (s *Set) quieten() {
	s.calm = nil
	for _, group := range s.runs {
		group = slices.DeleteFunc(slices.Clone(group), func(r *rule) bool { return !r.silence && r.For == 0 })
		if len(group) > 0 {
			s.calm = append(s.calm, group)
		}
	}
}

//go:embed builtin.yaml
var builtin []byte

//go:embed study.yaml
var studyBuiltin []byte

// Builtin returns the file of the built-in rules.
func Builtin() []byte { return slices.Clone(builtin) }

// The rules of these files, those on single runs and those on studies. They are shared and do not change.
var (
	builtins      = parsed(builtin)
	studyBuiltins = parsed(studyBuiltin)
)

func parsed(text []byte) func() ([]config.Rule, error) {
	return sync.OnceValues(func() ([]config.Rule, error) { return config.ParseOwnRules("built-in rules", text) })
}

// sources returns the built-in rules, replaced by the user's rules of the same name, and then the user's other rules.
func sources(user []config.Rule) ([]config.Rule, error) {
	all, err := builtins()
	if err != nil {
		return nil, err
	}
	all = slices.Clone(all)
	wide, narrow := config.SplitRules(user)
	var errs []error
	for _, u := range wide {
		if slices.ContainsFunc(all, func(s config.Rule) bool { return s.Name == u.Name }) {
			errs = append(errs, language.Fault(&u, document.Pos{}, u.Name, errors.New("it judges all runs of a study, "+
				"and the built-in rule of this name does not: give it another name")))
		}
	}
	for _, u := range narrow {
		at := slices.IndexFunc(all, func(s config.Rule) bool { return s.Name == u.Name })
		u.Message = cmp.Or(u.Message, strings.Join(u.Conditions(), " or "))
		switch {
		case u.When != "" && at >= 0:
			all[at] = u
		case u.When != "":
			all = append(all, u)
		case at >= 0 && all[at].Off:
			all[at] = switchedOn(all[at], u)
		default:
			waiting := map[string]bool{}
			for _, s := range off() {
				waiting[s.Name] = true
			}
			errs = append(errs, language.Fault(&u, document.Pos{}, u.Name, errors.New("it has no condition (when), "+
				"and there is no built-in rule of this name that waits to be switched on"+
				language.Meant(u.Name, waiting))))
		}
	}
	return slices.DeleteFunc(all, func(s config.Rule) bool { return s.Off }), errors.Join(errs...)
}

// studySources returns the built-in rules on studies, except rules with the name of a user's rule, and then the user's.
func studySources(user []config.Rule) ([]config.Rule, error) {
	all, err := studyBuiltins()
	if err != nil {
		return nil, err
	}
	wide, narrow := config.SplitRules(user)
	var errs []error
	for _, u := range narrow {
		named := slices.ContainsFunc(all, func(b config.Rule) bool { return b.Name == u.Name })
		if named && u.When != "" && !isOff(&u) {
			errs = append(errs, language.Fault(&u, document.Pos{}, u.Name, errors.New("the built-in rule of this name "+
				"judges all runs of a study, and this one does not: give it another name")))
		}
	}
	all = slices.DeleteFunc(slices.Clone(all), func(b config.Rule) bool {
		return slices.ContainsFunc(user, func(u config.Rule) bool { return u.Name == b.Name })
	})
	all = append(all, wide...)
	for i := range all {
		if r := &all[i]; r.Message == "" && (len(r.Assert) == 0 || r.Action != "") {
			r.Message = strings.Join(r.Conditions(), " or ")
		}
	}
	return all, errors.Join(errs...)
}

// isOff reports whether a rule never fires: when: "false".
func isOff(r *config.Rule) bool { return len(r.Or) == 0 && strings.TrimSpace(r.When) == "false" }

// switchedOn returns a built-in rule that is off by default, with the entries of the user's rule of its name.
func switchedOn(r, u config.Rule) config.Rule {
	r.Off, r.Act, r.Pos, r.Places = false, r.Act || u.Act, u.Pos, u.Places
	r.Hold, r.Priority = cmp.Or(u.Hold, r.Hold), cmp.Or(u.Priority, r.Priority)
	r.Repeat, r.Pause, r.Most = cmp.Or(u.Repeat, r.Repeat), cmp.Or(u.Pause, r.Pause), cmp.Or(u.Most, r.Most)
	r.Severity, r.Message = cmp.Or(u.Severity, r.Severity), cmp.Or(u.Message, r.Message)
	r.Where = cmp.Or(u.Where, r.Where)
	if u.Action != "" {
		r.Action, r.Set, r.SetTo = u.Action, u.Set, u.SetTo
		r.Target, r.Argument, r.Workers = u.Target, u.Argument, u.Workers
	}
	return r
}

// Waits reports whether a built-in rule on single runs has this name and is off by default.
func Waits(name string) bool {
	return slices.ContainsFunc(off(), func(s config.Rule) bool { return s.Name == name })
}

// off returns the built-in rules that are off until a file names them.
func off() []config.Rule {
	all, _ := builtins() // New reports the error
	return slices.DeleteFunc(slices.Clone(all), func(s config.Rule) bool { return !s.Off })
}
