package plugin

// Most updates to watchers of many runs are numbers that change often, while the rest of the object is constant. So
// each object is sent whole once in a call. After that, if only its number changes, only the number is sent.

import (
	"math"
	"reflect"
	"slices"

	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// had records the objects that a call has sent, or received, by number. A nil had sends all objects whole.
type had struct{ all map[int64]steer.Listed }

func newHad() *had { return &had{map[int64]steer.Listed{}} }

// changed returns the objects of an update to be sent whole, and the others as object numbers and their new values.
func (h *had) changed(u steer.Update) (whole []steer.Listed, numbers []int64, to []float64) {
	if h == nil {
		return u.Objects, nil, nil
	}
	h.forget(u.Gone)
	for _, o := range u.Objects {
		before, known := h.all[o.Number]
		h.all[o.Number] = o
		if known && isNumber(o.Value) && o.Value.Type == before.Value.Type && reflect.DeepEqual(o.Object,
			before.Object) {
			numbers, to = append(numbers, o.Number), append(to, o.Value.Number)
			continue
		}
		whole = append(whole, o)
	}
	return whole, numbers, to
}

// isNumber reports whether a value is a number that doubles hold.
func isNumber(v steer.Value) bool {
	return v.Type == steer.Float || v.Type == steer.Int && math.Abs(v.Number) < 1<<53
}

// update appends the objects of a message to a list. It skips changes of unknown objects, which only a faulty call
// sends.
func (h *had) update(objects []steer.Listed, m *pb.ObjectsUpdate) []steer.Listed {
	objects = slices.Grow(objects, len(m.GetObjects())+len(m.GetChanged()))
	for _, o := range m.GetObjects() {
		listed := decodeObject(o)
		h.all[listed.Number] = listed
		objects = append(objects, listed)
	}
	for i, number := range m.GetChanged() {
		o, known := h.all[number]
		if !known || i >= len(m.GetTo()) {
			continue
		}
		o.Value.Number = m.GetTo()[i]
		h.all[number] = o
		objects = append(objects, o)
	}
	h.forget(m.GetGone())
	return objects
}

func (h *had) forget(gone []int64) {
	for _, number := range gone {
		delete(h.all, number)
	}
}
