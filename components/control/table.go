package control

import (
	"fmt"
	"math"
	"sort"

	"github.com/peregrine-sim/peregrine/config"
)

// Table is a schedule over one or two signals: linear between its points (bilinear), constant beyond its ends.
type Table struct {
	stateless
	X      []float64   // of the first input, rising
	At     []float64   // of the second input, rising; empty: one input
	Values [][]float64 // by X, then by At; one value each without a second input
}

// Check reports invalid points.
func (b *Table) Check() error {
	if len(b.X) == 0 || len(b.Values) != len(b.X) {
		return fmt.Errorf("a table of %d points has %d rows of values", len(b.X), len(b.Values))
	}
	for _, axis := range [][]float64{b.X, b.At} {
		for i := 1; i < len(axis); i++ {
			if !(axis[i] > axis[i-1]) {
				return fmt.Errorf("%.6g follows %.6g; they must rise", axis[i], axis[i-1])
			}
		}
	}
	for i, row := range b.Values {
		if len(row) != max(1, len(b.At)) {
			return fmt.Errorf("the row at %.6g has %d values, want %d", b.X[i], len(row), max(1, len(b.At)))
		}
	}
	return nil
}

// Declare implements Block.
func (b *Table) Declare(d *Declaration) {
	d.Describe("table", "A schedule over one signal or two: linear between points, held beyond.")
	d.Type.Inputs = []config.ControlInput{of, {Name: "by", Doc: "second signal"}}
	d.Type.Table, d.Type.Unit = true, true
}

// complete implements completer.
func (b *Table) complete(c *config.Control) error {
	b.X, b.At, b.Values = c.Points.X, c.Points.At, c.Points.Values
	return nil
}

// Invert implements Inverter: a schedule has one value at many inputs.
func (b *Table) Invert(int, []float64, []float64, float64, bool) float64 { return math.NaN() }

// Output implements Block.
func (b *Table) Output(_, u []float64) float64 {
	i, p := place(b.X, u[0])
	j, q := 0, 0.0
	if len(b.At) > 0 {
		j, q = place(b.At, u[1])
	}
	row := func(i int) float64 {
		if q == 0 {
			return b.Values[i][j]
		}
		return b.Values[i][j] + q*(b.Values[i][j+1]-b.Values[i][j])
	}
	if p == 0 {
		return row(i)
	}
	return row(i) + p*(row(i+1)-row(i))
}

// place returns the interval of an axis that contains x, and the position in it, 0 to 1 exclusive.
func place(axis []float64, x float64) (i int, share float64) {
	i = sort.Search(len(axis), func(k int) bool { return axis[k] > x }) - 1
	switch {
	case i < 0:
		return 0, 0
	case i >= len(axis)-1:
		return len(axis) - 1, 0
	}
	return i, (x - axis[i]) / (axis[i+1] - axis[i])
}
