package executive

import (
	"errors"
	"io"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// This file writes and draws histories: all columns over one axis of time, and the
// trajectory on each map.

// writeTransient writes what a folder has of a transient.
func (r *Results) writeTransient(dir string, c *Result, sys unit.System) error {
	stem := filepath.Join(dir, c.Name)
	errs := []error{
		write(stem+".csv", c.History.WriteCSV),
		write(stem+".svg", func(w io.Writer) error { return c.History.Plot(w, r.Engine+": "+c.Name, sys) }),
	}
	for _, name := range c.order.components {
		m, ok := r.Maps[name]
		if z, zoomed := r.ZoomedMaps[name]; zoomed {
			m = z
		}
		if !ok || len(c.History.Places[name]) == 0 {
			continue
		}
		opt := perfmap.PlotOptions{Scale: m.Scale, Title: r.Engine + ": " + name + ", " + c.Name, FlowUnit: "kg/s", Points: c.History.trajectory(name)}
		errs = append(errs, write(filepath.Join(dir, "maps", name+"-"+c.Name+".svg"), func(w io.Writer) error {
			return perfmap.Plot(w, m.Map, opt)
		}))
	}
	return errors.Join(errs...)
}

// trajectory are the points on a map in the order of time, the ends with theirs.
func (h *History) trajectory(component string) []perfmap.PlotPoint {
	list := append([]perfmap.PlotPoint(nil), h.Places[component]...)
	list[0].Name = brief(h.T[0]) + " s"
	list[len(list)-1].Name = brief(h.T[len(h.T)-1]) + " s"
	return list
}

// Plot draws all columns over time as SVG, one panel each below the other, in the
// units of sys.
func (h *History) Plot(w io.Writer, title string, sys unit.System) error {
	const width, high = 17 * vg.Centimeter, 4 * vg.Centimeter
	n := vg.Length(max(len(h.Columns), 1))
	canvas := vgsvg.New(width, n*high+vg.Centimeter)
	paper := draw.Crop(draw.New(canvas), 3*vg.Millimeter, -4*vg.Millimeter, 2*vg.Millimeter, -2*vg.Millimeter)
	tiles := draw.Tiles{Rows: len(h.Columns), Cols: 1, PadY: vg.Points(6)}
	plots := make([][]*plot.Plot, len(h.Columns))
	for i := range h.Columns {
		p, err := h.panel(i, sys)
		if err != nil {
			return err
		}
		if i == 0 {
			p.Title.Text = title
		}
		if i == len(h.Columns)-1 {
			p.X.Label.Text = "t, s"
		}
		plots[i] = []*plot.Plot{p}
	}
	for i, row := range plot.Align(plots, tiles, paper) {
		plots[i][0].Draw(row[0])
	}
	_, err := canvas.WriteTo(w)
	return err
}

// panel draws one column; the line has a gap where there is no value.
func (h *History) panel(column int, sys unit.System) (*plot.Plot, error) {
	q := h.Columns[column]
	u := shownIn(sys, q.Dim)
	p := plot.New()
	p.Y.Label.Text = q.Path
	if u.Name() != "" {
		p.Y.Label.Text += ", " + u.Name()
	}
	for f, size := range map[*font.Font]float64{&p.Title.TextStyle.Font: 11, &p.X.Label.TextStyle.Font: 8, &p.Y.Label.TextStyle.Font: 8,
		&p.X.Tick.Label.Font: 8, &p.Y.Tick.Label.Font: 8} {
		f.Typeface, f.Variant, f.Size = "Liberation", "Sans", vg.Points(size)
	}
	p.Title.Padding = vg.Points(6)
	p.X.Tick.Marker, p.Y.Tick.Marker = steps{}, steps{}
	lines := plotter.NewGrid()
	lines.Horizontal.Color, lines.Vertical.Color = inkFaint, inkFaint
	p.Add(lines)
	var run plotter.XYs
	flush := func() error {
		if len(run) < 2 {
			run = nil
			return nil
		}
		l, err := plotter.NewLine(run)
		if err != nil {
			return err
		}
		l.Color, l.Width = inkFirst, vg.Points(1.2)
		p.Add(l)
		run = nil
		return nil
	}
	for i, t := range h.T {
		if v := h.Values[column][i]; finite(v) {
			run = append(run, plotter.XY{X: t, Y: u.FromSI(v)})
		} else if err := flush(); err != nil {
			return nil, err
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	(&picture{}).margins(p)
	if n := len(h.T); n > 0 && h.T[n-1] > 0 {
		p.X.Min, p.X.Max = 0, h.T[n-1]
	}
	return p, nil
}
