package picture

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/contour"
)

// quantile returns the value below which a fraction of the values lies.
func quantile(values []float64, q float64) float64 {
	v := slices.Clone(values)
	slices.Sort(v)
	return v[int(math.Round(q*float64(len(v)-1)))]
}

// ink of metal and of lines.
var (
	metal = color.NRGBA{R: 0x4a, G: 0x4a, B: 0x4a, A: 0xff}
	black = color.NRGBA{R: 0x11, G: 0x11, B: 0x11, A: 0xff}
)

// bands fills a sheet, and copies of it moved along y, with a scale's colours. Each area covers the areas of lower
// levels, so that no seams appear. A line marks a single value.
type bands struct {
	*contour.Grid
	scale scale
	moves []float64 // along y
	mark  float64   // NaN: none
}

const fine = 0.12 // points on paper, resolution of thinned outlines

// Plot implements plot.Plotter.
func (b *bands) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	on := func(q contour.Point, move float64) vg.Point { return vg.Point{X: tx(q.X), Y: ty(q.Y + move)} }
	for k := range b.scale.n {
		level := b.scale.level(k)
		if k == 0 {
			level = -math.MaxFloat64
		}
		ink := b.scale.color(k)
		loops := b.Above(level)
		for _, move := range b.moves {
			b.fill(c, loops, ink, func(q contour.Point) vg.Point { return on(q, move) })
		}
	}
	if math.IsNaN(b.mark) {
		return
	}
	style := draw.LineStyle{Color: black, Width: vg.Points(0.8)}
	for _, l := range contour.Lines(b.Above(b.mark)) {
		for _, move := range b.moves {
			c.StrokeLines(style, c.ClipLinesXY(onPaper(l, func(q contour.Point) vg.Point { return on(q, move) }))...)
		}
	}
}

// fill fills all loops at once, so that holes remain open, and draws a hairline around them, without which gaps would
// show between copies.
func (b *bands) fill(c draw.Canvas, loops []contour.Loop, ink color.Color, on func(contour.Point) vg.Point) {
	var path vg.Path
	for _, l := range loops {
		closed := append(slices.Clone(l.At), l.At[0])
		pts := c.ClipPolygonXY(onPaper(closed, on))
		if len(pts) < 3 {
			continue
		}
		path.Move(pts[0])
		for _, q := range pts[1:] {
			path.Line(q)
		}
		path.Close()
	}
	if len(path) == 0 {
		return
	}
	c.SetColor(ink)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: vg.Points(0.3)})
	c.Stroke(path)
}

// onPaper converts a line to paper coordinates and drops details that are too small to see.
func onPaper(line []contour.Point, on func(contour.Point) vg.Point) []vg.Point {
	flat := make([]contour.Point, len(line))
	for k, q := range line {
		at := on(q)
		flat[k] = contour.Point{X: float64(at.X), Y: float64(at.Y)}
	}
	var out []vg.Point
	for _, q := range thinned(flat, fine) {
		out = append(out, vg.Point{X: vg.Length(q.X), Y: vg.Length(q.Y)})
	}
	return out
}

// shape is a filled outline and its copies.
type shape struct {
	at    []contour.Point
	moves []float64
	ink   color.Color
}

// Plot implements plot.Plotter.
func (s *shape) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, move := range s.moves {
		pts := onPaper(s.at, func(q contour.Point) vg.Point { return vg.Point{X: tx(q.X), Y: ty(q.Y + move)} })
		if pts = c.ClipPolygonXY(pts); len(pts) > 2 {
			c.FillPolygon(s.ink, pts)
		}
	}
}

// strokes are lines that end at the panel's rim.
type strokes struct {
	lines [][]contour.Point
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (s *strokes) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, l := range s.lines {
		pts := onPaper(l, func(q contour.Point) vg.Point { return vg.Point{X: tx(q.X), Y: ty(q.Y)} })
		c.StrokeLines(s.style, c.ClipLinesXY(pts)...)
	}
}

// thinned leaves out points of a line that lie within tolerance of the rest (Douglas
// and Peucker, Cartographica 10, 1973, p. 112).
func thinned(line []contour.Point, tolerance float64) []contour.Point {
	if len(line) < 3 {
		return line
	}
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	var split func(a, b int)
	split = func(a, b int) {
		far, at := tolerance, -1
		for k := a + 1; k < b; k++ {
			if d := off(line[k], line[a], line[b]); d > far {
				far, at = d, k
			}
		}
		if at > 0 {
			keep[at] = true
			split(a, at)
			split(at, b)
		}
	}
	// A closed line has no chord: its first half and its second are thinned apart.
	mid := len(line) / 2
	keep[mid] = true
	split(0, mid)
	split(mid, len(line)-1)
	out := line[:0:0]
	for k, p := range line {
		if keep[k] {
			out = append(out, p)
		}
	}
	return out
}

// off returns the distance of p from the straight piece from a to b.
func off(p, a, b contour.Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	l2 := dx*dx + dy*dy
	if l2 == 0 {
		return math.Hypot(p.X-a.X, p.Y-a.Y)
	}
	t := min(max(((p.X-a.X)*dx+(p.Y-a.Y)*dy)/l2, 0), 1)
	return math.Hypot(p.X-a.X-t*dx, p.Y-a.Y-t*dy)
}
