package rule

import (
	"cmp"
	"math"
	"slices"
)

// MaxWindow is the largest n, in iterations, of functions such as trend(x, n).
const MaxWindow = 2000

// startCount is how many first values make the reference of drop: a residual's
// first value alone may be small by chance, of a uniform initial flow for one.
const startCount = 5

// minSamples is how many values a window must hold to say anything.
const minSamples = 3

// series is what is remembered of one value of a run.
//
// It is in the order of the iterations, whoever reported them in whatever order. Of two
// values for one iteration the solver's stays, and a file's fills a gap.
type series struct {
	iter, val, log []float64 // log10|val|; the last MaxWindow samples or more
	by             []*reporter
	head           []first // the first startCount values
	least, past    float64 // least |val| > 0, of all and of the samples that are kept no more; 0: none
	start          place   // iter is that of the latest value that was lost or kept
	from           float64 // least iteration that is taken
	staged         bool    // another mesh has begun, and no value has come since
	gone           int     // iterations in a row in which it was not finite
}

// first is one of the values to which drop refers.
type first struct{ iter, size float64 }

func newSeries() *series { return &series{from: math.Inf(-1)} }

// add takes the value of an iteration from a source. A value of a later start of the solver
// begins the series anew, one of an earlier start is dropped.
func (s *series) add(p place, x float64, by *reporter) {
	if !s.enter(p) || p.iter < s.from {
		return
	}
	at, there := len(s.iter), false
	if at > 0 && p.iter <= s.iter[at-1] {
		at, there = slices.BinarySearch(s.iter, p.iter)
	}
	size := math.Abs(x)
	log := math.Log10(max(size, math.SmallestNonzeroFloat64))
	s.lead(p.iter, size, there && !by.origin.prevails(s.by[at].origin))
	switch {
	case !there:
		s.iter, s.val = slices.Insert(s.iter, at, p.iter), slices.Insert(s.val, at, x)
		s.log, s.by = slices.Insert(s.log, at, log), slices.Insert(s.by, at, by)
		s.least = least(s.least, s.val[at:at+1])
		s.trim()
	case by.origin.prevails(s.by[at].origin):
		was := math.Abs(s.val[at])
		s.val[at], s.log[at], s.by[at] = x, log, by
		if was > s.least || was == 0 {
			s.least = least(s.least, s.val[at:at+1])
		} else {
			s.least = least(s.past, s.val)
		}
	}
	if p.iter >= s.start.iter {
		s.start, s.gone = p, 0
	}
}

// enter reports whether a place is in the start of the solver that the series is about, which
// it becomes if it is a later one.
func (s *series) enter(p place) bool {
	switch {
	case s.start.begun(p):
		return false
	case p.begun(s.start) && s.staged && p.attempt == s.start.attempt:
		s.from, s.start = math.Inf(-1), p
	case p.begun(s.start):
		*s = series{from: math.Inf(-1), start: p, gone: s.gone}
	}
	s.staged = false
	return true
}

// lead notes a value that may be one of the first. It is none if the same iteration has a
// better one.
func (s *series) lead(iter, size float64, none bool) {
	n := len(s.head)
	if none || n == startCount && iter > s.head[n-1].iter {
		return
	}
	at, there := slices.BinarySearchFunc(s.head, iter, func(f first, iter float64) int { return cmp.Compare(f.iter, iter) })
	switch {
	case there:
		s.head[at].size = size
		return
	case n == startCount:
		s.head = s.head[:n-1]
	}
	s.head = slices.Insert(s.head, at, first{iter, size})
}

// trim keeps the memory of a long run bounded.
func (s *series) trim() {
	if len(s.iter) <= 2*MaxWindow {
		return
	}
	s.past = least(s.past, s.val[:MaxWindow])
	s.iter = slices.Delete(s.iter, 0, MaxWindow)
	s.val = slices.Delete(s.val, 0, MaxWindow)
	s.log = slices.Delete(s.log, 0, MaxWindow)
	s.by = slices.Delete(s.by, 0, MaxWindow)
	s.from = s.iter[0]
}

// least is the least of x and all |values|, of what is not 0.
func least(x float64, values []float64) float64 {
	for _, y := range values {
		if y := math.Abs(y); y > 0 && (x == 0 || y < x) {
			x = y
		}
	}
	return x
}

// stage begins the history anew on another mesh. The reference of drop stays:
// solvers that start on coarse meshes relate their residual to the first guess.
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

// cut forgets the first n samples, but not the reference of drop.
func (s *series) cut(n int) {
	s.iter, s.val = slices.Delete(s.iter, 0, n), slices.Delete(s.val, 0, n)
	s.log, s.by = slices.Delete(s.log, 0, n), slices.Delete(s.by, 0, n)
	s.past, s.least = 0, least(0, s.val)
}

// lose notes an iteration in which the value was not finite, as a source reports. The
// history begins anew after it.
func (s *series) lose(p place, by *reporter) {
	if !s.enter(p) {
		return
	}
	at, there := slices.BinarySearch(s.iter, p.iter)
	if p.iter < s.from || there && !by.origin.prevails(s.by[at].origin) {
		return
	}
	if there {
		at++
	}
	s.cut(at)
	s.from = math.Nextafter(p.iter, math.Inf(1))
	s.head = s.head[:0]
	for i := range s.iter[:min(startCount, len(s.iter))] {
		s.head = append(s.head, first{s.iter[i], math.Abs(s.val[i])})
	}
	if len(s.iter) == 0 {
		s.start = p
		s.gone++
	}
}

func (s *series) last() (float64, bool) {
	if s == nil || len(s.val) == 0 {
		return 0, false
	}
	return s.val[len(s.val)-1], true
}

// window returns the index of the first sample of the last n iterations; ok is false before so many
// have passed.
func (s *series) window(n float64) (from int, ok bool) {
	if s == nil || len(s.iter) < minSamples {
		return 0, false
	}
	last := s.iter[len(s.iter)-1]
	if last-s.iter[0] < n-1 {
		return 0, false
	}
	from, _ = slices.BinarySearch(s.iter, last-n+1)
	return from, len(s.iter)-from >= minSamples
}

// drop is in orders of magnitude; a last value of 0 counts as the least number there is.
func (s *series) drop() float64 {
	if s == nil || len(s.val) == 0 {
		return math.NaN()
	}
	most := 0.0
	for _, f := range s.head {
		most = max(most, f.size)
	}
	if most == 0 {
		return math.NaN()
	}
	return math.Log10(most) - s.log[len(s.log)-1]
}

func (s *series) rise() float64 {
	if s == nil || len(s.val) == 0 || s.least == 0 {
		return math.NaN()
	}
	return s.log[len(s.log)-1] - math.Log10(s.least)
}

// line is the least-squares straight line through log10|x| over the last n
// iterations: its slope, and its value at the first sample of the window.
func (s *series) line(n float64) (from int, slope, at float64, ok bool) {
	from, ok = s.window(n)
	if !ok {
		return 0, 0, 0, false
	}
	var mx, my, sxx, sxy float64
	count := float64(len(s.iter) - from)
	for i := from; i < len(s.iter); i++ {
		mx += s.iter[i] - s.iter[from]
		my += s.log[i]
	}
	mx, my = mx/count, my/count
	for i := from; i < len(s.iter); i++ {
		dx := s.iter[i] - s.iter[from] - mx
		sxx += dx * dx
		sxy += dx * (s.log[i] - my)
	}
	slope = sxy / sxx
	return from, slope, my - slope*mx, true
}

func (s *series) trend(n float64) float64 {
	_, slope, _, ok := s.line(n)
	if !ok {
		return math.NaN()
	}
	return slope
}

// wobble returns the peak-to-peak distance from the line and how often it is crossed.
func (s *series) wobble(n float64) (size, crossings float64) {
	from, slope, at, ok := s.line(n)
	if !ok {
		return math.NaN(), math.NaN()
	}
	low, high, side := 0.0, 0.0, 0.0
	for i := from; i < len(s.iter); i++ {
		d := s.log[i] - at - slope*(s.iter[i]-s.iter[from])
		low, high = min(low, d), max(high, d)
		if d*side < 0 {
			crossings++
		}
		if d != 0 {
			side = d
		}
	}
	return high - low, crossings
}

// spread returns least, greatest and mean value of the last n iterations.
func (s *series) spread(n float64) (least, most, mean float64, ok bool) {
	from, ok := s.window(n)
	if !ok {
		return math.NaN(), math.NaN(), math.NaN(), false
	}
	least, most = math.Inf(1), math.Inf(-1)
	for _, x := range s.val[from:] {
		least, most = min(least, x), max(most, x)
		mean += x
	}
	return least, most, mean / float64(len(s.val)-from), true
}

func (s *series) steady(n, tol float64) bool {
	least, most, mean, ok := s.spread(n)
	return ok && most-least <= tol*math.Abs(mean)
}

// imbalance of two flows relative to the larger one; 0 if both are 0.
func imbalance(a, b float64) float64 {
	size := max(math.Abs(a), math.Abs(b))
	if size == 0 {
		return 0
	}
	return math.Abs(a-b) / size
}
