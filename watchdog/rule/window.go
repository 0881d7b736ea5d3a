package rule

// Functions of the last iterations of a value in rules: trend, wobble, spread, drop and rise.

import (
	"math"
	"slices"
)

// minSamples is the least number of samples in a window; functions of fewer are not a number.
const minSamples = 3

// span is how far a function looks back.
type span struct {
	n    float64 // iterations, or s
	wall bool    // s of wall-clock time
}

// window is the last part of a value's history.
type window struct {
	name string
	span
	log bool // of its logarithm
}

// keep is the length of a value's history that the rules need, in samples. An iteration has at most one sample.
type keep struct {
	values, logs int
	wall         float64 // s of wall-clock time; 0: no rule needs it
	level        bool    // also the first logarithms and the least one, for drop and rise
}

// mostTimed bounds the samples that are kept for a time: 24 MB of a value. Beyond it a window is shorter.
const mostTimed = 1 << 20

// ask extends the history to the length of a window.
func (k *keep) ask(w window) {
	n := int(math.Ceil(w.n))
	if w.wall {
		k.wall, n = max(k.wall, w.n), minSamples
	}
	if w.log {
		k.logs = max(k.logs, n)
	} else {
		k.values = max(k.values, n)
	}
}

// window returns the index of the first sample of a span. ok is false before it has passed.
func (s *series) window(w span) (from int, ok bool) {
	if len(s.iter) < minSamples {
		return 0, false
	}
	list, first := s.iter, s.iter[len(s.iter)-1]-w.n+1
	if w.wall {
		list, first = s.wall, s.lastWall-w.n
	}
	if list[0] > first && !(w.wall && s.shortened) {
		return 0, false
	}
	from, _ = slices.BinarySearch(list, first)
	return from, len(s.iter)-from >= minSamples
}

// drop is how far the value has fallen below its reference, in orders of magnitude. A last value of 0 counts as the
// smallest positive number.
func (s *series) drop(span) float64 {
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

func (s *series) rise(span) float64 {
	if len(s.iter) == 0 || math.IsInf(s.least, 1) {
		return math.NaN()
	}
	return s.lastLog - s.least
}

// result is what is computed of a span of a value's history.
type result[T any] struct {
	over    span
	version int // of the series, for which it is valid
	of      T
}

// once computes a result of a span once for all rules that need it.
func once[T any](s *series, list *[]result[T], over span, compute func(*series, span, *T)) *T {
	i := slices.IndexFunc(*list, func(r result[T]) bool { return r.over == over })
	if i < 0 {
		i = len(*list)
		*list = append(*list, result[T]{over: over, version: -1})
	}
	r := &(*list)[i]
	if r.version != s.version {
		r.version = s.version
		compute(s, over, &r.of)
	}
	return &r.of
}

// line is the least-squares straight line through log10|x| over a span: its slope, the peak-to-peak
// distance of the values from it, and how often they cross it. They are not a number before the span has passed.
type line struct{ slope, size, crossings float64 }

func (s *series) line(w span) *line { return once(s, &s.lines, w, (*series).draw) }

// draw computes a line.
func (s *series) draw(w span, l *line) {
	from, ok := s.window(w)
	if !ok {
		*l = line{math.NaN(), math.NaN(), math.NaN()}
		return
	}
	iter, log := s.abscissa(w)[from:], s.log[from:]
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

// abscissa returns the iterations or times of the samples.
func (s *series) abscissa(w span) []float64 {
	if w.wall {
		return s.wall
	}
	return s.iter
}

// rate is the slope of the straight line through the values.
func (s *series) rate(w span) float64 {
	from, ok := s.window(w)
	if !ok {
		return math.NaN()
	}
	_, slope, _ := fit(s.abscissa(w)[from:], s.val[from:])
	return slope
}

// quantile is the value that a fraction of the values is below, on the straight line between two of them (method 7 of
// Hyndman and Fan, The American Statistician 50 (1996) 361).
func (s *series) quantile(w span, p float64) float64 {
	return quantile(*once(s, &s.orders, w, (*series).sort), p)
}

// quantile is that of numbers by their size; not a number where there are none.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	below, part := math.Modf(p * float64(len(sorted)-1))
	i := int(below)
	return sorted[i] + part*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
}

// mostSorted bounds the values that are sorted at an iteration, about 1 ms: of the window of a time with more of them
// every second one counts, or every third ...
const mostSorted = 1 << 14

// sort computes the values of a span by their size; none before the span has passed.
func (s *series) sort(w span, values *[]float64) {
	*values = (*values)[:0]
	from, ok := s.window(w)
	if !ok {
		return
	}
	step := 1
	if w.wall {
		step += (len(s.val) - from - 1) / mostSorted
	}
	for k := len(s.val) - 1; k >= from; k -= step {
		*values = append(*values, s.val[k])
	}
	slices.Sort(*values)
}

func (s *series) median(w span) float64 { return s.quantile(w, 0.5) }

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

func (s *series) trend(w span) float64 { return s.line(w).slope }

// wobble is the peak-to-peak distance from the line.
func (s *series) wobble(w span) float64 { return s.line(w).size }

// crossings is how often the line is crossed.
func (s *series) crossings(w span) float64 { return s.line(w).crossings }

// spread is the least, greatest and mean value of a span. They are not a number before the span has passed.
type spread struct{ least, most, mean float64 }

func (s *series) spread(w span) *spread { return once(s, &s.spreads, w, (*series).measure) }

// measure computes a spread.
func (s *series) measure(w span, of *spread) {
	from, ok := s.window(w)
	if !ok {
		*of = spread{math.NaN(), math.NaN(), math.NaN()}
		return
	}
	*of = spread{least: math.Inf(1), most: math.Inf(-1)}
	for _, x := range s.val[from:] {
		of.least, of.most = min(of.least, x), max(of.most, x)
		of.mean += x
	}
	of.mean /= float64(len(s.val) - from)
}

func (s *series) steady(of span, tol float64) bool {
	w := s.spread(of)
	return w.most-w.least <= tol*math.Abs(w.mean)
}

func (s *series) mean(w span) float64    { return s.spread(w).mean }
func (s *series) lowest(w span) float64  { return s.spread(w).least }
func (s *series) highest(w span) float64 { return s.spread(w).most }

func (s *series) nonfinite(span) float64 { return float64(s.gone) }

// imbalance of two flows relative to the larger; 0 if both are 0.
func imbalance(a, b float64) float64 {
	size := max(math.Abs(a), math.Abs(b))
	if size == 0 {
		return 0
	}
	return math.Abs(a-b) / size
}

// statistics are functions of the numbers of facts by their size, and of a fraction. The comments are a list of the
// help page on rules.
var statistics = map[string]func(sorted []float64, p float64) float64{
	// median(map(runs, .x)): quantile(map(runs, .x), 0.5)
	"median": func(sorted []float64, _ float64) float64 { return quantile(sorted, 0.5) },
	// mean(map(runs, .x)): mean of x over the runs that have it
	"mean": func(sorted []float64, _ float64) float64 {
		sum := 0.0
		for _, x := range sorted {
			sum += x
		}
		return sum / float64(len(sorted))
	},
	// least(map(runs, .x)): least x of a run
	"least": func(sorted []float64, _ float64) float64 { return quantile(sorted, 0) },
	// most(map(runs, .x)): largest x of a run
	"most": func(sorted []float64, _ float64) float64 { return quantile(sorted, 1) },
	// quantile(map(runs, .x), p): value that the fraction p of the runs is below
	"quantile": quantile,
}
