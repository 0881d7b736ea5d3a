package rule

import (
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
type series struct {
	iter, val, log []float64 // log10|val|; the last MaxWindow samples or more
	start          float64   // largest of the first startCount |val|
	least          float64   // least |val| > 0 so far
	count          int
	owned          bool    // the solver itself tells this value
	owner          float64 // last iteration that the solver itself told
	gone           int     // iterations in a row in which it was not finite
}

// add takes the value of an iteration, which the solver itself told (plugin) or
// its file.
//
// The solver's word counts; the file fills gaps. Of two for one iteration the
// solver's stays, and an iteration of the file that the solver had reported
// before is dropped. An iteration number that falls otherwise means that the
// solver started afresh, and so does the series.
func (s *series) add(iter, x float64, plugin bool) {
	if !plugin && s.owned && iter <= s.owner {
		return
	}
	if n := len(s.iter); n > 0 && iter <= s.iter[n-1] {
		switch {
		case iter == s.iter[n-1]:
			s.iter, s.val, s.log = s.iter[:n-1], s.val[:n-1], s.log[:n-1]
			s.count--
		case plugin && !s.owned: // the file was faster: its samples give way
			at, _ := slices.BinarySearch(s.iter, iter)
			s.iter, s.val, s.log = s.iter[:at], s.val[:at], s.log[:at]
		default:
			*s = series{}
		}
	}
	s.gone = 0
	if plugin {
		s.owned, s.owner = true, iter
	}
	s.push(iter, x)
}

func (s *series) push(iter, x float64) {
	if len(s.iter) >= 2*MaxWindow {
		s.iter = slices.Delete(s.iter, 0, MaxWindow)
		s.val = slices.Delete(s.val, 0, MaxWindow)
		s.log = slices.Delete(s.log, 0, MaxWindow)
	}
	size := math.Abs(x)
	s.count++
	if s.count <= startCount {
		s.start = max(s.start, size)
	}
	if size > 0 && (s.least == 0 || size < s.least) {
		s.least = size
	}
	s.iter, s.val = append(s.iter, iter), append(s.val, x)
	s.log = append(s.log, math.Log10(max(size, math.SmallestNonzeroFloat64)))
}

// stage begins the history anew on another mesh. The reference of drop stays:
// solvers that start on coarse meshes relate their residual to the first guess.
func (s *series) stage() {
	s.iter, s.val, s.log, s.least = s.iter[:0], s.val[:0], s.log[:0], 0
}

// lose notes an iteration in which the value was not finite.
func (s *series) lose() {
	gone := s.gone + 1
	*s = series{owned: s.owned, owner: s.owner, gone: gone}
}

func (s *series) last() (float64, bool) {
	if s == nil || len(s.val) == 0 {
		return 0, false
	}
	return s.val[len(s.val)-1], true
}

// window returns the index of the first sample of the last n iterations; ok
// tells that so many have passed.
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
	if s == nil || len(s.val) == 0 || s.start == 0 {
		return math.NaN()
	}
	return math.Log10(s.start) - s.log[len(s.log)-1]
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
