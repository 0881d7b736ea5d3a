package rule

// Rules that a run judges itself, in the solver's process, between two of its iterations. The host sends them as the
// text of a file of rules, with the rules to which they refer by fired. The findings of a run must follow from its
// request and its rules alone, to the last bit: so none of these rules may use the clock. A run's values are available
// after each iteration, so no events are made or sorted.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// late are the variables that do not exist while a run is running, or depend on the clock.
var late = []string{"ended", "status", "bad_result", "silent", "pace"}

// checkWhere returns an error if the rule cannot be judged in the place that its key where names.
func (r *rule) checkWhere() error {
	switch {
	case !r.InSitu():
	case r.scope > runScope:
		return fmt.Errorf("it judges %s, which is not known in the solver's process: where: run is for rules on a run",
			r.scope)
	case r.Target != "" || slices.Contains([]string{Resume, First, Urgent, Workers}, r.Action):
		return fmt.Errorf("%s is done by the host: let it judge the rule, without where: run", r.action)
	case r.For > 0:
		return errors.New("for: counts time, and findings of a run must not depend on the clock; let the host judge")
	case r.Action == Unusable:
		return errors.New("the run is still going when it is judged, without an answer to reject; stop it, or " +
			"let the host judge")
	}
	return nil
}

// checkInSitu checks the names of the rules that runs judge, and of the rules to which they refer.
func (s *Set) checkInSitu() error {
	var errs []error
	for _, r := range s.rules {
		if !r.InSitu() {
			continue
		}
		for _, of := range s.reached(r) {
			for _, c := range of.when {
				if name := c.unseen(of == r); name != "" {
					errs = append(errs, language.Fault(&r.Rule, document.Pos{}, c.text, fmt.Errorf(
						"%s is not known in the solver's process between two iterations, where the rule is judged "+
							"(where: run)", name)))
				}
			}
		}
	}
	return errors.Join(errs...)
}

// unseen returns a name in a condition that has no meaning inside a run. With strict, it also returns a variable that
// never exists there.
func (c *condition) unseen(strict bool) string {
	for _, name := range slices.Concat(c.refs.names, c.refs.series) {
		if isList(name) || slices.Contains([]string{"silent", "pace", "state", "stood"}, name) ||
			strict && slices.Contains(late, name) {
			return name
		}
	}
	for _, w := range c.refs.windows {
		if w.wall {
			return "the time of a window"
		}
	}
	return ""
}

// reached returns a rule and all rules to which it refers in its conditions, its message and its action, directly or
// through others.
func (s *Set) reached(r *rule) []*rule {
	list := []*rule{r}
	for i := 0; i < len(list); i++ {
		for _, c := range list[i].when {
			for _, name := range c.fired() {
				of := slices.IndexFunc(s.rules, func(o *rule) bool { return o.Name == name })
				if of >= 0 && !slices.Contains(list, s.rules[of]) {
					list = append(list, s.rules[of])
				}
			}
		}
	}
	return list
}

// fired lists the rules to which a condition, and the message and the action of its rule, refer.
func (c *condition) fired() []string {
	names := slices.Clone(c.refs.rules)
	for _, f := range c.message {
		if f.value != nil {
			names = append(names, f.value.refs.rules...)
		}
	}
	for _, to := range c.to {
		names = append(names, to.value.refs.rules...)
	}
	return names
}

// InSitu returns the names of the rules that runs judge themselves.
func (s *Set) InSitu() (names []string) {
	for _, r := range s.rules {
		if r.InSitu() && len(r.when) > 0 {
			names = append(names, r.Name)
		}
	}
	return names
}

// Text returns these rules as the text of a file of rules, with all rules to which they refer; empty if the set has
// none.
func (s *Set) Text() (string, error) {
	var wanted []*rule
	for _, r := range s.rules {
		if r.InSitu() && len(r.when) > 0 {
			wanted = append(wanted, s.reached(r)...)
		}
	}
	if len(wanted) == 0 {
		return "", nil
	}
	file := textFile{Functions: map[string]string{}}
	for id, src := range s.sources {
		if slices.ContainsFunc(wanted, func(r *rule) bool { return r.id == id }) {
			file.Rules = append(file.Rules, textOf(src))
		}
	}
	for _, f := range s.functions {
		file.Functions[fmt.Sprintf("%s(%s)", f.Name, strings.Join(f.Arguments, ", "))] = f.Body
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // JSON is YAML, too
	e.SetEscapeHTML(false)
	err := e.Encode(file)
	return b.String(), err
}

// textFile is a file of rules.
type textFile struct {
	Functions map[string]string `json:"functions,omitempty"`
	Rules     []textRule        `json:"rules"`
}

type textRule struct {
	Name     string   `json:"name"`
	When     []string `json:"when"`
	Hold     int      `json:"hold,omitempty"`
	Priority int      `json:"priority,omitempty"`
	Repeat   int      `json:"repeat,omitempty"`
	Pause    int      `json:"pause,omitempty"`
	Most     int      `json:"most,omitempty"`
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
	Action   any      `json:"action,omitempty"`
	Act      bool     `json:"act,omitempty"`
	Where    string   `json:"where,omitempty"`
}

func textOf(src config.Rule) textRule {
	t := textRule{src.Name, src.Conditions(), src.Hold, src.Priority, src.Repeat, src.Pause, src.Most, src.Severity,
		src.Message, nil, src.Act, src.Where}
	switch src.Action {
	case "":
	case Change:
		values := map[string]any{}
		for name, x := range src.Set {
			values[name] = x
		}
		for name, x := range src.SetTo {
			values[name] = x
		}
		t.Action = map[string]any{Change: values}
	default:
		t.Action = src.Action
	}
	return t
}

// Course judges rules on a run, iteration by iteration. It belongs to the thread that calls it.
type Course struct {
	monitor *Monitor
	run     *run
	names   []string
	values  []*value // by name
	by      reporter
	odd     []string
}

// meshName is the value whose change begins the histories anew.
const meshName = "mesh"

// NewCourse returns the judge of a run that has made no iteration.
func NewCourse(set *Set, info Run) *Course {
	c := &Course{monitor: NewMonitor(set), run: newRun(info, &set.layout), by: reporter{origin: origin{plugin: true}}}
	for _, n := range set.named {
		if n.name != meshName && n.name != "iteration" && !hides(n.name) && !isList(n.name) {
			c.names, c.values = append(c.names, n.name), append(c.values, c.run.of(n.name))
		}
	}
	c.names, c.values = append(c.names, meshName), append(c.values, c.run.of(meshName))
	return c
}

// Names returns the names of the values that [Course.Iteration] takes.
func (c *Course) Names() []string { return c.names }

// Iteration takes the values after an iteration, in the order of Names, and returns the rules that fire. The list there
// marks the values that the run has.
func (c *Course) Iteration(n int64, values []float64, there []bool) []Finding {
	r := c.run
	p := placed{by: &c.by, place: place{iter: float64(n)}}
	mesh := len(c.names) - 1
	r.reach(&p, values[mesh], there[mesh])
	c.odd = c.odd[:0]
	for i, v := range c.values {
		switch {
		case !there[i]:
		case numeric.Finite(values[i]):
			r.add(v, values[i], &p)
		default:
			c.odd = append(c.odd, c.names[i])
		}
	}
	r.add(r.known(&r.number, "iteration"), float64(n), &p)
	r.lose(&p, c.odd, false)
	found := c.monitor.judge(r, p.Time, everything)
	kept := found[:0]
	for _, f := range found {
		// the other rules are judged only because these refer to them
		if src := c.monitor.set.sources[c.monitor.set.ids[f.Rule]]; src.InSitu() {
			kept = append(kept, f)
		}
	}
	return kept
}

// Limit sets the iteration limit; infinite: no limit.
func (c *Course) Limit(iterations float64) {
	if math.IsNaN(iterations) || iterations == c.run.facts.limit {
		return
	}
	c.run.facts.limit = iterations
	c.run.touch("limit")
}
