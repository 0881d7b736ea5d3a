package state

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Options are the known settings of a run.
type Options struct {
	Limit   float64            // of iterations, or of time or steps where the run counts in time; 0: unknown
	Targets map[string]float64 // of residuals by name, such as residual_p; a run's own come from its files
}

// Judgement is a Machine's judgement of a run.
type Judgement struct {
	State     State    `json:"state"`
	Usable    bool     `json:"usable"`
	Reasons   []string `json:"reasons"`        // the first is why it is this state
	Iteration float64  `json:"iteration"`      // the latest
	Left      float64  `json:"left,omitempty"` // iterations to the targets, while it converges
	// the interval of Left, 95 %; without an upper end if this is infinite
	Between []float64 `json:"between,omitempty"`
	// of a final judgement: the first iteration in this state
	FirstSign float64 `json:"-"`
}

// Machine judges a run. It is for one goroutine.
//
// A new state begins when it has held for a time that grows with the run: a fiftieth of the iterations done for
// converging and diverging; a twentieth for swings, for a limit that comes too soon and for a forecast contradiction of
// physics; a tenth for residuals that stagnate or creep. It also lasts at least some iterations (see hold), so that no
// single sample and no short pause changes it. The run is judged at every fiftieth part, and the cost of judging is
// small against that of reading. Values that are not finite act at once in residuals and at the run's end, and after
// twenty iterations elsewhere: an efficiency may be 0/0 while a flow starts.
type Machine struct {
	options  Options
	names    map[string]*quantity
	order    []*series // by name
	sources  map[string]*source
	latest   *source // the last one that reported; nil: none
	targets  targets
	limiters limiters
	rhythm   rhythm
	closing
	progress
	verdict
	inner  inner
	times  series // of the iterations, of a run in time
	ended  bool
	buffer [mostBlocks]float64
}

// closing is the solver's own report of its end.
type closing struct {
	said   map[string]string // status by name: the sentence
	saidIn *source           // the file of the last such sentence
	ends   int               // number of such reports, with iterations between them
}

// progress is how far a run is.
type progress struct {
	count     int      // iterations
	first     float64  // number of the first
	iteration float64  // number of the last
	marching  bool     // in time: it reports Courant numbers
	timed     bool     // it reports a time step or Courant numbers
	local     bool     // by local time steps, to a steady flow
	stepped   bool     // its messages state the time, and its iterations are those of time steps
	numbered  bool     // it reported an iteration or a time
	clocked   struct { // its latest report of the time beside an iteration
		at, time float64
		steps    int // reports in a row of which the time grew by the time step
	}
}

// verdict is the state of a run, and its candidate for the next state.
type verdict struct {
	now       Judgement
	next      int // iterations at which it is judged next
	candidate State
	since     int   // iterations at which the candidate came up
	doubt     bool  // the latest judgement was not for it
	restarted bool  // not yet reported
	changes   []int // iterations at which the state changed lately
	flaps     bool  // it changes so often that it is kept
	signs     map[State]float64
}

// New returns a Machine without samples.
func New(o Options) *Machine {
	m := &Machine{
		options: o, names: map[string]*quantity{}, sources: map[string]*source{}, limiters: limiters{},
		targets: targets{exact: map[string]float64{}}, closing: closing{said: map[string]string{}},
		verdict: verdict{candidate: Starting, signs: map[State]float64{},
			now: Judgement{State: Starting, Reasons: []string{"nothing has been reported yet"}}},
	}
	for name, x := range o.Targets {
		m.targets.note(name, x)
	}
	return m
}

// Judgement returns the present judgement.
func (m *Machine) Judgement() Judgement {
	j := m.now
	if m.rhythm.hung {
		j = Judgement{State: Hung, Reasons: append([]string{m.rhythm.sentence()}, j.Reasons...)}
	}
	j.Iteration = m.iteration
	return j
}

// Values are the last of each name.
func (m *Machine) Values() map[string]float64 {
	values := make(map[string]float64, len(m.names))
	for name, q := range m.names {
		if q.has {
			values[name] = q.last
		}
	}
	return values
}

// Event takes an event of the run, and reports whether its state has changed.
func (m *Machine) Event(e event.Event) bool {
	if gap, is := e.Gap(); is {
		m.rhythm.skip(gap)
		return false
	}
	woke := m.rhythm.beat(e.Time)
	return m.take(e) || woke
}

// Continue lets a file continue an earlier one: a solver was started again, and reports to another file.
func (m *Machine) Continue(earlier, file string) { m.sources[file] = m.source(earlier) }

// Idle reports whether the run has iterated nothing that can be judged, as meshers and utilities do. A solver of
// particles has no residuals, but each of its time steps takes a processor's time.
func (m *Machine) Idle() bool {
	cpu := m.names["cpu"]
	return !m.numbered || len(m.order) == 0 && !(m.marching && cpu != nil && cpu.count >= leastSteps)
}

// Beat takes a sign of life of the run, with its time, and reports whether its state has changed. A caller that gives a
// Machine samples of a running run calls it with the time of their arrival.
func (m *Machine) Beat(at time.Time) bool { return m.rhythm.beat(at) }

// Tick sets the present time while no event comes, and reports whether the run's state has changed.
func (m *Machine) Tick(now time.Time) bool { return !m.Said() && m.rhythm.tick(now, m.count) }

// Hung reports whether the run is silent against its own rhythm.
func (m *Machine) Hung() bool { return m.rhythm.hung }

// Late reports whether the run is silent for longer than between two of its signs of life.
func (m *Machine) Late(now time.Time) bool { return m.rhythm.late(now) }

// Lost reports whether the run's numbers are not finite, or run away.
func (m *Machine) Lost() bool { return m.now.State.lost() }

// Said reports whether the solver has reported its end: that it converged, ended or failed. If the run continues, the
// report is withdrawn.
func (m *Machine) Said() bool {
	for _, name := range []string{SaidConverged, SaidEnded, SaidFailed, SaidLimit, SaidStopped, SaidDiverged,
		Floating} {
		if _, ok := m.said[name]; ok {
			return true
		}
	}
	return false
}

// Ends returns how often the solver has reported its end, with iterations between the reports.
func (m *Machine) Ends() int { return m.ends }

func (m *Machine) take(e event.Event) bool {
	switch e.Kind {
	case event.Iteration, event.Profile:
		return m.sample(&e)
	case event.Status:
		if e.Name == SaidConverged && m.stepped {
			break
		}
		if len(m.said) == 0 {
			m.ends++
		}
		if e.Name != SaidFailed || strings.HasPrefix(e.Text, m.said[e.Name]) { // the first failure causes the others
			m.said[e.Name] = e.Text
		}
		m.saidIn = m.source(e.File)
		if e.Name == Floating || e.Name == SaidConverged || e.Name == SaidDiverged {
			return m.judge()
		}
	case event.Warning:
		m.limiters.note(e.Values, m.count)
		if _, ends := e.Values["corrections"]; ends {
			m.inner.note(true)
		}
	default:
		if _, ends := e.Values["corrections"]; ends {
			m.inner.note(false)
		}
		for name, x := range e.Values {
			switch {
			case strings.HasPrefix(name, "target_"):
				m.targets.note(name, x)
			case (name == "time" || name == "dt") && !m.stepped:
				m.stepped, m.marching, m.timed = true, true, true
				if _, of := m.said[SaidConverged]; of { // that step
					delete(m.said, SaidConverged)
					return m.judge()
				}
			}
		}
	}
	return false
}

// A solver's reports of its own end: the names of events of kind status.
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
	m.place(m.source(e.File), at, known)
	if x, refined := e.Values["mesh"]; refined { // before the residuals on it
		m.value(m.named("mesh"), x)
	}
	for name, x := range e.Values {
		m.value(m.named(name), x)
	}
	changed := false
	for _, name := range e.NonFinite {
		changed = m.notFinite(m.named(name)) || changed
	}
	return m.due() || changed
}

// value takes the value of a name.
func (m *Machine) value(q *quantity, x float64) {
	if q.name == "mesh" && q.last != x { // residuals on a finer mesh begin anew
		m.begin()
	}
	q.last, q.most, q.has = x, max(q.most, math.Abs(x)), true
	if q.count++; x != 0 {
		q.works++
	}
	if s := m.of(q); s != nil {
		s.add(x)
	}
}

// begin lets residuals begin anew, where the solver has changed its mesh.
func (m *Machine) begin() {
	for _, s := range m.order {
		if s.kind == ofResidual {
			*s = series{name: s.name, kind: s.kind, from: m.count - 1}
		}
	}
}

// notFinite takes a value that is not finite, and reports whether the state has changed.
func (m *Machine) notFinite(q *quantity) bool {
	s := m.of(q)
	if s == nil {
		return false
	}
	s.add(math.NaN())
	return s.bad == 1 && (s.kind == ofResidual || m.Said()) && m.judge()
}

// due judges the run if it is time, and reports whether its state has changed.
func (m *Machine) due() (changed bool) {
	m.compareStep()
	if m.restarted { // report it first
		m.restarted = false
		return true
	}
	if m.count >= m.next {
		m.next = m.count + max(m.reports(5), m.count/50)
		if m.count <= leastSamples { // a run that loses its balance of mass ends within tens of iterations
			m.next = m.count + 1
		}
		changed = m.judge()
	}
	return changed
}

// place records the run's iteration from one of its files, the next iteration if the file does not number it, and
// begins anew after a restart.
func (m *Machine) place(from *source, at float64, ok bool) {
	if !ok {
		at = m.iteration + 1
	}
	from.fraction = from.fraction || at != math.Trunc(at)
	m.marching = m.marching || from.fraction
	m.numbered = m.numbered || ok
	was, known := from.at, from.known
	from.at, from.known = at, true
	if known && at != was && from == m.saidIn { // it continues after its end, in the same log
		clear(m.said)
	}
	if known && at < was {
		from.falls++
		m.restart(from.falls, was, at)
	}
	if m.count == 0 || at > m.iteration {
		if m.count == 0 {
			m.first = at
		}
		m.count++
		m.iteration = at
		m.times.add(at)
	}
}

// saidFalls is how many restarts in a file are reported: a file whose iterations fall again and again counts iterations
// within a time step.
const saidFalls = 2

// restart begins anew, as the solver does.
func (m *Machine) restart(falls int, was, at float64) {
	if falls <= saidFalls {
		m.restarted = true
		m.now = Judgement{
			State:   Starting,
			Reasons: []string{fmt.Sprintf("restart: iteration %g follows %g, and judging begins anew", at, was)},
		}
	}
	for _, q := range m.names {
		q.series, q.sorted, q.most, q.count, q.works = nil, false, 0, 0, 0
	}
	m.order, m.times, m.inner = nil, series{}, inner{}
	m.count, m.iteration, m.next, m.since = 0, at, 0, 0
	m.candidate = Starting
	clear(m.signs)
	for _, from := range m.sources {
		from.known = false
	}
}

// apart returns the number of iterations between two reports of the run.
func (m *progress) apart() float64 {
	if m.marching || m.count < 2 {
		return 1
	}
	return max(1, (m.iteration-m.first)/float64(m.count-1))
}

// per returns the number of iterations to a sample of a series.
func (m *progress) per(s *series) float64 {
	return max(1, float64(m.count-s.from)/float64(max(s.count, 1)))
}

// judge judges the run, and reports whether its state has changed.
func (m *Machine) judge() bool {
	v := m.view()
	state, reasons := m.decide(v)
	if odd := m.forbidden(v, state); len(odd) > 0 {
		state, reasons = Unphysical, append(odd, reasons...)
	}
	was := m.now.State
	m.propose(state, m.count)
	lasts := max(m.hold(state, v), m.keep(was, state))
	if m.flaps && !state.lost() && m.said[SaidConverged] == "" {
		lasts = max(lasts, m.count/10)
	}
	if state == was || v.blowsUp() || m.count-m.since >= lasts {
		if state != was && m.flapping(state) {
			return true
		}
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

// mostChanges is how often a state may change in a tenth of a run.
const mostChanges = 3

// flapping notes a change to a state. If the state changes too often, it is kept from now on until another state has
// lasted for a tenth of the run, and flapping returns true, once.
func (m *Machine) flapping(next State) bool {
	tenth := max(m.count/10, m.reports(leastJudged))
	m.changes = slices.DeleteFunc(append(m.changes, m.count), func(at int) bool { return at <= m.count-tenth })
	if m.flaps = len(m.changes) > mostChanges && !m.flaps; !m.flaps {
		return false
	}
	why := fmt.Sprintf("it changed %d times within %d iterations, now to %s: it stays %s until another state has "+
		"lasted for a tenth of the run", len(m.changes), tenth, next, m.now.State)
	m.now.Reasons = append([]string{why}, m.now.Reasons...)
	m.changes = nil
	return true
}

// forbidden returns the contradictions of physics in a run of this state, now or at its forecast rest. A forecast
// contradiction stays until the present values do not contradict.
func (m *Machine) forbidden(v *view, s State) []string {
	switch {
	case s.Usable():
		return append(v.contradictions(true), m.limiters.held(m.count)...)
	case s == Converging:
		v.foreseen = true
		return v.contradictions(m.now.State == Unphysical)
	}
	return nil
}

// propose updates the candidate state. A single judgement for the present state in between does not count: by noise a
// line that stagnates falls now and then.
func (m *verdict) propose(s State, count int) {
	switch {
	case s == m.candidate:
		m.doubt = false
	case s == m.now.State && !m.doubt:
		m.doubt = true
	default:
		m.candidate, m.since, m.doubt = s, count, false
	}
}

// hold returns how many reports a state must last to become the run's. Its least iterations come from the corpus's good
// runs, for which a shorter hold reports states that are withdrawn later. Less time is needed for a residual that has
// broken off an earlier fall, as this sign itself takes time.
func (m *Machine) hold(s State, v *view) int {
	switch s {
	case NonFinite, Converged, Starting, Running, BlowingUp, InnerStalled:
		return 0
	case Converging:
		return m.count / 50
	case Diverging, Diverged, StepCollapse:
		return max(m.reports(5), m.count/50)
	case ConvergedByValue, Settled:
		return max(m.reports(30), m.count/20)
	case Unphysical:
		if !v.foreseen {
			return 0
		}
		return max(m.reports(10), m.count/20)
	case Limit:
		return max(m.reports(5), m.count/20)
	case Oscillating, Periodic:
		return max(m.reports(10), m.count/20)
	case Stalled:
		if !m.marching && v.breaks() {
			return max(m.reports(20), m.count/10)
		}
	}
	return max(m.reports(50), m.count/10)
}

// reports is how many reports a number of iterations has.
func (m *progress) reports(iterations float64) int { return int(math.Ceil(iterations / m.apart())) }

// keep returns how many iterations another state must last to end a lasting state.
func (m *Machine) keep(was, next State) int {
	switch {
	case next.lost(), next == Converged && m.said[SaidConverged] != "":
		return 0
	case slices.Contains([]State{Stalled, Oscillating, Slow, ConvergedByValue, Converged, Settled,
		Periodic}, was):
		return max(m.reports(30), m.count/10)
	}
	return 0
}
