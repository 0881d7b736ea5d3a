package rule

import (
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	judge "github.com/peregrine-sim/peregrine/watchdog/state"
)

// The values of a run, by name and by the columns of its files; the names that a set of rules uses; the state of a rule
// in a run, and that of the run as package watchdog/state judges it.

// value is a value of a run.
type value struct {
	series *series
	input  int       // its number among the inputs of conditions; -1: no rule names it
	list   []float64 // of a profile
	last   float64
	has    bool
	hidden bool     // its name has another meaning
	object *float64 // value of the object of its name; nil: no such object is known
}

// residualPrefix begins the names of the residuals of equations.
const residualPrefix = "residual_"

// worstResidual returns the largest of the residuals that a solver reports of several equations. It returns 0 if the
// solver reports a value called residual, or no residual. odd reports that a residual is not finite: the others then
// have no meaning.
func worstResidual(e *event.Event) (x float64, odd bool) {
	if _, ok := e.Values["residual"]; ok || slices.Contains(e.NonFinite, "residual") {
		return 0, false
	}
	for name, y := range e.Values {
		if strings.HasPrefix(name, residualPrefix) {
			x = max(x, math.Abs(y))
		}
	}
	odd = slices.ContainsFunc(e.NonFinite, func(name string) bool { return strings.HasPrefix(name, residualPrefix) })
	if odd {
		return 0, true
	}
	return x, false
}

// columns are the names of a file's parser as values of a run.
type columns struct {
	list      []column
	iteration int // places among the names, of mesh, clock and residual; -1: none
	mesh      int
	clock     int
	residual  int
	looked    int // number of names for which named is known
}

// column is a name of a parser.
type column struct {
	value    *value // nil: no value yet, or beyond the limit of values
	equation bool   // it is the residual of an equation
	named    bool   // a rule on the study names it, or a value that is computed from it
}

// columnsOf returns the columns of a parser, whose names grow while it reads.
func columnsOf(files map[*history.Parser]*columns, p *history.Parser) *columns {
	c, names := files[p], p.Names()
	if c == nil {
		c = &columns{iteration: -1, mesh: -1, clock: -1, residual: -1}
		files[p] = c
	}
	for i := len(c.list); i < len(names); i++ {
		switch names[i] {
		case "iteration":
			c.iteration = i
		case "mesh":
			c.mesh = i
		case "clock":
			c.clock = i
		case "residual":
			c.residual = i
		}
		c.list = append(c.list, column{equation: strings.HasPrefix(names[i], residualPrefix)})
	}
	return c
}

// layout is the part of a run that a set of rules names.
type layout struct {
	ids    map[string]int // of all rules that were compiled, by name
	named  []named        // values
	judges bool           // it names the state of a run
	slots  map[string]int // their numbers
	inputs int            // of conditions: variables, values, rules
}

// named is a value of a run that some rule names.
type named struct {
	name string
	keep keep // of its history
}

// firedInput returns the input that is set when a rule has fired.
func (l *layout) firedInput(id int) int { return len(variableInputs) + len(l.named) + id }

// hides reports whether a solver's value of that name is hidden: the name has another meaning in rules.
func hides(name string) bool {
	return isFunction(name) || isVariable(name)
}

// none is the index of no condition.
const none = -1

// state is the state of a rule in a run.
type state struct {
	holds  int     // the condition that held last; none: none
	err    error   // why it could not be judged
	held   int     // how often in a row
	before int     // held, before the event
	from   float64 // wall-clock time of the run at which it began to hold, s
	judged int     // number of the event for which before is valid
	fired  bool
	stale  bool  // it was not judged while a value in it may have changed
	stands bool  // it has fired and has held since
	times  int   // it has fired
	event  int   // at which it fired
	at     place // where that was
}

// objectsOf returns the numbers of objects according to an event.
func objectsOf(e *event.Event) map[string]float64 {
	if e.Kind == event.Asked {
		return e.Values
	}
	a := e.Act
	if a == nil || a.State != "applied" || a.Verb != "set" && a.Verb != "write" {
		return nil
	}
	numbers := map[string]float64{}
	for _, d := range a.Effects {
		if d.New.Type != event.Int && d.New.Type != event.Float {
			continue
		}
		x := d.New.Number
		numbers[d.Object] = x
		if d.Setting != "" {
			numbers[d.Setting] = x
		}
	}
	return numbers
}

// judgement is the state of a run. Without a machine it is empty.
type judgement struct {
	machine *judge.Machine
	state   judge.State
	began   float64 // first iteration in this state
	stood   float64 // iterations since
}

// take judges the next event at an iteration, and reports whether the state has changed.
func (j *judgement) take(p *placed, at float64) (changed bool) {
	e := &p.Event
	switch {
	case j.machine == nil:
		return false
	case p.sample != nil:
		j.machine.Sample(p.by.origin.file, p.parser, p.sample)
	case e.Kind == event.Ended:
		if s := judge.Ended(e.Class); s != "" {
			changed = s != j.state
			j.state, j.began, j.stood = s, at, 0
		}
		return changed
	case e.Source == event.Host || e.Source == event.Executive:
		return false
	default:
		j.machine.Event(*e)
	}
	if now := j.machine.Judgement().State; now != j.state {
		j.state, j.began, changed = now, at, true
	}
	j.stood = at - j.began
	return changed
}
