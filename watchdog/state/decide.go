package state

// The decision on the state of a run.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// trapped is how solvers and systems report that a processor stopped a program at an operation without a result.
var trapped = regex.Lazy(`(?i)floating[- ]point (exception|error)|sigfpe`)

// crashed is the reason for such a run.
const crashed = "crashed: floating point exception"

// notANumber returns the reason for a run whose solver reports an invalid number: in plain words if it printed a trace.
func notANumber(text string) string {
	if trapped().MatchString(text) {
		return crashed
	}
	return "the solver says: " + text
}

// decide returns the present state of a run, and the reasons.
func (m *Machine) decide(v *view) (State, []string) {
	if text, ok := m.said[Floating]; ok {
		return NonFinite, []string{notANumber(text)}
	}
	if len(v.odd) > 0 {
		return NonFinite, []string{"not finite: " + strings.Join(v.odd, ", ")}
	}
	if text, ok := m.said[SaidDiverged]; ok {
		if m.inTime() {
			return BlowingUp, []string{"the solver says: " + text}
		}
		return Diverging, []string{"the solver says: " + text}
	}
	if text, ok := m.said[SaidConverged]; ok {
		return Converged, []string{"the solver says: " + text}
	}
	if v.blowsUp() {
		return Diverging, []string{v.broken}
	}
	if m.count < least(m.apart()) {
		return Starting, []string{fmt.Sprintf("%d iterations so far", m.count)}
	}
	if m.inTime() {
		return m.decideInTime(v)
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
	if m.marching && len(open) > 0 { // a time step's first residual measures how fast the flow changes
		return v.byValues(open)
	}
	switch {
	case len(v.equations) == 0:
		return v.byValues(nil)
	case !slices.ContainsFunc(v.equations, func(e equation) bool { return e.course != unclear }):
		// they have begun anew
		return Running, v.sentences(open)
	case len(open) == 0:
		if moving := v.of(swaying, wild); len(moving) > 0 {
			return Oscillating, append([]string{"all residuals have reached their targets, and values swing"},
				moving...)
		}
		return Converged, v.sentences(v.equations)
	case len(still) > 0 && len(v.of(swaying)) == 0 && v.approaches(still):
		return Converging, append(v.sentences(still), v.fall()...)
	case len(still) > 0:
		return v.standing(still)
	case len(v.of(swaying)) > 0 && slices.ContainsFunc(open, func(e equation) bool { return e.course == creeps }):
		return Oscillating, append(v.of(swaying), v.sentences(open)...)
	}
	if why := v.swaysOn(float64(m.count) * m.apart()); len(why) > 0 {
		return Oscillating, append(why, v.sentences(open)...)
	}
	if why := m.tooLate(v, open); why != "" {
		return Limit, append([]string{why}, v.sentences(open)...)
	}
	if slices.ContainsFunc(open, func(e equation) bool { return e.course == creeps }) {
		return Slow, v.sentences(open)
	}
	return Converging, v.sentences(open)
}

// Basis of the forecasts. The tuning part of the corpus gives, for runs that converge, between 30 and 80 % of their
// iterations: 19 of 20 forecasts were at most 1.24 times the remaining iterations. For residuals that had not begun to
// fall they were wrong by any factor. A line is less reliable the farther it is extrapolated: the variance of a
// forecast grows with the square of its distance (Draper and Smith, Applied Regression Analysis, 3rd ed., chapter 3).
// Extrapolation over 2.5 times the iterations done, instead of twice, warns of twice as many good runs of the corpus.
const (
	soonerBy = 1.25
	hasBegun = 0.2              // orders that a residual has fallen since its start
	horizon  = 2                // times the iterations done, over which a line is extrapolated
	nearRest = 2 * steadyChange // values that change by less may stand before the limit comes
)

// tooLate returns the reason if a run will reach its limit before its targets; empty if it may reach them. A residual
// needs the iterations that its line gives, and a fourth less at best. The warning is withdrawn when the need is less
// than the remaining iterations by a fourth.
func (m *Machine) tooLate(v *view, open []equation) string {
	left := m.options.Limit - m.iteration
	if m.options.Limit <= 0 || left <= 0 || m.marching || !v.unknown() && !v.far(nearRest) {
		return ""
	}
	said := m.now.State == Limit
	for _, e := range open {
		if e.fallen < hasBegun || left > horizon*e.done {
			continue
		}
		soonest := e.eta / soonerBy
		if said {
			soonest = e.eta * soonerBy
		}
		if soonest > left {
			return fmt.Sprintf("it will reach its limit of %g first: %s needs about %.0f iterations more",
				m.options.Limit, e.title(), e.eta)
		}
	}
	return ""
}

// approaches reports whether the solution still moves while some residuals stagnate. This is the case if another
// residual falls, even below its target, or if the residual farthest from its target falls, even slowly. A residual
// that is frozen, or stays high, will not follow.
func (v *view) approaches(still []equation) bool {
	for _, e := range still {
		if e.course == frozen || e.course == high || e.course == grows {
			return false
		}
	}
	worst := math.Inf(-1)
	for _, e := range still {
		worst = max(worst, e.now-e.target)
	}
	return slices.ContainsFunc(v.equations, func(e equation) bool {
		return e.down >= stillFalls || e.course == falls && e.down >= leadFalls && e.now-e.target > worst
	})
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

// standing returns the state of a run whose residuals stagnate above their targets.
func (v *view) standing(still []equation) (State, []string) {
	why := v.sentences(still)
	values, calm := v.calm()
	switch {
	case calm:
		return ConvergedByValue, append(why, values...)
	case slices.ContainsFunc(still, func(e equation) bool { return e.course == swings }), len(v.of(swaying)) > 0:
		return Oscillating, append(why, v.of(swaying)...)
	case v.shakes():
		return Oscillating, append(why, v.of(hovering)...)
	}
	if why = append(why, v.dead()...); v.leaks != "" {
		why = append(why, v.leaks)
	}
	return Stalled, append(why, v.of(moving, wild)...)
}

// dead returns the sentences of values whose sensors have failed.
func (v *view) dead() (list []string) {
	for _, x := range v.values {
		if x.dead {
			list = append(list, x.sentence())
		}
	}
	return list
}

// swaysOn returns the sentences of values that swing by more than their tolerance, and not less than before, long after
// the start: residuals that fall do not end such a swing.
func (v *view) swaysOn(done float64) (list []string) {
	for _, x := range v.values {
		lasts := x.movement == swaying && math.IsInf(x.tail, 1) && done >= 2*longStart
		if lasts && x.swing.amplitude > smallSwing*x.size {
			list = append(list, x.sentence())
		}
	}
	return list
}

// shakes reports whether a value swings about a steady mean, with an amplitude above leastSway, while another one is
// not at rest.
func (v *view) shakes() bool {
	return slices.ContainsFunc(v.values,
		func(x value) bool { return x.movement == hovering && x.swing.amplitude > leastSway*x.size })
}

// byValues returns the state of a run by its values alone.
func (v *view) byValues(open []equation) (State, []string) {
	values, calm := v.calm()
	switch {
	case calm:
		return ConvergedByValue, values
	case len(v.of(swaying)) > 0:
		return Oscillating, v.of(swaying)
	case v.lasts(open):
		return Stalled, append([]string{"it marches in time, and its changes from step to step neither fall nor grow"},
			append(v.sentences(open), v.of(moving, wild)...)...)
	}
	return Running, append(v.of(moving, wild), v.sentences(open)...)
}

// lasts reports whether the changes from step to step of a run that marches in time neither fall nor grow, by most
// equations.
func (v *view) lasts(open []equation) bool {
	var still []equation
	for _, e := range open {
		if (e.done >= longStart || v.ended) && (e.course == stands || e.course == swings || e.course == high ||
			e.course == creeps) {
			still = append(still, e)
		}
	}
	return 2*len(still) > len(open) && !slices.ContainsFunc(v.equations,
		func(e equation) bool { return e.down >= stillFalls })
}

// blowsUp reports whether the balance of mass is lost while most residuals stay near to their start. It excludes a flow
// that begins to move, whose residuals come down. It acts at once: the loss has lasted. An iteration that diverges does
// so from the start, by a factor each time (spectral radius above 1: Saad, Iterative Methods for Sparse Linear Systems,
// 2nd ed., theorem 4.1).
func (v *view) blowsUp() bool {
	near := 0
	for _, e := range v.equations {
		if e.fallen < highOrders {
			near++
		}
	}
	return v.broken != "" && 2*near > len(v.equations)
}

// runsAway returns the reasons why a run diverges; empty if it does not.
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
	if _, calm := v.calm(); !calm && 2*stay > judged && (v.far(lostChange) || v.never()) {
		for _, e := range v.equations {
			if e.course == high {
				why = append(why, e.sentence())
			}
		}
	}
	return append(why, v.away...)
}

// lost returns the reasons why the solution is lost, though no residual grows: a normalised residual stays near 1, and
// values swing by tens of per cent, or none are known.
func (v *view) lost() (why []string) {
	far, level := v.far(lostChange), lostLevel
	if !v.unknown() && v.far(tens) {
		level = swayLevel
	}
	for _, e := range v.equations {
		stays := e.course == high || (e.course == stands || e.course == swings) && e.done >= 2*longStart
		if stays && e.mean() >= level && e.now+e.fallen <= normalMost && far {
			why = append(why, e.sentence())
		}
	}
	if len(why) > 0 {
		why = append(why, v.of(wildWays...)...)
	}
	return why
}

// breaks reports whether all residuals that stand have broken off an earlier fall.
func (v *view) breaks() bool {
	for _, e := range v.equations {
		if e.course == stands && e.short < broken {
			return false
		}
	}
	return true
}

// never reports whether most residuals have stayed within half an order of their start for twice as long as a start
// lasts.
func (v *view) never() bool {
	n := 0
	for _, e := range v.equations {
		if e.course == high && e.fallen < nearOrders && e.done >= 2*longStart {
			n++
		}
	}
	return 2*n > len(v.equations)
}

// far reports whether a value changes by a share of the largest of its table over the window; also where none is known.
func (v *view) far(share float64) bool {
	most := v.largest()
	return v.unknown() || slices.ContainsFunc(v.values, func(x value) bool {
		return x.movement != unknown && x.change*x.size >= share*most[x.table()]
	})
}

// wildWays are the movements of values that do not come to rest.
var wildWays = []movement{swaying, moving, wild}

// calm reports whether values are known, and all stand still or swing about a steady mean.
func (v *view) calm() (sentences []string, calm bool) {
	if v.leaks != "" {
		return nil, false
	}
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

// unknown reports whether no value can be judged.
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

// left returns the iterations to the targets, for the slowest equation.
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

// inTime reports whether the run marches in time, and not by local steps to a steady flow: such a run counts its
// iterations in one file, and adds up a time without meaning in another.
func (m *Machine) inTime() bool {
	if !m.marching || m.local || m.timed {
		return m.marching && !m.local
	}
	for _, from := range m.sources {
		if from.known && !from.fraction {
			return false
		}
	}
	return true
}

// blowUp returns the reasons why a run in time runs away; empty if it does not.
func (m *Machine) blowUp() (why []string) {
	var step *series
	for _, s := range m.order {
		if s.kind == ofStep {
			step = s
		}
	}
	for _, s := range m.order {
		level := leastCourant
		switch s.kind {
		case ofCourant: // it grows with a time step that grows
			if step != nil && step.count > 2*headLength && step.last > step.level(2*headLength)+0.02 {
				continue
			}
		case ofValue:
			if level = math.Inf(-1); !strings.Contains(strings.ToLower(s.name), "energy") {
				continue
			}
		case ofBalance:
			if level = leastLoss; !strings.HasSuffix(s.name, "local") {
				continue
			}
		default:
			continue
		}
		if s.runaway(level) {
			why = append(why, fmt.Sprintf("%s has come to more than ten times all that it was until %d steps ago, "+
				"and grows", s.name, ranBefore))
		}
	}
	return why
}

// collapse returns the reason why the time step collapses; empty if it does not.
func (m *Machine) collapse(buffer []float64) string {
	for _, s := range m.order {
		if s.kind != ofStep || s.count < leastSamples {
			continue
		}
		now, fallen := s.level(headLength), s.highest-s.level(headLength)
		endless := fallen > leastFallen && now <= s.lowestBlock()+progressStep &&
			trend(s.window(s.span(m.per(s)), buffer)).high < 0
		if fallen > stepCollapse || endless {
			return fmt.Sprintf("the time step has fallen by %.1f orders, to %.2g s", fallen, math.Pow(10, s.last))
		}
	}
	return ""
}

// decideInTime returns the present state of a run in time, and the reasons.
func (m *Machine) decideInTime(v *view) (State, []string) {
	if why := m.blowUp(); len(why) > 0 {
		return BlowingUp, why
	}
	if why := m.collapse(m.buffer[:]); why != "" {
		return StepCollapse, []string{why}
	}
	if why := m.inner.stalled(); why != "" {
		return InnerStalled, []string{why}
	}
	if values, calm := v.calm(); calm {
		return Settled, values
	}
	if why := v.still(); len(why) > 0 {
		return Settled, why
	}
	why, cyclic := m.cycles(v)
	if cyclic {
		return Periodic, why
	}
	if len(why) == 0 {
		why = v.of(swaying, moving, wild)
	}
	return Running, append(why, v.sentences(v.equations)...)
}

// still returns the reasons if every residual has come down to its target, one of them from far above it, and no value
// moves; empty otherwise.
func (v *view) still() []string {
	fallen := 0.0
	for _, e := range v.equations {
		if e.course != reached {
			return nil
		}
		fallen = max(fallen, e.fallen)
	}
	if fallen < settledFall || len(v.of(swaying, moving, wild)) > 0 {
		return nil
	}
	return v.sentences(v.equations)
}

// idle is the share of the largest value of a table, which a value that moves irregularly may change by in a cycle.
const idle = 0.05

// cycles describes the cycles of the values that swing regularly. The run is periodic if all of these have a settled
// mean, and every other value too, if it moves by much.
func (m *Machine) cycles(v *view) (text []string, all bool) {
	most := v.largest()
	all = true
	for _, x := range v.values {
		s := m.names[x.name].series
		switch x.movement {
		case swaying, hovering:
			c := measureCycle(s, &m.times, m.per(s), &x)
			text = append(text, c.sentence(x.name))
			all = all && c.settled(x.size)
		case moving, wild:
			all = all && (x.change*x.size < idle*most[x.table()] || x.meanSettles(s))
		}
	}
	return text, all && len(text) > 0
}
