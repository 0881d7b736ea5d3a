package engine

// Notes of `run`, `zoom` and `sweep` on standard error: the plan before the work, and the written files after it.

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// sayPlan prints the cases, the zoomed components, the least number of runs, where they run, and the meaning of run
// names.
func sayPlan(w io.Writer, cfg *config.Engine, cases []string, zooms []config.Zoom, s *settings.Settings) {
	say := func(text string) { fmt.Fprint(w, table.Wrap("", "  ", text)) }
	say(fmt.Sprintf("%s: %s: %s", filepath.Base(cfg.File), spell.Count(len(cases), "case"), strings.Join(cases, ", ")))
	for i := range zooms {
		z := &zooms[i]
		where := "this machine"
		if l := s.LauncherOf(z); l != hosts.Local {
			where = "launcher " + l
		}
		if s.Workers > 0 {
			where += ", " + spell.Count(s.Workers, "run") + " at a time"
		}
		say(fmt.Sprintf("zoom of %s by %s: %s; on %s", z.Component, z.Solver, runsOf(z), where))
	}
	if len(zooms) > 0 {
		say(fmt.Sprintf("runs are named as %s-n092.771-k+00.7011-o6: component, corrected speed in %% of design "+
			"(n), throttle (k: logarithm of its ratio to the open throttle) or flow (w: in kg/s), orders of magnitude "+
			"by which the residual falls (o)", zooms[0].Component))
	}
}

// runsOf describes the number of runs that a zoom makes or takes from the cache.
func runsOf(z *config.Zoom) string {
	var text string
	switch lines := max(1, len(z.Speeds)); {
	case z.To == nil && z.Span == "whole":
		text = fmt.Sprintf("%s of %s each, more where the map has to reach further", spell.Count(lines, "speed line"),
			spell.Count(z.Runs, "run"))
	case z.To == nil:
		text = fmt.Sprintf("at least %s, as many on each speed line near a case", spell.Count(z.Runs, "run"))
	default:
		text = fmt.Sprintf("at least 1 run, then rounds of at most %d until the estimated error is below %s", z.Batch,
			goals(z.To))
	}
	if z.Most > 0 {
		text += fmt.Sprintf(", at most %d in all", z.Most)
	}
	return text + "; answers in the cache are not computed again"
}

// goals writes the errors that results are to have.
func goals(to []config.Goal) string {
	var parts []string
	for _, g := range to {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%.4g %% %s", 100*g.Error, strings.TrimPrefix(g.Path,
			"performance."))))
	}
	return strings.Join(parts, ", ")
}

// sayStudy prints the folder of a study, and useful next commands.
func sayStudy(w io.Writer, folder string, runs bool) {
	name := filepath.Base(folder)
	next := fmt.Sprintf("peregrine report %s (its page)", name)
	if runs {
		next += fmt.Sprintf(", peregrine runs list %s (how each run ended)", name)
	}
	fmt.Fprintf(w, "study %s, with results, log and runs: %s\n", name, printable.Cell(folder))
	fmt.Fprint(w, table.Wrap("next: ", "  ", next))
}

// sayWritten lists the files written into a folder: the results, or the files of a sweep.
func sayWritten(w io.Writer, dir, sweep string) {
	var files, maps []string
	for _, f := range report.Written(dir, sweep) {
		if strings.HasPrefix(f, "maps/") {
			maps = append(maps, f)
		} else {
			files = append(files, f)
		}
	}
	if len(maps) > mostNamed {
		maps = []string{fmt.Sprintf("and %d files in maps", len(maps))}
	}
	files = append(files, maps...)
	fmt.Fprint(w, table.Wrap("", "  ", fmt.Sprintf("written into %s: %s", dir, strings.Join(files, ", "))))
}

// mostNamed is the largest number of pictures of maps that are listed individually.
const mostNamed = 4
