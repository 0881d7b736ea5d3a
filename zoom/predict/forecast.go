package predict

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"

	"github.com/peregrine-sim/peregrine/internal/network"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// Quantiles are values that one sample in ten, five and nine in ten do not exceed.
type Quantiles struct {
	P10 float64 `json:"p10"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
}

// Forecast is the expected course of a study. Times are in s; numbers without quantiles are medians, and a list of
// runs is of the sample with the median makespan.
type Forecast struct {
	Makespan    Quantiles            `json:"makespan"`
	CoreHours   float64              `json:"core_hours"`  // for which runs hold cores
	Lent        float64              `json:"lent"`        // core hours for which nodes are there
	Queue       float64              `json:"queue"`       // for which runs wait for a node, summed
	Licence     float64              `json:"licence"`     // for which runs on a node wait for licences, summed
	Bytes       float64              `json:"bytes"`       // over the network
	Utilisation float64              `json:"utilisation"` // share of the cores' time in which runs compute
	Critical    []string             `json:"critical"`    // path: each waited for the one before it
	Binds       string               `json:"binds"`       // cores, memory, licence, link, failure or dependency
	Saves       map[string]float64   `json:"saves"`       // of the makespan, by one more of a thing
	Assumptions []string             `json:"assumptions"`
	Ends        map[string]float64   `json:"ends"`   // by run and transfer
	Spread      map[string]Quantiles `json:"spread"` // of the numbers above that differ among samples
}

// Options of a forecast.
type Options struct {
	Samples int
	Seed    uint64
}

// Limits of options, and the number of samples without a choice.
const (
	MostSamples  = 100_000
	UsualSamples = 200
	mostCompared = 40 // samples under each other condition
)

// Forecast draws samples of a study on a cluster. The graph was checked for it and its runs are estimated.
func (g *Graph) Forecast(ctx context.Context, c *Cluster, opt Options) (*Forecast, error) {
	err := g.lasting(c)
	if err != nil {
		return nil, err
	}
	list, err := g.samples(ctx, c, opt.Seed, g.number(c, opt), condition{})
	if err != nil {
		return nil, err
	}
	f := &Forecast{Assumptions: slices.Clone(g.Assumptions), Ends: map[string]float64{},
		Spread: map[string]Quantiles{}, Critical: []string{}, Saves: map[string]float64{}}
	if f.Assumptions == nil {
		f.Assumptions = []string{}
	}
	cut := 0
	for i := range list {
		if list[i].cut {
			cut++
		}
	}
	if cut > 0 {
		f.Assumptions = append(f.Assumptions, fmt.Sprintf("in %d of %d samples a run would be longer than a block: "+
			"it counts as if it ended with the block", cut, len(list)))
	}
	f.Makespan = quantiles(list, func(s *sample) float64 { return s.end })
	for _, x := range []struct {
		name string
		to   *float64
		of   func(s *sample) float64
	}{
		{"core_hours", &f.CoreHours, func(s *sample) float64 { return s.coreTime / 3600 }},
		{"lent", &f.Lent, func(s *sample) float64 { return s.lent / 3600 }},
		{"queue", &f.Queue, func(s *sample) float64 { return s.queue }},
		{"licence", &f.Licence, func(s *sample) float64 { return s.licence }},
		{"bytes", &f.Bytes, func(s *sample) float64 { return s.moved }},
	} {
		q := quantiles(list, x.of)
		if *x.to = q.P50; q.P10 != q.P90 {
			f.Spread[x.name] = q
		}
	}
	middle := slices.IndexFunc(list, func(s sample) bool { return s.end == f.Makespan.P50 })
	s := g.sample(ctx, c, opt.Seed, middle, condition{})
	if _, cores := c.Size(); s.end > 0 {
		f.Utilisation = s.busy / (s.end * float64(cores))
	}
	for _, i := range slices.Backward(s.path) {
		f.Critical = append(f.Critical, g.name(i))
	}
	for i, end := range s.ends {
		f.Ends[g.name(int32(i))] = end
	}
	return f, g.compare(ctx, c, opt.Seed, list, f)
}

// lasting reports the runs that usually take longer than a block lasts.
func (g *Graph) lasting(c *Cluster) error {
	if c.Blocks == nil {
		return nil
	}
	fastest := 0.0
	for _, of := range c.Groups {
		fastest = max(fastest, of.Speed)
	}
	var list []error
	for i := range g.Runs {
		r := &g.Runs[i]
		if t := r.Time; r.Cores > 0 && !r.Cached && t != nil && t.Median/fastest > c.Blocks.Time {
			list = append(list, fmt.Errorf("%s: it takes %.4g s, and a block lasts %.4g s", r.Name, t.Median/fastest,
				c.Blocks.Time))
		}
	}
	return errors.Join(list...)
}

// number returns how many samples are drawn: 1 if all are the same.
func (g *Graph) number(c *Cluster, opt Options) int {
	if !g.random() && !c.Blocks.random() {
		return 1
	}
	return max(1, opt.Samples)
}

// random reports whether samples differ.
func (g *Graph) random() bool {
	return slices.ContainsFunc(g.Runs, func(r Run) bool {
		return !r.Cached && (r.Share > 0 && r.Share < 1 || r.Time.Own > 0 || r.Time.Common > 0 || len(r.Failures) > 0)
	})
}

func quantiles[T any](list []T, of func(*T) float64) Quantiles {
	values := make([]float64, len(list))
	for i := range list {
		values[i] = of(&list[i])
	}
	slices.Sort(values)
	at := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, values, nil) }
	return Quantiles{at(0.1), at(0.5), at(0.9)}
}

// sample makes one sample. Its random numbers depend on the seed and its number alone.
func (g *Graph) sample(ctx context.Context, c *Cluster, seed uint64, number int, of condition) *sample {
	random := rand.New(rand.NewPCG(seed, uint64(number)))
	return g.simulate(ctx, c, g.lengths(random, of), random)
}

// samples makes samples in parallel, without their ends and paths.
func (g *Graph) samples(ctx context.Context, c *Cluster, seed uint64, n int, of condition) ([]sample, error) {
	list := make([]sample, n)
	var begun atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(begun.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(begun.Add(1)) - 1 {
				list[i] = *g.sample(ctx, c, seed, i, of)
				list[i].ends, list[i].took, list[i].path = nil, nil, nil
			}
		})
	}
	workers.Wait()
	return list, context.Cause(ctx)
}

// compare finds the limit that binds, and the savings by more of a thing. Both are differences of medians over the same
// random numbers.
func (g *Graph) compare(ctx context.Context, c *Cluster, seed uint64, list []sample, f *Forecast) error {
	n := min(len(list), mostCompared)
	median := func(list []sample) float64 {
		return quantiles(list, func(s *sample) float64 { return s.end }).P50
	}
	same := median(list[:n])
	saved := func(c *Cluster, of condition) (float64, error) {
		other, err := g.samples(ctx, c, seed, n, of)
		if err != nil {
			return 0, err
		}
		return same - median(other), nil
	}
	most := leastBinding * same
	f.Binds = "dependency"
	for _, x := range c.unbound() {
		s, err := saved(x.cluster, x.condition)
		if err != nil {
			return err
		}
		if s > most {
			f.Binds, most = x.name, s
		}
	}
	more := c.more()
	if slices.ContainsFunc(g.Runs, func(r Run) bool { return !r.Cached && len(r.Failures) > 0 }) {
		more = append(more, relaxed{"time-out", c, condition{notice: 0.5}})
	}
	for _, x := range more {
		s, err := saved(x.cluster, x.condition)
		if err != nil {
			return err
		}
		f.Saves[x.name] = s
	}
	return nil
}

// leastBinding is the share of the makespan from which on a limit binds.
const leastBinding = 0.005

// relaxed is a cluster with more of one thing.
type relaxed struct {
	name    string
	cluster *Cluster
	condition
}

// unbound returns the cluster without each of its limits in turn.
func (c *Cluster) unbound() []relaxed {
	const plenty = 1 << 30
	list := []relaxed{
		{"cores", c.with(func(o *Cluster) {
			for i := range o.Groups {
				o.Groups[i].Cores, o.Groups[i].Runs = plenty, 0
			}
		}), condition{}},
		{"memory", c.with(func(o *Cluster) {
			for i := range o.Groups {
				o.Groups[i].Memory = 0
			}
		}), condition{}},
		{"failure", c, condition{noFailures: true}},
	}
	if len(c.Licences) > 0 {
		list = append(list, relaxed{"licence", c.with(func(o *Cluster) {
			for name := range o.Licences {
				o.Licences[name] = plenty
			}
		}), condition{}})
	}
	if c.Blocks.random() {
		list = append(list, relaxed{"queue", c.with(func(o *Cluster) {
			o.Blocks = &Blocks{Nodes: c.Blocks.Nodes, Time: c.Blocks.Time}
		}), condition{}})
	}
	if c.Network != nil {
		list = append(list, relaxed{"link", c.with(func(o *Cluster) { o.Network = faster(o.Network, 1e6) }),
			condition{}})
	}
	return list
}

// faster returns a network with a multiple of its bandwidth.
func faster(m *virtual.Machine, times float64) *virtual.Machine {
	o := *m
	o.Transport /= times
	if m.Network != nil {
		g := *m.Network
		g.Links = slices.Clone(g.Links)
		for i := range g.Links {
			g.Links[i] = network.Link{From: g.Links[i].From, To: g.Links[i].To, Latency: g.Links[i].Latency,
				Bandwidth: times * g.Links[i].Bandwidth}
		}
		o.Network = &g
	}
	return &o
}
