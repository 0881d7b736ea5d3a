package virtual

// event is a change of the machine's state.
type event struct {
	at    float64
	order uint64 // phase, processor and number
	of    int32  // processor, or message in phase arrive and claim
}

// Phases order the events of a moment: processors act first, then messages enter the network, lowest sender first, then
// the network's rates change.
const (
	act uint64 = iota
	arrive
	claim
	share
)

func (e *event) phase() uint64 { return e.order >> 60 }

func (e *event) before(f *event) bool { return e.at < f.at || e.at == f.at && e.order < f.order }

// heap is a heap of four branches.
type heap []event

func (h *heap) push(e event) {
	list := append(*h, e)
	i := len(list) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&list[parent]) {
			break
		}
		list[i] = list[parent]
		i = parent
	}
	list[i] = e
	*h = list
}

func (h *heap) pop() event {
	list := *h
	top, n := list[0], len(list)-1
	e := list[n]
	list = list[:n]
	*h = list
	if n == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for k := first + 1; k < min(first+4, n); k++ {
			if list[k].before(&list[least]) {
				least = k
			}
		}
		if !list[least].before(&e) {
			break
		}
		list[i] = list[least]
		i = least
	}
	list[i] = e
	return top
}
