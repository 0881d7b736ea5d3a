package report

import (
	"io"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// This file draws the operating lines of a sweep on the maps of components.

// drawOperatingLines draws each component's map with its operating lines.
func (r sweepReport) drawOperatingLines(to *Folder, sys unit.System) {
	for _, c := range r.charts(sys) {
		to.Write("maps/"+c.Name, func(w io.Writer) error { return plot.Draw(w, c.Map, c.Options) })
	}
}

// charts returns each component's map with its operating lines, a chart for each line.
func (r sweepReport) charts(sys unit.System) (list []Chart) {
	if len(r.Maps) == 0 {
		return nil
	}
	v := r.view(sys)
	lines := atMostSix(v.operatingLines(r.throttle()))
	for k, name := range r.Charts {
		m, ok := r.Maps[name]
		if !ok {
			continue
		}
		for i, l := range lines {
			opt := plot.Options{Scale: m.Scale, Title: r.Engine + ": " + name + l.at, FlowUnit: "kg/s",
				Points: l.points(r, k)}
			list = append(list, Chart{Name: numbered(name, i, len(lines)), Component: name, Map: m.Map, Options: opt})
		}
	}
	return list
}

// atMostSix keeps six lines at most: the first, the last and evenly spaced ones between. Each
// line is drawn on every map, and a flight envelope has dozens.
func atMostSix(all []operatingLine) []operatingLine {
	const most = 6
	if len(all) <= most {
		return all
	}
	var list []operatingLine
	for i := range most {
		list = append(list, all[i*(len(all)-1)/(most-1)])
	}
	return list
}

// throttle returns the axis along which operating lines run: the last axis that is a target or, without such an axis,
// the last axis.
func (r sweepReport) throttle() int {
	for i, a := range slices.Backward(r.Sweep.Over) {
		if a.Kind == config.OverTarget {
			return i
		}
	}
	return len(r.Sweep.Over) - 1
}

// operatingLine holds the rows along the throttle at one combination of values of the other axes.
type operatingLine struct {
	at     string // that combination, for the title
	rows   []int
	values []string // of the throttle
}

func (v *view) operatingLines(throttle int) []operatingLine {
	var lines []operatingLine
	place := make([]int, len(v.grid))
	order := ascending(v.r.Sweep.Over[throttle].Values)
	for row := range v.grid.Size() {
		v.grid.At(row, place)
		if place[throttle] != 0 {
			continue
		}
		var at []string
		for i := range place {
			if i != throttle {
				at = append(at, v.name(i)+" "+v.value(i, place[i]))
			}
		}
		l := operatingLine{}
		if len(at) > 0 {
			l.at = ", " + strings.Join(at, ", ")
		}
		for _, i := range order {
			place[throttle] = i
			l.rows = append(l.rows, v.grid.Index(place))
			l.values = append(l.values, v.value(throttle, i))
		}
		lines = append(lines, l)
	}
	return lines
}

// points returns the converged points of a line on one chart. The labels of both ends are their throttle values.
func (l *operatingLine) points(r sweepReport, chart int) []plot.Mark {
	var list []plot.Mark
	var names []string
	for i, row := range l.rows {
		if !r.Rows[row].Converged {
			continue
		}
		q := r.Rows[row].Points[chart]
		beyond := slices.ContainsFunc(r.Rows[row].Extrapolated, func(which string) bool {
			return strings.HasPrefix(which, r.Charts[chart]+" (")
		})
		list = append(list, plot.Mark{Wc: q.Wc, PR: q.PR, Eff: q.Eff, Beyond: beyond})
		names = append(names, l.values[i])
	}
	if n := len(list); n > 0 {
		list[0].Name, list[n-1].Name = names[0], names[n-1]
	}
	return list
}
