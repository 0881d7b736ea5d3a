package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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
	var names []string
	for _, q := range d.opt.Points {
		xy, names = append(xy, plotter.XY{X: q.Wc, Y: q.PR}), append(names, q.Name)
	}
	d.bands(p)
	contours := d.islands(p)
	d.speedLines(p)
	d.stallLine(p)
	d.runs(p)
	d.ends(p)
	p.texts.all = append(p.texts.all, contours...) // the most important texts choose first
	d.operatingPoints(p, xy, names)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding, p.Legend.XOffs, p.Legend.YOffs = vg.Points(2), vg.Points(6), -vg.Points(6)
	if len(d.m.Nc) == 1 { // a single line runs from the upper left to the lower right
		p.Legend.Top, p.Legend.YOffs = false, vg.Points(6)
	}
	p.X.Min = max(0, p.X.Min-0.03*(p.X.Max-p.X.Min))
	p.X.Max += 0.03 * (p.X.Max - p.X.Min)
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
	for i, nc := range d.m.Nc {
		var xy plotter.XYs
		for _, x := range d.xs() {
			at, _ := d.place(nc, x)
			xy = append(xy, at)
		}
		l := p.stroke(xy, inkLine, 0.8)
		if i == 0 {
			p.Legend.Add("speed line, % of design Nc", l)
		}
		a := xy[0]
		p.texts.add(label{text: d.percent(nc), color: inkLine, size: 7.5, places: []labelPlace{
			{a.X, a.Y, -3, 3, -1, 0}, {a.X, a.Y, 0, 4, -0.5, 0}, {a.X, a.Y, -5, -2, -1, 0},
		}})
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
		area.Color, area.LineStyle.Width = inkBand, 0
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
	var xy plotter.XYs
	for _, q := range d.m.Origin.Points {
		at, _ := d.place(q.Nc, q.X)
		xy = append(xy, at)
	}
	p.Legend.Add("solver run", p.mark(xy, inkLine, 2, draw.RingGlyph{}))
}

// islands draws contours of efficiency and returns their labels.
func (d drawing) islands(p *panel) (texts []label) {
	if len(d.m.Nc) < 2 {
		return nil
	}
	xs, ncs := d.xs(), numeric.Ramp(d.m.Nc[0], numeric.Last(d.m.Nc), fine)
	eff := make([][]float64, len(ncs))
	best := math.Inf(-1)
	for j, nc := range ncs {
		eff[j] = make([]float64, len(xs))
		for i, x := range xs {
			_, e := d.place(nc, x)
			eff[j][i], best = e, max(best, e)
		}
	}
	levels := islandLevels(best)
	for k, level := range levels {
		ink := paper.Ramp(float64(k) / float64(len(levels)-1))
		var longest plotter.XYs
		for _, line := range contour(xs, ncs, eff, level) {
			var xy plotter.XYs
			for _, q := range line {
				at, _ := d.place(q[1], q[0])
				xy = append(xy, at)
			}
			l := p.stroke(xy, ink, 0.9)
			if k == 0 && longest == nil {
				p.Legend.Add("efficiency", l)
			}
			if len(xy) > len(longest) {
				longest = xy
			}
		}
		texts = append(texts, label{text: fmt.Sprintf("%.3g", level), color: ink, size: 7, places: along(longest, k)})
	}
	return texts
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
