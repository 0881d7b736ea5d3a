package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// folder writes a sweep into a folder, which it makes if need be:
//
//	NAME.csv, NAME.parquet, NAME.json   every point, SI units
//	NAME.txt                            the table for people
//	NAME.svg, .png                      the plots, in the units of sys; several are NAME-1, NAME-2 ...
//	maps/COMPONENT.svg                  maps with the operating line, if the sweep is no trade study; of
//	                                    several lines at most six, COMPONENT-1, COMPONENT-2 ...
func (r swept) folder(dir string, sys unit.System) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	stem := filepath.Join(dir, r.Sweep.Name)
	errs := []error{
		atomic.Stream(stem+".csv", r.csv),
		atomic.Stream(stem+".parquet", r.parquet),
		atomic.Stream(stem+".json", r.json),
		atomic.Stream(stem+".txt", func(w io.Writer) error { return r.table(w, sys) }),
	}
	var all []picture
	for _, p := range r.Sweep.Plots {
		all = append(all, r.pictures(p, sys)...)
	}
	for i := range all {
		for _, format := range formats {
			errs = append(errs, atomic.Stream(numbered(stem, i, len(all))+"."+format, func(w io.Writer) error { return all[i].draw(w, format) }))
		}
	}
	return errors.Join(append(errs, r.drawOperatingLines(filepath.Join(dir, "maps"), sys))...)
}

// numbered tells files of one name apart where there are several.
func numbered(stem string, i, n int) string {
	if n == 1 {
		return stem
	}
	return fmt.Sprintf("%s-%d", stem, i+1)
}

// drawOperatingLines draws each component's map with its operating lines.
func (r swept) drawOperatingLines(dir string, sys unit.System) error {
	if len(r.Maps) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	v := r.view(sys)
	lines := some(v.operatingLines(r.throttle()))
	var errs []error
	for k, name := range r.Charts {
		m, ok := r.Maps[name]
		if !ok {
			continue
		}
		for i, l := range lines {
			opt := plot.Options{Scale: m.Scale, Title: r.Engine + ": " + name + l.at, FlowUnit: "kg/s", Points: l.points(r, k)}
			errs = append(errs, atomic.Stream(numbered(filepath.Join(dir, name), i, len(lines))+".svg", func(w io.Writer) error {
				return plot.Draw(w, m.Map, opt)
			}))
		}
	}
	return errors.Join(errs...)
}

// some keeps six lines at most, those at the ends and evenly spaced ones between:
// each is a picture of every map, and an envelope has dozens.
func some(all []operatingLine) []operatingLine {
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

// throttle is the axis along which operating lines run: the last target, or
// else the last axis.
func (r swept) throttle() int {
	for i, a := range slices.Backward(r.Sweep.Over) {
		if a.Kind == config.OverTarget {
			return i
		}
	}
	return len(r.Sweep.Over) - 1
}

// operatingLine is the rows along the throttle at one place of the other axes.
type operatingLine struct {
	at     string // the place, for the title
	rows   []int
	values []string // of the throttle
}

func (v *view) operatingLines(throttle int) []operatingLine {
	var lines []operatingLine
	place := make([]int, len(v.grid))
	order := rising(v.r.Sweep.Over[throttle].Values)
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

// points are the converged points of a line on one chart, the ends with their
// values of the throttle.
func (l *operatingLine) points(r swept, chart int) []plot.Point {
	var list []plot.Point
	var names []string
	for i, row := range l.rows {
		if !r.Rows[row].Converged {
			continue
		}
		q := r.Rows[row].Points[chart]
		list = append(list, plot.Point{Wc: q.Wc, PR: q.PR, Eff: q.Eff})
		names = append(names, l.values[i])
	}
	if n := len(list); n > 0 {
		list[0].Name, list[n-1].Name = names[0], names[n-1]
	}
	return list
}
