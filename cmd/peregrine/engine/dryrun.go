package engine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/plan"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// mostDiffers is the number of differences that a line of a dry run has.
const mostDiffers = 2

// dryRun lists the runs that an engine's cases would make, and those whose answers are in the cache. Of a new run it
// shows the nearest earlier one, and how that differs.
func dryRun(cmd *cobra.Command, cfg *config.Engine, names []string, s settings.Settings,
	solvers *solver.Registry) error {
	p, err := plan.Of(cmd.Context(), cfg, names, s, solvers, cli.Clock(cmd))
	if err != nil {
		return err
	}
	x, _, err := runs.Open(cmd)
	if err != nil {
		return err
	}
	defer x.Close()
	earlier, err := runs.EarlierRuns(cmd.Context(), x)
	if err != nil {
		return err
	}
	rows, fresh := table.New("llll", "run", "state", "nearest", "differs by"), 0
	for _, j := range p.Jobs {
		state, near, text := "cached", "", ""
		if j.Class == run.NotRun {
			fresh++
			state = "new"
			near, text = nearest(earlier, j)
		}
		rows.Row(j.Job.Name, state, near, text)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%d new runs, %d in the cache\n", fresh, len(p.Jobs)-fresh)
	if len(p.Jobs) > 0 {
		fmt.Fprint(out, rows.String())
	}
	for _, a := range p.Assumptions {
		fmt.Fprint(out, table.Wrap("", "  ", a))
	}
	return nil
}

// nearest names the earlier run that is nearest to a job, and how it differs.
func nearest(earlier *runs.Earlier, j plan.Job) (name, differs string) {
	name, list := earlier.Nearest(j)
	if name == "" {
		return "", ""
	}
	differs = strings.Join(list[:min(len(list), mostDiffers)], ", ")
	if n := len(list) - mostDiffers; n > 0 {
		differs += fmt.Sprintf(", and %d more", n)
	}
	return name, cmp.Or(differs, "the solver's code or the rules")
}
