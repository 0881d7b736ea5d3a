package report

import (
	"io"

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

// point is an operating point on a map: a compressor's has a corrected flow, a turbine's the
// flow function.
func point(name string, c result.Component) plot.Mark {
	p := plot.Mark{Name: name, PR: c.Value("PR"), Eff: c.Value("eff")}
	if c.Has("Wc") {
		p.Wc = c.Value("Wc")
	}
	return p
}
