package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// WriteFolder writes results into a folder, which it makes if need be:
//
//	results.json       everything, SI units
//	results.txt        the tables for people
//	stations.csv       case, port, station and its state, SI units
//	maps/NAME.svg      each component's map with the operating points of all cases
//	maps/NAME-zoomed.svg, .map   the map that zooming made, drawn and as a file
//	CASE.csv, .parquet           a transient's history, SI units, speeds in rpm
//	CASE.svg, .png               the same drawn over time, in the units of sys
//	maps/NAME-CASE.svg, .png     its trajectory on each component's map
//	maps/NAME-CASE.map           the map that it came to have of a zoomed component
func WriteFolder(dir string, r *result.Results, sys unit.System) error {
	if err := os.MkdirAll(filepath.Join(dir, "maps"), 0o755); err != nil {
		return err
	}
	errs := []error{
		atomic.Stream(filepath.Join(dir, "results.json"), func(w io.Writer) error { return JSON(w, r) }),
		atomic.Stream(filepath.Join(dir, "results.txt"), func(w io.Writer) error { return Table(w, r, sys) }),
		atomic.Stream(filepath.Join(dir, "stations.csv"), folder{r}.stations),
	}
	for _, c := range r.Cases {
		if c.History != nil {
			errs = append(errs, folder{r}.transient(dir, c, sys))
		}
	}
	errs = append(errs, folder{r}.drawMaps(dir, "", r.Maps, func(c *result.Result) map[string]result.Component {
		if c.Unzoomed != nil {
			return c.Unzoomed.Components
		}
		return c.Components
	}))
	errs = append(errs, folder{r}.drawMaps(dir, "-zoomed", r.ZoomedMaps, func(c *result.Result) map[string]result.Component { return c.Components }))
	for name, m := range r.ZoomedMaps {
		errs = append(errs, format.Write(filepath.Join(dir, "maps", name+"-zoomed.map"), m.Map))
	}
	return errors.Join(errs...)
}

// JSON writes the results as the JSON of `peregrine run --json`.
func JSON(w io.Writer, r *result.Results) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// stations writes a row for each port of each case: its quantities in SI units, statics where
// an area is known.
func (r folder) stations(w io.Writer) error {
	out := csv.NewWriter(w)
	row := []string{"case", "port", "station"}
	for _, f := range flow.Fields {
		head := f.Name
		if u := f.Dim.Bare(); u != "" {
			head += "_" + u
		}
		row = append(row, head)
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for _, c := range r.Cases {
		for _, name := range c.Order.Stations {
			s := c.Stations[name]
			row = append(row[:0], c.Name, name, s.Number)
			for _, f := range flow.Fields {
				text := ""
				if v, ok := s.Value(f); ok {
					text = numeric.Text(v)
				}
				row = append(row, text)
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// drawMaps draws each map with the operating points of the cases.
func (r folder) drawMaps(dir, suffix string, maps map[string]result.ScaledMap, of func(*result.Result) map[string]result.Component) error {
	var errs []error
	for name, m := range maps {
		opt := plot.Options{Scale: m.Scale, Title: r.Engine + ": " + name, FlowUnit: "kg/s"}
		if suffix != "" {
			opt.Title += ", zoomed"
		}
		for _, c := range r.Cases {
			if c.History != nil { // it has pictures of its own
				continue
			}
			opt.Points = append(opt.Points, point(c.Name, of(c)[name]))
		}
		// The operating line joins the points along the flow, whatever their order.
		slices.SortStableFunc(opt.Points, func(a, b plot.Point) int {
			switch {
			case a.Wc < b.Wc:
				return -1
			case a.Wc > b.Wc:
				return 1
			}
			return 0
		})
		errs = append(errs, atomic.Stream(filepath.Join(dir, "maps", name+suffix+".svg"), func(w io.Writer) error {
			return plot.Draw(w, m.Map, opt)
		}))
	}
	return errors.Join(errs...)
}

// point is an operating point on a map: a compressor's has a corrected flow, a turbine's the
// flow function.
func point(name string, c result.Component) plot.Point {
	p := plot.Point{Name: name, PR: c.Value("PR"), Eff: c.Value("eff")}
	if c.Has("Wc") {
		p.Wc = c.Value("Wc")
	}
	return p
}

// folder is results that are written into one.
type folder struct{ *result.Results }

// timeline is a history that is written or drawn.
type timeline struct{ *result.History }
