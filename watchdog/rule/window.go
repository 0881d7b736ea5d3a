package rule

import (
	"cmp"
	"math"
	"slices"
)

// startCount is how many first values make the reference of drop: a residual's
// first value alone may be small by chance, of a uniform initial flow for one.
const startCount = 5

// minSamples is how many values a window must hold to say anything.
const minSamples = 3

// leastKept is how many samples of each value are kept at least, for values that arrive late.
const leastKept = 16

// window is so many iterations of a value's history.
type window struct {
	name string
	n    float64
	log  bool // of its logarithm
}

// keep is how much of a value's history the rules ask for, in samples: an iteration has at most one.
type keep struct {
	values, logs int
	level        bool // the first logarithms and the least one, too
}

// ask makes room for a window.
func (k *keep) ask(w window) {
	n := int(math.Ceil(w.n))
	if w.log {
		k.logs = max(k.logs, n)
	} else {
		k.values = max(k.values, n)
	}
}

// series is what is remembered of one value of a run: an iteration's number and its value or logarithm, 16 bytes, or
// both where rules ask for both, and neither of a value of which they ask for no history.
//
// It is in the order of the iterations, whoever reported them in whatever order. Of two
// values for one iteration the solver's stays, and a file's fills a gap.
type series struct {
	keep        keep
	iter        []float64
	val, log    []float64 // log10|val|, as far as rules ask for either
	by          []span    // who reported them
	lastVal     float64
	lastLog     float64
	head        []first // the first startCount values
	least, past float64 // least logarithm of what is not 0, of all and of the samples that are kept no more; none: infinite
	start       place   // iter is that of the latest value that was lost or kept
	from        float64 // least iteration that is taken
	staged      bool    // another mesh has begun, and no value has come since
	gone        int     // iterations in a row in which it was not finite
	version     int     // of the samples
	lines       []line
	spreads     []spread
}

// span begins at an iteration: it and those that follow were reported by one source.
type span struct {
	iter float64
	by   *reporter
}

// first is one of the values to which drop refers.
type first struct{ iter, log float64 }

func newSeries(k keep) *series {
	return &series{keep: k, from: math.Inf(-1), least: math.Inf(1), past: math.Inf(1)}
}

// capacity is how many samples are kept at most: those of the longest window, and some more so that the oldest need not
// be dropped one by one.
func (s *series) capacity() int {
	n := max(s.keep.values, s.keep.logs, leastKept)
	return n + slack(n)
}

func slack(n int) int { return max(leastKept, n/64) }

// nought is the logarithm of 0, the least there is.
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

// logarithm is log10 of a value's size, of 0 the least there is.
func logarithm(x float64) float64 { return math.Log10(max(math.Abs(x), math.SmallestNonzeroFloat64)) }

// lower notes a logarithm that may be the least.
func (s *series) lower(log float64) {
	if s.keep.level && log < s.least {
		s.least = min(s.least, some(log))
	}
}

// some is a logarithm that counts as a least one: that of 0 does not.
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

// A series of which the least one is asked for, and no window of values, keeps logarithms: they have what a least value needs.
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

// leastKept is the least logarithm of the samples and of those that are kept no more.
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

// origin is who reported the sample of an iteration.
func (s *series) origin(iter float64) origin {
	i := len(s.by) - 1
	for i > 0 && s.by[i].iter > iter {
		i--
	}
	return s.by[i].by.origin
}

// mark notes who reported a sample.
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

// enter reports whether a place is in the start of the solver that the series is about, which
// it becomes if it is a later one.
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

// lead notes a value that may be one of the first. It is none if the same iteration has a
// better one.
func (s *series) lead(iter, log float64, none bool) {
	n := len(s.head)
	if none || n == startCount && iter > s.head[n-1].iter {
		return
	}
	at, there := slices.BinarySearchFunc(s.head, iter, func(f first, iter float64) int { return cmp.Compare(f.iter, iter) })
	switch {
	case there:
		s.head[at].log = log
		return
	case n == startCount:
		s.head = s.head[:n-1]
	}
	s.head = slices.Insert(s.head, at, first{iter, log})
}

// trim keeps the memory of a long run bounded.
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
	s.shed(n)
	s.past = math.Inf(1)
	s.least = s.leastKept()
}

// lose notes an iteration in which the value was not finite, as a source reports. The
// history begins anew after it.
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

// window returns the index of the first sample of the last n iterations; ok is false before so many
// have passed.
func (s *series) window(n float64) (from int, ok bool) {
	if len(s.iter) < minSamples {
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
	if len(s.iter) == 0 {
		return math.NaN()
	}
	most := nought
	for _, f := range s.head {
		most = max(most, f.log)
	}
	if most == nought { // they are 0
		return math.NaN()
	}
	return most - s.lastLog
}

func (s *series) rise() float64 {
	if len(s.iter) == 0 || math.IsInf(s.least, 1) {
		return math.NaN()
	}
	return s.lastLog - s.least
}

// line is the least-squares straight line through log10|x| over the last n
// iterations: its slope, and the values peak to peak about it and how often they cross it.
type line struct {
	n                      float64
	version                int // of the series, for which it holds
	ok                     bool
	slope, size, crossings float64
}

// line is computed once for all rules that ask for it.
func (s *series) line(n float64) *line {
	i := slices.IndexFunc(s.lines, func(l line) bool { return l.n == n })
	if i < 0 {
		i = len(s.lines)
		s.lines = append(s.lines, line{n: n, version: -1})
	}
	l := &s.lines[i]
	if l.version != s.version {
		l.version = s.version
		s.draw(l)
	}
	return l
}

// draw computes a line.
func (s *series) draw(l *line) {
	from, ok := s.window(l.n)
	l.ok = ok
	if !ok {
		return
	}
	iter, log := s.iter[from:], s.log[from:]
	log = log[:len(iter)]
	first, slope, at := fit(iter, log)
	l.slope = slope
	low, high := 0.0, 0.0
	side, begun, crossings := uint64(0), uint64(0), uint64(0)
	for i, x := range iter {
		d := log[i] - at - slope*(x-first)
		if d < low {
			low = d
		} else if d > high {
			high = d
		}
		if d != 0 { // the side is the sign, without a branch that a processor could not foresee
			sign := math.Float64bits(d) >> 63
			crossings += (sign ^ side) & begun
			side, begun = sign, 1
		}
	}
	l.size, l.crossings = high-low, float64(crossings)
}

// fit is the least-squares straight line y = at + slope (x - first). Its sums are of distances from the first point, so that they are not
// large against their differences; each waits for its last addition, and two of each wait together.
func fit(iter, log []float64) (first, slope, at float64) {
	first = iter[0]
	var sx, sy, sxx, sxy, tx, ty, txx, txy float64
	i := 0
	for ; i+1 < len(iter); i += 2 {
		x, y := iter[i]-first, log[i]-log[0]
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
		x, y = iter[i+1]-first, log[i+1]-log[0]
		tx, ty, txx, txy = tx+x, ty+y, txx+x*x, txy+x*y
	}
	for ; i < len(iter); i++ {
		x, y := iter[i]-first, log[i]-log[0]
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(iter))
	mx, my := (sx+tx)/n, (sy+ty)/n
	slope = (sxy + txy - n*mx*my) / (sxx + txx - n*mx*mx)
	return first, slope, log[0] + my - slope*mx
}

func (s *series) trend(n float64) float64 {
	if l := s.line(n); l.ok {
		return l.slope
	}
	return math.NaN()
}

// wobble returns the peak-to-peak distance from the line and how often it is crossed.
func (s *series) wobble(n float64) (size, crossings float64) {
	if l := s.line(n); l.ok {
		return l.size, l.crossings
	}
	return math.NaN(), math.NaN()
}

// spread is the least, greatest and mean value of the last n iterations.
type spread struct {
	n                 float64
	version           int // of the series, for which it holds
	ok                bool
	least, most, mean float64
}

// spread is computed once for all rules that ask for it.
func (s *series) spread(n float64) (least, most, mean float64, ok bool) {
	i := slices.IndexFunc(s.spreads, func(w spread) bool { return w.n == n })
	if i < 0 {
		i = len(s.spreads)
		s.spreads = append(s.spreads, spread{n: n, version: -1})
	}
	w := &s.spreads[i]
	if w.version != s.version {
		s.measure(w)
	}
	return w.least, w.most, w.mean, w.ok
}

// measure computes a spread.
func (s *series) measure(w *spread) {
	from, ok := s.window(w.n)
	*w = spread{n: w.n, version: s.version, ok: ok, least: math.NaN(), most: math.NaN(), mean: math.NaN()}
	if !ok {
		return
	}
	w.least, w.most, w.mean = math.Inf(1), math.Inf(-1), 0
	for _, x := range s.val[from:] {
		w.least, w.most = min(w.least, x), max(w.most, x)
		w.mean += x
	}
	w.mean /= float64(len(s.val) - from)
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
