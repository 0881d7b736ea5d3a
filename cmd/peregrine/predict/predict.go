// Package predict has the verb that predicts the time of studies and of programs.
package predict

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/plan"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/predict"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// options are the flags of a forecast.
type options struct {
	cluster string
	samples int
	seed    uint64
	sets    []string
	trust   bool
}

// Verb returns the verb `predict`.
func Verb() *cobra.Command {
	var opt options
	cmd := cli.WithJSON("print as JSON, SI units", &cobra.Command{
		Use: "predict ENGINE.yaml|GRAPH.yaml --on CLUSTER.yaml", Args: cobra.ExactArgs(1),
		Short: "Predict how long a study takes on a cluster, and what limits it",
		Long: `Predict how long a study takes on a cluster, how sure that is, what limits it, and what one more of each
thing would save. Nothing runs. 'peregrine help predict' describes graphs and clusters.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := forecast(cmd, args[0], &opt)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, f, forecastText)
		},
	})
	opt.flags(cmd)
	cmd.AddCommand(newSweep(), newCompare(), newCalibrate(), newBMF())
	return cmd
}

func (opt *options) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&opt.cluster, "on", "", "`file` of the cluster")
	f.IntVar(&opt.samples, "samples", predict.UsualSamples, "number of samples")
	f.Uint64Var(&opt.seed, "seed", 1, "begin of the random numbers; the same seed gives the same forecast")
	cli.SetFlag(f, &opt.sets)
	cli.TrustFlag(f, &opt.trust)
	if err := cmd.MarkFlagRequired("on"); err != nil {
		panic(err) // an unknown flag
	}
}

// check reports options that are out of their range.
func (opt *options) check() error {
	if opt.samples < 1 || opt.samples > predict.MostSamples {
		return fmt.Errorf("--samples %d: want 1 to %d", opt.samples, predict.MostSamples)
	}
	return nil
}

// forecast predicts the study of a file.
func forecast(cmd *cobra.Command, file string, opt *options) (*predict.Forecast, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	c, wrongCluster := predict.LoadCluster(cmd.Context(), opt.cluster)
	var g *predict.Graph
	on, wrongStudy := loadStudy(cmd, file, opt)
	if wrongStudy == nil {
		g, wrongStudy = on(c)
	}
	if err := errors.Join(wrongStudy, wrongCluster); err != nil {
		return nil, err
	}
	return g.Forecast(cmd.Context(), c, predict.Options{Samples: opt.samples, Seed: opt.seed})
}

// study returns the graph of a study, estimated for a cluster. The cluster may be nil, if its file is wrong: the error
// has the problems of the study.
type study func(c *predict.Cluster) (*predict.Graph, error)

// loadStudy reads a graph, or plans the study of an engine.
func loadStudy(cmd *cobra.Command, file string, opt *options) (study, error) {
	data, err := intake.Read(file, predict.GraphLimit())
	if err != nil {
		return nil, err
	}
	var earlier *past
	slurm := queue{cmd: cmd}
	estimated := func(g *predict.Graph, c *predict.Cluster, defaults map[string]map[string]float64) error {
		if earlier == nil {
			if earlier, err = readPast(cmd, settingsOf(g, defaults), defaults); err != nil {
				return err
			}
		}
		if err := slurm.estimate(g, c); err != nil {
			return err
		}
		earlier.estimate(g, c, "")
		return nil
	}
	if predict.IsGraph(data) {
		_, defaults := builtinSettings()
		return func(c *predict.Cluster) (*predict.Graph, error) {
			g, err := predict.ParseGraph(file, data, c)
			if err != nil || c == nil {
				return nil, err
			}
			return g, estimated(g, c, defaults)
		}, nil
	}
	tools, solvers, cfg, err := cli.LoadEngine(cmd, file, opt.sets)
	if err == nil {
		err = cli.Allowed(cmd, tools, cfg, solvers, opt.trust)
	}
	if err != nil {
		return nil, err
	}
	names, err := session.Select(cfg, nil)
	if err != nil {
		return nil, err
	}
	p, err := plan.Of(cmd.Context(), cfg, names, tools, solvers, cli.Clock(cmd))
	if err == nil {
		earlier, err = pastOf(cmd, p)
	}
	if err != nil {
		return nil, err
	}
	return func(c *predict.Cluster) (*predict.Graph, error) {
		if c == nil {
			return nil, nil
		}
		limit(c, p)
		g := p.Graph.Clone()
		if err := g.Check(c); err != nil {
			return nil, err
		}
		return g, estimated(g, c, p.Defaults)
	}, nil
}

// limit gives a cluster the licences of a plan that only solvers name.
func limit(c *predict.Cluster, p *plan.Plan) {
	for name, of := range p.Licences {
		if _, given := c.Licences[name]; !given {
			c.Limit(name, of)
		}
	}
}

// local leaves of what the runs of a plan need only what this machine gives them: a core, and solvers' own licences.
// The rest is for launchers, which place runs on nodes.
func local(p *plan.Plan) {
	alone := func(r *predict.Run) {
		if r.Solver == "" {
			return // the executive
		}
		r.Cores, r.Memory = 1, 0
		own := map[string]int{}
		for name := range r.Licences {
			if _, known := p.Licences[name]; known {
				own[name] = 1
			}
		}
		r.Licences = own
	}
	for i := range p.Runs {
		alone(&p.Runs[i])
	}
	for i := range p.Later {
		alone(&p.Later[i].Like)
	}
}

// Expected is how long an engine's cases are expected to take on this machine.
type Expected struct {
	*predict.Forecast
	Usual map[string]float64 // time of a run, s, by component; missing if not known, or only guessed
}

func (e *Expected) String() string {
	return fmt.Sprintf("predicted: %s, one time in ten more than %s (%s)", cli.Took(e.Makespan.P50),
		cli.Took(e.Makespan.P90), strings.Join(e.Assumptions, "; "))
}

// Here predicts how long an engine's cases take on this machine.
func Here(cmd *cobra.Command, cfg *config.Engine, names []string, s settings.Settings,
	solvers *solver.Registry) (*Expected, error) {
	cores := cmp.Or(s.Workers, runtime.NumCPU())
	c := &predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: cores, Runs: cores, Speed: 1}}}
	p, err := plan.Of(cmd.Context(), cfg, names, s, solvers, cli.Clock(cmd))
	if err != nil {
		return nil, err
	}
	local(p)
	limit(c, p)
	earlier, err := pastOf(cmd, p)
	if err == nil {
		err = p.Check(c)
	}
	if err != nil {
		return nil, err
	}
	earlier.estimate(p.Graph, c, "")
	f, err := p.Forecast(cmd.Context(), c, predict.Options{Samples: predict.UsualSamples, Seed: 1})
	if err != nil {
		return nil, err
	}
	return &Expected{f, p.Usual()}, nil
}

// forecastText is a screen on a forecast. Its first line has the makespan.
func forecastText(f *predict.Forecast) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	m := f.Makespan
	line("takes %s; one time in ten less than %s, one in ten more than %s", cli.Took(m.P50), cli.Took(m.P10),
		cli.Took(m.P90))
	line("%.4g core hours, cores busy for %.0f %%; runs wait %s for a node and %s for licences; %s moved", f.CoreHours,
		100*f.Utilisation, cli.Took(f.Queue), cli.Took(f.Licence), cli.Bytes(int64(f.Bytes)))
	rows := table.New("lrrr", "spread", "10 %", "50 %", "90 %")
	for _, name := range slices.Sorted(maps.Keys(f.Spread)) {
		q := f.Spread[name]
		rows.Row(name, fmt.Sprintf("%.4g", q.P10), fmt.Sprintf("%.4g", q.P50), fmt.Sprintf("%.4g", q.P90))
	}
	if len(f.Spread) > 0 {
		b.WriteString(rows.String())
	}
	line("limited by: %s", f.Binds)
	for _, name := range slices.Sorted(maps.Keys(f.Saves)) {
		line("  %s saves %s", more[strings.Fields(name)[0]]+strings.TrimPrefix(name, strings.Fields(name)[0]),
			cli.Took(f.Saves[name]))
	}
	path := f.Critical
	if n := len(path); n > mostRows {
		path = append(slices.Clone(path[:mostRows-1]), fmt.Sprintf("and %d more", n-mostRows+1))
	}
	line("critical path: %s", strings.Join(path, ", "))
	for _, a := range f.Assumptions {
		line("assumed: %s", a)
	}
	return b.String()
}

// more names what would save time.
var more = map[string]string{"node": "one more node", "core": "one more core on each node",
	"memory": "memory for one more core on each node", "licence": "one more licence",
	"bandwidth": "twice the bandwidth", "time-out": "half the time to notice failures"}
