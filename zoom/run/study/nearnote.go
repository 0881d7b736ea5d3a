package study

// Notes of requests, by which near requests are found.

import (
	"math"
	"sync"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
)

// nearNote is a request's note in the cache's group: the values that may differ.
type nearNote struct {
	Numbers map[string]float64   `json:"numbers"`
	Arrays  map[string][]float64 `json:"arrays"`
	Study   string               `json:"study,omitempty"` // name of the study that made the entry
}

// knownNote is a note of an earlier study, on the entry of a key.
type knownNote struct {
	key  cache.Key
	note nearNote
}

// nearRead are the notes that a study has read, by group.
type nearRead struct {
	mu   sync.Mutex
	read map[cache.Key][]knownNote
}

// distance is the greatest relative difference of two requests' inputs: of numbers over the larger, of lists over the
// largest value in either.
func (a nearNote) distance(b nearNote) float64 {
	worst := 0.0
	for name, x := range a.Numbers {
		y, ok := b.Numbers[name]
		if !ok {
			return math.Inf(1)
		}
		if x != y {
			worst = max(worst, math.Abs(x-y)/max(math.Abs(x), math.Abs(y)))
		}
	}
	for name, v := range a.Arrays {
		w, ok := b.Arrays[name]
		if !ok || len(w) != len(v) {
			return math.Inf(1)
		}
		apart, scale := 0.0, 0.0
		for i := range v {
			apart, scale = max(apart, math.Abs(v[i]-w[i])), max(scale, math.Abs(v[i]), math.Abs(w[i]))
		}
		if apart > 0 {
			worst = max(worst, apart/scale)
		}
	}
	return worst
}
