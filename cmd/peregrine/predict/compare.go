package predict

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/predict"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// mostRows is the number of runs that the text of a forecast names.
const mostRows = 8

func newCompare() *cobra.Command {
	var on string
	cmd := cli.WithJSON("print as JSON, SI units", &cobra.Command{
		Use: "compare STUDY", Short: "Put a forecast beside the study that it is of, and say what was wrong",
		Long: `Predict a study that has ended by the runs of other studies, and put the forecast beside it, run by run.
Each assumption is replaced by what was measured, so that the difference shows which one was wrong. Without --on the
cluster is one node with as many cores as the study had workers.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := compare(cmd, args[0], on)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, result, comparisonText)
		},
	})
	cmd.Flags().StringVar(&on, "on", "", "`file` of the cluster")
	return cmd
}

func compare(cmd *cobra.Command, arg, on string) (*predict.Comparison, error) {
	folder, err := runs.StudyFolder(cmd, arg)
	if err != nil {
		return nil, err
	}
	course := courseOf(folder)
	if folder == "" || course == nil || len(course.Batches) == 0 {
		return nil, fmt.Errorf("%s has no runs to compare with", arg)
	}
	var c *predict.Cluster
	if on != "" {
		if c, err = predict.LoadCluster(cmd.Context(), on); err != nil {
			return nil, err
		}
	}
	settings, defaults := builtinSettings()
	earlier, err := readPast(cmd, settings, defaults)
	if err != nil {
		return nil, err
	}
	return earlier.compare(cmd.Context(), filepath.Base(folder), course, c)
}

// compare predicts a study by the runs of others. Without a cluster it is one node, with a core for each worker.
func (p *past) compare(ctx context.Context, study string, course *makespan.Course,
	c *predict.Cluster) (*predict.Comparison, error) {
	if c == nil {
		workers := 1
		for _, b := range course.Batches {
			workers = max(workers, b.Workers)
		}
		c = &predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: workers, Speed: 1}}}
	}
	made := map[string]predict.Measured{}
	for _, m := range p.attempts {
		if m.Study == study {
			made[m.Job] = m
		}
	}
	g := predict.OfCourse(course, func(r *predict.Run) {
		r.Solver, r.Settings = made[r.Job].Solver, made[r.Job].Settings
	})
	if err := g.Check(c); err != nil {
		return nil, err
	}
	p.estimate(g, c, study)
	return g.Compare(ctx, course, c, predict.Options{Samples: predict.UsualSamples, Seed: 1})
}

// builtinSettings are the settings of the built-in solvers, and their values without a choice.
func builtinSettings() (names []string, defaults map[string]map[string]float64) {
	all := map[string]bool{}
	defaults = map[string]map[string]float64{}
	for _, d := range solver.Descriptions() {
		defaults[d.Name] = map[string]float64{}
		for _, q := range d.Settings {
			if q.Default != nil {
				all[q.Name], defaults[d.Name][q.Name] = true, *q.Default
			}
		}
	}
	return slices.Sorted(maps.Keys(all)), defaults
}

func besideText(s predict.StudyBeside) string {
	return fmt.Sprintf("%s took %s; predicted %s (%+.1f %%), between %s and %s\n", s.Study, cli.Took(s.Measured),
		cli.Took(s.Predicted.P50), 100*s.Error, cli.Took(s.Predicted.P10), cli.Took(s.Predicted.P90))
}

func comparisonText(c *predict.Comparison) string {
	var b strings.Builder
	b.WriteString(besideText(c.StudyBeside))
	for _, o := range c.Off {
		fmt.Fprintf(&b, "%+.3f s: %s\n", o.Seconds, o.Assumption)
	}
	rows := table.New("lrrr", "run", "predicted", "measured", "difference")
	for i, r := range c.Runs {
		if i == 2*mostRows {
			break
		}
		rows.Row(r.Run, cli.Took(r.Predicted), cli.Took(r.Measured), fmt.Sprintf("%+.3f s", r.Measured-r.Predicted))
	}
	b.WriteString(rows.String())
	for _, a := range c.Assumptions {
		fmt.Fprintf(&b, "assumed: %s\n", a)
	}
	return b.String()
}
