package config

import (
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Sweep is one entry of `sweeps`: a case solved at every point of a grid.
type Sweep struct {
	Name    string
	From    string     // case whose settings and balances this one starts from; empty: the design
	Over    []Axis     // the grid; the last path changes fastest from row to row
	Solve   []Balance  // empty: those of From
	Collect []Quantity // what is kept of each point
	Plots   []Plot
	Pos     document.Pos
}

// Axis is one direction of a sweep's grid.
type Axis struct {
	Quantity
	Kind   AxisKind
	Values []float64 // SI, rpm for speeds; in the order of the file
	Pos    document.Pos
}

// AxisKind is what an axis changes.
type AxisKind int

const (
	OverParameter AxisKind = iota // a parameter; one that only the design uses makes the sweep a trade study
	OverTarget                    // the target of a balance of the sweep
	OverDesign                    // the target of a balance of the design: a trade study
)

// Quantity is a path to a value, with its dimension.
type Quantity struct {
	Path string
	Dim  unit.Dimension
}

// Plot is one entry of a sweep's `plot`. Without X it is a carpet over the two
// axes of the sweep.
type Plot struct {
	X, Y string // columns: an axis or a collected quantity
	// an axis with a curve for each of its values; empty: the last that is not X or Y, or the last two if neither is
	// an axis
	Lines string
	Pos   document.Pos
}

// Columns lists the axes and the collected quantities, the columns of a sweep's table.
func (s *Sweep) Columns() []Quantity {
	list := make([]Quantity, 0, len(s.Over)+len(s.Collect))
	for _, a := range s.Over {
		list = append(list, a.Quantity)
	}
	return append(list, s.Collect...)
}

// Axis returns the index of the axis with that path, or -1.
func (s *Sweep) Axis(path string) int {
	return slices.IndexFunc(s.Over, func(a Axis) bool { return a.Path == path })
}
