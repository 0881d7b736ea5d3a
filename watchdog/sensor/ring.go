package sensor

// The way of records from the thread that makes them to the monitor.

import (
	"encoding/binary"
	"math"
	"sync/atomic"
)

// pad keeps the data of different threads on different cache lines: two of 64 bytes, which Intel's processors fetch in
// pairs.
type pad [128]byte

// ring carries words from one goroutine to another, without locks (L. Lamport, Specifying Concurrent Program Modules,
// ACM TOPLAS 5, 1983): each of two counters has a single writer. Words before tail were written before tail was stored;
// by the memory model of Go's atomics they are visible to a goroutine that loads it.
type ring struct {
	words []uint64 // a power of two of them
	mask  uint64
	_     pad
	tail  atomic.Uint64 // written so far, words
	next  uint64        // the same, for its writer alone
	known uint64        // head when the writer last looked: each look may cost a cache miss
	_     pad
	head  atomic.Uint64 // read so far, words
	_     pad
}

func newRing(words int) ring { return ring{words: make([]uint64, words), mask: uint64(words) - 1} }

// room reports whether so many words fit, and whether the ring is then more than half full. The writer calls it. It
// loads head only if the ring may be so full: once in half a ring while the reader keeps pace.
func (r *ring) room(words uint64) (ok, crowded bool) {
	all := uint64(len(r.words))
	if r.next+words-r.known <= all/2 {
		return true, false
	}
	r.known = r.head.Load()
	used := r.next - r.known + words
	return used <= all, used > all/2
}

// waiting is how much waits to be read, words. The reader calls it.
func (r *ring) waiting() uint64 { return r.tail.Load() - r.head.Load() }

// A record in the ring: these words, then its values.
const (
	wordWho  = iota // number of the instance in its thread, 32 bits, step, 8 bits, and number of values, 24 bits
	wordTime        // since the board's beginning, ns
	wordSequence
	headWords
)

// headTo writes the head of a record, and returns the place after it.
func (r *ring) headTo(who uint32, step Step, values int, at int64, sequence uint64) uint64 {
	words, mask, next := r.words, r.mask, r.next
	words[(next+wordWho)&mask] = uint64(who)<<32 | uint64(step)<<24 | uint64(values)
	words[(next+wordTime)&mask] = uint64(at)
	words[(next+wordSequence)&mask] = sequence
	return next + headWords
}

// put writes a record; the ring must have room for it.
func (r *ring) put(who uint32, step Step, at int64, sequence uint64, values []float64) {
	next := r.headTo(who, step, len(values), at, sequence)
	for i, x := range values {
		r.words[(next+uint64(i))&r.mask] = math.Float64bits(x)
	}
	r.next = next + uint64(len(values))
	r.tail.Store(r.next)
}

// putWords is put for a marker's number or text.
func (r *ring) putWords(who uint32, at int64, sequence uint64, values []uint64) {
	next := r.headTo(who, Whole, len(values), at, sequence)
	for i, x := range values {
		r.words[(next+uint64(i))&r.mask] = x
	}
	r.next = next + uint64(len(values))
	r.tail.Store(r.next)
}

// header is the head of a record in the ring, and its place.
type header struct {
	at       uint64 // words
	who      uint32
	step     Step
	values   int
	time     int64
	sequence uint64
}

// header reads the head of the record at a place before tail. The reader calls it.
func (r *ring) header(at uint64) header {
	who := r.words[(at+wordWho)&r.mask]
	return header{
		at: at, who: uint32(who >> 32), step: Step(who >> 24), values: int(who & (1<<24 - 1)),
		time:     int64(r.words[(at+wordTime)&r.mask]),
		sequence: r.words[(at+wordSequence)&r.mask],
	}
}

// values appends the record's values, and returns the place after it.
func (r *ring) values(h header, to []float64) ([]float64, uint64) {
	at := h.at + headWords
	for i := range uint64(h.values) {
		to = append(to, math.Float64frombits(r.words[(at+i)&r.mask]))
	}
	return to, at + uint64(h.values)
}

// marked sets a marker's integer or text from the record's words.
func (r *ring) marked(h header, form Form, to *Record) (end uint64) {
	at := h.at + headWords
	word := func(i int) uint64 { return r.words[(at+uint64(i))&r.mask] }
	if form != Text {
		to.Int = int64(word(0))
		return at + 1
	}
	text := make([]byte, 0, 8*h.values)
	for i := 1; i < h.values; i++ {
		text = binary.LittleEndian.AppendUint64(text, word(i))
	}
	to.Text = string(text[:word(0)])
	return at + uint64(h.values)
}
