// Package stallsearch finds where speed lines end, each between a setting at which there is flow and one at which
// there is none.
//
// A setting x rises along a line towards its end: ln K towards stall, -ln K towards choke, K the throttle. A run at a
// setting finds flow or it finds none; both are answers. Where a line ends between lo and hi, the next run is at
// the setting for which the fewest runs are to be expected until hi - lo is within the tolerance,
//
//	runs(lo, hi) = 0                                                    hi - lo <= tolerance
//	             = 1 + min over x of p runs(lo, x) + (1 - p) runs(x, hi),  p = P(end < x | lo < end < hi)
//
// which is an optimal search tree (D. E. Knuth, Optimum binary search trees, Acta Informatica 1, 1971). Where the end
// is thought to be follows from the ends of the other lines, by a Gaussian process over corrected speed
// ([surrogate]); a twentieth of the probability is for an end somewhere else. Without other ends, it lies ahead of
// the operating point by as much as that of machines of its kind.
//
// A search is a state machine: it makes no runs, and what it wants next depends on the answers alone, not on their
// order. Lines far from each other are searched first, all at a time; those between them wait, as they then need
// fewer runs.
package stallsearch
