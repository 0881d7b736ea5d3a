package report

// Charts: maps with operating points and operating lines, for the files of --out and the pages of studies.

import (
	"io"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// Chart is a component's map with operating points.
type Chart struct {
	Name      string // of its file, without the extension
	Component string
	Map       *perfmap.Map
	plot.Options
}

// chartsOf returns the charts of some maps with the operating points of the cases, by component.
func (r resultsReport) chartsOf(suffix string, of map[string]result.ScaledMap,
	at func(*result.Result) map[string]result.Component) (list []Chart) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		m := of[name]
		opt := optionsOf(r.Engine+": "+name, m)
		if suffix != "" {
			opt.Title += ", zoomed"
		}
		for _, c := range r.Cases {
			if c.History != nil { // a transient has separate pictures
				continue
			}
			opt.Points = append(opt.Points, point(c.Name, at(c)[name]))
		}
		list = append(list, Chart{Name: name + suffix, Component: name, Map: m.Map, Options: opt})
	}
	return list
}

// optionsOf returns the options of a map's picture.
func optionsOf(title string, m result.ScaledMap) plot.Options {
	return plot.Options{Scale: m.Scale, Title: title, FlowUnit: "kg/s", Bands: m.Bands, Ends: m.Ends, Apart: true}
}

// charts returns the maps with the operating points of all cases: first the maps of the engine file, then the zoomed
// maps.
func (r resultsReport) charts() []Chart {
	return append(
		r.chartsOf("", r.Maps, func(c *result.Result) map[string]result.Component {
			if c.Unzoomed != nil {
				return c.Unzoomed.Components
			}
			return c.Components
		}),
		r.chartsOf("-zoomed", r.ZoomedMaps,
			func(c *result.Result) map[string]result.Component { return c.Components })...)
}

// trajectories returns the maps with a transient's way on them.
func (r resultsReport) trajectories(c *result.Result) (list []Chart) {
	h := historyReport{c.History}
	for _, name := range c.Order.Components {
		m, ok := r.Maps[name]
		if extended, zoomed := c.Maps[name]; zoomed {
			m = extended
		}
		if !ok || len(h.Places[name]) == 0 {
			continue
		}
		list = append(list, Chart{Name: name + "-" + c.Name, Component: name, Map: m.Map, Options: plot.Options{
			Scale: m.Scale, Title: r.Engine + ": " + name + ", " + c.Name, FlowUnit: "kg/s",
			Points: h.trajectory(name), Trajectory: true}})
	}
	return list
}

// svgFormat draws maps with operating points, lines and trajectories, and histories and sweeps.
type svgFormat struct{}

func (svgFormat) Extension() string { return "svg" }

func (svgFormat) Files() []File {
	return []File{
		{
			"maps/COMPONENT",
			"a component's map with the operating points of all cases, or with the operating lines of a sweep that " +
				"is no trade study; of several lines at most six, COMPONENT-1, COMPONENT-2 ...",
		},
		{"maps/COMPONENT-zoomed", "the map that zooming made, with the operating points"},
		{"CASE", "a transient's history over time, in the units of --units"},
		{"maps/COMPONENT-CASE", "a transient's trajectory on the component's map"},
		{"SWEEP", "the plots of a sweep, in the units of --units; several are SWEEP-1, SWEEP-2 ..."},
	}
}

func (svgFormat) Results(to *Folder, r *result.Results, _ unit.System) {
	for _, c := range (resultsReport{r}).charts() {
		to.Write("maps/"+c.Name, func(w io.Writer) error { return plot.Draw(w, c.Map, c.Options) })
	}
}

func (svgFormat) History(to *Folder, r *result.Results, c *result.Result, sys unit.System) {
	resultsReport{r}.drawHistory(to, c, sys)
}

func (svgFormat) Sweep(to *Folder, r *sweep.Result, sys unit.System) {
	sweepReport{r}.drawPlots(to, sys)
	sweepReport{r}.drawOperatingLines(to, sys)
}

// point is an operating point on a map: a compressor's has a corrected flow, a turbine's the flow function.
func point(name string, c result.Component) plot.Mark {
	p := plot.Mark{Name: name, PR: c.Value("PR"), Eff: c.Value("eff")}
	if c.Has("Wc") {
		p.Wc = c.Value("Wc")
	}
	return p
}
