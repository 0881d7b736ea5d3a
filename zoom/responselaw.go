package zoom

import (
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Values implements components.Law.
func (r *Response) Values(place, v []float64) perfmap.Edge {
	k := r.machine.kind().(lawful)
	var at [2]float64
	copy(at[:], place)
	p := k.at(r.machine, at)
	out := r.values(p)
	k.values(out[:], v)
	return r.Passed(p)
}

// Scaling implements components.Law.
func (r *Response) Scaling(place, v []float64) {
	still := *r
	still.offset = [modelOutputs]float64{}
	still.Values(place, v)
}
