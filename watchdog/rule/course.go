package rule

// Judging a run from inside it: its values are at hand after each iteration, so there are no events to be put into
// order and none is made.

import (
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Course judges rules on one run, iteration by iteration. It belongs to the thread that calls it.
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

// Names are the values that [Course.Iteration] asks for.
func (c *Course) Names() []string { return c.names }

// Iteration takes the values after an iteration, in the order of Names, and returns the rules that fire. What there
// is says which values the run has.
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
		// others are judged for those that refer to them
		if rule := c.monitor.set.rule(f.Rule); rule != nil && rule.aboard {
			kept = append(kept, f)
		}
	}
	return kept
}

// Limit tells the iteration limit; infinite: there is none.
func (c *Course) Limit(iterations float64) {
	if math.IsNaN(iterations) || iterations == c.run.facts.limit {
		return
	}
	c.run.facts.limit = iterations
	c.run.touch("limit")
}

// rule returns the rule of a name; nil: it is not among those that are judged.
func (s *Set) rule(name string) *rule {
	for _, r := range s.rules {
		if r.name == name {
			return r
		}
	}
	return nil
}
