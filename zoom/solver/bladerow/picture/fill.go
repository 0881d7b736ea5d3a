package picture

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	*sheet
	scale scale
	moves []float64 // along y
	mark  float64   // NaN: none
}

const fine = 0.12 // points on paper, resolution of thinned outlines

// Plot implements plot.Plotter.
func (b *bands) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	on := func(q point, move float64) vg.Point { return vg.Point{X: tx(q.x), Y: ty(q.y + move)} }
	for k := range b.scale.n {
		level := b.scale.level(k)
		if k == 0 {
			level = -math.MaxFloat64
		}
		ink := b.scale.color(k)
		loops := b.above(level)
		for _, move := range b.moves {
			b.fill(c, loops, ink, func(q point) vg.Point { return on(q, move) })
		}
	}
	if math.IsNaN(b.mark) {
		return
	}
	style := draw.LineStyle{Color: black, Width: vg.Points(0.8)}
	for _, l := range lines(b.above(b.mark)) {
		for _, move := range b.moves {
			c.StrokeLines(style, c.ClipLinesXY(onPaper(l, func(q point) vg.Point { return on(q, move) }))...)
		}
	}
}

// fill fills all loops at once, so that holes remain open, and draws a hairline around them, without which gaps would
// show between copies.
func (b *bands) fill(c draw.Canvas, loops []loop, ink color.Color, on func(point) vg.Point) {
	var path vg.Path
	for _, l := range loops {
		closed := append(slices.Clone(l.at), l.at[0])
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
func onPaper(line []point, on func(point) vg.Point) []vg.Point {
	flat := make([]point, len(line))
	for k, q := range line {
		at := on(q)
		flat[k] = point{float64(at.X), float64(at.Y)}
	}
	var out []vg.Point
	for _, q := range thinned(flat, fine) {
		out = append(out, vg.Point{X: vg.Length(q.x), Y: vg.Length(q.y)})
	}
	return out
}

// shape is a filled outline and its copies.
type shape struct {
	at    []point
	moves []float64
	ink   color.Color
}

// Plot implements plot.Plotter.
func (s *shape) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, move := range s.moves {
		pts := onPaper(s.at, func(q point) vg.Point { return vg.Point{X: tx(q.x), Y: ty(q.y + move)} })
		if pts = c.ClipPolygonXY(pts); len(pts) > 2 {
			c.FillPolygon(s.ink, pts)
		}
	}
}

// strokes are lines that end at the panel's rim.
type strokes struct {
	lines [][]point
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (s *strokes) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, l := range s.lines {
		pts := onPaper(l, func(q point) vg.Point { return vg.Point{X: tx(q.x), Y: ty(q.y)} })
		c.StrokeLines(s.style, c.ClipLinesXY(pts)...)
	}
}
