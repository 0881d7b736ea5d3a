package components

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Measured tables (an inlet's recovery, a propeller's thrust) come as CSV with a
// header. Curve and Surface read and interpolate them.

// Curve is a quantity over one argument, linear between its points and constant beyond them.
type Curve struct{ x, y []float64 }

// At returns the value at x and whether x is within the table.
func (c *Curve) At(x float64) (y float64, inside bool) {
	i, t, inside := place(c.x, x)
	return c.y[i] + t*(c.y[i+1]-c.y[i]), inside
}

// Surface is a quantity over a grid of two arguments, bilinear, and constant beyond its edges.
type Surface struct {
	x, y []float64
	z    []float64 // [x][y]
}

// At returns the value at (x, y) and whether that is within the table.
func (s *Surface) At(x, y float64) (z float64, inside bool) {
	i, t, inX := place(s.x, x)
	j, u, inY := place(s.y, y)
	n := len(s.y)
	row := func(i int) float64 { return s.z[i*n+j] + u*(s.z[i*n+j+1]-s.z[i*n+j]) }
	a, b := row(i), row(i+1)
	return a + t*(b-a), inX && inY
}

// place returns the interval of a rising axis that contains v, the position in it, and whether v is on the axis. For v
// outside it returns the nearest end.
func place(axis []float64, v float64) (i int, t float64, inside bool) {
	last := len(axis) - 1
	inside = v >= axis[0] && v <= axis[last]
	v = min(max(v, axis[0]), axis[last])
	i, _ = slices.BinarySearch(axis, v)
	i = min(max(i-1, 0), last-1)
	return i, (v - axis[i]) / (axis[i+1] - axis[i]), inside
}

// readCurve returns the reader of a Curve with the columns named.
func readCurve(x, y string) func(io.Reader) (any, error) {
	return func(r io.Reader) (any, error) {
		rows, err := readColumns(r, x, y)
		if err != nil {
			return nil, err
		}
		c, err := newCurve(x, rows, 1)
		return &c, err
	}
}

// newCurve makes a curve of the first column of rows and another; the first is named.
func newCurve(x string, rows [][]float64, column int) (Curve, error) {
	var c Curve
	for i, row := range rows {
		if i > 0 && row[0] <= rows[i-1][0] {
			return c, fmt.Errorf("row %d: %s is %g after %g; it must rise", i+1, x, row[0], rows[i-1][0])
		}
		c.x, c.y = append(c.x, row[0]), append(c.y, row[column])
	}
	if len(c.x) < 2 {
		return c, fmt.Errorf("%d rows; a curve needs two or more", len(c.x))
	}
	return c, nil
}

// readSurface returns the reader of a Surface with the columns named. Rows may
// come in any order but must fill a grid.
func readSurface(x, y, z string) func(io.Reader) (any, error) {
	return func(r io.Reader) (any, error) {
		rows, err := readColumns(r, x, y, z)
		if err != nil {
			return nil, err
		}
		s := &Surface{}
		for _, row := range rows {
			s.x, s.y = append(s.x, row[0]), append(s.y, row[1])
		}
		s.x, s.y = rising(s.x), rising(s.y)
		if len(s.x) < 2 || len(s.y) < 2 {
			return nil, fmt.Errorf("%d values of %s and %d of %s; a grid needs two or more of each", len(s.x), x,
				len(s.y), y)
		}
		s.z = slices.Repeat([]float64{math.NaN()}, len(s.x)*len(s.y))
		for i, row := range rows {
			a, _ := slices.BinarySearch(s.x, row[0])
			b, _ := slices.BinarySearch(s.y, row[1])
			at := &s.z[a*len(s.y)+b]
			if !math.IsNaN(*at) {
				return nil, fmt.Errorf("row %d: %s %g with %s %g is there twice", i+1, x, row[0], y, row[1])
			}
			*at = row[2]
		}
		for i, v := range s.z {
			if math.IsNaN(v) {
				return nil, fmt.Errorf("%s %g with %s %g is missing; the rows must fill the grid", x, s.x[i/len(s.y)],
					y, s.y[i%len(s.y)])
			}
		}
		return s, nil
	}
}

func rising(v []float64) []float64 {
	slices.Sort(v)
	return slices.Compact(v)
}

// readColumns reads finite numbers from the columns named in the header of a CSV;
// lines that start with # are comments.
func readColumns(r io.Reader, names ...string) ([][]float64, error) {
	in := csv.NewReader(r)
	in.Comment, in.TrimLeadingSpace = '#', true
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("empty; want the columns %s", strings.Join(names, ", "))
	}
	if err != nil {
		return nil, err
	}
	at := make([]int, len(names))
	for i, n := range names {
		if at[i] = slices.IndexFunc(header, func(h string) bool { return strings.TrimSpace(h) == n }); at[i] < 0 {
			return nil, fmt.Errorf("no column %s; there are %s", n, strings.Join(header, ", "))
		}
	}
	var rows [][]float64
	for {
		rec, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		row := make([]float64, len(names))
		for i, k := range at {
			v, err := strconv.ParseFloat(strings.TrimSpace(rec[k]), 64)
			if err != nil || !numeric.Finite(v) {
				return nil, fmt.Errorf("row %d: %s is %q, want a finite number", len(rows)+1, names[i], rec[k])
			}
			row[i] = v
		}
		rows = append(rows, row)
	}
}
