package report

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/paper"
)

// Colours of pictures. They can be distinguished in print and by colour-blind readers.
var (
	inkFirst  = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xb8, A: 0xff}
	inkSecond = color.NRGBA{R: 0xb2, G: 0x4a, B: 0x18, A: 0xff}
	inkFaint  = color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
)

// drawPlots draws the plots that the sweep lists.
func (r sweepReport) drawPlots(to *Folder, sys unit.System) {
	var all []picture
	for _, p := range r.Sweep.Plots {
		all = append(all, r.pictures(p, sys)...)
	}
	for i := range all {
		to.Write(numbered(r.Sweep.Name, i, len(all)), func(w io.Writer) error { return all[i].draw(w, to.extension) })
	}
}

// numbered returns the name of file i of n: the stem, with a number if n is not 1.
func numbered(stem string, i, n int) string {
	if n == 1 {
		return stem
	}
	return fmt.Sprintf("%s-%d", stem, i+1)
}

// draw writes a picture in one of the formats.
func (p *picture) draw(w io.Writer, format string) error {
	panel, err := p.panel()
	if err != nil {
		return fmt.Errorf("plot %q: %w", p.title, err)
	}
	return paper.Write(w, 17*vg.Centimeter, 13*vg.Centimeter, format, func(c draw.Canvas) {
		panel.Draw(draw.Crop(c, 3*vg.Millimeter, -5*vg.Millimeter, 3*vg.Millimeter, -3*vg.Millimeter))
	})
}

// panel makes the plot of a picture.
func (p *picture) panel() (*plot.Plot, error) {
	q := plot.New()
	q.Title.Text, q.X.Label.Text, q.Y.Label.Text = p.title, p.x, p.y
	if p.note != "" {
		q.Title.Text += "\n" + p.note
	}
	q.Title.Padding = vg.Points(6)
	setFonts(q, 9)
	q.X.Padding, q.Y.Padding = vg.Points(4), vg.Points(4)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = inkFaint, inkFaint
	if p.x == "" { // the abscissa of a carpet plot has no scale
		grid.Vertical.Color = nil
		q.HideX()
	}
	q.Add(grid)
	var err error
	if len(p.families) == 2 {
		err = p.lattice(q)
	} else {
		err = p.curves(q)
	}
	if err != nil {
		return nil, err
	}
	p.margins(q)
	emptiestCorner(q, p.each)
	return q, nil
}

// setFonts sets the fonts and ticks of a panel. Axes is the font size of its axes, pt.
func setFonts(q *plot.Plot, axes float64) {
	for f, size := range map[*font.Font]float64{&q.Title.TextStyle.Font: 11, &q.X.Label.TextStyle.Font: axes,
		&q.Y.Label.TextStyle.Font: axes,
		&q.X.Tick.Label.Font:      8, &q.Y.Tick.Label.Font: 8, &q.Legend.TextStyle.Font: 8} {
		f.Typeface, f.Variant, f.Size = "Liberation", "Sans", vg.Points(size)
	}
	q.X.Tick.Marker, q.Y.Tick.Marker = paper.Ticks{}, paper.Ticks{}
}

// margins widens the axes, for labels.
func (p *picture) margins(q *plot.Plot) {
	room := 0.04
	if len(p.families) == 2 {
		room = 0.12
	}
	makeRoom(room, &q.X, &q.Y)
}

// makeRoom widens axes by a fraction of their range. An axis without a range gets one.
func makeRoom(room float64, axes ...*plot.Axis) {
	for _, a := range axes {
		if !(a.Max > a.Min) {
			d := max(math.Abs(a.Min)*0.05, 1e-12)
			if math.IsInf(a.Min, 0) || math.IsNaN(a.Min) { // no data
				a.Min, d = 0, 1
			}
			a.Min, a.Max = a.Min-d, a.Min+d
		}
		d := room * (a.Max - a.Min)
		a.Min, a.Max = a.Min-d, a.Max+d
	}
}

// maxLegendEntries is the largest number of curves in a legend.
const maxLegendEntries = 12

// curves draws one family, each curve in its own colour.
func (p *picture) curves(q *plot.Plot) error {
	f := p.families[0]
	if f.name != "" {
		q.Legend.Add(f.name)
	}
	every := (len(f.curves) + maxLegendEntries - 1) / maxLegendEntries
	for i, c := range f.curves {
		ink := color.Color(inkFirst)
		if len(f.curves) > 1 {
			ink = paper.Ramp(float64(i) / float64(len(f.curves)-1))
		}
		line, err := c.draw(q, ink)
		if err != nil {
			return err
		}
		if c.value != "" && line != nil && (i%every == 0 || i == len(f.curves)-1) {
			q.Legend.Add(c.value, line)
		}
	}
	return nil
}

// emptiestCorner puts the legend into the corner with the fewest points.
func emptiestCorner(q *plot.Plot, each func(visit func(x, y float64))) {
	const gap = 4
	q.Legend.Padding = vg.Points(2)
	var corners [4]int // top right, top left, bottom right, bottom left
	wide, high := q.X.Max-q.X.Min, q.Y.Max-q.Y.Min
	each(func(x, y float64) {
		u, v := (x-q.X.Min)/wide, (y-q.Y.Min)/high
		for i, in := range [4]bool{u > 0.65 && v > 0.6, u < 0.35 && v > 0.6, u > 0.65 && v < 0.4, u < 0.35 && v < 0.4} {
			if in {
				corners[i]++
			}
		}
	})
	best := 0
	for i, n := range corners {
		if n < corners[best] {
			best = i
		}
	}
	q.Legend.Top, q.Legend.Left = best < 2, best%2 == 1
	q.Legend.XOffs, q.Legend.YOffs = -vg.Points(gap), vg.Points(gap)
	if q.Legend.Left {
		q.Legend.XOffs = vg.Points(gap)
	}
	if q.Legend.Top {
		q.Legend.YOffs = -vg.Points(gap)
	}
}

// each visits every point that is drawn.
func (p *picture) each(visit func(x, y float64)) {
	for _, f := range p.families {
		for _, c := range f.curves {
			for _, run := range c.runs {
				for _, s := range run {
					visit(s.x, s.y)
				}
			}
		}
	}
}

// lattice draws the two families of a carpet plot, each in one colour, with labels at the ends.
func (p *picture) lattice(q *plot.Plot) error {
	texts := &endLabels{}
	for i, ink := range []color.Color{inkFirst, inkSecond} {
		f := p.families[i]
		for k, c := range f.curves {
			line, err := c.draw(q, ink)
			if err != nil {
				return err
			}
			if k == 0 && line != nil {
				q.Legend.Add("lines of "+f.name, line)
			}
			texts.add(&c, ink, k == 0 || k == len(f.curves)-1)
		}
	}
	q.Add(texts)
	return nil
}

// draw draws a curve: a line through each run of points, and a mark at each point, hollow where
// a map was extrapolated. It returns the line for the legend, nil if the curve has no points.
func (c *curve) draw(q *plot.Plot, ink color.Color) (*plotter.Line, error) {
	var shown *plotter.Line
	var inside, beyond plotter.XYs
	for _, run := range c.runs {
		xy := make(plotter.XYs, len(run))
		for i, s := range run {
			xy[i] = plotter.XY{X: s.x, Y: s.y}
			if s.beyond {
				beyond = append(beyond, xy[i])
			} else {
				inside = append(inside, xy[i])
			}
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = ink, vg.Points(1.2)
		q.Add(line)
		shown = line
	}
	for _, marks := range []struct {
		at    plotter.XYs
		shape draw.GlyphDrawer
	}{{inside, draw.CircleGlyph{}}, {beyond, draw.RingGlyph{}}} {
		if len(marks.at) == 0 {
			continue
		}
		s, err := plotter.NewScatter(marks.at)
		if err != nil {
			return nil, err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: ink, Radius: vg.Points(2), Shape: marks.shape}
		q.Add(s)
	}
	return shown, nil
}
