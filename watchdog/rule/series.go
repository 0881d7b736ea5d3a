package rule

// The history of one value of a run: samples in the order of the iterations, whoever reported them and when.

import (
	"cmp"
	"math"
	"slices"
)

// startCount is the number of first values of which the largest is the reference of drop. A residual's first value
// alone may be small by chance, for example in a uniform initial flow.
const startCount = 5

// leastKept is the least number of samples kept of a value: later ones may arrive before earlier ones.
const leastKept = 16

// series holds the history of one value of a run. A sample has the iteration's number and, as far as rules need
// them, the value, its logarithm, or both; with one of them it takes 16 bytes.
//
// Samples are sorted by iteration, whatever the order of the reports. If solver and file both report an iteration,
// the solver's value is kept.
type series struct {
	keep        keep
	iter        []float64
	val, log    []float64 // value and log10|value|; empty if no rule needs it
	by          []span    // the sources of the samples
	lastVal     float64
	lastLog     float64
	head        []first // the first startCount values
	least, past float64 // least logarithm of a value other than 0: of all samples, and of those dropped; infinite: none
	start       place   // of the solver's start; its iter is that of the latest value, finite or not
	from        float64 // samples of earlier iterations are refused
	staged      bool    // the solver has changed its mesh, and no value has come since
	gone        int     // successive iterations whose value was not finite
	version     int     // increases with each change of the samples
	lines       []line
	spreads     []spread
}

// span is a range of iterations reported by one source. It ends where the next span begins.
type span struct {
	iter float64
	by   *reporter
}

// first is one of the values to which drop refers.
type first struct{ iter, log float64 }

func newSeries(k keep) *series {
	return &series{keep: k, from: math.Inf(-1), least: math.Inf(1), past: math.Inf(1)}
}

// capacity is the largest number of samples kept: those of the longest window, and a slack so that old samples are
// dropped in batches.
func (s *series) capacity() int {
	n := max(s.keep.values, s.keep.logs, leastKept)
	return n + slack(n)
}

func slack(n int) int { return max(leastKept, n/64) }

// nought stands for the logarithm of 0: that of the smallest positive number.
var nought = math.Log10(math.SmallestNonzeroFloat64)

// add takes the value of an iteration from a source. A value of a later start of the solver
// begins the series anew, one of an earlier start is dropped.
func (s *series) add(p place, x float64, by *reporter) {
	if !s.enter(p) || p.iter < s.from {
		return
	}
	if len(s.iter) == s.capacity() {
		s.trim()
	}
	at, there := len(s.iter), false
	if at > 0 && p.iter <= s.iter[at-1] {
		if at, there = slices.BinarySearch(s.iter, p.iter); p.iter < s.from {
			return // trimmed just now
		}
	}
	prevails := !there || by.origin.prevails(s.origin(p.iter))
	log := 0.0
	if s.keep.logs > 0 || s.keep.level {
		log = logarithm(x)
	}
	if s.keep.level {
		s.lead(p.iter, log, !prevails)
	}
	switch {
	case !there:
		s.insert(at, p.iter, x, log)
		s.mark(at, by)
		s.lower(log)
	case prevails:
		was := s.logAt(at)
		s.set(at, x, log)
		s.mark(at, by)
		if s.lower(log); was == s.least && log != was {
			s.least = s.leastKept()
		}
	}
	if p.iter >= s.start.iter {
		s.start, s.gone = p, 0
	}
}

// logarithm is log10|x|; nought for x = 0.
func logarithm(x float64) float64 { return math.Log10(max(math.Abs(x), math.SmallestNonzeroFloat64)) }

// lower updates the least logarithm.
func (s *series) lower(log float64) {
	if s.keep.level && log < s.least {
		s.least = min(s.least, some(log))
	}
}

// some returns a logarithm as it counts for the least one. That of 0 does not count: it becomes infinite.
func some(log float64) float64 {
	if log <= nought {
		return math.Inf(1)
	}
	return log
}

// insert puts a sample in its place.
func (s *series) insert(at int, iter, x, log float64) {
	s.version++
	s.iter = s.put(s.iter, at, iter)
	if s.holdsValues() {
		s.val = s.put(s.val, at, x)
	}
	if s.holdsLogs() {
		s.log = s.put(s.log, at, log)
	}
	if at == len(s.iter)-1 {
		s.lastVal, s.lastLog = x, log
	}
}

// put puts a number in its place, nearly always the last.
func (s *series) put(list []float64, at int, x float64) []float64 {
	if list = s.room(list); at == len(list) {
		return append(list, x)
	}
	return slices.Insert(list, at, x)
}

// room makes room for another number, for at most as many as are kept.
func (s *series) room(list []float64) []float64 {
	if len(list) < cap(list) {
		return list
	}
	n := min(s.capacity(), max(2*len(list), leastKept))
	return slices.Grow(list, max(n-len(list), 1))[:len(list):max(n, len(list)+1)]
}

// set replaces a sample.
func (s *series) set(at int, x, log float64) {
	s.version++
	if s.holdsValues() {
		s.val[at] = x
	}
	if s.holdsLogs() {
		s.log[at] = log
	}
	if at == len(s.iter)-1 {
		s.lastVal, s.lastLog = x, log
	}
}

// If rules need the least value but no window of values, logarithms are kept: they are enough for it.
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

// origin is the kind of source that reported the sample of an iteration.
func (s *series) origin(iter float64) origin {
	i := len(s.by) - 1
	for i > 0 && s.by[i].iter > iter {
		i--
	}
	return s.by[i].by.origin
}

// mark records the source of a sample.
func (s *series) mark(at int, by *reporter) {
	iter := s.iter[at]
	if n := len(s.by); n > 0 && s.by[n-1].by == by && s.by[n-1].iter <= iter {
		return
	}
	i := len(s.by) // of the first span behind the sample
	for i > 0 && s.by[i-1].iter > iter {
		i--
	}
	var before *reporter
	if i > 0 {
		before = s.by[i-1].by
	}
	if before == by {
		return
	}
	if i > 0 && s.by[i-1].iter == iter {
		s.by[i-1].by = by
	} else {
		s.by = slices.Insert(s.by, i, span{iter, by})
		i++
	}
	if at+1 < len(s.iter) && before != nil && (i == len(s.by) || s.by[i].iter > s.iter[at+1]) {
		s.by = slices.Insert(s.by, i, span{s.iter[at+1], before})
	}
}

// enter reports whether a place belongs to the solver's present start. A place of a later start makes that the present
// one, and the series begins anew.
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
	s.iter, s.val, s.log, s.by, s.head = s.iter[:0], s.val[:0], s.log[:0], s.by[:0], s.head[:0]
	s.least, s.past, s.from, s.start, s.staged = math.Inf(1), math.Inf(1), math.Inf(-1), p, false
}

// lead puts a value among the first ones if it belongs there. With none set, the iteration has a value of a better
// source already.
func (s *series) lead(iter, log float64, none bool) {
	n := len(s.head)
	if none || n == startCount && iter > s.head[n-1].iter {
		return
	}
	at, there := slices.BinarySearchFunc(s.head, iter,
		func(f first, iter float64) int { return cmp.Compare(f.iter, iter) })
	switch {
	case there:
		s.head[at].log = log
		return
	case n == startCount:
		s.head = s.head[:n-1]
	}
	s.head = slices.Insert(s.head, at, first{iter, log})
}

// trim drops the oldest samples, so that the memory of a long run is bounded.
func (s *series) trim() {
	n := slack(s.capacity() - slack(s.capacity()))
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
	if s.holdsValues() {
		s.val = slices.Delete(s.val, 0, n)
	}
	if s.holdsLogs() {
		s.log = slices.Delete(s.log, 0, n)
	}
	if len(s.iter) == 0 {
		s.by = s.by[:0]
		return
	}
	for len(s.by) > 1 && s.by[1].iter <= s.iter[0] {
		s.by = slices.Delete(s.by, 0, 1)
	}
}

// stage begins the history anew because the solver has changed its mesh. The reference of drop stays: solvers that
// start on a coarse mesh relate their residual to the first guess.
func (s *series) stage(p place) {
	s.cut(len(s.iter))
	if !p.begun(s.start) && !s.start.begun(p) {
		s.from = p.iter
	}
	for i := range s.head {
		s.head[i].iter = math.Inf(-1) // the others are later, whatever their number
	}
	s.staged = true
}

// cut drops the first n samples and their least logarithm. The reference of drop stays.
func (s *series) cut(n int) {
	s.shed(n)
	s.past = math.Inf(1)
	s.least = s.leastKept()
}

// lose records that a source reports a value that is not finite. The history begins anew after that iteration.
func (s *series) lose(p place, by *reporter) {
	if !s.enter(p) {
		return
	}
	at, there := slices.BinarySearch(s.iter, p.iter)
	if p.iter < s.from || there && !by.origin.prevails(s.origin(p.iter)) {
		return
	}
	if there {
		at++
	}
	s.cut(at)
	s.from = math.Nextafter(p.iter, math.Inf(1))
	s.head = s.head[:0]
	for i := 0; s.keep.level && i < min(startCount, len(s.iter)); i++ {
		s.head = append(s.head, first{s.iter[i], s.logAt(i)})
	}
	if len(s.iter) == 0 {
		s.start = p
		s.gone++
	}
}

func (s *series) last() (float64, bool) {
	if len(s.iter) == 0 {
		return 0, false
	}
	return s.lastVal, true
}
