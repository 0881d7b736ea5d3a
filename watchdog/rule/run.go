package rule

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	judge "github.com/peregrine-sim/peregrine/watchdog/state"
)

// maxValues bounds the names that are remembered of a run: a file of garbage must not fill the memory.
const maxValues = 1000

// InSitu is the name of the message by which a solver reports that it judges rules itself.
const InSitu = "rules_aboard"

// Run describes the purpose of a run.
type Run struct {
	Name      string
	Component string  // component whose behaviour it computes
	Type      string  // type of that component
	Limit     float64 // iteration limit; 0: unknown, or in the run's first event
}

// run is the data of a run that the rules use.
type run struct {
	info      Run
	set       *layout
	slots     []*value          // values that rules name
	values    map[string]*value // these values, and the others that were reported
	facts     facts
	dirty     bits                         // inputs that changed since rules were judged
	quotes    quotes                       // that findings show
	columns   map[*history.Parser]*columns // of files that are read as samples
	spares    spares
	number    *value    // of the iteration, and
	worst     *value    // of the worst residual, where samples had a residual; nil: not yet
	state     []state   // by rule
	judgement judgement // of its state
	judged    int       // events
	merge     merger
	at        place     // latest of an iteration
	by        *reporter // that reported it; nil: no iteration yet
	last      time.Time // last sign of life that came; zero: none yet
	ticked    time.Time // when its silence was judged for time alone
	paused    bool
	pausedAt  time.Time // start of the pause, if it is paused
	signs     int       // of life, up to the iteration that is judged
	wall      wall
	oldest    time.Time
	newest    time.Time
	odd       []string // names that were not finite last
	result    *event.Event
	ended     *event.Event
	inSitu    bool   // the run itself judges the rules with where: run
	rejected  string // rule that makes the run's answer unusable
}

// wall is the wall-clock time of a run, s, which does not fall: by its own clock, if it reports one, or since its first
// sign of life. Files that are read at once have their times in their own clock alone.
type wall struct {
	now   float64
	own   bool    // it reports a clock
	began float64 // when that began: a solver that is started again begins anew
}

// reach notes the time of an iteration: since the first sign of life, and by the run's clock, if it has one there.
func (w *wall) reach(since, clock float64, known bool) {
	switch {
	case known:
		if w.began+clock < w.now {
			w.began = w.now - clock
		}
		w.own, w.now = true, w.began+clock
	case !w.own:
		w.now = max(w.now, since)
	}
}

// facts are the variables of a run.
type facts struct {
	iterations, limit, silent, pace, nonFinite float64
	ended, badResult                           bool
	status, names                              string
}

func newRun(info Run, set *layout) *run {
	r := &run{
		info: info, set: set, values: map[string]*value{}, columns: map[*history.Parser]*columns{},
		facts: facts{limit: math.Inf(1)},
		state: make([]state, len(set.ids)), dirty: make(bits, set.inputs/64+1),
	}
	if info.Limit > 0 {
		r.facts.limit = info.Limit
	}
	for i, n := range set.named {
		v := &value{series: newSeries(n.keep), input: len(variableInputs) + i, hidden: hides(n.name)}
		r.slots, r.values[n.name] = append(r.slots, v), v
	}
	for i := range r.state {
		r.state[i].holds = none
	}
	r.dirty.fill()
	if set.judges {
		r.judgement = judgement{machine: judge.New(judge.Options{}), state: judge.Starting}
	}
	return r
}

// hear notes that an event came, whatever its place in the history.
func (r *run) hear(e *event.Event) {
	if alive(e) && e.Time.After(r.last) {
		r.last = e.Time
	}
	if e.Source == event.Plugin && e.Kind == event.Message && e.Name == InSitu {
		r.inSitu = true
	}
}

// alive reports whether an event is a sign of life.
func alive(e *event.Event) bool { return e.Source != event.Host || e.Kind == event.Started }

// take updates the data of the run, and its state.
func (r *run) take(p *placed) {
	r.note(p)
	if r.judgement.machine == nil {
		return
	}
	if r.judgement.take(p, r.at.iter) {
		r.touch("state")
	}
	r.touch("stood")
}

// note updates the data of the run.
func (r *run) note(p *placed) {
	if p.sample != nil {
		r.pace(p.Time)
		r.sample(p)
		return
	}
	e := &p.Event
	if alive(e) && e.Kind != event.Command {
		r.pace(e.Time)
	}
	switch e.Kind {
	case event.Started:
		if x := limitOf(e); x > 0 {
			r.facts.limit = x
			r.touch("limit")
		}
	case event.Iteration:
		r.iteration(p)
	case event.Result:
		result := *e
		r.result = &result
		r.facts.badResult = len(e.NonFinite) > 0
		if len(e.NonFinite) > 0 {
			r.facts.names = strings.Join(e.NonFinite, ", ")
		}
		r.touch("bad_result", "non_finite_names")
		for name, x := range e.Values {
			if v := r.of(name); v != nil {
				r.show(v, x)
			}
		}
		r.profiles(e)
		r.quotes.event(e)
	case event.Profile:
		r.profiles(e)
	case event.Asked:
		r.objects(e)
	case event.Command:
		r.objects(e)
		r.command(e)
		if e.Act != nil {
			r.firedInSitu(e, e.Act.Rule)
		}
	case event.Finding, event.Would:
		r.firedInSitu(e, e.Name)
	case event.Ended:
		end := *e
		r.ended = &end
		r.facts.ended, r.facts.status = true, string(e.Class)
		r.touch("ended", "status")
		r.quotes.event(e)
	}
}

// pace notes the time of a sign of life.
func (r *run) pace(at time.Time) {
	if r.signs == 0 || at.Before(r.oldest) {
		r.oldest = at
	}
	r.newest = later(r.newest, at)
	if r.signs++; r.signs > 1 {
		r.facts.pace = r.newest.Sub(r.oldest).Seconds() / float64(r.signs-1)
		r.dirty.set(paceInput)
	}
}

// limitOf returns the iteration limit that a run's first event has; 0: none.
func limitOf(e *event.Event) (limit float64) {
	for _, name := range []string{"limit", "iteration_limit", "max_iterations"} {
		if x := e.Values[name]; x > 0 {
			limit = x
		}
	}
	return limit
}

// iteration adds an iteration's values to their series.
func (r *run) iteration(p *placed) {
	e := &p.Event
	clock, timed := e.Values["clock"]
	r.wall.reach(r.newest.Sub(r.oldest).Seconds(), clock, timed)
	mesh, known := e.Values["mesh"]
	r.reach(p, mesh, known)
	for name, x := range e.Values {
		r.add(r.of(name), x, p)
	}
	r.add(r.of("iteration"), p.place.iter, p)
	residual, odd := worstResidual(e)
	if residual > 0 {
		r.add(r.of("residual"), residual, p)
	}
	r.lose(p, p.NonFinite, odd)
	r.quotes.event(e)
}

// sample adds an iteration's values to their series, as iteration does.
func (r *run) sample(p *placed) {
	s, c := p.sample, columnsOf(r.columns, p.parser)
	names := p.parser.Names()
	clock, timed := s.Value(c.clock)
	r.wall.reach(r.newest.Sub(r.oldest).Seconds(), clock, timed)
	mesh, known := s.Value(c.mesh)
	r.reach(p, mesh, known)
	worst := 0.0
	for _, n := range s.Numbers {
		x := &c.list[n.Name]
		if x.value == nil {
			x.value = r.of(names[n.Name])
		}
		r.add(x.value, n.Value, p)
		if x.equation {
			worst = max(worst, math.Abs(n.Value))
		}
	}
	r.add(r.known(&r.number, "iteration"), p.place.iter, p)
	_, alone := s.Value(c.residual)
	alone = alone || slices.Contains(s.NonFinite, c.residual)
	odd := !alone && slices.ContainsFunc(s.NonFinite, func(name int) bool { return c.list[name].equation })
	if !alone && !odd && worst > 0 {
		r.add(r.known(&r.worst, "residual"), worst, p)
	}
	var lost []string
	for _, name := range s.NonFinite {
		lost = append(lost, names[name])
	}
	r.lose(p, lost, odd)
	r.quotes.take(p.parser, s)
}

// known is of, of a name that is looked up once.
func (r *run) known(v **value, name string) *value {
	if *v == nil {
		*v = r.of(name)
	}
	return *v
}

// reach records the run's latest place and its mesh; an earlier place is ignored.
func (r *run) reach(p *placed, mesh float64, known bool) {
	if r.by != nil && p.place.compare(r.at) < 0 {
		return
	}
	if p.place != r.at || r.by == nil || r.by == p.by { // not for a repeated report by another source
		r.facts.iterations++
		r.dirty.set(iterationsInput)
	}
	r.at, r.by = p.place, p.by
	if was := r.values["mesh"]; known && was != nil && was.has && was.last != mesh {
		for _, v := range r.values {
			v.series.stage(p.place)
		}
	}
}

// add takes the value of an iteration; v is nil beyond the limit of values.
func (r *run) add(v *value, x float64, p *placed) {
	if v == nil {
		return
	}
	v.series.add(p.place, r.wall.now, x, p.by.origin)
	if last, ok := v.series.last(); ok {
		r.show(v, last)
	}
	r.dirty.set(v.input)
}

// of returns the value of a name; nil beyond the limit of values.
func (r *run) of(name string) *value {
	v := r.values[name]
	if v == nil && len(r.values) < maxValues {
		v = &value{series: newSeries(keep{}), input: -1, hidden: hides(name)}
		r.values[name] = v
	}
	return v
}

// show makes a value visible, unless its name has another meaning.
func (r *run) show(v *value, x float64) {
	if !v.hidden {
		v.last, v.has = x, true
		r.dirty.set(v.input)
	}
}

// profiles takes the lists of an event: the list Vx is profile_Vx in conditions.
func (r *run) profiles(e *event.Event) {
	for name, list := range e.Arrays {
		if v := r.values[listPrefix+name]; v != nil {
			v.list, v.has = list, true
			r.dirty.set(v.input)
		}
	}
}

// command records that the run is paused on purpose, or continues. If the solver reports the outcome of the command,
// the outcome counts: a refused command pauses no run, and a run that another client holds stays paused after a resume.
func (r *run) command(e *event.Event) {
	switch e.Name {
	case "pause", "resume", "step", "sync", "release":
	default:
		return
	}
	held := e.Name == "pause"
	if e.Act != nil {
		if e.Act.State != "applied" {
			return
		}
		held = e.Act.Held
	}
	r.hold(held, e.Time)
}

// skip moves the run's signs of life by a time that has passed by the clock but not for the run.
func (r *run) skip(gap time.Duration) {
	for _, at := range []*time.Time{&r.oldest, &r.newest, &r.last, &r.pausedAt} {
		if !at.IsZero() {
			*at = at.Add(gap)
		}
	}
}

// hold records that the run is paused, or continues. The paused time does not count for its pace.
func (r *run) hold(held bool, at time.Time) {
	switch {
	case held && !r.paused:
		r.pausedAt = at
	case !held && r.paused && !r.oldest.IsZero() && at.After(r.pausedAt):
		r.oldest = r.oldest.Add(at.Sub(r.pausedAt))
	}
	if r.paused = held; !held {
		r.last = later(r.last, at)
	}
}

// objects notes the numbers of objects that rules name.
func (r *run) objects(e *event.Event) {
	for name, x := range objectsOf(e) {
		if slot, named := r.set.slots[name]; named {
			r.slots[slot].object = &x
		}
	}
}

// lose notes the values that were not finite; they have no last value now.
func (r *run) lose(p *placed, names []string, residual bool) {
	r.odd = names
	if residual {
		r.odd = append(slices.Clone(r.odd), "residual")
	}
	longest := 0
	for _, name := range r.odd {
		v := r.of(name)
		if v == nil {
			continue
		}
		s := v.series
		s.lose(p.place, r.wall.now, p.by.origin)
		longest = max(longest, s.gone)
		if len(s.iter) == 0 && !v.hidden {
			v.has = false
		}
		r.dirty.set(v.input)
	}
	if float64(longest) != r.facts.nonFinite {
		r.facts.nonFinite = float64(longest)
		r.touch("non_finite")
	}
	if longest > 0 {
		r.facts.names = strings.Join(r.odd, ", ")
		r.touch("non_finite_names")
	}
}

// hasFired reports whether the rule of that name has fired.
func (r *run) hasFired(name string) bool {
	id, ok := r.set.ids[name]
	return ok && r.state[id].fired
}

// firedInSitu records that a rule has fired that the run judges itself.
func (r *run) firedInSitu(e *event.Event, name string) {
	id, ok := r.set.ids[name]
	if !ok || e.Source != event.Plugin {
		return
	}
	s := &r.state[id]
	s.times++
	s.fired, s.at = true, place{attempt: e.Attempt, iter: e.Values["iteration"]}
	r.dirty.set(r.set.firedInput(id))
}

// lastOf is the last value of a slot, NaN if it has none.
func (r *run) lastOf(slot int) float64 {
	if s := r.slots[slot]; s.has {
		return s.last
	}
	return math.NaN()
}

// absent reports whether the run iterates without a value, or has had none for a span.
func (r *run) absent(slot int, over span) bool {
	v := r.slots[slot]
	s := v.series
	switch {
	case over.n == 0 && (s.gone > 0 || v.has): // it is there, if not finite
		return false
	case over.n == 0: // other files may report later in an iteration
		return r.facts.iterations > 1
	case over.wall:
		return r.wall.now-s.lastWall >= over.n
	case math.IsNaN(s.lastIter): // it never came
		return r.facts.iterations >= over.n
	}
	return r.at.iter-s.lastIter >= over.n
}

// touch notes that variables have changed.
func (r *run) touch(names ...string) {
	for _, name := range names {
		r.dirty.set(variableInputs[name])
	}
}
