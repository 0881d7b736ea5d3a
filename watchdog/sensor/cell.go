package sensor

// The numbers of a sampling sensor, which one thread writes and the monitor reads.

import (
	"math"
	"runtime"
	"sync/atomic"
)

// cells are the fields of a sampling sensor in one instance. Several fields are read together as they were written together:
// version is odd while they are being written, and the reader begins again if it has changed (a sequence lock, of atomics,
// so that the race detector can follow it). The writer never waits.
type cells struct {
	version atomic.Uint64
	bits    []atomic.Uint64
	add     bool // Counter
}

// unset is the value of a field that nobody has recorded: a NaN that no computation makes.
const unset = 0x7ff8_5045_5245_4752

func newCells(s *Spec) *cells {
	c := &cells{bits: make([]atomic.Uint64, len(s.Fields)), add: s.Kind == Counter}
	if !c.add {
		for i := range c.bits {
			c.bits[i].Store(unset)
		}
	}
	return c
}

func (c *cells) record(values []float64) {
	if len(c.bits) == 1 {
		c.set(0, values[0])
		return
	}
	c.version.Add(1)
	for i, x := range values {
		c.set(i, x)
	}
	c.version.Add(1)
}

func (c *cells) set(i int, x float64) {
	b := &c.bits[i]
	if c.add {
		x += math.Float64frombits(b.Load()) // this thread alone writes it
	}
	b.Store(math.Float64bits(x))
}

// tries is how often a reader begins again while a thread writes, before it comes back another time.
const tries = 100

// read appends the present values. It reports false if there are none yet, or if they could not be had.
func (c *cells) read(to []float64) ([]float64, bool) {
	n := len(to)
	for range tries {
		before := c.version.Load()
		to = to[:n]
		for i := range c.bits {
			to = append(to, math.Float64frombits(c.bits[i].Load()))
		}
		if before%2 == 0 && c.version.Load() == before {
			set := math.Float64bits(to[n]) != unset
			if !set {
				to = to[:n]
			}
			return to, set
		}
		runtime.Gosched()
	}
	return to[:n], false
}
