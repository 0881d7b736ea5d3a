package plot

import (
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// turbine draws flow and efficiency over pressure ratio, one panel each.
func (d drawing) turbine() []*panel {
	const ratio = "Pressure ratio PR"
	top := &panel{Plot: paper.Panel(d.opt.Title, ratio, d.flow("Flow parameter Wp"))}
	bottom := &panel{Plot: paper.Panel("", ratio, "Efficiency")}
	for i, p := range []*panel{top, bottom} {
		table := []string{"Wp", "eff"}[i]
		d.turbineLines(p, table)
		d.turbinePoints(p, table)
		p.X.Max += 0.06 * (p.X.Max - p.X.Min)
		p.Y.Max += 0.06 * (p.Y.Max - p.Y.Min)
	}
	top.Legend.Top, top.Legend.XOffs, top.Legend.YOffs = false, -vg.Points(8), vg.Points(8)
	bottom.Y.Min = max(bottom.Y.Min, 0.4*bottom.Y.Max) // turbines are not run below this
	return []*panel{top, bottom}
}

func (d drawing) turbineLines(p *panel, table string) {
	s := d.opt.Scale
	for i, nc := range d.m.Nc {
		var xy plotter.XYs
		for _, t := range numeric.Ramp(0, 1, fine) { // closer where lines bend, at low pressure ratio
			x := d.m.X[0] + t*t*(numeric.Last(d.m.X)-d.m.X[0])
			v, _ := d.m.Value(table, perfmap.Point{Alpha: d.m.Design.Alpha, Nc: nc, X: x})
			xy = append(xy, plotter.XY{X: s.FromMap("PR", perfmap.Value{V: x}).V, Y: s.FromMap(table, v).V})
		}
		ink := paper.Ramp(float64(i) / float64(max(len(d.m.Nc)-1, 1)))
		l := p.stroke(xy, ink, 0.9)
		if table == "Wp" {
			p.Legend.Add("Nc "+d.percent(nc)+" %", l)
			continue
		}
		z := xy[len(xy)-1]
		p.texts.add(label{text: d.percent(nc), color: ink, size: 7.5, places: []labelPlace{
			{z.X, z.Y, 3, 0, 0, -0.5}, {z.X, z.Y, 3, 5, 0, -0.5}, {z.X, z.Y, 3, -5, 0, -0.5},
		}})
	}
}

func (d drawing) turbinePoints(p *panel, table string) {
	var xy plotter.XYs
	var points []Mark
	for _, q := range d.opt.Points {
		y := q.Wc
		if table == "eff" {
			y = q.Eff
		}
		if y != 0 {
			xy, points = append(xy, plotter.XY{X: q.PR, Y: y}), append(points, q)
		}
	}
	d.operatingPoints(p, xy, points)
}
