package sensor

// The numbers of a sampling sensor: a thread writes them and the monitor reads them.

import "sync/atomic"

// cells are the fields of a sampling sensor in an instance. They have three copies: the thread writes to the first, the
// monitor reads the second, and either exchanges its copy for the third. So neither waits, fields that were recorded
// together are read together, and the thread pays for a single atomic exchange, for any number of fields.
type cells struct {
	mine   int       // copy of the thread
	sums   []float64 // Counter: of the thread
	_      pad
	next   atomic.Uint32 // copy between, and fresh if the monitor has not seen it
	_      pad
	seen   int // copy of who reads
	known  bool
	copies [3][]float64
}

// fresh marks the number of a copy that has been written.
const fresh = 4

func newCells(s *Spec) *cells {
	const line = len(pad{}) / 8
	c := &cells{mine: 0, seen: 2}
	c.next.Store(1)
	for k := range c.copies {
		c.copies[k] = make([]float64, len(s.Fields), (len(s.Fields)+line-1)/line*line)
	}
	if s.Kind == Counter {
		c.sums = make([]float64, len(s.Fields))
	}
	return c
}

// record takes the thread's numbers, one for each field.
func (c *cells) record(values []float64) {
	to := c.copies[c.mine]
	if c.sums == nil {
		copy(to, values)
	} else {
		for i, x := range values {
			c.sums[i] += x
			to[i] = c.sums[i]
		}
	}
	c.mine = int(c.next.Swap(uint32(c.mine)|fresh) &^ fresh)
}

// read appends the last record. It reports false before the first.
func (c *cells) read(to []float64) ([]float64, bool) {
	if c.next.Load()&fresh != 0 {
		c.seen = int(c.next.Swap(uint32(c.seen)) &^ fresh)
		c.known = true
	}
	if !c.known {
		return to, false
	}
	return append(to, c.copies[c.seen]...), true
}
