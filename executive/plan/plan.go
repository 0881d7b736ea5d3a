// Package plan finds the runs that the zooms of an engine would make, by the planner of a study. Nothing runs.
package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/zoomsolve"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/predict"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Plan is the study of an engine.
type Plan struct {
	*predict.Graph // of each zoom the runs up to the first round without all answers; they have no times

	Jobs     []Job                         // of the runs, in their order
	Later    []Later                       // zooms whose further rounds are not known; see AddRounds
	Licences map[string]int                // numbers of the solvers' own licences
	Defaults map[string]map[string]float64 // settings that a request has without a choice, by solver
}

// Job is a run of a plan; of class NotRun it would be run.
type Job struct {
	*run.Outcome
	Solver  *plugin.Description
	Program launch.Program
}

// Later is a zoom to an error whose first rounds are planned.
type Later struct {
	Zoom   *config.Zoom
	Rounds int         // that are planned
	Runs   int         // of these
	Like   predict.Run // as its runs are
}

// Of plans the study of some of an engine's cases.
func Of(ctx context.Context, cfg *config.Engine, names []string, s settings.Settings, solvers *solver.Registry,
	c clock.Clock) (*Plan, error) {
	p := planner{Plan: Plan{Graph: &predict.Graph{Name: cfg.Name}, Licences: map[string]int{},
		Defaults: map[string]map[string]float64{}}, clock: c,
		solvers: executive.SolversOf(cfg, s, solvers)}
	switch _, err := os.Stat(s.Cache); {
	case err == nil:
		if p.answers, err = executive.OpenCache(s); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	quiet := func(e event.Event) event.Event { return e }
	for i := range cfg.Zooms {
		one := *cfg
		one.Zooms = cfg.Zooms[i : i+1]
		p.complete, p.later = true, Later{Zoom: &cfg.Zooms[i]}
		_, err := executive.Run(ctx, &one, names, executive.Options{Workers: s.Workers, Zoomer: &p, Record: quiet})
		if err != nil && !errors.Is(err, study.ErrForeseen) {
			return nil, err
		}
		if !p.complete {
			p.assume(&cfg.Zooms[i])
		}
	}
	if p.engine(); len(cfg.Zooms) == 0 {
		p.Assumptions = append(p.Assumptions, "the engine zooms nothing: no runs")
	}
	return &p.Plan, nil
}

// planner makes studies that plan only. It is an executive.Zoomer.
type planner struct {
	Plan
	solvers  *solver.Registry
	answers  *cache.Cache // nil: it does not exist yet
	clock    clock.Clock
	complete bool // all runs of the zoom are known
	later    Later
}

// Study implements Zoomer.
func (p *planner) Study(ctx context.Context, z *config.Zoom, judge *rules.Judge) (*study.Study, error) {
	of, err := zoomsolve.SolverOf(ctx, judge.Engine(), z, p.solvers)
	if err != nil {
		return nil, err
	}
	needs := map[string]int{}
	maps.Copy(needs, z.Licences)
	if of.Licence != nil {
		needs[of.Licence.Name] = max(1, needs[of.Licence.Name])
		p.Licences[of.Licence.Name] = of.Licence.Of
	}
	p.Defaults[z.Solver] = map[string]float64{}
	for _, q := range of.Description.Settings {
		if q.Default != nil {
			p.Defaults[z.Solver][q.Name] = *q.Default
		}
	}
	return &study.Study{
		Pool: &pool.Pool{Runner: attempt.Runner{Program: of.Program, Clock: p.clock},
			Policy: run.PolicyOf(z.Failures)},
		Cache: p.answers, Description: of.Description, Rules: judge, Match: z.Match,
		Known: func(_, _ string, there []string) []string {
			if z.Earlier {
				return there
			}
			return nil
		},
		Foresee: func(list []run.Outcome) {
			p.engine()
			last := p.Runs[len(p.Runs)-1].Name
			p.later.Rounds++
			p.later.Runs += len(list)
			for i := range list {
				r := planned(z, p.Defaults[z.Solver], &of.Description, &list[i], needs)
				r.After = []string{last}
				p.Runs, p.Jobs = append(p.Runs, r), append(p.Jobs, Job{&list[i], &of.Description, of.Program})
				p.later.Like = r
				p.complete = p.complete && list[i].Class != run.NotRun
			}
		},
	}, nil
}

// engine adds work of the executive, which follows all runs since its last.
func (p *Plan) engine() {
	e := predict.Run{Executive: 1}
	for i := len(p.Runs) - 1; i >= 0; i-- {
		e.After = append(e.After, p.Runs[i].Name)
		if n := p.Runs[i].Executive; n > 0 {
			e.Executive = n + 1
			break
		}
	}
	e.Name = fmt.Sprintf("engine %d", e.Executive)
	p.Runs = append(p.Runs, e)
}

// planned is a run of a graph.
func planned(z *config.Zoom, defaults map[string]float64, d *plugin.Description, o *run.Outcome,
	needs map[string]int) predict.Run {
	r := predict.Run{Name: o.Job.Name, Component: z.Component, Solver: z.Solver, Cores: int(math.Ceil(max(1, z.Cores))),
		Memory: z.Memory, Licences: needs, Settings: maps.Clone(defaults), Policy: run.PolicyOf(z.Failures),
		Cached: o.Class != run.NotRun}
	for _, q := range d.Settings {
		if x, ok := o.Job.Request.Numbers[q.Name]; ok {
			r.Settings[q.Name] = x
		}
	}
	if text, err := json.Marshal(o.Job.Request); err == nil { // else it cannot be run either
		r.In = int64(len(text))
	}
	return r
}

// assume notes what the plan of a zoom leaves out.
func (p *planner) assume(z *config.Zoom) {
	if z.To != nil {
		p.Later = append(p.Later, p.later)
		return
	}
	p.Assumptions = append(p.Assumptions, fmt.Sprintf(
		"zoom of %s: no runs beyond the first map, which is extended if the engine leaves it", z.Component))
}
