package report

import (
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// pngFormat draws histories and sweeps, for documents that take no SVG.
type pngFormat struct{}

func (pngFormat) Extension() string { return "png" }

func (pngFormat) Files() []File {
	return []File{
		{"CASE", "a transient's history over time, in the units of --units"},
		{"maps/COMPONENT-CASE", "a transient's trajectory on the component's map"},
		{"SWEEP", "the plots of a sweep, in the units of --units; several are SWEEP-1, SWEEP-2 ..."},
	}
}

func (pngFormat) History(to *Folder, r *result.Results, c *result.Result, sys unit.System) {
	resultsReport{r}.drawHistory(to, c, sys)
}

func (pngFormat) Sweep(to *Folder, r *sweep.Result, sys unit.System) {
	sweepReport{r}.drawPlots(to, sys)
}
