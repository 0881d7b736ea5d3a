package surrogate

import (
	"cmp"
	"math"
)

// evidence is the handicap of the trends after the first, in the logarithm of the likelihood: with few answers a
// useless base predicts some by chance.
const evidence = 3.0

// choose returns the process of output k with the trend, amplitude and lengths that predict every answer best from the
// others, and the alternatives to it of all trends. Below holds the values of the bases at the answers' places.
func (m *Model) choose(k int, below [][][]Value) (best *process, others []alternative, err error) {
	type found struct {
		search
		logs []float64
		cost float64
	}
	all := make([]found, len(m.trends))
	least := math.Inf(1)
	for t, trend := range m.trends {
		s := search{trend: t, prior: trend.Outputs[k].Prior, fixed: trend.Outputs[k].FixedLengths}
		for i, a := range m.answers {
			s.x, s.y, s.noise = append(s.x, a.X), append(s.y, a.Y[k]-below[t][i][k].V), append(s.noise, a.Noise[k])
		}
		if t > 0 {
			s.handicap = evidence
		}
		p, logs, cost, e := s.choose()
		all[t] = found{s, logs, cost}
		switch {
		case e != nil:
			all[t].cost, err = math.Inf(1), e
		case cost < least:
			best, least = p, cost
		}
	}
	if best == nil {
		return nil, nil, cmp.Or(err, ErrSingular) // no sum was finite
	}
	sum := 0.0
	for _, f := range all {
		if math.Exp(least-f.cost) > leastWeight {
			others = append(others, f.alternatives(f.logs, least)...)
		}
	}
	for _, o := range others {
		sum += o.weight
	}
	for i := range others {
		others[i].weight /= sum
	}
	return best, others, nil
}
