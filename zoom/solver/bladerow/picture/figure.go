// Package picture draws blade rows: their shape and mesh, and the flow through them as
// package bladerow computes it.
package picture

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/paper"
)

// Figure is a title over rows of panels.
type Figure struct {
	title, note string
	width       vg.Length
	rows        [][]*panel
}

// panel is a plot, with an optional bar of colours beside it. If extent is given, as lengths along both axes, both axes
// have the same scale.
type panel struct {
	*plot.Plot
	bar    *scale
	extent [2]float64
	height vg.Length // of the data's area, without extent
}

const (
	margin   = 3 * vg.Millimeter
	gap      = 4 * vg.Millimeter
	barWidth = 17 * vg.Millimeter
	tallest  = 10 * vg.Centimeter // of a row's data
)

// rest returns the paper around a panel's data: left and right, below and above.
func (p *panel) rest() (across, up vg.Length) {
	trial := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 10 * vg.Centimeter, Y: 10 * vg.Centimeter}}}
	d := p.DataCanvas(trial)
	across, up = trial.Size().X-d.Size().X, trial.Size().Y-d.Size().Y
	if p.bar != nil {
		across += barWidth
	}
	return across, up
}

// box is the size of a panel on paper, all around it included.
type box struct{ w, h vg.Length }

// lay sizes the panels of a row for a width.
func lay(row []*panel, width vg.Length) ([]box, vg.Length) {
	free := width - gap*vg.Length(len(row)-1)
	total, high := 0.0, 0.0
	for _, p := range row {
		across, _ := p.rest()
		free -= across
		total, high = total+p.extent[0], max(high, p.extent[1])
	}
	factor := vg.Length(0) // paper over length
	if total > 0 {
		factor = min(free/vg.Length(total), tallest/vg.Length(high))
	}
	boxes := make([]box, len(row))
	most := vg.Length(0)
	for n, p := range row {
		across, up := p.rest()
		w, h := free/vg.Length(len(row)), p.height
		if total > 0 {
			w, h = factor*vg.Length(p.extent[0]), factor*vg.Length(p.extent[1])
		}
		boxes[n] = box{w + across, h + up}
		most = max(most, h+up)
	}
	return boxes, most
}

// Write draws the figure as "svg" or "png".
func (f *Figure) Write(w io.Writer, format string) error {
	heading := draw.TextStyle{Font: paper.Font(12), Color: color.Black, Handler: plot.DefaultTextHandler,
		YAlign: draw.YTop}
	note := heading
	note.Font, note.Color = paper.Font(9), color.Gray{Y: 0x50}
	top := heading.Height(f.title) + 2*vg.Millimeter
	if f.note != "" {
		top += note.Height(f.note) + vg.Millimeter
	}
	height := 2*margin + top
	for _, row := range f.rows {
		_, h := lay(row, f.width-2*margin)
		height += h + gap
	}
	return paper.Write(w, f.width, height, format, func(c draw.Canvas) {
		c = draw.Crop(c, margin, -margin, margin, -margin)
		y := c.Max.Y
		c.FillText(heading, vg.Point{X: c.Min.X, Y: y}, f.title)
		if f.note != "" {
			c.FillText(note, vg.Point{X: c.Min.X, Y: y - heading.Height(f.title) - vg.Millimeter}, f.note)
		}
		y -= top
		for _, row := range f.rows {
			boxes, h := lay(row, c.Size().X)
			x := c.Min.X
			for n, p := range row {
				b := boxes[n]
				at := vg.Rectangle{Min: vg.Point{X: x, Y: y - b.h}, Max: vg.Point{X: x + b.w, Y: y}}
				p.draw(draw.Canvas{Canvas: c.Canvas, Rectangle: at})
				x += b.w + gap
			}
			y -= h + gap
		}
	})
}

func (p *panel) draw(c draw.Canvas) {
	if p.bar == nil {
		p.Draw(c)
		return
	}
	p.Draw(draw.Crop(c, 0, -barWidth, 0, 0))
	data := p.DataCanvas(draw.Crop(c, 0, -barWidth, 0, 0))
	strip := vg.Rectangle{
		Min: vg.Point{X: c.Max.X - barWidth + 3*vg.Millimeter, Y: data.Min.Y},
		Max: vg.Point{X: c.Max.X - barWidth + 6*vg.Millimeter, Y: data.Max.Y},
	}
	p.bar.draw(draw.Canvas{Canvas: c.Canvas, Rectangle: strip})
}

// scale divides a quantity into levels, with a single colour between two of them.
type scale struct {
	lo, step float64
	n        int // colours
	unit     string
}

// newScale divides the range of values into about count even steps of a round size; a share of the values at either end
// may lie beyond it. If the value calm is given, other than NaN, it lies midway between two levels, so that noise about
// it is invisible.
func newScale(values []float64, share float64, count int, calm float64) scale {
	lo, hi := quantile(values, share), quantile(values, 1-share)
	if !(hi-lo > 1e-9*math.Abs(hi)) { // a uniform field
		lo, hi = lo-1e-6*max(math.Abs(lo), 1e-6), hi+1e-6*max(math.Abs(lo), 1e-6)
	}
	raw := (hi - lo) / float64(count)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := power
	for _, s := range []float64{2, 5, 10} {
		if math.Abs(math.Log(s*power/raw)) < math.Abs(math.Log(step/raw)) {
			step = s * power
		}
	}
	at := 0.0
	if !math.IsNaN(calm) {
		at = calm - step/2
	}
	first := math.Floor((lo-at)/step + 1e-9)
	s := scale{lo: at + first*step, step: step}
	s.n = max(int(math.Ceil((hi-s.lo)/step-1e-9)), 1)
	return s
}

func (s *scale) level(k int) float64 { return s.lo + float64(k)*s.step }

func (s *scale) color(k int) color.Color {
	return paper.Fill((float64(k) + 0.5) / float64(s.n))
}

// draw draws the bar of colours with its numbers on the right.
func (s *scale) draw(c draw.Canvas) {
	h := c.Size().Y / vg.Length(s.n)
	style := draw.TextStyle{Font: paper.Font(8), Color: color.Black, Handler: plot.DefaultTextHandler,
		YAlign: draw.YCenter}
	for k := range s.n {
		y := c.Min.Y + vg.Length(k)*h
		c.FillPolygon(s.color(k), []vg.Point{{X: c.Min.X, Y: y}, {X: c.Max.X, Y: y}, {X: c.Max.X, Y: y + h},
			{X: c.Min.X, Y: y + h}})
	}
	for _, tick := range (paper.Ticks{}).Ticks(s.level(0), s.level(s.n)) {
		if y := c.Min.Y + h*vg.Length((tick.Value-s.lo)/s.step); tick.Label != "" {
			c.FillText(style, vg.Point{X: c.Max.X + vg.Points(3), Y: y}, tick.Label)
		}
	}
	outline := []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}, c.Min}
	c.StrokeLines(draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}, outline)
	if s.unit != "" {
		style.YAlign = draw.YBottom
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y + vg.Points(3)}, s.unit)
	}
}
