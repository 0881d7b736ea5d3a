package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// endLabels writes values at the ends of curves. As far as possible they cover neither a curve nor each other. It is a
// [plot.Plotter], because positions on paper are known only when the plot is drawn.
type endLabels struct {
	all   []endLabel
	lines [][]spot
}

type endLabel struct {
	text       string
	ink        color.Color
	at, before spot
	must       bool
}

// add adds the value of a curve at its last point. A label without must is left out if it would cover something.
func (e *endLabels) add(c *curve, ink color.Color, must bool) {
	e.lines = append(e.lines, c.runs...)
	if len(c.runs) == 0 {
		return
	}
	run := c.runs[len(c.runs)-1]
	e.all = append(e.all, endLabel{c.value, ink, run[len(run)-1], run[max(0, len(run)-2)], must})
}

func (e *endLabels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var taken []vg.Point // points on curves, which texts should not cover
	for _, run := range e.lines {
		for i, s := range run {
			to := vg.Point{X: tx(s.x), Y: ty(s.y)}
			taken = append(taken, to)
			if i == 0 {
				continue
			}
			const pieces = 24
			from := vg.Point{X: tx(run[i-1].x), Y: ty(run[i-1].y)}
			for k := 1; k < pieces; k++ {
				f := vg.Length(k) / pieces
				taken = append(taken, vg.Point{X: from.X + f*(to.X-from.X), Y: from.Y + f*(to.Y-from.Y)})
			}
		}
	}
	var texts []vg.Rectangle
	for _, l := range e.all {
		style := draw.TextStyle{
			Color: l.ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(8)},
			XAlign: draw.XCenter, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
		end := vg.Point{X: tx(l.at.x), Y: ty(l.at.y)}
		ahead := math.Atan2(float64(end.Y-ty(l.before.y)), float64(end.X-tx(l.before.x)))
		at, box, covers := place(style, l.text, end, ahead, c.Rectangle, taken, texts)
		if covers > 2 && !l.must {
			continue
		}
		texts = append(texts, box)
		c.FillText(style, at, l.text)
	}
}

// place finds the position around an end with the least overlap for a text, and returns that overlap. It tries the
// direction of the curve first.
func place(style draw.TextStyle, text string, end vg.Point, ahead float64, paper vg.Rectangle, taken []vg.Point,
	texts []vg.Rectangle) (at vg.Point, box vg.Rectangle, covers int) {
	covers = math.MaxInt
	size := style.Rectangle(text).Size()
	for _, turn := range []float64{0, 30, -30, 60, -60, 90, -90, 120, -120, 150, -150, 180} {
		dir := ahead + turn*math.Pi/180
		cos, sin := vg.Length(math.Cos(dir)), vg.Length(math.Sin(dir))
		// The text's middle is so far from the end that the text does not cover the mark.
		p := vg.Point{X: end.X + cos*(size.X/2+vg.Points(6)), Y: end.Y + sin*(size.Y/2+vg.Points(6))}
		b := style.Rectangle(text).Add(p)
		cost := 0
		for _, q := range taken {
			if inside(q, b) {
				cost++
			}
		}
		for _, t := range texts {
			if b.Min.X < t.Max.X && t.Min.X < b.Max.X && b.Min.Y < t.Max.Y && t.Min.Y < b.Max.Y {
				cost += 1000
			}
		}
		if !inside(b.Min, paper) || !inside(b.Max, paper) {
			cost += 100
		}
		if cost < covers {
			covers, at, box = cost, p, b
		}
	}
	return at, box, covers
}

func inside(p vg.Point, r vg.Rectangle) bool {
	return p.X >= r.Min.X && p.X <= r.Max.X && p.Y >= r.Min.Y && p.Y <= r.Max.Y
}
