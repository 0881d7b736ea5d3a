package rule

// The history of a value of a run: samples in the order of the iterations.

import (
	"math"
	"slices"
)

// startCount is the number of first values; the largest of them is the reference of drop. A residual's first value
// alone may be small by chance, for example in a uniform initial flow.
const startCount = 5

// leastKept is the least number of samples kept of a value, so that old ones are dropped in batches.
const leastKept = 16

// series holds the history of a value of a run. A sample has the iteration's number and, as far as rules need them, the
// value, its logarithm, or both; with one of them it takes 16 bytes.
//
// Samples come in the order of the iterations. If several sources report an iteration, the solver's value is kept, or
// that of the last file. A sample that comes after a later iteration is ignored.
type series struct {
	keep             keep
	iter             []float64
	wall             []float64 // wall-clock times, s, which do not fall; empty if no rule needs them
	lastWall         float64   // of the last report, also of a value that was not finite
	lastIter         float64   // the same; NaN: none
	shortened        bool      // the samples of a time were too many
	val, log         []float64 // value and log10|value|; empty if no rule needs it
	by               origin    // of the last sample
	lastVal, lastLog float64
	head             []float64 // logarithms of the first startCount values
	headEnd          float64   // iteration of the last of them
	// least logarithm of a value other than 0: of all samples, and of the dropped samples; infinite: none
	least, past float64
	start       place   // of the solver's start; its iter is that of the latest value
	from        float64 // samples of earlier iterations are refused
	staged      bool    // the solver has changed its mesh, and no value has come since
	gone        int     // successive iterations whose value was not finite
	version     int     // increases with each change of the samples
	lines       []result[line]
	spreads     []result[spread]
	orders      []result[[]float64]
}

func newSeries(k keep) *series {
	return &series{keep: k, from: math.Inf(-1), least: math.Inf(1), past: math.Inf(1), lastIter: math.NaN()}
}

// capacity is the largest number of samples kept: the longest window, and a slack so that old samples are dropped in
// batches.
func (s *series) capacity() int {
	if s.keep == (keep{}) { // the last one alone
		return 1
	}
	n := max(s.keep.values, s.keep.logs, leastKept)
	if s.keep.wall > 0 {
		n = max(n, mostTimed)
	}
	return n + slack(n)
}

// old returns how many samples are dropped before the next one: none until they are enough for a batch.
func (s *series) old() int {
	n, full := len(s.iter), s.capacity()
	if n == full {
		s.shortened = s.keep.wall > 0
		return slack(full - slack(full))
	}
	if s.keep.wall == 0 || n < 2*leastKept {
		return 0
	}
	// the last one that is older than the time stays: it shows that the time has passed
	i, _ := slices.BinarySearch(s.wall, s.lastWall-s.keep.wall)
	if i = min(i-1, n-max(s.keep.values, s.keep.logs)); i < n/2 {
		return 0
	}
	return i
}

func slack(n int) int { return max(leastKept, n/64) }

// nought replaces the logarithm of 0: it is the logarithm of the smallest positive number.
var nought = math.Log10(math.SmallestNonzeroFloat64)

// add takes the value of an iteration from a source. A value of a later start of the solver begins the series anew. A
// value of an earlier start is dropped.
func (s *series) add(p place, wall, x float64, by origin) {
	if !s.enter(p) || p.iter < s.from {
		return
	}
	n := len(s.iter)
	again := n > 0 && p.iter == s.iter[n-1]
	if n > 0 && p.iter < s.iter[n-1] || again && !by.prevails(s.by) {
		return
	}
	s.version++
	s.by, s.gone, s.start, s.lastIter = by, 0, p, p.iter
	log := 0.0
	if s.keep.logs > 0 || s.keep.level {
		log = logarithm(x)
	}
	switch {
	case again:
		if s.holdsValues() {
			s.val[n-1] = x
		}
		if s.holdsLogs() {
			s.log[n-1] = log
		}
		s.least = s.leastKept()
	case n > 0 && s.keep == (keep{}):
		s.lastWall, s.iter[0] = max(s.lastWall, wall), p.iter
	default:
		s.lastWall = max(s.lastWall, wall)
		if old := s.old(); old > 0 {
			s.trim(old)
		}
		if s.keep.wall > 0 {
			s.wall = s.put(s.wall, s.lastWall)
		}
		s.iter = s.put(s.iter, p.iter)
		if s.holdsValues() {
			s.val = s.put(s.val, x)
		}
		if s.holdsLogs() {
			s.log = s.put(s.log, log)
		}
		if s.keep.level {
			s.least = min(s.least, some(log))
		}
	}
	s.lastVal, s.lastLog = x, log
	s.lead(p.iter, log, again)
}

// lead puts a value among the first values if it belongs there.
func (s *series) lead(iter, log float64, again bool) {
	n := len(s.head)
	switch {
	case !s.keep.level:
	case again && n > 0 && iter == s.headEnd:
		s.head[n-1] = log
	case !again && n < startCount:
		s.head, s.headEnd = append(s.head, log), iter
	}
}

// logarithm is log10|x|; nought for x = 0.
func logarithm(x float64) float64 { return math.Log10(max(math.Abs(x), math.SmallestNonzeroFloat64)) }

// some returns the logarithm for the search of the least one. The logarithm of 0 does not count: it becomes infinite.
func some(log float64) float64 {
	if log <= nought {
		return math.Inf(1)
	}
	return log
}

// put appends a number.
func (s *series) put(list []float64, x float64) []float64 { return append(s.room(list), x) }

// room makes room for another number, for at most as many as are kept.
func (s *series) room(list []float64) []float64 {
	if len(list) < cap(list) {
		return list
	}
	n := min(s.capacity(), max(2*len(list), leastKept))
	return slices.Grow(list, max(n-len(list), 1))[:len(list):max(n, len(list)+1)]
}

// holdsValues: if rules need the least value but no window of values, logarithms are kept: they are enough for it.
func (s *series) holdsValues() bool { return s.keep.values > 0 }
func (s *series) holdsLogs() bool   { return s.keep.logs > 0 || s.keep.level && s.keep.values == 0 }

// logAt is the logarithm of a sample.
func (s *series) logAt(i int) float64 {
	switch {
	case s.holdsLogs():
		return s.log[i]
	case s.holdsValues():
		return logarithm(s.val[i])
	}
	return 0
}

// leastKept is the least logarithm of all samples, the dropped ones included.
func (s *series) leastKept() float64 {
	least := s.past
	if !s.keep.level {
		return least
	}
	for i := range s.iter {
		least = min(least, some(s.logAt(i)))
	}
	return least
}

// enter reports whether a place belongs to the solver's present start. A place of a later start becomes the present
// start, and the series begins anew.
func (s *series) enter(p place) bool {
	switch {
	case s.start.begun(p):
		return false
	case p.begun(s.start) && s.staged && p.attempt == s.start.attempt:
		s.from, s.start = math.Inf(-1), p
	case p.begun(s.start):
		s.restart(p)
	}
	s.staged = false
	return true
}

// restart begins the series anew.
func (s *series) restart(p place) {
	s.version++
	s.iter, s.wall, s.val, s.log, s.head = s.iter[:0], s.wall[:0], s.val[:0], s.log[:0], s.head[:0]
	s.shortened = false
	s.least, s.past, s.from, s.start, s.staged = math.Inf(1), math.Inf(1), math.Inf(-1), p, false
}

// trim drops the oldest samples, so that the memory of a long run is bounded.
func (s *series) trim(n int) {
	for i := 0; s.keep.level && i < n; i++ {
		s.past = min(s.past, some(s.logAt(i)))
	}
	s.shed(n)
	s.from = s.iter[0]
}

// shed drops the first n samples.
func (s *series) shed(n int) {
	s.version++
	s.iter = slices.Delete(s.iter, 0, n)
	if s.keep.wall > 0 {
		s.wall = slices.Delete(s.wall, 0, n)
	}
	if s.holdsValues() {
		s.val = slices.Delete(s.val, 0, n)
	}
	if s.holdsLogs() {
		s.log = slices.Delete(s.log, 0, n)
	}
}

// stage begins the history anew because the solver has changed its mesh. The reference of drop stays: solvers that
// start on a coarse mesh relate their residual to the first guess.
func (s *series) stage(p place) {
	s.clear()
	if !p.begun(s.start) && !s.start.begun(p) {
		s.from = p.iter
	}
	s.headEnd, s.staged = math.Inf(-1), true
}

// clear drops all samples and their least logarithm. The reference of drop stays.
func (s *series) clear() {
	s.shed(len(s.iter))
	s.shortened = false
	s.past = math.Inf(1)
	s.least = s.leastKept()
}

// lose records that a source reports a value that is not finite. The history begins anew after this iteration.
func (s *series) lose(p place, wall float64, by origin) {
	if !s.enter(p) || p.iter < s.from {
		return
	}
	if n := len(s.iter); n > 0 && (p.iter < s.iter[n-1] || p.iter == s.iter[n-1] && !by.prevails(s.by)) {
		return
	}
	s.clear()
	s.from = math.Nextafter(p.iter, math.Inf(1))
	s.head, s.start = s.head[:0], p
	s.lastIter, s.lastWall = p.iter, max(s.lastWall, wall)
	s.gone++
}

func (s *series) last() (float64, bool) {
	if len(s.iter) == 0 {
		return 0, false
	}
	return s.lastVal, true
}
