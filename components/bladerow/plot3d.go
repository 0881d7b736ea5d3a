package bladerow

import (
	"encoding/binary"
	"io"
	"math"
)

// WriteGrid writes the nodes of the mesh that the flow is on as a PLOT3D grid: single
// block, three-dimensional, binary stream of little-endian 32-bit integers and 64-bit
// reals, no iblank (Walatka, Buning, Pierce and Elson, NASA TM-101067, 1990). z is
// the axis; metres.
func (s *Solver) WriteGrid(w io.Writer) error {
	g := s.levels[s.at].grid
	if err := writeSize(w, g.Grid); err != nil {
		return err
	}
	for _, a := range [][]float64{g.X, g.Y, g.Z} {
		if err := binary.Write(w, binary.LittleEndian, a); err != nil {
			return err
		}
	}
	return nil
}

func writeSize(w io.Writer, g *Grid) error {
	return binary.Write(w, binary.LittleEndian, [3]int32{int32(g.NI + 1), int32(g.NJ + 1), int32(g.NK + 1)})
}

// WriteFlow writes the PLOT3D q file for WriteGrid's grid, binary likewise: density,
// momentum along x, y and z and total energy at the nodes, of the absolute velocity,
// over the density rho0, sound speed a0 and rho0 a0^2 of the inlet's mean total state.
// Ahead of them stand the Mach number of the inlet's mean flow, and zeros for angle,
// Reynolds number and time.
func (s *Solver) WriteFlow(w io.Writer) error {
	l := s.levels[s.at]
	if err := writeSize(w, l.grid.Grid); err != nil {
		return err
	}
	in := l.station(0, s.c.Gas)
	mach := 0.0
	for k, v := range in.Vz {
		mach += v / math.Sqrt(s.c.Gas.Gamma*s.c.Gas.R*in.Ts[k]) / float64(len(in.Vz))
	}
	if err := binary.Write(w, binary.LittleEndian, [4]float64{mach, 0, 0, 0}); err != nil {
		return err
	}
	u := l.conserved()
	a0 := math.Sqrt(l.gamma) // of the reference state, whose density is 1
	for v, scale := range [5]float64{1, 1 / a0, 1 / a0, 1 / a0, 1 / (a0 * a0)} {
		if err := binary.Write(w, binary.LittleEndian, l.atNodes(u[v], scale)); err != nil {
			return err
		}
	}
	return nil
}

// atNodes returns the mean of the cells inside the block around each node, times
// scale.
func (l *level) atNodes(cell []float64, scale float64) []float64 {
	g := l.grid
	out := make([]float64, len(g.X))
	for k := range g.NK + 1 {
		for j := range g.NJ + 1 {
			for i := range g.NI + 1 {
				sum, n := 0.0, 0.0
				for c := range 8 {
					if a := l.at(i-c&1, j-c>>1&1, k-c>>2); l.inside(a) {
						sum, n = sum+cell[a], n+1
					}
				}
				out[g.Node(i, j, k)] = sum / n * scale
			}
		}
	}
	return out
}
