package predict

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Axis is a key of a cluster, and the values that it takes in a sweep.
type Axis struct {
	Key    string
	Values []string
}

// ParseAxis reads an axis such as nodes=1,2,4.
func ParseAxis(text string) (Axis, error) {
	key, list, _ := strings.Cut(text, "=")
	a := Axis{Key: strings.TrimSpace(key)}
	for value := range strings.SplitSeq(list, ",") {
		a.Values = append(a.Values, strings.TrimSpace(value))
	}
	if a.Key == "" || slices.Contains(a.Values, "") {
		return a, fmt.Errorf("%q: want a key of the cluster and values, such as nodes=1,2,4", text)
	}
	return a, nil
}

// mostShapes is the number of clusters of a sweep.
const mostShapes = 10_000

// Shape is a cluster of a sweep, and the time and cost of a study on it.
type Shape struct {
	Values   []string  `json:"values"` // of the axes
	Makespan Quantiles `json:"makespan"`
	Lent     float64   `json:"lent"`          // core hours, median
	Best     bool      `json:"best"`          // no other shape beats it
	Why      string    `json:"why,omitempty"` // the study does not run on it

	Assumptions []string `json:"assumptions,omitempty"`

	costs []float64 // in which shapes are compared
}

// Sweep predicts a study on all combinations of the values of some axes. The function study returns its graph,
// estimated for a cluster. It fails if a value of an axis is wrong, not where a run does not fit.
func Sweep(ctx context.Context, file string, data []byte, axes []Axis, study func(c *Cluster) (*Graph, error),
	opt Options) ([]Shape, error) {
	number, names := 1, map[string]bool{}
	for _, a := range axes {
		if number *= len(a.Values); number > mostShapes {
			return nil, fmt.Errorf("more than %d shapes", mostShapes)
		}
	}
	list, clusters := make([]Shape, number), make([]*Cluster, number)
	var faults []error
	known := sites{}
	for i := range list {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		changes, rest := make([]Change, len(axes)), i
		for k, a := range slices.Backward(axes) {
			changes[k] = Change{a.Key, a.Values[rest%len(a.Values)]}
			rest /= len(a.Values)
		}
		var with []string
		for _, x := range changes {
			list[i].Values, with = append(list[i].Values, x.Value), append(with, x.Key+"="+x.Value)
		}
		c, err := known.cluster(ctx, file, data, changes...)
		if err != nil {
			if faults = append(faults, fmt.Errorf("with %s: %w", strings.Join(with, ", "), err)); len(faults) == 10 {
				break
			}
			continue
		}
		for name := range c.Licences {
			names[name] = true
		}
		clusters[i] = c
	}
	if faults != nil {
		return nil, errors.Join(faults...)
	}
	for i, c := range clusters {
		if err := list[i].predict(ctx, c, study, slices.Sorted(maps.Keys(names)), opt); err != nil {
			return nil, err
		}
		clusters[i] = nil // the waits of its blocks are large
	}
	for i := range list {
		list[i].Best = list[i].Why == "" && !slices.ContainsFunc(list, func(o Shape) bool { return o.beats(&list[i]) })
	}
	return list, nil
}

// predict fills in the time and cost of a study. It fails only if the context ends.
func (s *Shape) predict(ctx context.Context, c *Cluster, study func(c *Cluster) (*Graph, error), licences []string,
	opt Options) error {
	g, err := study(c)
	if err == nil {
		err = g.lasting(c)
	}
	if err != nil {
		s.Why, _, _ = strings.Cut(err.Error(), "\n")
		return context.Cause(ctx)
	}
	s.Assumptions = g.Assumptions
	samples, err := g.samples(ctx, c, opt.Seed, g.number(c, opt), condition{})
	if err != nil {
		return err
	}
	s.Makespan = quantiles(samples, func(s *sample) float64 { return s.end })
	s.Lent = quantiles(samples, func(s *sample) float64 { return s.lent / 3600 }).P50
	s.costs = []float64{s.Makespan.P50, s.Lent, math.Inf(1)}
	if c.Network != nil && c.Network.Network != nil && len(c.Network.Network.Links) > 0 {
		s.costs[2] = c.Network.Network.Links[0].Bandwidth
	}
	for _, name := range licences {
		n, limited := c.Licences[name]
		if s.costs = append(s.costs, float64(n)); !limited {
			s.costs[len(s.costs)-1] = math.Inf(1)
		}
	}
	memory := int64(0)
	for _, of := range c.Groups {
		memory += int64(of.Number) * of.Memory
	}
	s.costs = append(s.costs, float64(memory))
	return nil
}

// beats reports whether a shape has a lower cost than another, and no higher cost.
func (s *Shape) beats(o *Shape) bool {
	if s.Why != "" {
		return false
	}
	less := false
	for k, x := range s.costs {
		if x > o.costs[k] {
			return false
		}
		less = less || x < o.costs[k]
	}
	return less
}
