package picture

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/contour"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
)

var meshInk = color.NRGBA{R: 0x3b, G: 0x52, B: 0x8b, A: 0xff}

// Shape draws a blade row and its mesh: sections on unrolled surfaces at fractions of
// the span, and the meridional plane with the walls.
func Shape(b *blade.Body, f *field.Field, q bladerow.Quality, spans []float64) *Figure {
	fig := &Figure{
		title: fmt.Sprintf("%s: %d blades", b.Name, b.Blades),
		note: fmt.Sprintf("mesh of %d x %d x %d cells; greatest skew %.0f deg, aspect ratio %.3g, growth %.3g", f.NI,
			f.NJ, f.NK, q.MaxSkew*180/math.Pi, q.MaxAspect, q.MaxGrowth),
		width: across(len(spans) + 1),
	}
	var row []*panel
	aspect := aspectOf(f, spans)
	for n, h := range spans {
		s := f.Sheet(h)
		p := sheetPanel(s, nil, scale{}, span(h), n == 0, aspect)
		row = append(row, p)
		p.Add(&strokes{sheetMesh(s), draw.LineStyle{Color: meshInk, Width: vg.Points(0.25)}})
	}
	path := flowPath(b, f) // as high as the sections
	path.extent = [2]float64{aspect * path.extent[0] / path.extent[1], aspect}
	fig.rows = [][]*panel{append(row, path)}
	return fig
}

// sheetMesh returns the mesh lines of a passage on an unrolled surface.
func sheetMesh(s *field.Sheet) [][]contour.Point {
	at := func(i, j int) contour.Point {
		n := j*(s.NI+1) + i
		return contour.Point{X: mm * s.M[n], Y: mm * s.T[n]}
	}
	return meshLines(s.NI, s.NJ, at)
}

func meshLines(ni, nj int, at func(i, j int) contour.Point) (out [][]contour.Point) {
	for j := range nj + 1 {
		var l []contour.Point
		for i := range ni + 1 {
			l = append(l, at(i, j))
		}
		out = append(out, l)
	}
	for i := range ni + 1 {
		var l []contour.Point
		for j := range nj + 1 {
			l = append(l, at(i, j))
		}
		out = append(out, l)
	}
	return out
}

// flowPath draws walls, mesh and blade in the meridional plane.
func flowPath(b *blade.Body, f *field.Field) *panel {
	at := func(i, k int) contour.Point {
		n := f.Node(i, 0, k)
		return contour.Point{X: mm * f.Z[n], Y: mm * math.Hypot(f.X[n], f.Y[n])}
	}
	var edges [][]contour.Point
	for _, i := range []int{f.LE, f.TE} {
		var l []contour.Point
		for k := range f.NK + 1 {
			l = append(l, at(i, k))
		}
		edges = append(edges, l)
	}
	first, last := at(0, 0).X, at(0, 0).X
	for k := range f.NK + 1 {
		first, last = min(first, at(0, k).X), max(last, at(f.NI, k).X)
	}
	var walls [][]contour.Point
	low, high := math.Inf(1), 0.0
	pad := 0.08 * (last - first)
	for _, w := range []*blade.Curve{b.Hub, b.Casing} {
		z0, z1 := w.Range()
		lo, hi := max(first-pad, mm*z0), min(last+pad, mm*z1)
		var l []contour.Point
		for n := range 201 {
			z := lo + (hi-lo)*float64(n)/200
			r := mm * w.At(z/mm)
			l = append(l, contour.Point{X: z, Y: r})
			low, high = min(low, r), max(high, r)
		}
		walls = append(walls, l)
	}
	p := paper.Panel("meridional plane", "axial distance, mm", "radius, mm")
	p.Title.TextStyle.Font = paper.Font(10)
	p.Add(&strokes{meshLines(f.NI, f.NK, at), draw.LineStyle{Color: meshInk, Width: vg.Points(0.25)}},
		&strokes{walls, draw.LineStyle{Color: black, Width: vg.Points(1.2)}},
		&strokes{edges, draw.LineStyle{Color: metal, Width: vg.Points(1.2)}})
	p.X.Min, p.X.Max = first-pad, last+pad
	rise := 0.05 * (high - low)
	p.Y.Min, p.Y.Max = low-rise, high+rise
	return &panel{Plot: p, extent: [2]float64{p.X.Max - p.X.Min, p.Y.Max - p.Y.Min}}
}
