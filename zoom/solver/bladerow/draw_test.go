package bladerow

import (
	"cmp"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/paper"
)

var (
	blue = color.RGBA{31, 90, 160, 255}
	red  = color.RGBA{200, 60, 40, 255}
)

// draw67 draws the speed line and the radial profiles at both measured points over the
// measurement, into the folder PEREGRINE_VERIFY_OUT, if given. Of points the choking flow
// is the first.
func draw67(t *testing.T, points, line []line67) {
	dir := os.Getenv("PEREGRINE_VERIFY_OUT")
	if dir == "" {
		return
	}
	line = slices.SortedFunc(slices.Values(line), func(a, b line67) int { return cmp.Compare(a.Ps, b.Ps) })
	grid := [][]*plot.Plot{
		{
			paper.Panel("Rotor 67: pressure ratio", "W / choking W", "PR"),
			paper.Panel("Rotor 67: efficiency", "W / choking W", "adiabatic efficiency"),
		},
	}
	for n, get := range []func(p line67) float64{func(p line67) float64 { return p.SurveyPR },
		func(p line67) float64 { return p.SurveyEff }} {
		var xy plotter.XYs
		for _, p := range line {
			xy = append(xy, plotter.XY{X: p.W / points[0].W, Y: get(p)})
		}
		p := grid[0][n]
		curve(t, p, xy, "computed")
		var m plotter.XYs
		for _, p := range measured67 {
			m = append(m, plotter.XY{X: p.w / choking67, Y: []float64{p.pr, p.eff}[n]})
		}
		dots(t, p, m, "NASA TP-2879")
		p.X.Min, p.X.Max = 0.91, 1.005
		p.Y.Min, p.Y.Max = []float64{1.35, 0.83}[n], []float64{1.8, 0.96}[n] // with a number at the top of both
		p.Legend.Left, p.Legend.XOffs, p.Legend.YOffs = true, vg.Points(8), vg.Points(8)
		p.Legend.Padding = vg.Points(2)
	}
	save(t, filepath.Join(dir, "rotor67-line.svg"), grid, 15, 8)
	grid = nil
	for n, m := range measured67 {
		if 1+2*n >= len(points) {
			break
		}
		rows, s := read67(t, n), points[1+2*n].behind
		row := []*plot.Plot{paper.Panel(m.name, "Pt / Pt inlet", "radius, m"), paper.Panel("", "Tt / Tt inlet", ""),
			paper.Panel("", "flow angle, deg", "")}
		for c := range row {
			var was, is plotter.XYs
			for _, r := range rows {
				was = append(was, plotter.XY{X: []float64{r.pt, r.tt, r.angle}[c], Y: r.r})
			}
			for k, r := range s.R {
				is = append(is,
					plotter.XY{X: []float64{s.PtCell[k] / 101325, s.TtCell[k] / 288.15, flowAngle(s, r)}[c], Y: r})
			}
			curve(t, row[c], is, "computed")
			dots(t, row[c], was, "NASA TP-2879")
			if c > 0 {
				row[c].Legend = plot.NewLegend()
			}
			row[c].Legend.Left, row[c].Legend.YOffs = true, 2*vg.Centimeter
		}
		grid = append(grid, row)
	}
	save(t, filepath.Join(dir, "rotor67-profiles.svg"), grid, 20, 16)
}

func curve(t *testing.T, p *plot.Plot, xy plotter.XYs, name string) {
	l, s, err := plotter.NewLinePoints(xy)
	must.OK(t, err)
	l.Color, l.Width, s.GlyphStyle = blue, vg.Points(1.5),
		draw.GlyphStyle{Color: blue, Radius: vg.Points(2.2), Shape: draw.CircleGlyph{}}
	p.Add(l, s)
	p.Legend.Add(name, l, s)
}

func dots(t *testing.T, p *plot.Plot, xy plotter.XYs, name string) {
	s := must.Value(plotter.NewScatter(xy))(t)
	s.Color, s.Radius, s.Shape = red, vg.Points(3.5), draw.RingGlyph{}
	p.Add(s)
	p.Legend.Add(name, s)
}

func save(t *testing.T, name string, grid [][]*plot.Plot, w, h vg.Length) {
	f := must.Value(os.Create(name))(t)
	err := paper.Write(f, w*vg.Centimeter, h*vg.Centimeter, "svg", func(c draw.Canvas) {
		tiles := draw.Tiles{Rows: len(grid), Cols: len(grid[0]), PadX: vg.Centimeter / 2, PadY: vg.Centimeter / 2,
			PadTop: 6, PadRight: 12, PadLeft: 4, PadBottom: 4}
		for r, row := range plot.Align(grid, tiles, c) {
			for n, canvas := range row {
				grid[r][n].Draw(canvas)
			}
		}
	})
	must.OK(t, err)
	must.OK(t, f.Close())
}
