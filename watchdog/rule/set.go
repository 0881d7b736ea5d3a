package rule

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

//go:embed builtin.yaml
var builtin []byte

// Builtin returns the file of the built-in rules.
func Builtin() []byte { return slices.Clone(builtin) }

// Shape lists the names that conditions may use.
type Shape struct {
	// Engine is a result as Monitor.Case takes it, with any values: maps by component,
	// shaft and "performance", which contain maps by port. A map with a text "type" is
	// a component's.
	Engine map[string]any
	// Values are further names of values that solvers report.
	Values []string
}

// An Error reports a fault in a rule.
type Error struct {
	Rule   string
	Pos    document.Pos // in the engine file; zero for built-in rules
	Text   string       // condition or message at fault
	Reason string
}

func (e *Error) Error() string {
	at := "built-in "
	if e.Pos != (document.Pos{}) {
		at = e.Pos.String() + ": "
	}
	return fmt.Sprintf("%srule %s: %q: %s", at, e.Rule, e.Text, e.Reason)
}

// Set is a set of compiled rules. It does not change; several Monitors may share it.
type Set struct{ rules []*rule }

// Names returns the names of the rules in the order in which they are judged.
func (s *Set) Names() []string {
	var names []string
	for _, r := range s.rules {
		names = append(names, r.name)
	}
	return names
}

// EndsRuns reports whether a rule of the user's may end a run, or reject its answer, for what it did on its way. The
// built-in ones do so only for what no run comes back from.
func (s *Set) EndsRuns() bool {
	return slices.ContainsFunc(s.rules, func(r *rule) bool {
		return r.own && r.scope == runScope && (r.action == Stop || r.severity == Severe)
	})
}

// Only returns a set with only the rules of these names.
func (s *Set) Only(names []string) *Set {
	few := &Set{}
	for _, r := range s.rules {
		if slices.Contains(names, r.name) {
			few.rules = append(few.rules, r)
		}
	}
	return few
}

// rule is a compiled rule.
type rule struct {
	name     string
	scope    scope
	when     []*condition // it fires if one of them holds
	hold     int
	severity string
	message  template
	action   string
	own      bool // of the user
}

// New compiles the built-in rules and the user's. Its error joins *Errors, one
// for each fault of each rule.
func New(shape Shape, user []config.Rule) (*Set, error) {
	sources, err := sources(user)
	if err != nil {
		return nil, err
	}
	words := newVocabulary(shape, sources)
	s := &Set{}
	var errs []error
	for _, src := range sources {
		r, err := src.compile(words)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.rules = append(s.rules, r)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

// source is a rule before compilation.
type source struct {
	Name     string     `yaml:"name"`
	When     conditions `yaml:"when"`
	Hold     int        `yaml:"hold"`
	Severity string     `yaml:"severity"`
	Message  string     `yaml:"message"`
	Action   string     `yaml:"action"`
	pos      document.Pos
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

// sources returns the built-in rules, replaced where the user has one of that
// name, and then the user's other rules.
func sources(user []config.Rule) ([]source, error) {
	var all []source
	if err := yaml.UnmarshalWithOptions(builtin, &all, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("built-in rules: %w", err)
	}
	for _, u := range user {
		src := source{u.Name, conditions{u.When}, 1, u.Severity, u.Message, u.Action, u.Pos}
		if src.Message == "" {
			src.Message = u.When
		}
		if at := slices.IndexFunc(all, func(s source) bool { return s.Name == u.Name }); at >= 0 {
			all[at] = src
			continue
		}
		all = append(all, src)
	}
	return all, nil
}

func (src source) compile(words *vocabulary) (*rule, error) {
	r := &rule{name: src.Name, hold: max(1, src.Hold), severity: src.Severity, action: src.Action, own: src.pos != (document.Pos{})}
	fault := func(text string, err error) error {
		return &Error{src.Name, src.pos, text, err.Error()}
	}
	if !slices.Contains([]string{Info, Warning, Severe}, src.Severity) {
		return nil, fault(src.Severity, fmt.Errorf("a severity is %s, %s or %s", Info, Warning, Severe))
	}
	if src.Action != "" && src.Action != Stop {
		return nil, fault(src.Action, fmt.Errorf("the only action is %s", Stop))
	}
	var errs []error
	for i, text := range src.When {
		c, err := words.condition(text)
		if err != nil {
			errs = append(errs, fault(text, err))
			continue
		}
		if i > 0 && len(r.when) > 0 && c.scope != r.scope {
			errs = append(errs, fault(text, fmt.Errorf("it judges %s, the condition before %s", c.scope, r.scope)))
		}
		r.scope = c.scope
		r.when = append(r.when, c)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var err error
	if r.message, err = words.template(src.Message, r.scope); err != nil {
		return nil, fault(src.Message, err)
	}
	return r, nil
}

// meant asks for the nearest of some names, if one is near.
func meant[V any](name string, names map[string]V) string {
	if near := spell.Nearest(name, slices.Values(slices.Sorted(maps.Keys(names)))); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// list renders names for a message, at most ten of them.
func list[V any](names map[string]V) string {
	sorted := slices.Sorted(maps.Keys(names))
	if len(sorted) > 10 {
		return strings.Join(sorted[:10], ", ") + " ..."
	}
	return strings.Join(sorted, ", ")
}
