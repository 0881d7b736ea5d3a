package rule

// What rules on a study range over: the kinds of facts with their fields, and the runs as facts.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/types"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
	judge "github.com/peregrine-sim/peregrine/watchdog/state"
)

// fields of a run that have a meaning of their own. The comments are the list of the help page on rules.
var fields = map[string]fact.Type{
	"name":      fact.Text, // its name
	"component": fact.Text, // component of the engine whose behaviour it computes
	"type":      fact.Text, // type of that component
	"solver":    fact.Text, // name and version of the solver
	"state":     fact.Text, // `converging`, `stalled`, `diverged` and so on, as `peregrine watch` calls it
	"class":     fact.Text, // how it ended, as `peregrine runs list` shows it; empty while it is running
	// speed line of the map on which it lies: equal for runs of one component that differ in the throttle alone; empty
	// if it lies on none
	"curve":     fact.Text,
	"place":     fact.Number, // place on that line: its throttle
	"attempt":   fact.Number, // number of the attempt at its point, from 1
	"iteration": fact.Number, // last iteration that it reported
	"limit":     fact.Number, // its iteration limit
	"progress":  fact.Number, // its last iteration as a part of its limit
	"wall":      fact.Number, // wall-clock time of an ended run, s
	"ended":     fact.Bool,   // whether it has ended
	"answered":  fact.Bool,   // whether it ended with an answer
	"lost":      fact.Bool,   // whether it ended without an answer and without another attempt
}

// factTexts are the possible texts of fields of a run; other fields have any text.
var factTexts = map[string][]string{"state": language.States, "class": language.Classes}

// Parts of a run's fields that hold numbers under the names of the solver.
const (
	givenPart  = "given"
	answerPart = "answer"
)

// field is a field of facts that some condition names.
type field struct {
	part string // given or answer; empty: none
	name string
	typ  fact.Type
}

func (c field) String() string {
	if c.part != "" {
		return c.part + "." + c.name
	}
	return c.name
}

// kind is a kind of facts as conditions see it.
type kind struct {
	name    string
	columns []field
	place   map[string]int // of columns
	open    bool           // numbers of any name are fields: it is run

	measures []measure // functions of histories that are fields
	heard    []*heard  // values whose histories are needed
}

func newKind(name string) *kind { return &kind{name: name, place: map[string]int{}} }

// newRuns returns the kind of runs, without the fields that conditions will name: a run is judged only when a field in
// a condition changes.
func newRuns() *kind {
	k := newKind(config.Kind)
	k.open = true
	k.add(field{name: "name", typ: fact.Text})
	return k
}

func (k *kind) add(c field) int {
	i, ok := k.place[c.String()]
	if !ok {
		i = len(k.columns)
		k.place[c.String()] = i
		k.columns = append(k.columns, c)
	}
	return i
}

// has reports whether some condition names a field, or its history, or a rule asserts it.
func (k *kind) has(field string) bool {
	_, ok := k.place[field]
	return ok || slices.ContainsFunc(k.heard, func(h *heard) bool { return h.name == field })
}

// find returns the column of a path such as PR or given.N. Numbers of runs are added where they are named.
func (k *kind) find(path []string) (int, error) {
	name := strings.Join(path, ".")
	if i, ok := k.place[name]; ok {
		return i, nil
	}
	if !k.open {
		return 0, fmt.Errorf("the kind %s has no field %s%s", k.name, name,
			spell.Hint(name, slices.Sorted(maps.Keys(k.place))))
	}
	switch {
	case fields[name] != 0:
		return k.add(field{name: name, typ: fields[name]}), nil
	case len(path) == 2 && (path[0] == givenPart || path[0] == answerPart):
		return k.add(field{path[0], path[1], fact.Number}), nil
	case len(path) > 1:
		return 0, fmt.Errorf("a run has no %s; its parts are %s and %s", name, answerPart, givenPart)
	case name == givenPart || name == answerPart:
		return 0, fmt.Errorf("%s has parts: %s.N, for one", name, name)
	}
	if strings.Contains(name, "(") { // a measure
		return k.add(field{name: name, typ: fact.Number}), nil
	}
	for _, known := range slices.Sorted(maps.Keys(fields)) {
		if len(name) > 3 && len(known) > 3 && spell.Distance(name, known) == 1 {
			return 0, fmt.Errorf("a run has no %s, did you mean %s?", name, known)
		}
	}
	return k.add(field{name: name, typ: fact.Number}), nil
}

// hear returns the value of a name whose history is needed.
func (k *kind) hear(name string) *heard {
	for _, h := range k.heard {
		if h.name == name {
			return h
		}
	}
	k.heard = append(k.heard, &heard{name: name})
	return k.heard[len(k.heard)-1]
}

// types returns the types of the fields, for the check of expressions.
func (k *kind) types() types.Map {
	all := types.Map{}
	parts := map[string]types.Map{}
	for _, c := range k.columns {
		t := fieldTypes[c.typ]
		if c.part == "" {
			all[c.name] = t
			continue
		}
		if parts[c.part] == nil {
			parts[c.part] = types.Map{}
			all[c.part] = parts[c.part]
		}
		parts[c.part][c.name] = t
	}
	return all
}

var fieldTypes = map[fact.Type]types.Type{0: types.Any, fact.Number: types.Float64, fact.Text: types.String,
	fact.Bool: types.Bool}

// facts is the kind for the memory.
func (k *kind) facts() fact.Kind {
	return fact.Kind{Name: k.name, Fields: convert.All(k.columns, func(c field) fact.Field {
		return fact.Field{Name: c.String(), Type: c.typ}
	})}
}

// kinds are all kinds by name.
type kinds map[string]*kind

// of returns the kind that a word names, in the singular or the plural; nil if unknown.
func (k kinds) of(word string) *kind { return k[config.KindOf(word, slices.Collect(maps.Keys(k)))] }

// Map names the numbers of a request that place a run on a map.
type Map struct {
	Speed    string // equal along a speed line
	Throttle string // place on it
}

// studyRun is the data of a run that rules on a study use.
type studyRun struct {
	info    Run
	id      fact.ID
	known   bool                         // it is a fact
	dropped bool                         // it is to be none
	stale   bool                         // the fact is older than the data
	machine *judge.Machine               // nil: no rule names the state
	columns map[*history.Parser]*columns // of files that are read as samples
	memories
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

func newStudyRun(info Run, judges bool) *studyRun {
	r := &studyRun{
		info: info, columns: map[*history.Parser]*columns{},
		Facts: Facts{Values: map[string]float64{}, Numbers: map[string]float64{}, Flags: map[string]bool{},
			Texts: map[string]string{"name": info.Name, "component": info.Component, "type": info.Type}},
	}
	if info.Limit > 0 {
		r.Numbers["limit"] = info.Limit
	}
	r.judgeState(judges)
	return r
}

// judgeState starts the judgement of the run's state, if rules name it and no other judge provides it. It reports
// whether the judgement starts.
func (r *studyRun) judgeState(named bool) bool {
	if !named || r.Texts["state"] != "" {
		return false
	}
	r.machine = judge.New(judge.Options{})
	r.Texts["state"] = string(judge.Starting)
	return true
}

// judgeNext judges the state by the next event of the run, and reports whether it has changed.
func (r *studyRun) judgeNext(e *event.Event) bool {
	if r.machine == nil || e.Source == event.Host || e.Source == event.Executive || !r.machine.Event(*e) {
		return false
	}
	r.Texts["state"] = string(r.machine.Judgement().State)
	return true
}

// value returns the value of a field.
func (r *studyRun) value(c field) fact.Value {
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
func (r *studyRun) row(k *kind) []fact.Value {
	row := make([]fact.Value, len(k.columns))
	for i, c := range k.columns {
		row[i] = r.value(c)
	}
	return row
}

// take updates the data with an event, and reports whether the rules see a change.
func (r *studyRun) take(e *event.Event, k *kind, on Map, earlier func(run string) *studyRun) (changed bool) {
	if e.Component != "" && r.info.Component == "" {
		changed = r.Texts["component"] != e.Component
		r.Texts["component"] = e.Component
	}
	changed = r.judgeNext(e) || changed
	switch {
	case e.Kind == event.Started && e.Source == event.Host:
		r.Numbers["attempt"] = float64(max(1, e.Attempt))
		if x := limitOf(e); x > 0 {
			r.Numbers["limit"] = x
		}
		if before := attemptBefore(e, earlier); before != nil {
			r.Texts["curve"] = before.Texts["curve"] // its settings may be other ones
		}
	case e.Kind == event.Asked:
		r.ask(e, on)
	case e.Kind == event.Iteration:
		return r.iteration(e, k) || changed
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
func attemptBefore(e *event.Event, earlier func(run string) *studyRun) *studyRun {
	if e.Attempt > 1 && e.Cause != nil {
		return earlier(e.Cause.Run)
	}
	return nil
}

// ask takes the request to the solver.
func (r *studyRun) ask(e *event.Event, on Map) {
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
func (r *studyRun) iteration(e *event.Event, k *kind) (changed bool) {
	for name, x := range e.Values {
		r.Values[name] = x
		changed = changed || k.has(name)
	}
	at, by := r.locate(e)
	changed = r.reach(at.iter, k) || changed
	for _, name := range e.NonFinite { // its earlier value is no longer valid
		_, had := r.Values[name]
		delete(r.Values, name)
		changed = changed || had && k.has(name)
	}
	worst, odd := worstResidual(e)
	if len(k.heard) > 0 {
		r.remember(e, k.heard, at, by, worst)
		for _, x := range k.measures {
			if y := x.of(r.series[x.value], x.over); math.IsNaN(y) {
				delete(r.Values, x.text)
			} else {
				r.Values[x.text] = y
			}
		}
	}
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

// reach notes the iteration of the run, and reports whether the rules see it.
func (r *studyRun) reach(iteration float64, k *kind) bool {
	r.Numbers["iteration"] = iteration
	if limit := r.Numbers["limit"]; limit > 0 {
		r.Numbers["progress"] = iteration / limit
	}
	return k.has("iteration") || k.has("progress")
}

// end notes how the run ended.
func (r *studyRun) end(c event.Class, follows bool) {
	r.Texts["class"] = string(c)
	r.Flags["ended"], r.Flags["answered"], r.Flags["lost"] = true, c == event.Converged, c != event.Converged &&
		!follows
	if s := judge.Ended(c); s != "" {
		r.Texts["state"] = string(s)
	}
}

// file returns the columns of a file's parser, with those that the rules see, by the fields of runs that they name.
func (r *studyRun) file(p *history.Parser, runs *kind) *columns {
	c := columnsOf(r.columns, p)
	names := p.Names()
	for ; c.looked < len(names); c.looked++ {
		x := &c.list[c.looked]
		x.named = runs.has(names[c.looked]) || x.equation && runs.has("residual")
	}
	return c
}

// skip takes a sample whose values the rules do not see, and reports whether this is the case.
func (r *studyRun) skip(p *history.Parser, s *history.Sample, runs *kind) bool {
	if !r.known || r.machine != nil || s.Kind != event.Iteration {
		return false
	}
	c := r.file(p, runs)
	named := func(name int) bool { return c.list[name].named }
	if slices.ContainsFunc(s.Numbers, func(n history.Number) bool { return named(n.Name) }) ||
		slices.ContainsFunc(s.NonFinite, named) {
		return false
	}
	at, ok := s.Value(c.iteration)
	if !ok && (runs.has("iteration") || runs.has("progress")) {
		return false
	}
	if ok {
		return !r.reach(at, runs)
	}
	return true
}
