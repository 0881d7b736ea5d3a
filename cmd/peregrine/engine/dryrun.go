package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/predict"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/plan"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// dryPlan is the runs that an engine's cases would make.
type dryPlan struct {
	New         int      `json:"new"`
	Cached      int      `json:"cached"`
	Runs        []dryJob `json:"runs"`
	Assumptions []string `json:"assumptions"`
}

// dryJob is a run of a plan. If it is new, it has the nearest earlier run.
type dryJob struct {
	Name  string `json:"run"`
	State string `json:"state"` // new, cached, or waiting for an earlier round
	// share of earlier or assumed studies that make a run that waits
	Share float64 `json:"share,omitempty"`
	runs.Nearest
}

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
	earlier, err := runs.EarlierRuns(cmd.Context(), x, s)
	if err != nil {
		return err
	}
	known := len(p.Runs)
	if err := predict.AddRounds(cmd, p); err != nil {
		return err
	}
	d := dryPlan{Runs: []dryJob{}, Assumptions: p.Assumptions}
	for i := range p.Jobs {
		j := dryJob{p.Jobs[i].Job.Name, "cached", 0, runs.Nearest{Differs: []runs.Change{}}}
		if p.Jobs[i].Class == run.NotRun {
			d.New++
			j.State, j.Nearest = "new", earlier.Nearest(wanted(&p.Jobs[i]))
		}
		d.Runs = append(d.Runs, j)
	}
	d.Cached = len(d.Runs) - d.New
	for _, r := range p.Runs[known:] {
		if r.Executive == 0 {
			d.Runs = append(d.Runs, dryJob{r.Name, "waiting", r.Share, runs.Nearest{Differs: []runs.Change{}}})
		}
	}
	return cli.PrintValue(cmd, d, dryPlan.String)
}

// wanted is all on which the answer of a job depends.
func wanted(j *plan.Job) *runs.Wanted {
	request := j.Job.Request
	request.Numbers = maps.Clone(request.Numbers)
	for _, d := range slices.Concat(j.Solver.Inputs, j.Solver.Settings) { // a recorded request has its defaults
		if _, given := request.Numbers[d.Name]; !given && d.Default != nil && request.Numbers != nil {
			request.Numbers[d.Name] = *d.Default
		}
	}
	program := func() (m run.Maker) {
		m.Program, _ = launch.Contents(j.Program.Command) // a missing program does not start either
		return m
	}
	return &runs.Wanted{Job: j.Job.Name, Solver: j.Solver.Name, Version: j.Solver.Version, Request: request,
		Key: j.Key, Program: program}
}

func (d dryPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d new runs, %d in the cache\n", d.New, d.Cached)
	rows := table.New("llll", "run", "state", "nearest", "differs by")
	for _, j := range d.Runs {
		state := j.State
		if j.Share > 0 {
			state += fmt.Sprintf(", %.0f %%", 100*j.Share)
		}
		rows.Row(j.Name, state, j.Nearest.Name, j.Nearest.String())
	}
	if len(d.Runs) > 0 {
		b.WriteString(rows.String())
	}
	for _, a := range d.Assumptions {
		b.WriteString(table.Wrap("", "  ", a))
	}
	return b.String()
}
