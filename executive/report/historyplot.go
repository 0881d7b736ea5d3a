package report

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/paper"
	mapplot "github.com/peregrine-sim/peregrine/perfmap/plot"
)

// This file draws histories: columns over time, and the trajectory on each map.

// drawHistory draws a transient's columns over time, and its trajectory on each map.
func (r resultsReport) drawHistory(to *Folder, c *result.Result, sys unit.System) {
	h := historyReport{c.History}
	to.Write(c.Name, func(w io.Writer) error { return h.plot(w, to.extension, r.Engine+": "+c.Name, sys) })
	for _, m := range r.trajectories(c) {
		m.Format = to.extension
		to.Write("maps/"+m.Name, func(w io.Writer) error { return mapplot.Draw(w, m.Map, m.Options) })
	}
}

// trajectory returns the points on a map in the order of time. Both ends and a few points at round times between them
// have their times as labels.
func (h historyReport) trajectory(component string) []mapplot.Mark {
	places := h.Places[component]
	way, wide, high := make([]float64, len(places)), 0.0, 0.0
	for _, q := range places {
		wide, high = max(wide, q.Wc), max(high, q.PR)
	}
	for i := 1; i < len(places); i++ {
		a, b := places[i-1], places[i]
		way[i] = way[i-1] + math.Hypot((b.Wc-a.Wc)/wide, (b.PR-a.PR)/high)
	}
	var list []mapplot.Mark
	times := h.named(way)
	for i, q := range places {
		for ; i > 0 && len(times) > 0 && times[0] <= h.T[i]; times = times[1:] {
			a, f := places[i-1], (times[0]-h.T[i-1])/(h.T[i]-h.T[i-1])
			list = append(list, mapplot.Mark{Name: seconds(times[0]), Wc: a.Wc + f*(q.Wc-a.Wc),
				PR: a.PR + f*(q.PR-a.PR), Eff: a.Eff + f*(q.Eff-a.Eff)})
		}
		if q.Name = ""; i == 0 || i == len(places)-1 {
			q.Name = seconds(h.T[i])
		}
		list = append(list, q)
	}
	return list
}

func seconds(t float64) string { return strconv.FormatFloat(t, 'g', 6, 64) + " s" }

// named returns the times that label a trajectory between its ends, of which way is the length so far: the multiples
// of the largest round step that labels it well, without those whose labels would lie close to another.
func (h historyReport) named(way []float64) []float64 {
	const enough, pieces, tries = 4, 10, 12
	last := len(way) - 1
	if last < 1 || way[last] == 0 {
		return nil
	}
	apart := way[last] / pieces
	begin, end := h.T[0], h.T[last]
	power := math.Floor(math.Log10(end - begin))
	var times []float64
	for k := range tries {
		step := []float64{5, 2, 1}[k%3] * math.Pow(10, power-float64(k/3))
		times = nil
		before, i := 0.0, 1
		for n := math.Floor(begin/step) + 1; n*step < end; n++ {
			t := numeric.Round(n*step, 9)
			for h.T[i] < t {
				i++
			}
			at := way[i-1] + (way[i]-way[i-1])*(t-h.T[i-1])/(h.T[i]-h.T[i-1])
			if at-before >= apart && way[last]-at >= apart {
				times, before = append(times, t), at
			}
		}
		if len(times) >= enough {
			break
		}
	}
	return times
}

// plot draws columns over time in a format, "svg" or "png", in the units of sys. It draws the panels of the case one
// below the other; without panels it draws a panel for each column.
func (h historyReport) plot(w io.Writer, format, title string, sys unit.System) error {
	panels := h.Panels
	if len(panels) == 0 {
		for _, q := range h.Columns {
			panels = append(panels, config.Panel{q})
		}
	}
	const width, high = 17 * vg.Centimeter, 4 * vg.Centimeter
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadY: vg.Points(6)}
	plots := make([][]*plot.Plot, len(panels))
	for i, list := range panels {
		p, err := h.panel(list, sys)
		if err != nil {
			return err
		}
		if i == 0 {
			p.Title.Text = title
		}
		if i == len(panels)-1 {
			p.X.Label.Text = "t, s"
		}
		plots[i] = []*plot.Plot{p}
	}
	return paper.Write(w, width, vg.Length(max(len(panels), 1))*high+vg.Centimeter, format, func(c draw.Canvas) {
		sheet := draw.Crop(c, 3*vg.Millimeter, -4*vg.Millimeter, 2*vg.Millimeter, -2*vg.Millimeter)
		for i, row := range plot.Align(plots, tiles, sheet) {
			plots[i][0].Draw(row[0])
		}
	})
}

// panel draws columns of one unit, each in its own colour.
func (h historyReport) panel(list config.Panel, sys unit.System) (*plot.Plot, error) {
	u := shownIn(sys, list[0].Dim)
	p := plot.New()
	if len(list) == 1 {
		p.Y.Label.Text = list[0].Path
	}
	if u.Name() != "" {
		if p.Y.Label.Text != "" {
			p.Y.Label.Text += ", "
		}
		p.Y.Label.Text += u.Name()
	}
	setFonts(p, 8)
	p.Title.Padding = vg.Points(6)
	lines := plotter.NewGrid()
	lines.Horizontal.Color, lines.Vertical.Color = inkFaint, inkFaint
	p.Add(lines)
	for i, q := range list {
		ink := color.Color(inkFirst)
		if len(list) > 1 {
			ink = paper.Ramp(float64(i) / float64(len(list)-1))
		}
		values := h.Column(q.Path)
		if values == nil {
			return nil, fmt.Errorf("executive: the history has no column %q to draw", q.Path)
		}
		line, err := h.line(p, values, u, ink)
		if err != nil {
			return nil, err
		}
		if line != nil && len(list) > 1 {
			p.Legend.Add(q.Path, line)
		}
	}
	makeRoom(0.04, &p.X, &p.Y)
	if n := len(h.T); n > 0 && h.T[n-1] > 0 {
		p.X.Min, p.X.Max = 0, h.T[n-1]
	}
	h.legend(p, list, u)
	return p, nil
}

// line draws a column, with a gap at missing values. It returns the line for the legend, or nil if no line is drawn.
func (h historyReport) line(p *plot.Plot, values []float64, u unit.Unit,
	ink color.Color) (shown *plotter.Line, err error) {
	var run plotter.XYs
	for i, t := range h.T {
		value := numeric.Finite(values[i])
		if value {
			run = append(run, plotter.XY{X: t, Y: u.FromSI(values[i])})
		}
		if value && i < len(h.T)-1 {
			continue
		}
		if len(run) > 1 {
			if shown, err = plotter.NewLine(run); err != nil {
				return nil, err
			}
			shown.Color, shown.Width = ink, vg.Points(1.2)
			p.Add(shown)
		}
		run = nil
	}
	return shown, nil
}

// legend puts the legend into the corner with the fewest points.
func (h historyReport) legend(p *plot.Plot, list config.Panel, u unit.Unit) {
	if len(list) == 1 {
		return
	}
	emptiestCorner(p, func(visit func(x, y float64)) {
		for _, q := range list {
			for i, v := range h.Column(q.Path) {
				if numeric.Finite(v) {
					visit(h.T[i], u.FromSI(v))
				}
			}
		}
	})
}
