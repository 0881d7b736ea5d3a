package state

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Options are what is known of a run beforehand.
type Options struct {
	Limit   float64            // of iterations, or of time where the run counts in time; 0: unknown
	Targets map[string]float64 // of residuals by name, such as residual_p; a run's own come from its files
}

// Judgement is what a Machine says of a run.
type Judgement struct {
	State     State     `json:"state"`
	Usable    bool      `json:"usable"`
	Reasons   []string  `json:"reasons"`           // the first is why it is this state
	Iteration float64   `json:"iteration"`         // the latest
	Left      float64   `json:"left,omitempty"`    // iterations to the targets, while it converges
	Between   []float64 `json:"between,omitempty"` // the interval of Left, 95 %; the upper end is missing if there is none
	FirstSign float64   `json:"-"`                 // of a final judgement: the iteration at which the run was first called so
}

// Machine judges one run. It is for one goroutine.
//
// A new state begins when it has held for a time that grows with the run: a fiftieth of the iterations done for converging
// and diverging, a tenth for what stands, so that no single sample and no short pause changes it. It is judged at
// every fiftieth part of the run, and the cost of judging is small against that of reading. Values that are not finite
// act at once in residuals, and after twenty iterations elsewhere: an efficiency may be 0/0 while a flow starts.
type Machine struct {
	options Options
	series  map[string]*series
	order   []*series // by name
	targets map[string]float64
	match   []pattern // targets that are regular expressions
	values  map[string]float64

	count     int     // iterations
	first     float64 // number of the first
	iteration float64 // number of the last
	marching  bool    // in time: it reports Courant numbers
	sources   map[string]float64
	rhythm    rhythm
	restarts  int
	said      map[string]string // status by name: the sentence

	next      int // iterations at which it is judged next
	now       Judgement
	candidate State
	since     int // iterations at which the candidate came up
	signs     map[State]float64
	buffer    [mostBlocks]float64
}

type pattern struct {
	re     *regexp.Regexp
	target float64
}

// New returns a Machine that has seen nothing.
func New(o Options) *Machine {
	m := &Machine{
		options: o, series: map[string]*series{}, targets: map[string]float64{}, values: map[string]float64{},
		said: map[string]string{}, signs: map[State]float64{}, sources: map[string]float64{}, candidate: Starting,
		now: Judgement{State: Starting, Reasons: []string{"nothing has been reported yet"}},
	}
	for name, x := range o.Targets {
		m.target(name, x)
	}
	return m
}

// target notes a residual's target. The part of its name after "target_" or "residual_" is an equation, a regular expression, or a
// vector whose components are equations.
func (m *Machine) target(name string, x float64) {
	for _, prefix := range []string{"target_", "residual_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.Trim(name, `"`)
	m.targets[name] = x
	if re, err := regexp.Compile("^(?:" + name + ")$"); err == nil && regexp.QuoteMeta(name) != name {
		m.match = append(m.match, pattern{re, x})
	}
}

// targetOf returns log10 of a residual's target, NaN if none is known.
func (m *Machine) targetOf(name string) float64 {
	_, equation, _ := strings.Cut(name, "_")
	keys := []string{equation, name}
	if n := len(equation) - 1; n > 0 && strings.Contains("xyz", equation[n:]) {
		keys = append(keys, equation[:n])
	}
	for _, key := range keys {
		if x, ok := m.targets[key]; ok {
			return math.Log10(x)
		}
	}
	for _, p := range m.match {
		if slices.ContainsFunc(keys, p.re.MatchString) {
			return math.Log10(p.target)
		}
	}
	return math.NaN()
}

// Judgement is the present one.
func (m *Machine) Judgement() Judgement {
	j := m.now
	if m.rhythm.hung {
		j = Judgement{State: Hung, Reasons: append([]string{m.rhythm.sentence()}, j.Reasons...)}
	}
	j.Iteration = m.iteration
	return j
}

// Values are the last of each name. The caller must not change them.
func (m *Machine) Values() map[string]float64 { return m.values }

// Event takes an event of the run, and reports whether its state has changed.
func (m *Machine) Event(e event.Event) bool {
	woke := m.rhythm.beat(e.Time)
	return m.take(e) || woke
}

// Tick says what time it is while nothing comes, and reports whether the run's state has changed.
func (m *Machine) Tick(now time.Time) bool { return m.rhythm.tick(now, m.count) }

// Hung reports whether the run is silent against its own rhythm.
func (m *Machine) Hung() bool { return m.rhythm.hung }

// Said reports whether the solver has said that it ended, converged or failed: nothing more will come.
func (m *Machine) Said() bool {
	for _, name := range []string{SaidConverged, SaidEnded, SaidFailed, SaidLimit, SaidStopped, SaidDiverged} {
		if _, ok := m.said[name]; ok {
			return true
		}
	}
	return false
}

func (m *Machine) take(e event.Event) bool {
	switch e.Kind {
	case event.Iteration, event.Profile:
		return m.sample(&e)
	case event.Status:
		m.said[e.Name] = e.Text
		if e.Name == Floating || e.Name == SaidConverged || e.Name == SaidDiverged {
			return m.judge()
		}
	default:
		for name, x := range e.Values {
			if strings.HasPrefix(name, "target_") {
				m.target(name, x)
			}
		}
	}
	return false
}

// What a solver says of its own end: the names of events of kind status.
const (
	SaidConverged = "converged"
	SaidEnded     = "ended"      // by itself, as it should
	SaidFailed    = "failed"     // by an error of its own
	SaidLimit     = "limit"      // at its limit, not converged
	SaidStopped   = "stopped"    // on request, not converged
	Floating      = "non_finite" // a floating-point error, NaN
	SaidDiverged  = "diverged"   // numbers that no flow has, for which the solver gave up
)

// sample takes an iteration.
func (m *Machine) sample(e *event.Event) bool {
	at, known := e.Values["iteration"]
	if !known {
		at, known = e.Values["time"]
	}
	m.place(e.File, at, known)
	for name, x := range e.Values {
		m.value(name, x)
	}
	changed := false
	for _, name := range e.NonFinite {
		changed = m.notFinite(name) || changed
	}
	return m.due() || changed
}

// value takes the value of a name.
func (m *Machine) value(name string, x float64) {
	m.values[name] = x
	if s := m.of(name); s != nil {
		s.add(x)
	}
}

// notFinite takes a value that is not finite, and reports whether the state has changed.
func (m *Machine) notFinite(name string) bool {
	s := m.of(name)
	if s == nil {
		return false
	}
	s.add(math.NaN())
	return s.kind == ofResidual && s.bad == 1 && m.judge()
}

// due judges the run if it is time, and reports whether its state has changed.
func (m *Machine) due() (changed bool) {
	if m.count >= m.next {
		m.next = max(m.count+5, m.count+m.count/50)
		changed = m.judge()
	}
	return changed
}

// place notes where the run is by one of its files, the next iteration if it is not known there, and begins anew if it has.
func (m *Machine) place(file string, at float64, ok bool) {
	if !ok {
		at = m.iteration + 1
	}
	was, known := m.sources[file]
	m.sources[file] = at
	if known && at < was {
		m.restart(at)
	}
	if m.count == 0 || at > m.iteration {
		if m.count == 0 {
			m.first = at
		}
		m.count++
		m.iteration = at
	}
}

// restart begins anew, as the solver does.
func (m *Machine) restart(at float64) {
	m.restarts++
	m.series, m.order = map[string]*series{}, nil
	m.count, m.iteration, m.next, m.since = 0, at, 0, 0
	m.candidate = Starting
	clear(m.sources)
}

// of returns the series of a name, nil if it is of none.
func (m *Machine) of(name string) *series {
	if s, ok := m.series[name]; ok {
		return s
	}
	s := &series{name: name}
	word, _, _ := strings.Cut(name, "_")
	switch word {
	case "residual":
		s.kind = ofResidual
	case "continuity":
		s.kind = ofBalance
	case "dt":
		s.kind = ofStep
	case "courant", "timescale":
		m.marching = true
		s = nil
	case "iteration", "time", "clock", "cpu", "final", "inner", "target", "mesh":
		s = nil
	}
	m.series[name] = s
	if s != nil {
		at, _ := slices.BinarySearchFunc(m.order, name, func(s *series, name string) int { return strings.Compare(s.name, name) })
		m.order = slices.Insert(m.order, at, s)
	}
	return s
}

// per is how many iterations there are to a sample of a series.
func (m *Machine) per(s *series) float64 { return max(1, float64(m.count)/float64(max(s.count, 1))) }

// view is all that is judged at a moment.
type view struct {
	equations []equation
	values    []value
	odd       []string // names that are not finite
	away      []string // signs that the solution runs away, apart from residuals
}

func (m *Machine) view() *view {
	v := &view{}
	beside := map[string]float64{}
	for _, s := range m.order {
		if s.kind == ofValue && s.count > 0 {
			beside[family(s.name)] = max(beside[family(s.name)], math.Abs(s.level(recentLength)))
		}
	}
	for _, s := range m.order {
		per := m.per(s)
		if s.bad > 0 && s.kind == ofResidual || float64(s.bad)*per >= leastSamples {
			v.odd = append(v.odd, s.name)
		}
		switch {
		case s.count == 0 || s.most == 0: // an explicit solver prints zeros
		case s.kind == ofResidual && s.count < leastSamples && m.count > 5*leastSamples: // solved at the start alone
		case s.kind == ofResidual:
			v.equations = append(v.equations, s.judge(m.targetOf(s.name), per, m.buffer[:]))
		case s.kind == ofValue:
			v.values = append(v.values, s.settles(per, beside[family(s.name)], m.buffer[:]))
		case s.kind == ofBalance:
			if now := s.level(10); strings.HasSuffix(s.name, "local") && s.count >= leastSamples && now-min(s.least, now) > balanceGrowth {
				v.away = append(v.away, fmt.Sprintf("the balance of mass, %s, is %.0f orders above its best", s.name, now-s.least))
			}
		case s.kind == ofStep:
			if now := s.level(10); s.count >= leastSamples && s.head-now > stepCollapse {
				v.away = append(v.away, fmt.Sprintf("the time step has fallen by %.0f orders", s.head-now))
			}
		}
	}
	v.dropRoundOff()
	return v
}

// dropRoundOff takes out values that are nothing beside others of the same table, such as a force across a plane of symmetry.
func (v *view) dropRoundOff() {
	const nothing = 1e-6
	most := v.largest()
	v.values = slices.DeleteFunc(v.values, func(x value) bool { return x.movement != unknown && math.Abs(x.mean) < nothing*most[x.table()] })
}

// largest is the largest mean of each table's values, without sign.
func (v *view) largest() map[string]float64 {
	most := map[string]float64{}
	for _, x := range v.values {
		most[x.table()] = max(most[x.table()], math.Abs(x.mean))
	}
	return most
}

const (
	lostLevel     = -0.78 // log10 of a normalised residual, about 1/6
	lostChange    = 0.2   // of a value over the window, in parts of its size
	balanceGrowth = 4     // orders
	stepCollapse  = 3     // orders
)

// judge judges the run, and reports whether its state has changed.
func (m *Machine) judge() bool {
	v := m.view()
	state, reasons := m.decide(v)
	if state != m.candidate {
		m.candidate, m.since = state, m.count
	}
	was := m.now.State
	if state == was || m.count-m.since >= max(m.hold(state), m.keep(was, state)) {
		m.now = Judgement{State: state, Usable: state.Usable(), Reasons: reasons}
		if state == Converging {
			m.now.Left, m.now.Between = v.left()
		}
		if _, known := m.signs[state.Became()]; !known {
			m.signs[state.Became()] = m.iteration
		}
	}
	return m.now.State != was
}

// hold is how many iterations a state must last to become the run's.
func (m *Machine) hold(s State) int {
	switch s {
	case NonFinite, Converged, Starting, Running:
		return 0
	case Converging:
		return m.count / 50
	case Diverging, Diverged:
		return max(10, m.count/50)
	case ConvergedByValue:
		return max(30, m.count/20)
	}
	return max(50, m.count/10)
}

// keep is how many iterations another state must last to end one that has lasted.
func (m *Machine) keep(was, next State) int {
	switch {
	case next == NonFinite, next == Diverging, next == Converged && m.said[SaidConverged] != "":
		return 0
	case slices.Contains([]State{Stalled, Oscillating, Slow, ConvergedByValue, Converged}, was):
		return max(30, m.count/10)
	}
	return 0
}

// left is the time to the targets: that of the equation that takes longest.
func (v *view) left() (eta float64, between []float64) {
	var early, late float64
	for _, e := range v.equations {
		eta, early, late = max(eta, e.eta), max(early, e.early), max(late, e.late)
	}
	if math.IsInf(eta, 0) {
		return 0, nil
	}
	between = []float64{math.Ceil(early)}
	if !math.IsInf(late, 0) {
		between = append(between, math.Ceil(late))
	}
	return math.Ceil(eta), between
}

// decide says in which state a run is by what is seen now, and why.
func (m *Machine) decide(v *view) (State, []string) {
	if text, ok := m.said[Floating]; ok {
		return NonFinite, []string{"the solver says: " + text}
	}
	if len(v.odd) > 0 {
		return NonFinite, []string{"not finite: " + strings.Join(v.odd, ", ")}
	}
	if text, ok := m.said[SaidDiverged]; ok {
		return Diverging, []string{"the solver says: " + text}
	}
	if text, ok := m.said[SaidConverged]; ok {
		return Converged, []string{"the solver says: " + text}
	}
	if m.count < leastSamples {
		return Starting, []string{fmt.Sprintf("%d iterations so far", m.count)}
	}
	if why := v.runsAway(m.marching); len(why) > 0 {
		return Diverging, why
	}
	var open, still []equation
	for _, e := range v.equations {
		switch e.course {
		case reached:
		case stands, swings, frozen, high, grows:
			still = append(still, e)
			open = append(open, e)
		default:
			open = append(open, e)
		}
	}
	if m.marching && len(open) > 0 { // a time step's first residual says how fast the flow changes
		return v.byValues(open)
	}
	switch {
	case len(v.equations) == 0:
		return v.byValues(nil)
	case len(open) == 0:
		if moving := v.of(swaying, wild); len(moving) > 0 {
			return Oscillating, append([]string{"all residuals have reached their targets, and values swing"}, moving...)
		}
		return Converged, v.sentences(v.equations)
	case len(still) > 0 && len(v.of(swaying)) == 0 && v.approaches(still):
		return Converging, append(v.sentences(still), v.fall()...)
	case len(still) > 0:
		return v.standing(still)
	case slices.ContainsFunc(open, func(e equation) bool { return e.course == creeps }):
		return Slow, v.sentences(open)
	}
	if why := m.tooLate(open); why != "" {
		return Limit, append([]string{why}, v.sentences(open)...)
	}
	return Converging, v.sentences(open)
}

// tooLate says that a run will reach its limit before its targets, at twice the fastest rate at which it may be converging
// now; nothing if it may make it.
func (m *Machine) tooLate(open []equation) string {
	const faster = 2
	left := m.options.Limit - m.iteration
	if m.options.Limit <= 0 || left <= 0 || m.marching || m.count < longStart {
		return ""
	}
	for _, e := range open {
		whole := float64(m.count) / max(e.fallen, 1e-3) * (e.now - e.target) // at its mean rate since the start
		if soonest := min(e.early, whole) / faster; soonest > left {
			return fmt.Sprintf("it will reach its limit of %g first: %s needs %.0f iterations more, at %g times its rate", m.options.Limit, e.title(), soonest, float64(faster))
		}
	}
	return ""
}

// approaches reports whether the solution still moves where some residuals stand: another one falls, be it
// below its target. A residual that is frozen, or stays high, will not follow.
func (v *view) approaches(still []equation) bool {
	for _, e := range still {
		if e.course == frozen || e.course == high || e.course == grows {
			return false
		}
	}
	return slices.ContainsFunc(v.equations, func(e equation) bool { return e.down >= stillFalls })
}

// fall describes the equations that fall.
func (v *view) fall() (text []string) {
	for _, e := range v.equations {
		if e.down >= stillFalls {
			text = append(text, fmt.Sprintf("%s has fallen by %.1f orders lately", e.title(), e.down))
		}
	}
	return text
}

// standing says what a run is whose residuals stand above their targets.
func (v *view) standing(still []equation) (State, []string) {
	why := v.sentences(still)
	values, calm := v.calm()
	switch {
	case calm:
		return ConvergedByValue, append(why, values...)
	case slices.ContainsFunc(still, func(e equation) bool { return e.course == swings }), len(v.of(swaying)) > 0:
		return Oscillating, append(why, v.of(swaying)...)
	}
	return Stalled, append(why, v.of(moving, wild)...)
}

// byValues says what a run is by its values alone.
func (v *view) byValues(open []equation) (State, []string) {
	values, calm := v.calm()
	switch {
	case calm:
		return ConvergedByValue, values
	case len(v.of(swaying)) > 0:
		return Oscillating, v.of(swaying)
	case len(open) > 0 && v.unknown() && !slices.ContainsFunc(open, func(e equation) bool {
		return e.done < longStart || e.course != stands && e.course != swings && e.course != high
	}):
		return Oscillating, append([]string{"it marches in time, and its changes from step to step neither fall nor grow: the flow keeps moving"}, v.sentences(open)...)
	}
	return Running, append(v.of(moving, wild), v.sentences(open)...)
}

// runsAway says why a run diverges; nothing if it does not.
func (v *view) runsAway(marching bool) (why []string) {
	stay, judged := 0, 0
	for _, e := range v.equations {
		switch e.course {
		case grows:
			why = append(why, e.sentence())
		case high:
			stay++
		}
		if e.course != unclear {
			judged++
		}
	}
	if marching {
		return append(why, v.away...)
	}
	why = append(why, v.lost()...)
	if _, calm := v.calm(); !calm && 2*stay > judged {
		for _, e := range v.equations {
			if e.course == high {
				why = append(why, e.sentence())
			}
		}
	}
	return append(why, v.away...)
}

// lost says why the solution is none, though nothing grows: a residual stays near 1 where it is normalised, and values swing by
// tens of per cent, or none are known.
func (v *view) lost() (why []string) {
	wild, known := false, false
	most := v.largest()
	for _, x := range v.values {
		known = known || x.movement != unknown
		wild = wild || x.movement != unknown && x.change*x.size >= lostChange*most[x.table()]
	}
	for _, e := range v.equations {
		stays := e.course == high || (e.course == stands || e.course == swings) && e.done >= 2*longStart
		if stays && e.now >= lostLevel && e.now+e.fallen <= normalMost && (wild || !known) {
			why = append(why, e.sentence())
		}
	}
	if len(why) > 0 {
		why = append(why, v.of(wildWays...)...)
	}
	return why
}

// wildWays are the movements of values that do not come to rest.
var wildWays = []movement{swaying, moving, wild}

// calm reports whether values are known, and all stand still or swing about a steady mean.
func (v *view) calm() (sentences []string, calm bool) {
	for _, x := range v.values {
		switch x.movement {
		case steady, hovering:
			sentences = append(sentences, x.sentence())
		case unknown:
		default:
			return nil, false
		}
	}
	return sentences, len(sentences) > 0
}

// unknown reports whether no value says anything.
func (v *view) unknown() bool {
	return !slices.ContainsFunc(v.values, func(x value) bool { return x.movement != unknown })
}

// of returns the sentences of values that move in one of these ways.
func (v *view) of(which ...movement) (list []string) {
	for _, x := range v.values {
		if slices.Contains(which, x.movement) {
			list = append(list, x.sentence())
		}
	}
	return list
}

// sentences describe equations, the most doubtful first.
func (v *view) sentences(list []equation) (text []string) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b equation) int { return int(b.course) - int(a.course) })
	for _, e := range list {
		text = append(text, e.sentence())
	}
	return text
}
