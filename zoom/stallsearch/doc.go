// Package stallsearch finds the ends of speed lines, each between a setting with flow and a setting without.
//
// A setting x rises along a line towards its end: ln K towards stall, -ln K towards choke, K the throttle. A run at a
// setting finds flow or finds none; both are answers. For an end between lo and hi, the next setting minimises the
// expected number of runs until hi - lo is within the tolerance,
//
//	runs(lo, hi) = 0                                                    hi - lo <= tolerance
//	             = 1 + min over x of p runs(lo, x) + (1 - p) runs(x, hi),  p = P(end < x | lo < end < hi)
//
// which is an optimal search tree (D. E. Knuth, Optimum binary search trees, Acta Informatica 1, 1971). The probability
// of an end follows from the ends of the other lines, by a Gaussian process over corrected speed ([surrogate]); a
// twentieth of it is for an end away from that prediction. Without other ends, the end is expected ahead of the
// operating point by the distance that is typical of machines of its kind.
//
// A search is a state machine: it makes no runs, and its next requests depend on the answers alone, not on their order.
// Lines far from each other are searched first, all at a time; the lines between them wait, as they then need fewer
// runs.
package stallsearch
