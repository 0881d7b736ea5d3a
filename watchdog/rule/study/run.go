package study

// The data of a run, and the part of it that the rules see.

import (
	"math"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Map names the numbers of a request that place a run on a map.
type Map struct {
	Speed    string // equal along a speed line
	Throttle string // place on it
}

// run is the data of a run.
type run struct {
	info    rule.Run
	id      fact.ID
	known   bool                         // it is a fact
	dropped bool                         // it is to be none
	stale   bool                         // the fact is older than the data
	machine *state.Machine               // nil: no rule names the state
	files   map[*history.Parser]*columns // that are read as samples
	Facts
}

// Facts are the data of a run that rules on a study can name, by name. JSON keeps them with the run's answer.
type Facts struct {
	Values  map[string]float64 `json:"values,omitempty"`
	Given   map[string]float64 `json:"given,omitempty"`
	Answer  map[string]float64 `json:"answer,omitempty"`
	Numbers map[string]float64 `json:"numbers,omitempty"`
	Texts   map[string]string  `json:"texts,omitempty"`
	Flags   map[string]bool    `json:"flags,omitempty"`
}

func newRun(info rule.Run, s *Set) *run {
	r := &run{
		info: info, files: map[*history.Parser]*columns{},
		Facts: Facts{Values: map[string]float64{}, Numbers: map[string]float64{}, Flags: map[string]bool{},
			Texts: map[string]string{"name": info.Name, "component": info.Component, "type": info.Type}},
	}
	r.judgeState(s)
	return r
}

// judgeState starts the judgement of the run's state, if rules name it and no other judge provides it. It reports
// whether the judgement starts.
func (r *run) judgeState(s *Set) bool {
	if !s.state || r.Texts["state"] != "" {
		return false
	}
	r.machine = state.New(state.Options{})
	r.Texts["state"] = string(state.Starting)
	return true
}

// judgeNext judges the state by the next event of the run, and reports whether it has changed.
func (r *run) judgeNext(e *event.Event) bool {
	if r.machine == nil || e.Source == event.Host || e.Source == event.Executive || !r.machine.Event(*e) {
		return false
	}
	r.Texts["state"] = string(r.machine.Judgement().State)
	return true
}

// value is that of a column.
func (r *run) value(c column) fact.Value {
	switch c.typ {
	case fact.Text:
		return fact.Str(r.Texts[c.name])
	case fact.Bool:
		return fact.Flag(r.Flags[c.name])
	}
	from := r.Values
	switch {
	case c.part == givenPart:
		from = r.Given
	case c.part == answerPart:
		from = r.Answer
	case fields[c.name] != 0:
		from = r.Numbers
	}
	if x, ok := from[c.name]; ok {
		return fact.Num(x)
	}
	return fact.Num(math.NaN())
}

// row is the run as a fact of its kind.
func (r *run) row(k *kind) []fact.Value {
	row := make([]fact.Value, len(k.columns))
	for i, c := range k.columns {
		row[i] = r.value(c)
	}
	return row
}

// take updates the data with an event, and reports whether the rules see a change.
func (r *run) take(e *event.Event, s *Set, on Map, earlier func(run string) *run) (changed bool) {
	if e.Component != "" && r.info.Component == "" {
		changed = r.Texts["component"] != e.Component
		r.Texts["component"] = e.Component
	}
	changed = r.judgeNext(e) || changed
	switch {
	case e.Kind == event.Started && e.Source == event.Host:
		r.Numbers["attempt"] = float64(max(1, e.Attempt))
		if before := attemptBefore(e, earlier); before != nil {
			r.Texts["curve"] = before.Texts["curve"] // its settings may be other ones
		}
	case e.Kind == event.Asked:
		r.ask(e, on)
	case e.Kind == event.Iteration:
		return r.iteration(e, s) || changed
	case e.Kind == event.Result:
		r.Answer = e.Values
		for name, x := range e.Values {
			r.Values[name] = x
		}
	case e.Kind == event.Ended && (e.Source == event.Host || e.Source == event.Executive):
		r.end(e.Class, e.Follows)
		r.Numbers["wall"] = e.Wall
	default:
		return changed
	}
	return true
}

// attemptBefore returns the run of the failed attempt before a starting run; nil for the first attempt.
func attemptBefore(e *event.Event, earlier func(run string) *run) *run {
	if e.Attempt > 1 && e.Cause != nil {
		return earlier(e.Cause.Run)
	}
	return nil
}

// ask takes the request to the solver.
func (r *run) ask(e *event.Event, on Map) {
	r.Given, r.Texts["solver"] = e.Values, e.Name
	speed, lines := e.Values[on.Speed]
	place, stands := e.Values[on.Throttle]
	if !lines || !stands {
		return
	}
	r.Numbers["place"] = place
	if r.Texts["curve"] == "" {
		r.Texts["curve"] = strings.Join([]string{
			r.Texts["component"], on.Speed + " " + strconv.FormatFloat(speed, 'g', -1, 64), e.Name, e.Text,
		}, ", ")
	}
}

// iteration takes the values that the solver reports.
func (r *run) iteration(e *event.Event, s *Set) (changed bool) {
	k := s.kinds[config.Kind]
	for name, x := range e.Values {
		r.Values[name] = x
		changed = changed || k.has(name)
	}
	if at, ok := e.Values["iteration"]; ok {
		r.Numbers["iteration"] = at
	}
	for _, name := range e.NonFinite { // its earlier value is no longer valid
		_, had := r.Values[name]
		delete(r.Values, name)
		changed = changed || had && k.has(name)
	}
	worst, odd := rule.WorstResidual(e)
	switch {
	case odd:
		delete(r.Values, "residual")
	case worst > 0:
		r.Values["residual"] = worst
	default:
		return changed
	}
	return changed || k.has("residual")
}

// end notes how the run ended.
func (r *run) end(c event.Class, follows bool) {
	r.Texts["class"] = string(c)
	r.Flags["ended"], r.Flags["answered"], r.Flags["lost"] = true, c == event.Converged, c != event.Converged &&
		!follows
	if s := state.Ended(c); s != "" {
		r.Texts["state"] = string(s)
	}
}
