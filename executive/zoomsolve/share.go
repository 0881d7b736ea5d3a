package zoomsolve

// How the error of a result is shared out. A case's error is what its zoomed components bring to it, each where it
// works and, where its response is scaled to the design, by that point: these are the parts. They are independent,
// and the whole is the root of the sum of their squares, each over the error that its zoom wants. A whole of 1 is
// what is wanted; so no component has to be known better because another one is.
//
// A run leaves little of the part that it is made for. The fewest runs are those for the largest parts, until what is
// left is no more than 1: these are due, each to what the others leave of the whole, which is no less than an equal
// share. All runs count as equally dear: what they take in time is known only when they are there, and must not
// change which are made.

import (
	"cmp"
	"math"
	"slices"
)

// due is what is to fall of a part, whatever the result.
type due struct {
	excess float64 // of the whole, without the parts that are to fall before this one; at most 1: nothing is to fall
	goal   int     // of the zoom, the one that is missed most
	wanted float64 // what may be left of the part, of that goal's result
	ratio  float64 // of the part to that
}

// share is a part of the error of one result in one case.
type share struct {
	of     *due
	goal   int
	error  float64
	wanted float64     // by the zoom, of the whole
	can    func() bool // a run would make it smaller
}

func (s *share) size() float64 { return s.error / s.wanted }

// wholeOf is the error of all parts, as it is and over what is wanted.
func wholeOf(parts []share) (is, over float64) {
	for _, s := range parts {
		is, over = math.Hypot(is, s.error), math.Hypot(over, s.size())
	}
	return is, over
}

// shareOut finds which parts of a result's error are due. Those that no run makes smaller stay, if the others can
// make up for them.
func shareOut(parts []share) {
	_, whole := wholeOf(parts)
	if whole <= 1 {
		return
	}
	slices.SortStableFunc(parts, func(a, b share) int { return cmp.Compare(b.size(), a.size()) })
	left, fixed := whole*whole, 0.0 // squares
	can := make([]bool, len(parts))
	for i, s := range parts {
		if can[i] = s.can(); !can[i] {
			fixed += s.size() * s.size()
		}
	}
	var chosen []share
	var before []float64 // the whole, before each of them falls
	for i, s := range parts {
		if left > 1 && (can[i] || fixed > 1) {
			chosen, before = append(chosen, s), append(before, math.Sqrt(left))
			left -= s.size() * s.size()
		}
	}
	may := math.Sqrt(max((1-left)/float64(len(chosen)), 1/float64(len(parts))))
	for i, s := range chosen {
		if d := s.of; s.size()/may > d.ratio {
			d.goal, d.wanted, d.ratio = s.goal, may*s.wanted, s.size()/may
		}
		s.of.excess = max(s.of.excess, before[i])
	}
}
