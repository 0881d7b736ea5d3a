package format

import (
	"maps"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Writer writes the records of a trace, in the order of their times.
type Writer interface {
	Write(r *trace.Record) error
	Close() error // writes the end, and leaves the file open
}

// details returns the values of a record, with those of a message or of losses.
func details(r *trace.Record) (all map[string]any) {
	switch r.Kind {
	case trace.Send, trace.Receive:
		all = map[string]any{"from": r.From, "to": r.To, "type": r.Type, "bytes": r.Bytes}
	case trace.Lost:
		all = map[string]any{"records": r.Count, "why": r.Name}
	default:
		return r.Values
	}
	maps.Copy(all, r.Values)
	return all
}

// flows gives the send and the receive of a message the same number. Ends without a count pair in their order.
type flows map[flowEnd]uint64

// flowEnd identifies the sends, or the receives, that pair in their order.
type flowEnd struct {
	from, to string
	typ      int64
	kind     trace.Kind
}

// id returns the number of a message; 0: it pairs with no other.
func (f flows) id(r *trace.Record) uint64 {
	n := uint64(r.Count)
	switch {
	case r.Count < 0:
		return 0
	case r.Count == 0:
		k := flowEnd{r.From, r.To, r.Type, r.Kind}
		f[k]++
		n = f[k]
	}
	h := uint64(14695981039346656037) // FNV-1a: its offset basis and prime of 64 bits
	mix := func(b byte) { h = (h ^ uint64(b)) * 1099511628211 }
	for _, s := range []string{r.From, r.To} {
		for i := range len(s) {
			mix(s[i])
		}
		mix(0)
	}
	for _, x := range []uint64{uint64(r.Type), n} {
		for range 8 {
			mix(byte(x))
			x >>= 8
		}
	}
	return max(h, 1)
}
