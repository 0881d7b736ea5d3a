package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// turbine draws flow and efficiency over pressure ratio, one panel each.
func (d drawing) turbine() ([]*plot.Plot, error) {
	flow := "Flow parameter Wp"
	if d.opt.FlowUnit != "" {
		flow += ", " + d.opt.FlowUnit
	}
	top := paper.Panel(d.opt.Title, "Pressure ratio PR", flow)
	bottom := paper.Panel("", "Pressure ratio PR", "Efficiency")
	for i, table := range []string{"Wp", "eff"} {
		p, texts := []*plot.Plot{top, bottom}[i], &labels{}
		if err := d.turbineLines(p, texts, table); err != nil {
			return nil, err
		}
		if err := d.turbinePoints(p, texts, table); err != nil {
			return nil, err
		}
		p.X.Max += 0.06 * (p.X.Max - p.X.Min)
		p.Y.Max += 0.06 * (p.Y.Max - p.Y.Min)
	}
	top.Legend.Top, top.Legend.XOffs, top.Legend.YOffs = false, -vg.Points(8), vg.Points(8)
	bottom.Y.Min = max(bottom.Y.Min, 0.4*bottom.Y.Max) // below, nobody runs a turbine
	return []*plot.Plot{top, bottom}, nil
}

func (d drawing) turbineLines(p *plot.Plot, texts *labels, table string) error {
	s := d.opt.Scale
	for i, nc := range d.m.Nc {
		var xy plotter.XYs
		for _, t := range numeric.Ramp(0, 1, fine) { // closer where lines bend, at low pressure ratio
			x := d.m.X[0] + t*t*(numeric.Last(d.m.X)-d.m.X[0])
			v, _ := d.m.Value(table, perfmap.Point{Alpha: d.m.Design.Alpha, Nc: nc, X: x})
			xy = append(xy, plotter.XY{X: s.FromMap("PR", perfmap.Value{V: x}).V, Y: s.FromMap(table, v).V})
		}
		ink := paper.Ramp(float64(i) / float64(max(len(d.m.Nc)-1, 1)))
		l, err := stroke(p, xy, ink, 0.9)
		if err != nil {
			return err
		}
		if table == "Wp" {
			p.Legend.Add("Nc "+d.percent(nc)+" %", l)
			continue
		}
		end := xy[len(xy)-1]
		texts.add(label{text: d.percent(nc), color: ink, size: 7.5, places: []labelPlace{{end.X, end.Y, 3, 0, 0, -0.5}, {end.X, end.Y, 3, 5, 0, -0.5}, {end.X, end.Y, 3, -5, 0, -0.5}}})
	}
	return nil
}

func (d drawing) turbinePoints(p *plot.Plot, texts *labels, table string) error {
	var xy plotter.XYs
	var names []string
	for _, q := range d.opt.Points {
		y := q.Wc
		if table == "eff" {
			y = q.Eff
		}
		if y != 0 {
			xy, names = append(xy, plotter.XY{X: q.PR, Y: y}), append(names, q.Name)
		}
	}
	return d.operatingPoints(p, texts, xy, names)
}
