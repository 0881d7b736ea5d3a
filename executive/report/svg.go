package report

import (
	"io"
	"slices"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// svgFormat draws maps with operating points, lines and trajectories, and histories and sweeps.
type svgFormat struct{}

func (svgFormat) Extension() string { return "svg" }

func (svgFormat) Files() []File {
	return []File{
		{"maps/COMPONENT", "a component's map with the operating points of all cases, or with the operating lines of a sweep that is no trade study; of several lines at most six, COMPONENT-1, COMPONENT-2 ..."},
		{"maps/COMPONENT-zoomed", "the map that zooming made, with the operating points"},
		{"CASE", "a transient's history over time, in the units of --units"},
		{"maps/COMPONENT-CASE", "a transient's trajectory on the component's map"},
		{"SWEEP", "the plots of a sweep, in the units of --units; several are SWEEP-1, SWEEP-2 ..."},
	}
}

func (svgFormat) Results(to *Folder, r *result.Results, _ unit.System) {
	resultsReport{r}.drawMaps(to, "", r.Maps, func(c *result.Result) map[string]result.Component {
		if c.Unzoomed != nil {
			return c.Unzoomed.Components
		}
		return c.Components
	})
	resultsReport{r}.drawMaps(to, "-zoomed", r.ZoomedMaps, func(c *result.Result) map[string]result.Component { return c.Components })
}

func (svgFormat) History(to *Folder, r *result.Results, c *result.Result, sys unit.System) {
	resultsReport{r}.drawHistory(to, c, sys)
}

func (svgFormat) Sweep(to *Folder, r *sweep.Result, sys unit.System) {
	sweepReport{r}.drawPlots(to, sys)
	sweepReport{r}.drawOperatingLines(to, sys)
}

// drawMaps draws each map with the operating points of the cases.
func (r resultsReport) drawMaps(to *Folder, suffix string, maps map[string]result.ScaledMap, of func(*result.Result) map[string]result.Component) {
	for name, m := range maps {
		opt := plot.Options{Scale: m.Scale, Title: r.Engine + ": " + name, FlowUnit: "kg/s", Bands: m.Bands, Ends: m.Ends}
		if suffix != "" {
			opt.Title += ", zoomed"
		}
		for _, c := range r.Cases {
			if c.History != nil { // a transient has separate pictures
				continue
			}
			opt.Points = append(opt.Points, point(c.Name, of(c)[name]))
		}
		// The operating line joins the points in the order of flow.
		slices.SortStableFunc(opt.Points, func(a, b plot.Point) int {
			switch {
			case a.Wc < b.Wc:
				return -1
			case a.Wc > b.Wc:
				return 1
			}
			return 0
		})
		to.Write("maps/"+name+suffix, func(w io.Writer) error { return plot.Draw(w, m.Map, opt) })
	}
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
