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
	by := map[string]*Change{}
	put := func(prefix string, parts []Part, of func(*Change) *float64) {
		for _, p := range parts {
			name := prefix + p.Name
			if p.Class != "" {
				name += ", " + string(p.Class)
			}
			c := by[name]
			if c == nil {
				c = &Change{Name: name}
				by[name] = c
			}
			*of(c) += p.Seconds
		}
	}
	ofA, ofB := func(c *Change) *float64 { return &c.A }, func(c *Change) *float64 { return &c.B }
	for _, x := range []struct {
		of     *Report
		change func(*Change) *float64
	}{{a, ofA}, {b, ofB}} {
		put("workers: ", x.of.Parts, x.change)
		put("workers: ", []Part{{Name: "idle", Seconds: x.of.Workers.Idle}}, x.change)
		put(Executive+": ", x.of.Executive, x.change)
	}
	list := make([]Change, 0, len(by)+1)
	for _, c := range by {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(x, y Change) int {
		return cmp.Or(cmp.Compare(math.Abs(y.B-y.A), math.Abs(x.B-x.A)), cmp.Compare(x.Name, y.Name))
	})
	return slices.Insert(list, 0, Change{"span", a.Span, b.Span})
}
