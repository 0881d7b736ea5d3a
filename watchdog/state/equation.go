package state

import (
	"fmt"
	"math"
	"strings"
)

// The judgement of an equation by its residual.

// course is the behaviour of a residual over the judged window.
type course int

const (
	unclear course = iota // too few samples
	reached               // at or below its target
	falls                 // towards its target, within ten times the iterations done
	creeps                // falls, but does not reach its target within that
	stands                // neither falls nor grows
	swings                // up and down regularly, about a mean that does not fall
	grows                 // and is far above its best
	high                  // is less than an order below its start, long after a start should be over
	frozen                // the same number again and again
)

func (c course) String() string {
	return [...]string{"is not clear yet", "has reached its target", "falls", "creeps", "stands", "swings", "grows",
		"stays high", "is frozen"}[c]
}

// equation is a residual as it is judged at a moment.
type equation struct {
	name     string
	course   course
	done     float64 // iterations since it began
	now      float64 // log10 of its level
	target   float64 // log10
	soft     float64 // orders by which a default target is raised if the residual stagnates
	fallen   float64 // orders since its start
	short    float64 // orders above the level of its earlier mean rate of fall
	above    float64 // orders above its best
	line     line
	down     float64 // orders of its fall over the window, if that exceeds the scatter; else 0
	swing    swing
	marching bool
	eta      float64 // iterations until the target; infinite: not reached
	early    float64 // least eta within the confidence interval of the slope
	late     float64 // greatest eta within it
}

// The thresholds of the judgement of a residual. Orders are orders of magnitude. The values were set on the corpus's
// tuning part; the page `watch` has the scores.
const (
	shareJudged  = 0.2 // fraction of the run, at its end, that is judged
	leastJudged  = 50  // iterations
	leastSamples = 20  // iterations before a run is judged
	// samples before a run is judged, if it reports seldom: with much fewer, Kendall's test decides no case
	fewestSamples = 10
	slowFactor    = 10   // times the iterations done, within which a target must be met
	leastFall     = 0.03 // orders over the window; less is no fall
	leastSwing    = 0.07 // orders of amplitude; less is noise
	leastRise     = 1.0  // orders above the best at which a residual grows
	// orders of an equation's fall over the window: the solution still changes, whatever other equations do
	stillFalls = 0.2
	// orders below the start; a residual with less is high. One that rises as the flow begins to move does not come so
	// near to its start
	highOrders = 1.0
	nearOrders = 0.5  // the same for a residual that makes some progress
	leadFalls  = 0.15 // the same, of the equation farthest from its target: the corpus's limit of a fall
	// iterations, after which a residual without progress for most of them is high; at 75 a single good run of the
	// corpus has such residuals, at 60 two runs
	longHigh      = 100
	longStart     = 150  // iterations, after which a start is over
	shareIdle     = 0.25 // fraction of the run, at its end: a residual with progress there does not stagnate
	broken        = 1    // orders that a residual lacks of its earlier course, after which this has ended: see course
	leastIdle     = 60   // iterations
	shareShort    = 0.4  // the same for a run that ended after few iterations
	leastShort    = 10   // iterations
	shareSwings   = 0.6  // fraction of the run, at its end, that is searched for swings
	shareFell     = 0.7  // the same for a fall that the last fifth does not show
	frozenSamples = 50   // successive equal samples
	roundOff      = -12  // log10 of a residual that may repeat by round-off
	defaultDrop   = 4    // orders to fall if no target is known and residuals are not normalised
	defaultLevel  = -5   // log10 of the target if none is known and residuals are normalised
	softer        = 1    // orders by which a default target is raised for a residual that stagnates
	// log10 of a first residual; with a smaller one the run continues from a solution, or its residuals are not
	// normalised
	normalHead = -3
	normalMost = 0.3 // log10 of a first residual; above it residuals are not normalised
)

// least returns the number of samples needed for a judgement; apart is the number of iterations between two reports.
func least(apart float64) int { return max(fewestSamples, int(math.Ceil(leastSamples/apart))) }

// span is how many samples of a series are judged.
func (s *series) span(per float64) int {
	return max(int(shareJudged*float64(s.count)), int(math.Ceil(leastJudged/per)), 5)
}

// judge judges a residual with a target; NaN: unknown. per is reports a sample, apart iterations a report. For an ended
// run a shorter window is enough.
func (s *series) judge(target, per, apart float64, marching, ended bool, buffer []float64) equation {
	e := equation{name: s.name, marching: marching, target: target, eta: math.Inf(1), early: math.Inf(1),
		late: math.Inf(1)}
	if math.IsNaN(target) {
		e.target, e.soft = s.head-defaultDrop, softer
		if s.head >= normalHead && s.head <= normalMost {
			e.target = max(e.target, defaultLevel)
			e.soft = max(0, defaultLevel+softer-e.target)
		}
	}
	e.now = s.level(max(3, min(10, s.count/20)))
	e.fallen, e.above = s.head-e.now, e.now-min(s.lowestLevel(min(s.span(per), s.count/2)), e.now)
	if s.count < least(apart) {
		if s.last <= e.target && !math.IsNaN(target) {
			e.course, e.eta = reached, 0
		}
		return e
	}
	n := s.span(per)
	if ended {
		n = min(n, max(int(shareShort*float64(s.count)), leastShort))
	}
	w := s.window(n, buffer)
	e.line = trend(w)
	e.course = s.course(&e, w, per, apart, ended, buffer)
	e.eta, e.early, e.late = e.eta*apart, e.early*apart, e.late*apart
	if (e.course == stands || e.course == swings) && e.soft > 0 && e.now <= e.target+e.soft {
		e.course = reached
	}
	return e
}

// course decides the course of a residual.
//
// A residual that stagnates has made no progress for a quarter of the run. It is known sooner where its deficit against
// its earlier mean rate of fall reaches an order, which is far above its scatter. The cumulated deficit of a process
// from its mean shows a change of the mean as soon as possible (Page, Biometrika 41 (1954) 100; Lorden, Ann. Math.
// Stat. 42 (1971) 1897).
func (s *series) course(e *equation, w window, per, apart float64, ended bool, buffer []float64) course {
	down := -e.line.slope * w.length()
	if e.line.slope < 0 {
		left := e.now - e.target
		e.eta, e.late = per*left/-e.line.slope, math.Inf(1)
		e.early = per * left / -e.line.low
		if e.line.high < 0 {
			e.late = per * left / -e.line.high
		}
	}
	if e.line.high < 0 && down > e.line.scatter {
		e.down = down
	}
	falling := e.line.high < 0 && down > max(leastFall, e.line.scatter/2)
	regular := false
	if s.last > e.target || e.now > e.target || e.down > 0 { // else it has reached its target, whether it swings or not
		falling, regular = s.swings(e, falling, buffer)
	}
	done := float64(s.count) * per
	e.done = done * apart
	idle, most := float64(s.count-s.bestAt)*per, max(leastIdle, shareIdle*done)
	if e.short = s.lacks(); e.short >= broken && !ended && !e.marching {
		most = leastIdle
	}
	if ended {
		most = min(most, max(shareShort*done, leastShort))
	}
	switch {
	case s.still >= frozenSamples && s.last > roundOff && s.last > e.target:
		return frozen
	case s.last <= e.target && (e.now <= e.target || !regular):
		e.eta, e.early, e.late = 0, 0, 0
		return reached
	case falling && e.eta <= slowFactor*done:
		return falls
	case e.above >= leastRise && e.line.low > 0 && e.fallen < highOrders && !s.passes(w):
		return grows
	case regular && !falling:
		return swings
	case e.fallen < nearOrders && e.done >= 2*longStart && s.head >= normalHead && !falling && !s.passes(w):
		return high
	case ended && e.line.slope >= 0 && !regular && s.flat(buffer):
		return stands
	case idle < most && !(falling && done > leastIdle):
		if e.eta > slowFactor*done && !math.IsInf(e.eta, 0) && done > longStart {
			return creeps
		}
		return falls
	case e.fallen < highOrders && e.done >= longHigh && s.head >= normalHead && idle >= shareSwings*done &&
		!s.passes(w):
		return high
	case falling, s.fell(e, buffer):
		return creeps
	case e.above >= 2*leastRise && !e.marching && !s.passes(w):
		return grows
	}
	return stands
}

// passes reports whether a residual has had a peak in a window: it has come down from it by half of its rise.
func (s *series) passes(w window) bool {
	rise := w.high - s.least
	return rise >= leastRise && w.high-s.level(3) > rise/2
}

// lacks returns by how many orders a residual would be lower, had it continued at the mean rate until its best.
func (s *series) lacks() float64 {
	if s.bestAt == 0 {
		return 0
	}
	return (s.head - s.best) / float64(s.bestAt) * float64(s.count-s.bestAt)
}

// flat reports whether a residual made no progress in the last part of an ended run, whatever its best was there.
func (s *series) flat(buffer []float64) bool {
	w := s.window(max(int(shareShort*float64(s.count)), leastShort), buffer)
	return -trend(w).slope*w.length() < 2*leastFall
}

// swings looks for a regular swing, and reports whether the residual falls without the swing.
func (s *series) swings(e *equation, falling bool, buffer []float64) (falls, regular bool) {
	var over window
	if e.swing, over, regular = s.swing(buffer); !regular || e.swing.amplitude < leastSwing {
		return falling, false
	}
	mean := e.swing.mean
	falls = -mean.slope*over.length() > max(leastFall, mean.scatter)
	if !falls {
		e.down = 0
	}
	return falls, true
}

// fell reports whether the residual has fallen over most of the run, and lately at half that rate at least.
func (s *series) fell(e *equation, buffer []float64) bool {
	long := s.window(int(shareFell*float64(s.count)), buffer)
	whole := trend(long)
	return whole.high < 0 && e.line.slope < whole.slope/2 && -whole.slope*long.length() > max(leastFall, whole.scatter)
}

// title is the name of the equation, for people.
func (e *equation) title() string {
	if _, name, ok := strings.Cut(e.name, "_"); ok {
		return name
	}
	return "residual"
}

// mean returns log10 of its level; of a residual that swings, over whole periods.
func (e *equation) mean() float64 {
	if e.course == swings {
		return e.swing.mean.end
	}
	return e.now
}

// never is the number of iterations beyond which a target counts as not reached, in words.
const never = 1e7

// sentence describes the judgement of the equation.
func (e *equation) sentence() string {
	text := fmt.Sprintf("%s %s: %.2g, target %.2g", e.title(), e.course, math.Pow(10, e.now), math.Pow(10, e.target))
	switch e.course {
	case grows:
		text += fmt.Sprintf(", %.1f orders above its best", e.above)
	case high:
		text += fmt.Sprintf(", %.1f orders below its start", e.fallen)
	case swings:
		text += fmt.Sprintf(", by %.1f orders with a period of %.0f samples", 2*e.swing.amplitude, e.swing.period)
	case falls, creeps:
		if e.eta > never {
			return text + ", not reached at this rate"
		}
		text += fmt.Sprintf(", in %.0f iterations at this rate", e.eta)
	}
	return text
}
