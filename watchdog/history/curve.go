package history

import (
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Curve is a value over the iterations, or the time, of a run. If the samples are too many to keep, the highest and the
// lowest of neighbours replace them all, so that no peak is lost.
type Curve struct {
	Name   string
	Points []XY
	Odd    *float64 // where it was first not finite; nil: nowhere
	Count  int      // samples
}

// XY is a sample.
type XY struct{ X, Y float64 }

// Last is the curve's last value, NaN if it has none.
func (c *Curve) Last() float64 {
	if len(c.Points) == 0 {
		return math.NaN()
	}
	return c.Points[len(c.Points)-1].Y
}

// curve keeps a curve as blocks of samples, whose size doubles as the run grows.
type curve struct {
	blocks []block
	size   int // samples in a whole block
	count  int
	odd    *float64
}

// block is some samples in a row.
type block struct {
	first, last, low, high XY
	count                  int
}

const mostBlocks = 256

// add takes a sample. When a run repeats iterations, the new samples replace the old.
func (c *curve) add(x, y float64) {
	if !numeric.Finite(x) || !numeric.Finite(y) {
		if c.odd == nil && !math.IsNaN(x) {
			c.odd = &x
		}
		return
	}
	if n := len(c.blocks); n > 0 && x < c.blocks[n-1].last.X {
		c.goBack(x)
	}
	c.count++
	q := XY{x, y}
	if n := len(c.blocks); n > 0 && c.blocks[n-1].count < c.size {
		c.blocks[n-1].join(block{q, q, q, q, 1})
		return
	}
	if len(c.blocks) == mostBlocks {
		for i := range mostBlocks / 2 {
			b := c.blocks[2*i]
			b.join(c.blocks[2*i+1])
			c.blocks[i] = b
		}
		c.blocks = c.blocks[:mostBlocks/2]
		c.size *= 2
	}
	c.blocks = append(c.blocks, block{q, q, q, q, 1})
}

// goBack drops the samples from x on. A block with x in it keeps its first sample.
func (c *curve) goBack(x float64) {
	for n := len(c.blocks); n > 0 && x <= c.blocks[n-1].last.X; n-- {
		if b := &c.blocks[n-1]; b.first.X < x {
			*b = block{b.first, b.first, b.first, b.first, c.size}
			return
		}
		c.blocks = c.blocks[:n-1]
	}
}

// join puts the samples that follow into the block.
func (b *block) join(o block) {
	b.last = o.last
	b.count += o.count
	if o.low.Y < b.low.Y {
		b.low = o.low
	}
	if o.high.Y > b.high.Y {
		b.high = o.high
	}
}

// points are the extremes of the blocks, in order, and both ends.
func (c *curve) points() []XY {
	var list []XY
	add := func(p XY) {
		if n := len(list); n == 0 || list[n-1] != p {
			list = append(list, p)
		}
	}
	for i, b := range c.blocks {
		if i == 0 {
			add(b.first)
		}
		if b.low.X <= b.high.X {
			add(b.low)
			add(b.high)
		} else {
			add(b.high)
			add(b.low)
		}
		if i == len(c.blocks)-1 {
			add(b.last)
		}
	}
	return list
}
