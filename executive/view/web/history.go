package web

// The curves of runs, thinned while they grow.

import (
	"maps"
	"math"
	"slices"
	"sync"
)

// drawn are the values whose curves are kept, as the page draws them.
var drawn = map[string]bool{"residual": true, "W_in": true, "W_out": true, "PR": true, "eff": true}

// mostEnded is how many points a curve of a run that has ended keeps: runs may be thousands.
const mostEnded = 1024

// most is how many points a curve keeps at the most. A full curve is thinned to half of them, so that peaks are never
// lost.
const most = 4096

// histories holds the curves of the runs, by run and value. Several goroutines may use it.
type histories struct {
	mu   sync.Mutex
	runs map[string]*history
}

// history holds the curves of a run over its iterations.
type history struct {
	next   float64 // iteration of a report that does not name its own
	curves map[string]*Curve
}

// Curve is a value of a run over its iterations.
type Curve struct {
	X       []float64 `json:"x"` // iteration
	Y       []float64 `json:"y"`
	Thinned bool      `json:"thinned,omitempty"` // only least and greatest values of neighbours are kept
	Odd     *float64  `json:"odd,omitempty"`     // iteration at which it was first not finite
}

func (h *histories) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs = map[string]*history{}
}

// begin begins the curves of a run, or of its next attempt.
func (h *histories) begin(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.runs, run)
}

// add adds the values of an iteration.
func (h *histories) add(run string, values map[string]float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.runs[run]
	if r == nil {
		r = &history{curves: map[string]*Curve{}}
		h.runs[run] = r
	}
	x, ok := values["iteration"]
	if !ok {
		x = r.next
	}
	r.next = x + 1
	for name, y := range values {
		if !drawn[name] {
			continue
		}
		c := r.curves[name]
		if c == nil {
			c = &Curve{}
			r.curves[name] = c
		}
		c.add(x, y)
	}
}

// end thins the curves of a run that has ended.
func (h *histories) end(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.runs[run]; r != nil {
		for _, c := range r.curves {
			c.Thin(mostEnded)
			c.X, c.Y = slices.Clip(slices.Clone(c.X)), slices.Clip(slices.Clone(c.Y))
		}
	}
}

// add adds a point. Points of a run that was set back to an earlier iteration are replaced.
func (c *Curve) add(x, y float64) {
	for n := len(c.X); n > 0 && c.X[n-1] >= x; n-- {
		c.X, c.Y = c.X[:n-1], c.Y[:n-1]
	}
	c.X, c.Y = append(c.X, x), append(c.Y, y)
	if len(c.X) >= most {
		c.Thin(most / 2)
	}
}

// Thin reduces a curve to so many points: its ends, and between them the least and the greatest of each of equal
// stretches.
func (c *Curve) Thin(most int) {
	last := len(c.X) - 1
	if last < most {
		return
	}
	c.Thinned = true
	x, y := append([]float64(nil), c.X[0]), append([]float64(nil), c.Y[0])
	wide := (c.X[last] - c.X[0]) / float64(most/2-1)
	for i := 1; i < last; {
		end := c.X[0] + wide*(math.Floor((c.X[i]-c.X[0])/wide)+1)
		least, greatest := i, i
		for i++; i < last && c.X[i] < end; i++ {
			if c.Y[i] < c.Y[least] {
				least = i
			}
			if c.Y[i] > c.Y[greatest] {
				greatest = i
			}
		}
		x, y = append(x, c.X[min(least, greatest)]), append(y, c.Y[min(least, greatest)])
		if least != greatest {
			x, y = append(x, c.X[max(least, greatest)]), append(y, c.Y[max(least, greatest)])
		}
	}
	c.X, c.Y = append(x, c.X[last]), append(y, c.Y[last])
}

// of returns copies of curves of a run: of these names, or all without names. It is empty if the run has none.
func (h *histories) of(run string, names []string) map[string]Curve {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string]Curve{}
	r := h.runs[run]
	if r == nil {
		return out
	}
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(r.curves))
	}
	for _, name := range names {
		if c := r.curves[name]; c != nil {
			out[name] = Curve{X: slices.Clone(c.X), Y: slices.Clone(c.Y), Thinned: c.Thinned}
		}
	}
	return out
}
