// Package turns measures, for benchmarks, the cost of a feature that is switched on and off in turns of one run. A slow
// drift of the machine affects both alike.
package turns

import (
	"math"
	"slices"
)

// Cost returns the relative cost of every second turn, of an odd number of turn times: the median of the ratios of a
// turn to the mean of its two neighbours, less one, and the upper end of the 95 % interval, by order statistics
// (Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2).
func Cost(times []float64) (median, upper float64) {
	var ratios []float64
	for i := 1; i < len(times)-1; i += 2 {
		ratios = append(ratios, 2*times[i]/(times[i-1]+times[i+1])-1)
	}
	slices.Sort(ratios)
	n := float64(len(ratios))
	last := min(int(math.Ceil(n/2+1.96*math.Sqrt(n)/2)), len(ratios)-1)
	return ratios[len(ratios)/2], ratios[last]
}
