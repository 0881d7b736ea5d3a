package rule

// The built-in rules from their file, and the user's rules, which replace built-in rules of the same name.

import (
	"cmp"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

//go:embed builtin.yaml
var builtin []byte

// Builtin returns the file of the built-in rules.
func Builtin() []byte { return slices.Clone(builtin) }

// builtins are the rules of the file. They are shared and do not change.
var builtins = sync.OnceValues(func() ([]config.Rule, error) { return config.ParseOwnRules("built-in rules", builtin) })

// sources returns the built-in rules, replaced by the user's rules of the same name, and then the user's other rules.
func sources(user []config.Rule) ([]config.Rule, error) {
	all, err := builtins()
	if err != nil {
		return nil, err
	}
	all = slices.Clone(all)
	wide, narrow := config.SplitRules(user)
	for _, u := range wide {
		all = slices.DeleteFunc(all, func(s config.Rule) bool { return s.Name == u.Name })
	}
	var errs []error
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
