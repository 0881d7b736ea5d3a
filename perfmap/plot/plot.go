// Package plot draws performance maps with operating points, as SVG or PNG.
package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Options are the options of [Draw].
type Options struct {
	Scale    perfmap.Scale // zero: the map's own values
	Points   []Mark        // operating points, joined in this order unless Apart
	Title    string        // empty: the map's name
	FlowUnit string        // unit of the (scaled) flow, for the axis
	Format   string        // "svg" (default) or "png"
	Bands    []Band        // of the speed lines, in the map's own values
	// ends of speed lines, in the map's own values; the marks of each side are joined
	Ends  [][]Mark
	Apart bool // the points are of different flight conditions: they are not joined by an operating line
	// Trajectory marks only the points that have a name: the points follow a
	// transient and lie close together.
	Trajectory bool
	Frame      *Frame `json:"-"` // gets the axes of the upper panel; nil: not wanted
}

// Frame is the place of a panel's axes on the paper: (X[0], Y[0]) is at Low, (X[1], Y[1]) at High, in points from the
// upper left corner.
type Frame struct {
	X, Y      [2]float64
	Low, High [2]float64
}

// Mark is an operating point, in the same units as the scaled map.
type Mark struct {
	Name string
	Wc   float64 // flow; Wp of a turbine
	PR   float64
	Eff  float64 // turbine only; 0: not drawn over efficiency
	// the map was extrapolated: the point is drawn hollow
	Beyond bool `json:",omitempty"`
}

// Band is where a speed line may be: between two curves in the map's own values.
type Band struct{ Low, High []Mark }

// Draw draws a map. A compressor: speed lines, labelled with percent of the
// design speed, contours of efficiency, the stall line and operating points
// over corrected flow and pressure ratio. A turbine: flow and efficiency over
// pressure ratio.
func Draw(w io.Writer, m *perfmap.Map, opt Options) error {
	if opt.Scale == (perfmap.Scale{}) {
		opt.Scale = perfmap.Unscaled
	}
	opt.Title = cmp.Or(opt.Title, m.Name)
	d := drawing{m: m, opt: opt}
	height, panels := 13*vg.Centimeter, d.compressor
	if m.Kind == perfmap.Turbine {
		height, panels = 16*vg.Centimeter, d.turbine
	}
	var rows [][]*plot.Plot
	for _, p := range panels() {
		if p.err != nil {
			return fmt.Errorf("plot of map %q: %w", m.Name, p.err)
		}
		rows = append(rows, []*plot.Plot{p.Plot})
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadTop: 3 * vg.Millimeter, PadBottom: 2 * vg.Millimeter,
		PadLeft: 2 * vg.Millimeter, PadRight: 4 * vg.Millimeter, PadY: 4 * vg.Millimeter}
	return paper.Write(w, 16*vg.Centimeter, height, opt.Format, func(canvas draw.Canvas) {
		for i, c := range plot.Align(rows, tiles, canvas) { // from top to bottom
			rows[i][0].Draw(c[0])
			if opt.Frame != nil && i == 0 {
				*opt.Frame = frame(rows[0][0], c[0], height)
			}
		}
	})
}

// frame returns the axes of a panel that was drawn on paper of a height.
func frame(p *plot.Plot, c draw.Canvas, height vg.Length) Frame {
	data := p.DataCanvas(c)
	return Frame{X: [2]float64{p.X.Min, p.X.Max}, Y: [2]float64{p.Y.Min, p.Y.Max},
		Low:  [2]float64{data.Min.X.Points(), (height - data.Min.Y).Points()},
		High: [2]float64{data.Max.X.Points(), (height - data.Max.Y).Points()}}
}

// drawing is a map with the options of its plot.
type drawing struct {
	m   *perfmap.Map
	opt Options
}

// panel is a plot in preparation. It keeps its first error, which prevents its drawing.
type panel struct {
	*plot.Plot
	texts labels
	err   error
}

func (p *panel) failed(err error) bool {
	p.err = cmp.Or(p.err, err)
	return err != nil
}

// flow names the axis of the flow, with its unit.
func (d drawing) flow(name string) string {
	if d.opt.FlowUnit != "" {
		name += ", " + d.opt.FlowUnit
	}
	return name
}

// The colours are distinguishable in print and to colour-blind readers.
var (
	inkLine  = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	inkStall = color.NRGBA{R: 0xb2, G: 0x18, B: 0x2b, A: 0xff}
	inkEdge  = color.NRGBA{R: 0x9a, G: 0x9a, B: 0x9a, A: 0xff}
	inkPoint = color.NRGBA{R: 0x1b, G: 0x5e, B: 0xb8, A: 0xff}

	// the bands of neighbouring speed lines, which may overlap
	inkBands = []color.NRGBA{{0x8d, 0xa9, 0xc4, 0x70}, {0xd9, 0xa8, 0x6c, 0x70}}
)

// stroke adds a line through points.
func (p *panel) stroke(xy plotter.XYs, c color.Color, width float64, dashes ...vg.Length) *plotter.Line {
	l, err := plotter.NewLine(xy)
	if p.failed(err) {
		return nil
	}
	l.Color, l.Width, l.Dashes = c, vg.Points(width), dashes
	p.Add(l)
	return l
}

// mark adds a sign at every point.
func (p *panel) mark(xy plotter.XYs, c color.Color, radius float64, shape draw.GlyphDrawer) *plotter.Scatter {
	s, err := plotter.NewScatter(xy)
	if p.failed(err) {
		return nil
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: shape}
	p.Add(s)
	return s
}

// operatingPoints adds the points, joined by the operating line, and the labels. The points' names choose their places
// first.
func (d drawing) operatingPoints(p *panel, xy plotter.XYs, points []Mark) {
	var pointLabels []label
	var marked, beyond plotter.XYs
	l := &p.texts
	for i, q := range xy {
		name := points[i].Name
		if name != "" {
			pointLabels = append(pointLabels,
				label{text: name, color: inkPoint, size: 8, places: around(q.X, q.Y, 3), must: true})
		}
		switch {
		case name == "" && d.opt.Trajectory:
		case points[i].Beyond:
			beyond = append(beyond, q)
		default:
			marked = append(marked, q)
		}
		l.keep = append(l.keep, q)
		if i > 0 && !d.opt.Apart { // the line between points is kept free too
			l.keep = append(l.keep, between(xy[i-1:i+1])...)
		}
	}
	l.all = append(pointLabels, l.all...)
	p.Add(l)
	if len(xy) == 0 {
		return
	}
	thumbs, name := []plot.Thumbnailer{}, "operating point"
	if !d.opt.Apart && len(xy) > 1 {
		thumbs, name = append(thumbs, p.stroke(xy, inkPoint, 1.2)), "operating line"
	}
	if d.opt.Trajectory {
		name = "trajectory"
	}
	if len(marked) > 0 {
		thumbs = append(thumbs, p.mark(marked, inkPoint, 2.8, draw.CircleGlyph{}))
	}
	p.Legend.Add(name, thumbs...)
	if len(beyond) > 0 {
		p.Legend.Add("map extrapolated", p.mark(beyond, inkPoint, 2.8, draw.RingGlyph{}))
	}
}

// between returns points along a line, so close together that no label fits between them.
func between(line plotter.XYs) (out plotter.XYs) {
	const pieces = 16
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		for k := range pieces {
			f := float64(k) / pieces
			out = append(out, plotter.XY{X: a.X + f*(b.X-a.X), Y: a.Y + f*(b.Y-a.Y)})
		}
	}
	return out
}

// percent names a speed line, to a tenth of a percent of the design speed.
func (d drawing) percent(nc float64) string {
	return numeric.Text(math.Round(1000*nc/d.m.Design.Nc) / 10)
}
