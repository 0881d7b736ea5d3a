package picture

import (
	"image/color"
	"math"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shapes is a plotter of boxes, then lines, then notes, in the coordinates of the plot. Places on the axis x are times
// of the trace if zero is its begin.
type shapes struct {
	boxes []shape
	lines []shape
	notes []note
	zero  float64
	frame [4]float64 // left, right, low, high of the plot
}

// shape is a box, or a line between two of its corners if it has a width.
type shape struct {
	x1, x2, y1, y2 float64
	ink            color.Color
	width          vg.Length
}

// note is a text, which is left out where it would pass its right end. With outward it points away from the middle of
// the plot if it is long.
type note struct {
	x, right, y float64
	text        string
	outward     bool
}

// box adds a filled area.
func (s *shapes) box(left, right, low, high float64, ink color.Color) {
	s.boxes = append(s.boxes, shape{left - s.zero, right - s.zero, low, high, ink, 0})
}

// line adds a line of a width in points.
func (s *shapes) line(x1, y1, x2, y2 float64, ink color.Color, width float64) {
	s.lines = append(s.lines, shape{x1 - s.zero, x2 - s.zero, y1, y2, ink, vg.Points(width)})
}

// Plot implements plot.Plotter.
func (s *shapes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range s.boxes {
		r := vg.Rectangle{Min: vg.Point{X: x(b.x1), Y: y(b.y1)}, Max: vg.Point{X: x(b.x2), Y: y(b.y2)}}
		r.Max.X = max(r.Max.X, r.Min.X+vg.Points(0.4))
		c.SetColor(b.ink)
		c.Fill(r.Path())
	}
	for _, l := range s.lines {
		c.StrokeLine2(draw.LineStyle{Color: l.ink, Width: l.width}, x(l.x1), y(l.y1), x(l.x2), y(l.y2))
	}
	style := p.X.Tick.Label
	for _, n := range s.notes {
		if n.outward {
			style.XAlign, style.YAlign, style.Rotation = draw.XCenter, draw.YCenter, 0
			if utf8.RuneCountInString(n.text) > 3 {
				style.XAlign, style.Rotation = draw.XLeft, math.Atan2(n.y, n.x)
				if n.x < -1e-9 { // not upside down
					style.XAlign, style.Rotation = draw.XRight, style.Rotation-math.Pi
				}
			}
			c.FillText(style, vg.Point{X: x(n.x), Y: y(n.y)}, n.text)
			continue
		}
		style.XAlign, style.YAlign = draw.XLeft, draw.YBottom
		if r := style.Rectangle(n.text).Add(vg.Point{X: x(n.x) + vg.Points(2), Y: y(n.y)}); r.Max.X <= x(n.right) {
			c.SetColor(color.White) // a text covers lines
			c.Fill(r.Path())
			c.FillText(style, r.Min, n.text)
		}
	}
}

// DataRange implements plot.DataRanger.
func (s *shapes) DataRange() (left, right, low, high float64) {
	return s.frame[0], s.frame[1], s.frame[2], s.frame[3]
}

// on adds the shapes to a plot.
func (s *shapes) on(p *plot.Plot) *plot.Plot {
	p.Add(s)
	return p
}

// rowTicks names the rows of a plot: row i is at i times the step.
type rowTicks struct {
	names []string
	step  float64
}

// Ticks implements plot.Ticker.
func (r rowTicks) Ticks(_, _ float64) (list []plot.Tick) {
	for i, name := range r.names {
		list = append(list, plot.Tick{Value: r.step * float64(i), Label: name})
	}
	return list
}

// swatch is a colour in a legend: a line if it has a width.
type swatch struct {
	ink   color.Color
	width vg.Length
}

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	r, y := c.Rectangle, c.Center().Y
	if r.Min.X += vg.Points(4); s.width > 0 { // it does not touch its text
		c.StrokeLine2(draw.LineStyle{Color: s.ink, Width: s.width}, r.Min.X, y, r.Max.X, y)
		return
	}
	c.SetColor(s.ink)
	c.Fill(r.Path())
}
