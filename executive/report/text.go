package report

import (
	"io"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// textFormat writes the tables of the terminal.
type textFormat struct{}

func (textFormat) Extension() string { return "txt" }

func (textFormat) Files() []File {
	return []File{
		{"results", "the tables of the terminal"},
		{"SWEEP", "the table of a sweep"},
	}
}

func (textFormat) Results(to *Folder, r *result.Results, sys unit.System) {
	to.Write("results", func(w io.Writer) error { return Table(w, r, sys) })
}

func (textFormat) Sweep(to *Folder, r *sweep.Result, sys unit.System) {
	to.Write(r.Sweep.Name, func(w io.Writer) error { return SweepTable(w, r, sys) })
}

// SweepTable writes the rows as a text table.
func SweepTable(w io.Writer, r *sweep.Result, sys unit.System) error {
	return sweepReport{r}.table(w, sys)
}
