package field

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// PLOT3D files: three-dimensional, binary streams of little-endian 32-bit integers and 64-bit reals, no iblank
// (Walatka, Buning, Pierce and Elson, NASA TM-101067, 1990); one block, or for several rows the multi-block form with a
// block a row. z is the axis of rotation; lengths are metres.

// sizes returns the head of a file: the number of blocks, if there are several, and the numbers of nodes of each; in a
// function file also the number of functions.
func sizes(fields []*Field, functions ...int32) []int32 {
	var out []int32
	if len(fields) > 1 {
		out = append(out, int32(len(fields)))
	}
	for _, f := range fields {
		out = append(append(out, int32(f.NI+1), int32(f.NJ+1), int32(f.NK+1)), functions...)
	}
	return out
}

// pour writes parts in PLOT3D's binary form.
func pour(w io.Writer, parts ...any) error {
	for _, p := range parts {
		if err := binary.Write(w, binary.LittleEndian, p); err != nil {
			return err
		}
	}
	return nil
}

// WriteGrid writes the nodes of all rows.
func WriteGrid(w io.Writer, fields []*Field) error {
	if err := pour(w, sizes(fields)); err != nil {
		return err
	}
	for _, f := range fields {
		if err := pour(w, f.X, f.Y, f.Z); err != nil {
			return err
		}
	}
	return nil
}

// WriteFlow writes the q file: density, momentum along x, y and z and total energy at
// the nodes, of the absolute velocity, over the density rho0, sound speed a0 and rho0
// a0^2 of the inlet's mean total state. Ahead of each block's stand the mean Mach number
// of its first nodes, and zeros for angle, Reynolds number and time.
func WriteFlow(w io.Writer, fields []*Field) error {
	if err := pour(w, sizes(fields)); err != nil {
		return err
	}
	for _, f := range fields {
		if err := f.writeFlow(w); err != nil {
			return err
		}
	}
	return nil
}

func (f *Field) writeFlow(w io.Writer) error {
	n := len(f.X)
	rho0, a0 := f.reference()
	var q [5][]float64
	for v := range q {
		q[v] = make([]float64, n)
	}
	for c := range n {
		m := f.Rho[c] / rho0 / a0
		q[0][c], q[1][c], q[2][c], q[3][c] = f.Rho[c]/rho0, m*f.Vx[c], m*f.Vy[c], m*f.Vz[c]
		v2 := f.Vx[c]*f.Vx[c] + f.Vy[c]*f.Vy[c] + f.Vz[c]*f.Vz[c]
		q[4][c] = (f.Ps[c]/(f.Gamma-1) + f.Rho[c]*v2/2) / (rho0 * a0 * a0)
	}
	mach, count := 0.0, 0.0
	for c := 0; c < n; c += f.NI + 1 {
		s := f.At(c)
		mach, count = mach+s.MN, count+1
	}
	return pour(w, [4]float64{mach / count, 0, 0, 0}, q[0], q[1], q[2], q[3], q[4])
}

// reference returns density and sound speed of the inlet's mean total state.
func (f *Field) reference() (rho0, a0 float64) {
	return f.Pt / (f.R * f.Tt), math.Sqrt(f.Gamma * f.R * f.Tt)
}

// WriteFunctions writes a function file of the quantities.
func WriteFunctions(w io.Writer, fields []*Field, list []Quantity) error {
	if err := pour(w, sizes(fields, int32(len(list)))); err != nil {
		return err
	}
	for _, f := range fields {
		for _, q := range list {
			if err := pour(w, f.Values(q)); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteFunctionNames writes the names of the quantities, one a line, for programs that read function files.
func WriteFunctionNames(w io.Writer, list []Quantity) error {
	for _, q := range list {
		name := q.Name
		if q.Unit != "" {
			name += " [" + q.Unit + "]"
		}
		if _, err := fmt.Fprintln(w, name); err != nil {
			return err
		}
	}
	return nil
}

// mostNodes is the largest number of nodes that a file's header may declare.
const mostNodes = 1 << 28

// blocks reads a file's head, and returns a grid without nodes for each block, the
// number of its nodes, and the rest of the file.
func blocks(data []byte, n int) (grids []*mesh.Grid, nodes []int, rest []byte, err error) {
	head := make([]int32, 3*n)
	if n > 1 {
		head = append(head, 0)
	}
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, head); err != nil {
		return nil, nil, nil, fmt.Errorf("no PLOT3D file of %d blocks: %w", n, err)
	}
	rest = data[4*len(head):]
	if n > 1 {
		if int(head[0]) != n {
			return nil, nil, nil, fmt.Errorf("%d blocks; want %d", head[0], n)
		}
		head = head[1:]
	}
	for ; len(head) > 0; head = head[3:] {
		count := 1.0
		for _, v := range head[:3] {
			count *= float64(v)
			if v < 2 || count > mostNodes {
				return nil, nil, nil, fmt.Errorf("%d x %d x %d nodes; want at least 2 each way", head[0], head[1],
					head[2])
			}
		}
		grids = append(grids, &mesh.Grid{NI: int(head[0]) - 1, NJ: int(head[1]) - 1, NK: int(head[2]) - 1})
		nodes = append(nodes, int(count))
	}
	return grids, nodes, rest, nil
}

// arrays reads a number of arrays of n values, and returns the rest of data.
func arrays(data []byte, count, n int) ([][]float64, []byte, error) {
	if want := 8 * count * n; len(data) < want {
		return nil, nil, fmt.Errorf("%d bytes for %d values at %d nodes; want %d", len(data), count, n, want)
	}
	out := make([][]float64, count)
	r := bytes.NewReader(data)
	for v := range out {
		out[v] = make([]float64, n)
		if err := binary.Read(r, binary.LittleEndian, out[v]); err != nil {
			return nil, nil, err
		}
	}
	return out, data[8*count*n:], nil
}

func ReadGrids(data []byte, fields []*Field) error {
	grids, nodes, data, err := blocks(data, len(fields))
	if err != nil {
		return err
	}
	for n, f := range fields {
		var x [][]float64
		if x, data, err = arrays(data, 3, nodes[n]); err != nil {
			return fmt.Errorf("block %d: %w", n+1, err)
		}
		f.Grid = grids[n]
		f.X, f.Y, f.Z = x[0], x[1], x[2]
	}
	return ended(data)
}

func ReadFlows(data []byte, fields []*Field) error {
	grids, nodes, data, err := blocks(data, len(fields))
	if err != nil {
		return err
	}
	for n, f := range fields {
		if g := grids[n]; g.NI != f.NI || g.NJ != f.NJ || g.NK != f.NK {
			return fmt.Errorf("block %d: %d x %d x %d nodes; the grid has %d x %d x %d", n+1, g.NI+1, g.NJ+1, g.NK+1,
				f.NI+1, f.NJ+1, f.NK+1)
		}
		var q [][]float64
		if _, data, err = arrays(data, 4, 1); err == nil {
			q, data, err = arrays(data, 5, nodes[n])
		}
		if err == nil {
			err = f.setFlow(q)
		}
		if err != nil {
			return fmt.Errorf("block %d: %w", n+1, err)
		}
	}
	return ended(data)
}

func ended(data []byte) error {
	if len(data) > 0 {
		return fmt.Errorf("%d bytes beyond its end", len(data))
	}
	return nil
}

// setFlow sets the flow from a q file's arrays.
func (f *Field) setFlow(q [][]float64) error {
	rho0, a0 := f.reference()
	f.Rho, f.Vx, f.Vy, f.Vz, f.Ps = q[0], q[1], q[2], q[3], q[4]
	for c, rho := range q[0] {
		k := a0 / rho
		vx, vy, vz := k*q[1][c], k*q[2][c], k*q[3][c]
		f.Rho[c], f.Vx[c], f.Vy[c], f.Vz[c] = rho*rho0, vx, vy, vz
		f.Ps[c] = (f.Gamma - 1) * (q[4][c]*rho0*a0*a0 - f.Rho[c]*(vx*vx+vy*vy+vz*vz)/2)
		if !(f.Rho[c] > 0) || !(f.Ps[c] > 0) {
			return fmt.Errorf("node %d: density %g kg/m3, pressure %g Pa; want more than 0", c+1, f.Rho[c], f.Ps[c])
		}
	}
	return nil
}
