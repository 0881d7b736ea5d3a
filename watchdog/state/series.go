package state

import "math"

// series is a value over a run, in bounded memory: the last samples in full, and blocks of samples over the whole run,
// whose size doubles as the run grows. Residuals are kept as log10.
type series struct {
	name  string
	kind  kind
	count int // samples so far
	from  int // iterations of the run before them, where they begin anew

	head    float64 // largest of the first samples, as kept
	peak    float64 // largest while it starts; an earlier lower value, before the flow begins, is no best
	last    float64
	least   float64 // of block means, as kept: the best that lasted
	most    float64 // of |x|, as given
	best    float64 // the lowest mean of a few samples, by steps of progressStep
	bestAt  int     // samples when it was reached
	before  float64 // the largest of the samples that are older than ranBefore, as kept
	highest float64 // mean of headLength samples in a row, the largest of the run
	still   int     // samples in a row that were equal
	step    float64 // change before them, as kept, without sign
	quantum float64 // least change from a sample to the next, as kept; of a rounded value its last digit
	bad     int     // samples in a row that were not finite
	recent  [recentLength]float32
	blocks  []block
	size    int // samples in a block
	open    block
	filled  int // samples in open
}

// block is some samples in a row.
type block struct{ mean, low, high float32 }

const (
	recentLength = 128 // samples; shows periods up to 40
	mostBlocks   = 128 // a power of 2: of 64 to 128 the last fifth has 13 at least, and shows periods from 4 of them
	startLength  = 50  // samples in which a residual may have its peak
	ranBefore    = 10  // samples: a quantity that runs away is compared with all earlier ones
	headLength   = 5   // a first residual alone may be small by chance, for example in a uniform initial flow
)

// progressStep is how many orders a residual must come down to have made progress.
const progressStep = 0.1

// kind is the kind of values in a series.
type kind int

const (
	ofValue kind = iota
	ofResidual
	ofBalance // of mass
	ofStep    // time step
	ofCourant // largest Courant number
)

// largest limits the size of values: they are kept in single precision, and squared.
const largest = 1e15

// floor replaces a residual of 0.
const floor = 1e-30

// add takes a sample.
func (s *series) add(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		s.bad++
		return
	}
	s.bad = 0
	if x == 0 && s.kind != ofValue { // no equation was solved, or an explicit solver prints zeros
		return
	}
	s.most = max(s.most, math.Abs(x))
	if s.kind != ofValue {
		x = math.Log10(max(math.Abs(x), floor))
	}
	x = min(max(x, -largest), largest)
	if s.count > 0 && x == s.last {
		s.still++
	} else {
		s.still, s.step = 0, math.Abs(x-s.last)
		s.quantum = min(s.quantum, s.step)
	}
	if s.count == 0 {
		s.quantum = math.Inf(1)
		s.head, s.least, s.size = x, math.Inf(1), 1
		s.before, s.highest = math.Inf(-1), math.Inf(-1)
	} else if s.count < headLength {
		s.head = max(s.head, x)
	}
	if s.count >= ranBefore {
		s.before = max(s.before, float64(s.recent[(s.count-ranBefore)%recentLength]))
	}
	s.recent[s.count%recentLength] = float32(x)
	s.last = x
	s.count++
	s.gather(float32(x))
	if s.kind != ofValue {
		s.progress(x)
	}
}

// progress notes the best that a residual has come to.
func (s *series) progress(x float64) {
	few := s.level(headLength)
	if s.count >= headLength {
		s.highest = max(s.highest, few)
	}
	switch {
	case s.count == 1 || s.count <= startLength && x > s.peak:
		s.peak, s.least = x, math.Inf(1)
		s.best, s.bestAt = few, s.count
	case few <= s.best-progressStep:
		s.best, s.bestAt = few, s.count
	}
}

// gather adds a sample to the open block.
func (s *series) gather(x float32) {
	if s.filled == 0 {
		s.open = block{x, x, x}
	} else {
		s.open.mean += (x - s.open.mean) / float32(s.filled+1)
		s.open.low, s.open.high = min(s.open.low, x), max(s.open.high, x)
	}
	if s.filled++; s.filled < s.size {
		return
	}
	s.blocks = append(s.blocks, s.open)
	s.filled = 0
	s.least = min(s.least, float64(s.open.mean))
	if len(s.blocks) < mostBlocks {
		return
	}
	for i := range mostBlocks / 2 {
		s.blocks[i] = joined(s.blocks[2*i], s.blocks[2*i+1])
	}
	s.blocks = s.blocks[:mostBlocks/2]
	s.size *= 2
}

// lowestLevel returns the least mean of n samples in a row, as kept. A residual that dips while the flow begins to move
// was not at its best there.
func (s *series) lowestLevel(n int) float64 {
	k := max(1, n/s.size)
	lowest, sum := math.Inf(1), 0.0
	for i, b := range s.blocks {
		sum += float64(b.mean)
		if i >= k {
			sum -= float64(s.blocks[i-k].mean)
		}
		if i >= k-1 {
			lowest = min(lowest, sum/float64(k))
		}
	}
	return max(s.least, lowest)
}

func joined(a, b block) block {
	return block{(a.mean + b.mean) / 2, min(a.low, b.low), max(a.high, b.high)}
}

// window is the last part of a series: points at even distance.
type window struct {
	y         []float64
	low, high float64 // of all samples in it
	step      float64 // samples between two points
}

// length is how many samples the window spans.
func (w window) length() float64 { return float64(len(w.y)) * w.step }

// window returns the last n samples as points, fewer if the series is shorter. Beyond recentLength samples the points
// are the means of blocks.
func (s *series) window(n int, into []float64) window {
	n = min(n, s.count)
	w := window{y: into[:0], low: math.Inf(1), high: math.Inf(-1), step: 1}
	if n <= recentLength {
		for i := s.count - n; i < s.count; i++ {
			y := float64(s.recent[i%recentLength])
			w.y = append(w.y, y)
			w.low, w.high = min(w.low, y), max(w.high, y)
		}
		return w
	}
	w.step = float64(s.size)
	k := min((n+s.size-1)/s.size, len(s.blocks))
	for _, b := range s.blocks[len(s.blocks)-k:] {
		w.y = append(w.y, float64(b.mean))
		w.low, w.high = min(w.low, float64(b.low)), max(w.high, float64(b.high))
	}
	return w
}

// level returns the mean of the last n samples, as kept; n is at most recentLength.
func (s *series) level(n int) float64 {
	n = min(n, s.count, recentLength)
	sum := 0.0
	for i := s.count - n; i < s.count; i++ {
		sum += float64(s.recent[i%recentLength])
	}
	return sum / float64(max(n, 1))
}

// lowest returns the smallest of the last headLength samples; -Inf while the series is shorter than twice that.
func (s *series) lowest() float64 {
	if s.count < 2*headLength {
		return math.Inf(-1)
	}
	least := math.Inf(1)
	for i := s.count - headLength; i < s.count; i++ {
		least = min(least, float64(s.recent[i%recentLength]))
	}
	return least
}
