package rule

// The built-in rules, as their files have them, and the user's, which take their places.

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

//go:embed builtin.yaml
var builtin []byte

// Builtin returns the file of the built-in rules.
func Builtin() []byte { return slices.Clone(builtin) }

// Source is a rule before it is compiled. One of the user's has a place.
type Source struct {
	config.Rule
	Why string // its thresholds are what they are; of built-in rules
	Off bool   // until a file names it
}

// builtinRule is a rule of a file of built-in ones.
type builtinRule struct {
	Name     string            `yaml:"name"`
	Each     yaml.MapSlice     `yaml:"each"`
	When     conditions        `yaml:"when"`
	Assert   yaml.MapSlice     `yaml:"assert"`
	Hold     int               `yaml:"hold"`
	Priority int               `yaml:"priority"`
	Repeat   int               `yaml:"repeat"`
	Pause    int               `yaml:"pause"`
	Most     int               `yaml:"most"`
	Severity string            `yaml:"severity"`
	Message  string            `yaml:"message"`
	Action   string            `yaml:"action"`
	Set      map[string]string `yaml:"set"` // of the action set: expressions
	Act      bool              `yaml:"act"`
	Where    string            `yaml:"where"`
	Off      bool              `yaml:"off"`
	Source   string            `yaml:"source"`
}

// conditions is one text or a list of them.
type conditions []string

// UnmarshalYAML takes either form.
func (c *conditions) UnmarshalYAML(text []byte) error {
	var one string
	if yaml.Unmarshal(text, &one) == nil {
		*c = conditions{one}
		return nil
	}
	return yaml.Unmarshal(text, (*[]string)(c))
}

// ReadBuiltin reads a file of built-in rules.
func ReadBuiltin(text []byte) (list []Source, err error) {
	var all []builtinRule
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.Strict(), yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("built-in rules: %w", err)
	}
	for _, b := range all {
		if len(b.When) == 0 {
			return nil, fmt.Errorf("built-in rule %s has no when", b.Name)
		}
		r := config.Rule{
			Name: b.Name, When: b.When[0], Or: b.When[1:], Hold: b.Hold, Priority: b.Priority, Repeat: b.Repeat,
			Pause: b.Pause, Most: b.Most, Severity: b.Severity, Message: b.Message, Action: b.Action, SetTo: b.Set,
			Act: b.Act, Where: b.Where,
		}
		for _, e := range b.Each {
			r.Each = append(r.Each, config.Each{Name: fmt.Sprint(e.Key), Kind: fmt.Sprint(e.Value)})
		}
		for _, kind := range b.Assert {
			a := config.Assertion{Kind: fmt.Sprint(kind.Key)}
			fields, _ := kind.Value.(yaml.MapSlice)
			for _, f := range fields {
				a.Fields = append(a.Fields, config.AssertedField{Name: fmt.Sprint(f.Key), Value: fmt.Sprint(f.Value)})
			}
			r.Assert = append(r.Assert, a)
		}
		list = append(list, Source{r, strings.Join(strings.Fields(b.Source), " "), b.Off})
	}
	return list, nil
}

// sources returns the built-in rules, replaced where the user has one of that
// name, and then the user's other rules.
func sources(user []config.Rule) ([]Source, error) {
	all, err := ReadBuiltin(builtin)
	if err != nil {
		return nil, err
	}
	wide, narrow := config.SplitRules(user)
	for _, u := range wide {
		all = slices.DeleteFunc(all, func(s Source) bool { return s.Name == u.Name })
	}
	var errs []error
	for _, u := range narrow {
		at := slices.IndexFunc(all, func(s Source) bool { return s.Name == u.Name })
		src := Source{Rule: u}
		if src.Message == "" {
			src.Message = strings.Join(u.Conditions(), " or ")
		}
		switch {
		case u.When != "" && at >= 0:
			all[at] = src
		case u.When != "":
			all = append(all, src)
		case at >= 0 && all[at].Off:
			all[at] = all[at].switchedOn(u)
		default:
			waiting := map[string]bool{}
			for _, s := range off() {
				waiting[s.Name] = true
			}
			errs = append(
				errs,
				&language.Error{Rule: u.Name, Pos: u.Pos, Text: u.Name, Reason: "it has no condition (when), " +
					"and there is no built-in rule of this name that waits to be switched on" + language.Meant(u.Name,
					waiting)},
			)
		}
	}
	return slices.DeleteFunc(all, func(s Source) bool { return s.Off }), errors.Join(errs...)
}

// switchedOn returns a built-in rule that is off by default, with the entries of the user's rule of its name.
func (src Source) switchedOn(u config.Rule) Source {
	src.Off, src.Act, src.Pos, src.Places = false, src.Act || u.Act, u.Pos, u.Places
	src.Hold, src.Priority = cmp.Or(u.Hold, src.Hold), cmp.Or(u.Priority, src.Priority)
	src.Repeat, src.Pause, src.Most = cmp.Or(u.Repeat, src.Repeat), cmp.Or(u.Pause, src.Pause), cmp.Or(u.Most, src.Most)
	src.Severity, src.Message = cmp.Or(u.Severity, src.Severity), cmp.Or(u.Message, src.Message)
	src.Where = cmp.Or(u.Where, src.Where)
	if u.Action != "" {
		src.Action, src.Set, src.SetTo = u.Action, u.Set, u.SetTo
		src.Target, src.Argument, src.Workers = u.Target, u.Argument, u.Workers
	}
	return src
}

// Waits reports whether a name is that of a built-in rule on single runs that is off by default.
func Waits(name string) bool {
	return slices.ContainsFunc(off(), func(s Source) bool { return s.Name == name })
}

// off returns the built-in rules that are off until a file names them.
func off() []Source {
	all, _ := ReadBuiltin(builtin) // New reports what is wrong with it
	return slices.DeleteFunc(all, func(s Source) bool { return !s.Off })
}
