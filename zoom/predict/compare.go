package predict

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
)

// Comparison is a forecast beside the study that it is of. Times are in s.
type Comparison struct {
	StudyBeside
	Off         []Off       `json:"off"`  // wrong assumptions, the worst first
	Runs        []RunBeside `json:"runs"` // the largest difference first
	Assumptions []string    `json:"assumptions"`
}

// StudyBeside is the makespan of a study as measured and as predicted. Times are in s.
type StudyBeside struct {
	Study     string    `json:"study"`
	Measured  float64   `json:"measured"`
	Predicted Quantiles `json:"predicted"`
	Error     float64   `json:"error"` // of the median, as a share of the measured; 0 if that took no time
}

// Off is by how much the median gets longer if an assumption is replaced by the measured values.
type Off struct {
	Assumption string  `json:"assumption"`
	Seconds    float64 `json:"seconds"`
}

// RunBeside is the time of a run in a worker, all attempts together.
type RunBeside struct {
	Run       string  `json:"run"`
	Solver    string  `json:"solver"`
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
}

// OfCourse returns a finished study as a graph, whose runs have no times yet. The function describe fills in the solver
// and the settings of a job.
func OfCourse(c *makespan.Course, describe func(r *Run)) *Graph {
	g := &Graph{Name: c.Engine}
	var last []string
	engine := func() {
		e := Run{Executive: 1, After: last}
		for i := range g.Runs {
			e.Executive += min(1, g.Runs[i].Executive)
		}
		e.Name = fmt.Sprintf("engine %d", e.Executive)
		last = []string{e.Name}
		g.Runs = append(g.Runs, e)
	}
	names := map[string]int{}
	for _, b := range c.Batches {
		engine()
		before := last
		last = nil
		for _, j := range b.Jobs {
			r := Run{Name: j.Name, Job: j.Name, Component: j.Component, Cores: 1, After: before,
				Policy: run.DefaultPolicy(), Cached: len(j.Attempts) == 0}
			if names[j.Name]++; names[j.Name] > 1 {
				r.Name = fmt.Sprintf("%s (%d)", j.Name, names[j.Name])
			}
			describe(&r)
			last = append(last, r.Name)
			g.Runs = append(g.Runs, r)
		}
	}
	engine()
	return g
}

// Compare puts the forecast of a graph by OfCourse beside the course. The graph is estimated.
func (g *Graph) Compare(ctx context.Context, of *makespan.Course, c *Cluster, opt Options) (*Comparison, error) {
	f, err := g.Forecast(ctx, c, opt)
	if err != nil {
		return nil, err
	}
	out := &Comparison{StudyBeside: StudyBeside{Study: of.Study, Measured: of.Length, Predicted: f.Makespan},
		Off: []Off{}, Runs: []RunBeside{}, Assumptions: f.Assumptions}
	if of.Length > 0 {
		out.Error = f.Makespan.P50/of.Length - 1
	}
	now, measured := g.expected(opt.Seed), g.measured(of)
	usual := g.simulate(ctx, c, now, nil)
	for i := range g.Runs {
		if r := &g.Runs[i]; !r.Cached && r.Executive == 0 {
			out.Runs = append(out.Runs, RunBeside{r.Name, r.Solver, usual.took[i], measured[i]})
		}
	}
	slices.SortStableFunc(out.Runs, func(a, b RunBeside) int {
		return cmp.Compare(math.Abs(b.Measured-b.Predicted), math.Abs(a.Measured-a.Predicted))
	})
	lost := g.failed(of)
	end := usual.end
	replace := func(assumption string, of func(i int) bool) {
		for i := range now {
			if of(i) {
				now[i] = drawn{length: measured[i]}
			}
		}
		next := g.simulate(ctx, c, now, nil).end
		out.Off = append(out.Off, Off{assumption, next - end})
		end = next
	}
	replace("times of runs that fail in some attempt", func(i int) bool { return lost[i] })
	replace("times of other runs", func(i int) bool { return g.Runs[i].Executive == 0 && !lost[i] })
	replace("executive's own time", func(i int) bool { return g.Runs[i].Executive > 0 })
	out.Off = append(out.Off, Off{"nodes and their schedule", of.Length - end})
	slices.SortStableFunc(out.Off, func(a, b Off) int { return cmp.Compare(math.Abs(b.Seconds), math.Abs(a.Seconds)) })
	return out, context.Cause(ctx)
}

// expected returns the median times of the runs, those of failed attempts included.
func (g *Graph) expected(seed uint64) []drawn {
	const draws = 101
	all := make([][]drawn, len(g.Runs))
	for k := range uint64(draws) {
		for i, t := range g.lengths(rand.New(rand.NewPCG(seed, k)), condition{}) {
			all[i] = append(all[i], t)
		}
	}
	list := make([]drawn, len(all))
	for i := range all {
		slices.SortFunc(all[i], func(a, b drawn) int { return cmp.Compare(a.length, b.length) })
		list[i] = all[i][draws/2]
	}
	return list
}

// measured returns the times of a graph's runs in its course.
func (g *Graph) measured(of *makespan.Course) (list []float64) {
	for _, b := range of.Batches {
		list = append(list, b.Before)
		for _, j := range b.Jobs {
			list = append(list, j.Needed)
		}
	}
	return append(list, of.After)
}

// failed reports of each run whether an attempt at it failed.
func (g *Graph) failed(of *makespan.Course) (list []bool) {
	for _, b := range of.Batches {
		list = append(list, false)
		for _, j := range b.Jobs {
			list = append(list, slices.ContainsFunc(j.Attempts, func(a makespan.Attempt) bool { return !a.Answers }))
		}
	}
	return append(list, false)
}
