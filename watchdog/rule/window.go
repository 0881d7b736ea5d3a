package rule

// Functions of the last iterations of a value in rules: trend, wobble, spread, drop and rise.

import (
	"math"
	"slices"
)

// minSamples is the least number of samples in a window; functions of fewer are not a number.
const minSamples = 3

// window is the last n iterations of a value's history.
type window struct {
	name string
	n    float64
	log  bool // of its logarithm
}

// keep is the length of a value's history that the rules need, in samples. An iteration has at most one sample.
type keep struct {
	values, logs int
	level        bool // also the first logarithms and the least one, for drop and rise
}

// ask extends the history to the length of a window.
func (k *keep) ask(w window) {
	n := int(math.Ceil(w.n))
	if w.log {
		k.logs = max(k.logs, n)
	} else {
		k.values = max(k.values, n)
	}
}

// window returns the index of the first sample of the last n iterations. ok is false before n iterations have passed.
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

// drop is how far the value has fallen below its reference, in orders of magnitude. A last value of 0 counts as the
// smallest positive number.
func (s *series) drop(float64) float64 {
	if len(s.iter) == 0 {
		return math.NaN()
	}
	most := nought
	for _, f := range s.head {
		most = max(most, f)
	}
	if most == nought { // they are 0
		return math.NaN()
	}
	return most - s.lastLog
}

func (s *series) rise(float64) float64 {
	if len(s.iter) == 0 || math.IsInf(s.least, 1) {
		return math.NaN()
	}
	return s.lastLog - s.least
}

// line is the least-squares straight line through log10|x| over the last n iterations: its slope, the peak-to-peak
// distance of the values from it, and how often they cross it.
type line struct {
	n                      float64
	version                int // of the series, for which it is valid
	ok                     bool
	slope, size, crossings float64
}

// line computes a line once for all rules that need it.
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

// fit is the least-squares straight line y = at + slope (x - first). Its sums are of distances from the first point,
// so that they are not large against their differences; each waits for its last addition, and two of each wait
// together.
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

// wobble is the peak-to-peak distance from the line.
func (s *series) wobble(n float64) float64 {
	if l := s.line(n); l.ok {
		return l.size
	}
	return math.NaN()
}

// crossings is how often the line is crossed.
func (s *series) crossings(n float64) float64 {
	if l := s.line(n); l.ok {
		return l.crossings
	}
	return math.NaN()
}

// spread is the least, greatest and mean value of the last n iterations.
type spread struct {
	n                 float64
	version           int // of the series, for which it is valid
	ok                bool
	least, most, mean float64
}

// spread computes a spread once for all rules that need it.
func (s *series) spread(n float64) *spread {
	i := slices.IndexFunc(s.spreads, func(w spread) bool { return w.n == n })
	if i < 0 {
		i = len(s.spreads)
		s.spreads = append(s.spreads, spread{n: n, version: -1})
	}
	w := &s.spreads[i]
	if w.version != s.version {
		s.measure(w)
	}
	return w
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
	w := s.spread(n)
	return w.ok && w.most-w.least <= tol*math.Abs(w.mean)
}

func (s *series) mean(n float64) float64    { return s.spread(n).mean }
func (s *series) lowest(n float64) float64  { return s.spread(n).least }
func (s *series) highest(n float64) float64 { return s.spread(n).most }

func (s *series) nonfinite(float64) float64 { return float64(s.gone) }

// imbalance of two flows relative to the larger; 0 if both are 0.
func imbalance(a, b float64) float64 {
	size := max(math.Abs(a), math.Abs(b))
	if size == 0 {
		return 0
	}
	return math.Abs(a-b) / size
}
