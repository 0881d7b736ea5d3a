package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/contour"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// fine is the number of segments of a line, and of the islands' grid.
const fine = 160

// compressor draws the map of a compressor or fan in one panel.
func (d drawing) compressor() []*panel {
	p := &panel{Plot: paper.Panel(d.opt.Title, d.flow("Corrected flow Wc"), "Pressure ratio PR")}
	var xy plotter.XYs
	for _, q := range d.opt.Points {
		xy = append(xy, plotter.XY{X: q.Wc, Y: q.PR})
	}
	d.bands(p)
	contours := d.islands(p)
	d.edges(p)
	d.speedLines(p)
	d.stallLine(p)
	d.runs(p)
	d.ends(p)
	p.texts.all = append(p.texts.all, contours...) // the most important texts choose first
	d.operatingPoints(p, xy, d.opt.Points)
	p.Legend.Padding = vg.Points(2)
	p.texts.corners = []corner{{true, true}, {false, false}, {false, true}, {true, false}} // first as the lines rise
	p.X.Min = max(0, p.X.Min-0.03*(p.X.Max-p.X.Min))
	p.X.Max += 0.06 * (p.X.Max - p.X.Min)
	p.Y.Max += 0.05 * (p.Y.Max - p.Y.Min)
	return []*panel{p}
}

// place returns scaled flow and pressure ratio, and efficiency.
func (d drawing) place(nc, x float64) (at plotter.XY, eff float64) {
	out := make([]perfmap.Value, len(d.m.Tables))
	d.m.At(d.m.Design.Alpha, nc, x, out)
	v := func(t string) float64 { return d.opt.Scale.FromMap(t, out[d.m.Index(t)]).V }
	return plotter.XY{X: v("Wc"), Y: v("PR")}, v("eff")
}

func (d drawing) xs() []float64 { return numeric.Ramp(d.m.X[0], numeric.Last(d.m.X), fine) }

func (d drawing) speedLines(p *panel) {
	lines := make([]plotter.XYs, len(d.m.Nc))
	for i, nc := range d.m.Nc {
		for _, x := range d.xs() {
			at, _ := d.place(nc, x)
			lines[i] = append(lines[i], at)
		}
		l := p.stroke(lines[i], inkLine, 0.8)
		if i == 0 {
			p.Legend.Add("speed line, % of design Nc", l)
		}
		p.texts.avoid = append(p.texts.avoid, between(lines[i])...)
	}
	right := crowded(lines)
	for i, nc := range d.m.Nc {
		a := lines[i][0]
		places := []labelPlace{{a.X, a.Y, -3, 3, -1, 0}, {a.X, a.Y, 0, 4, -0.5, 0}, {a.X, a.Y, -5, -2, -1, 0}}
		if right {
			a = lines[i][len(lines[i])-1]
			places = []labelPlace{{a.X, a.Y, 3, -2, 0, -0.5}, {a.X, a.Y, 3, -6, 0, -0.5}, {a.X, a.Y, 0, -4, -0.5, -1},
				{a.X, a.Y, 3, 4, 0, -0.5}}
		}
		p.texts.add(label{text: d.percent(nc), color: inkLine, size: 7.5, places: places})
	}
}

// crowded reports whether a speed line begins on its neighbour, so that labels at the beginnings would be ambiguous.
func crowded(lines []plotter.XYs) bool {
	const close = 0.012 // of the plot's width and height
	var all plotter.XYs
	for _, l := range lines {
		all = append(all, l...)
	}
	x0, x1, y0, y1 := plotter.XYRange(all)
	for i := 1; i < len(lines); i++ {
		begin := lines[i][0]
		for _, q := range lines[i-1] {
			if math.Hypot((q.X-begin.X)/(x1-x0), (q.Y-begin.Y)/(y1-y0)) < close {
				return true
			}
		}
	}
	return false
}

// edges draws where the map ends between its speed lines, at the highest X and, unless the stall line is there, at the
// lowest.
func (d drawing) edges(p *panel) {
	if len(d.m.Nc) < 2 {
		return
	}
	for i, x := range []float64{numeric.Last(d.m.X), d.m.X[0]} {
		var xy plotter.XYs
		for _, nc := range numeric.Ramp(d.m.Nc[0], numeric.Last(d.m.Nc), fine) {
			at, _ := d.place(nc, x)
			xy = append(xy, at)
		}
		if i > 0 && d.m.HasStall() {
			break
		}
		p.texts.edges = append(p.texts.edges, xy...)
		l := p.stroke(xy, inkEdge, 0.6)
		if i == 0 {
			p.Legend.Add("edge of the map", l)
		}
	}
}

func (d drawing) stallLine(p *panel) {
	if !d.m.HasStall() || len(d.m.Nc) < 2 {
		return
	}
	var xy plotter.XYs
	for _, nc := range numeric.Ramp(d.m.Nc[0], numeric.Last(d.m.Nc), fine) {
		at, _ := d.place(nc, d.m.StallX(nc))
		xy = append(xy, at)
	}
	p.texts.avoid = append(p.texts.avoid, xy...)
	p.Legend.Add("stall line", p.stroke(xy, inkStall, 1.4, vg.Points(5), vg.Points(2.5)))
}

// bands fills where the speed lines may be.
func (d drawing) bands(p *panel) {
	for i, b := range d.opt.Bands {
		var edge, middle plotter.XYs
		for k, q := range b.Low {
			low, high := d.scaled(q), d.scaled(b.High[k])
			edge = append(edge, low)
			middle = append(middle, plotter.XY{X: (low.X + high.X) / 2, Y: (low.Y + high.Y) / 2})
		}
		for _, q := range slices.Backward(b.High) {
			edge = append(edge, d.scaled(q))
		}
		area, err := plotter.NewPolygon(edge)
		if p.failed(err) {
			return
		}
		ink := inkBands[i%len(inkBands)]
		area.Color, area.LineStyle.Width = ink, vg.Points(0.5)
		ink.A = 0xff
		area.LineStyle.Color = ink
		p.Add(area)
		p.stroke(middle, inkLine, 0.3)
		if i == 0 {
			p.Legend.Add("±2 standard deviations of the model", area)
		}
	}
}

// scaled is a point of the map's own values on the paper.
func (d drawing) scaled(q Mark) plotter.XY {
	of := func(table string, v float64) float64 { return d.opt.Scale.FromMap(table, perfmap.Value{V: v}).V }
	return plotter.XY{X: of("Wc", q.Wc), Y: of("PR", q.PR)}
}

// ends marks where speed lines were found to end.
func (d drawing) ends(p *panel) {
	for i, side := range d.opt.Ends {
		var xy plotter.XYs
		for _, q := range side {
			xy = append(xy, d.scaled(q))
		}
		p.texts.avoid = append(p.texts.avoid, xy...)
		line := p.stroke(xy, inkStall, 0.8, vg.Points(2), vg.Points(2))
		s := p.mark(xy, inkStall, 3, draw.CrossGlyph{})
		if i == 0 {
			p.Legend.Add("ends of speed lines, joined", line, s)
		}
	}
}

// runs marks the solver runs that a map was made from.
func (d drawing) runs(p *panel) {
	if d.m.Origin == nil || len(d.m.Origin.Points) == 0 {
		return
	}
	var on, off plotter.XYs
	for _, q := range d.m.Origin.Points {
		at, _ := d.place(q.Nc, q.X)
		p.texts.avoid = append(p.texts.avoid, at)
		if slices.ContainsFunc(d.m.Nc, func(nc float64) bool { return math.Abs(q.Nc-nc) < 1e-3*d.m.Design.Nc }) {
			on = append(on, at)
		} else {
			off = append(off, at)
		}
	}
	if len(on) > 0 {
		p.Legend.Add("solver run", p.mark(on, inkLine, 2, draw.RingGlyph{}))
	}
	if len(off) > 0 {
		p.Legend.Add("solver run at another speed", p.mark(off, inkLine, 2.4, draw.TriangleGlyph{}))
	}
}

// islands draws contours of efficiency and returns their labels.
func (d drawing) islands(p *panel) (texts []label) {
	if len(d.m.Nc) < 2 {
		return nil
	}
	xs, ncs := d.xs(), numeric.Ramp(d.m.Nc[0], numeric.Last(d.m.Nc), fine)
	// The map is curved in the plane of the plot: contours are found over (X, Nc), and then placed.
	grid := contour.Grid{NI: len(xs) - 1, NJ: len(ncs) - 1}
	for _, nc := range ncs {
		for _, x := range xs {
			_, e := d.place(nc, x)
			grid.X, grid.Y, grid.V = append(grid.X, x), append(grid.Y, nc), append(grid.V, e)
		}
	}
	best := slices.Max(grid.V)
	levels := islandLevels(best)
	var drawn inks
	for k, level := range levels {
		ink := paper.Ramp(float64(k) / float64(len(levels)-1))
		var longest plotter.XYs
		for _, line := range contour.Lines(grid.Above(level)) {
			var xy plotter.XYs
			for _, q := range line {
				at, _ := d.place(q.Y, q.X)
				xy = append(xy, at)
			}
			p.stroke(xy, ink, 0.9)
			if len(xy) > len(longest) {
				longest = xy
			}
		}
		if longest != nil {
			texts = append(texts,
				label{text: fmt.Sprintf("%.3g", level), color: ink, size: 7, places: along(longest, k)})
			drawn = append(drawn, ink)
		}
	}
	if n := len(texts); n > 0 {
		slices.Reverse(drawn)
		name := "efficiency " + texts[n-1].text
		if n > 1 {
			name += " to " + texts[0].text
		}
		p.Legend.Add(name, drawn)
	}
	return texts
}

// inks are the colours of contours, side by side in the legend. They implement [plot.Thumbnailer].
type inks []color.Color

// Thumbnail implements plot.Thumbnailer.
func (all inks) Thumbnail(c *draw.Canvas) {
	y, wide := c.Center().Y, c.Size().X/vg.Length(len(all))
	for i, ink := range all {
		x := c.Min.X + vg.Length(i)*wide
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: vg.Points(1.8)}, x, y, x+wide, y)
	}
}

// along are places on a contour, starting somewhere else for each contour, so
// that the numbers spread out.
func along(line plotter.XYs, k int) (out []labelPlace) {
	const tries = 60
	for i := range tries {
		if len(line) > 0 {
			q := line[(len(line)/3+k*len(line)/17+i*len(line)/tries)%len(line)]
			out = append(out, labelPlace{q.X, q.Y, 0, 0, -0.5, -0.5})
		}
	}
	return out
}

// islandLevels are efficiencies to draw, from the highest down: fine steps near the best, coarse below.
func islandLevels(best float64) []float64 {
	top := math.Floor(best*100) / 100
	if best-top < 0.002 {
		top -= 0.01
	}
	var out []float64
	for _, below := range []float64{0, 0.01, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3} {
		out = append(out, math.Round((top-below)*1000)/1000)
	}
	return out
}
