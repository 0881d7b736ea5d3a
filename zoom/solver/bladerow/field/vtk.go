package field

// VTK's XML file of a structured grid, for ParaView and similar programs (The VTK User's Guide, 11th ed., "VTK File
// Formats"). The arrays follow the text as one appended block, in base64, so that the file remains XML: each array's
// offset counts characters of that block, and its bytes are preceded by their number.

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// vtkArray is an array of a VTK file: float32, one or three values a node.
type vtkArray struct {
	name  string
	parts [][]float64 // components
}

// WriteVTK writes the flow as a VTK structured grid (.vts): nodes in metres, absolute
// velocity V, velocity W seen from the row, density and the quantities, all at the
// nodes, as 32-bit reals in SI units; speed (rpm), number of blades and gas as field
// data.
func (f *Field) WriteVTK(w io.Writer, list []Quantity) error {
	arrays := f.vtkArrays(list)
	b := bufio.NewWriter(w)
	extent := fmt.Sprintf("0 %d 0 %d 0 %d", f.NI, f.NJ, f.NK)
	fmt.Fprintf(b, `<?xml version="1.0"?>
<VTKFile type="StructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<StructuredGrid WholeExtent="%s">
<FieldData>
`, extent)
	offset := 0
	declare := func(a *vtkArray) {
		fmt.Fprintf(b, `<DataArray type="Float32" Name="%s" NumberOfComponents="%d" format="appended" offset="%d"/>`+
			"\n", a.name, len(a.parts), offset)
		offset += base64.StdEncoding.EncodedLen(8 + 4*len(a.parts)*len(f.X))
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"N", f.N}, {"blades", float64(f.Blades)}, {"gamma", f.Gamma}, {"R", f.R}} {
		fmt.Fprintf(b, `<DataArray type="Float64" Name="%s" NumberOfTuples="1" format="ascii">%.17g</DataArray>`+"\n",
			v.name, v.value)
	}
	fmt.Fprintf(b, "</FieldData>\n<Piece Extent=\"%s\">\n<PointData Scalars=\"MN_rel\" Vectors=\"W\">\n", extent)
	for n := range arrays[1:] {
		declare(&arrays[1+n])
	}
	b.WriteString("</PointData>\n<Points>\n")
	declare(&arrays[0])
	b.WriteString("</Points>\n</Piece>\n</StructuredGrid>\n<AppendedData encoding=\"base64\">\n_")
	for n := range arrays {
		a := &arrays[(n+1)%len(arrays)] // the points were declared last
		if err := a.append(b, len(f.X)); err != nil {
			return err
		}
	}
	b.WriteString("\n</AppendedData>\n</VTKFile>\n")
	return b.Flush()
}

// vtkArrays lists the arrays, the points first.
func (f *Field) vtkArrays(list []Quantity) []vtkArray {
	n := len(f.X)
	wx, wy := make([]float64, n), make([]float64, n)
	omega := f.Omega()
	for c := range n {
		wx[c], wy[c] = f.Vx[c]+omega*f.Y[c], f.Vy[c]-omega*f.X[c]
	}
	arrays := []vtkArray{
		{"Points", [][]float64{f.X, f.Y, f.Z}},
		{"V", [][]float64{f.Vx, f.Vy, f.Vz}},
		{"W", [][]float64{wx, wy, f.Vz}},
		{"rho", [][]float64{f.Rho}},
	}
	for _, q := range list {
		arrays = append(arrays, vtkArray{q.Name, [][]float64{f.Values(q)}})
	}
	return arrays
}

// append writes an array's bytes: their number, then the values node by node.
func (a *vtkArray) append(w io.Writer, n int) error {
	enc := base64.NewEncoder(base64.StdEncoding, w)
	buffer := binary.LittleEndian.AppendUint64(make([]byte, 0, 1<<16), uint64(4*len(a.parts)*n))
	for c := range n {
		for _, p := range a.parts {
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(float32(p[c])))
		}
		if len(buffer) > cap(buffer)-64 {
			if _, err := enc.Write(buffer); err != nil {
				return err
			}
			buffer = buffer[:0]
		}
	}
	if _, err := enc.Write(buffer); err != nil {
		return err
	}
	return enc.Close()
}
