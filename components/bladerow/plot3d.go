package bladerow

// PLOT3D files: single block, three-dimensional, binary streams of little-endian
// 32-bit integers and 64-bit reals, no iblank (Walatka, Buning, Pierce and Elson, NASA
// TM-101067, 1990). z is the axis of rotation; lengths are metres.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

func size(g *Grid) [3]int32 { return [3]int32{int32(g.NI + 1), int32(g.NJ + 1), int32(g.NK + 1)} }

// pour writes parts in PLOT3D's binary form.
func pour(w io.Writer, parts ...any) error {
	for _, p := range parts {
		if err := binary.Write(w, binary.LittleEndian, p); err != nil {
			return err
		}
	}
	return nil
}

// WriteGrid writes the nodes.
func (f *Field) WriteGrid(w io.Writer) error { return pour(w, size(f.Grid), f.X, f.Y, f.Z) }

// WriteFlow writes the q file: density, momentum along x, y and z and total energy at
// the nodes, of the absolute velocity, over the density rho0, sound speed a0 and rho0
// a0^2 of the inlet's mean total state. Ahead of them stand the mean Mach number of the
// inlet's nodes, and zeros for angle, Reynolds number and time.
func (f *Field) WriteFlow(w io.Writer) error {
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
	return pour(w, size(f.Grid), [4]float64{mach / count, 0, 0, 0}, q[0], q[1], q[2], q[3], q[4])
}

// reference returns density and sound speed of the inlet's mean total state.
func (f *Field) reference() (rho0, a0 float64) {
	return f.Pt / (f.R * f.Tt), math.Sqrt(f.Gamma * f.R * f.Tt)
}

// WriteFunctions writes a function file of the quantities.
func (f *Field) WriteFunctions(w io.Writer, list []Quantity) error {
	s := size(f.Grid)
	if err := pour(w, [4]int32{s[0], s[1], s[2], int32(len(list))}); err != nil {
		return err
	}
	for _, q := range list {
		if err := pour(w, f.Values(q)); err != nil {
			return err
		}
	}
	return nil
}

// WriteFunctionNames writes their names, one a line, as programs that read function
// files take them beside.
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

// WriteGrid writes the grid of the mesh that the flow is on; see Field.WriteGrid.
func (s *Solver) WriteGrid(w io.Writer) error { return s.Field().WriteGrid(w) }

// WriteFlow writes the flow on it; see Field.WriteFlow.
func (s *Solver) WriteFlow(w io.Writer) error { return s.Field().WriteFlow(w) }

// mostNodes bounds what a file's header may ask for.
const mostNodes = 1 << 28

func (f *Field) readGrid(data []byte) error {
	g, n, err := readSize(data)
	if err != nil {
		return err
	}
	if want := 12 + 3*8*n; len(data) != want {
		return fmt.Errorf("%d bytes for %d x %d x %d nodes; want %d", len(data), g.NI+1, g.NJ+1, g.NK+1, want)
	}
	g.X, g.Y, g.Z = make([]float64, n), make([]float64, n), make([]float64, n)
	f.Grid = g
	return drain(data[12:], g.X, g.Y, g.Z)
}

func (f *Field) readFlow(data []byte) error {
	g, n, err := readSize(data)
	if err != nil {
		return err
	}
	if g.NI != f.NI || g.NJ != f.NJ || g.NK != f.NK {
		return fmt.Errorf("%d x %d x %d nodes; the grid has %d x %d x %d", g.NI+1, g.NJ+1, g.NK+1, f.NI+1, f.NJ+1, f.NK+1)
	}
	if want := 12 + 32 + 5*8*n; len(data) != want {
		return fmt.Errorf("%d bytes for %d nodes; want %d", len(data), n, want)
	}
	var q [5][]float64
	for v := range q {
		q[v] = make([]float64, n)
	}
	if err := drain(data[12+32:], q[:]...); err != nil {
		return err
	}
	rho0, a0 := f.reference()
	f.Rho, f.Vx, f.Vy, f.Vz, f.Ps = q[0], q[1], q[2], q[3], q[4]
	for c := range n {
		rho := q[0][c]
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

func readSize(data []byte) (*Grid, int, error) {
	var d [3]int32
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, &d); err != nil {
		return nil, 0, fmt.Errorf("no PLOT3D file: %w", err)
	}
	n := 1.0
	for _, v := range d {
		n *= float64(v)
		if v < 2 || n > mostNodes {
			return nil, 0, fmt.Errorf("%d x %d x %d nodes; want at least 2 each way", d[0], d[1], d[2])
		}
	}
	return &Grid{NI: int(d[0]) - 1, NJ: int(d[1]) - 1, NK: int(d[2]) - 1}, int(n), nil
}

func drain(data []byte, to ...[]float64) error {
	r := bytes.NewReader(data)
	for _, a := range to {
		if err := binary.Read(r, binary.LittleEndian, a); err != nil {
			return err
		}
	}
	return nil
}
