package format

import "github.com/peregrine-sim/peregrine/watchdog/trace"

// Writer writes the records of a trace, in the order of their times.
type Writer interface {
	Write(r *trace.Record) error
	Close() error // writes the end, and leaves the file open
}

// messageValues are the details of a message.
func messageValues(r *trace.Record) map[string]any {
	return map[string]any{"from": r.From, "to": r.To, "type": r.Type, "bytes": r.Bytes}
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
