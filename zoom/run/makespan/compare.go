package makespan

import (
	"cmp"
	"math"
	"slices"
)

// Change is a time of two studies, s.
type Change struct {
	Name string  `json:"name"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
}

// Compare lists the times in which two studies differ, the largest difference first: their spans, then the times of
// workers and of the executive.
func Compare(a, b *Report) []Change {
	sums := map[string][2]float64{}
	for i, of := range []*Report{a, b} {
		put := func(prefix string, parts ...Part) {
			for _, p := range parts {
				x := sums[prefix+p.Title()]
				x[i] += p.Seconds
				sums[prefix+p.Title()] = x
			}
		}
		put("workers: ", of.Parts...)
		put("workers: ", Part{Name: "idle", Seconds: of.Workers.Idle})
		put(Executive+": ", of.Executive...)
	}
	list := make([]Change, 0, len(sums)+1)
	for name, x := range sums {
		list = append(list, Change{name, x[0], x[1]})
	}
	slices.SortFunc(list, func(x, y Change) int {
		return cmp.Or(cmp.Compare(math.Abs(y.B-y.A), math.Abs(x.B-x.A)), cmp.Compare(x.Name, y.Name))
	})
	return slices.Insert(list, 0, Change{"span", a.Span, b.Span})
}
