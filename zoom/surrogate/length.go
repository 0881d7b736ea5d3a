package surrogate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The standard deviations of the logarithms of amplitude and lengths about their priors. They are small: with few
// answers on a single line, such as an engine's operating points, nearly any slopes would compensate for missing bends.
const (
	amplitudeSpread = 0.5
	lengthSpread    = 0.4
)

// search makes processes of some answers with amplitudes and lengths that are logarithms over the priors.
type search struct {
	trend    int // of the model's
	prior    Prior
	fixed    bool    // lengths are the prior's
	handicap float64 // added to the sum
	x        [][]float64
	y, noise []float64

	l       []float64     // the latest lengths
	pairs   pairs         // of the answers with these
	scratch *mat.SymDense // of the size of the answers
}

// at returns the process there, and the sum
//
//	sum_i (e_i^2/v_i + ln v_i)/2 + sum_h ((ln h - ln h_0)/spread_h)^2/2
//
// with the prediction error of an answer, e_i, and its variance, v_i.
func (s *search) at(logs []float64) (*process, float64) {
	l := make([]float64, len(s.prior.Lengths))
	for d := range l {
		l[d] = s.prior.Lengths[d] * math.Exp(logs[1+d])
	}
	if !slices.Equal(l, s.l) { // an amplitude changes no pair
		s.l, s.pairs = l, between(&s.prior, l, s.x)
	}
	if s.scratch == nil && len(s.x) > 0 {
		s.scratch = mat.NewSymDense(len(s.x), nil)
	}
	g := &process{trend: s.trend, prior: s.prior, s: s.prior.Amplitude * math.Exp(logs[0]), l: s.l, x: s.x,
		noise: s.noise}
	if g.join(s.y, s.pairs, s.scratch) != nil {
		return nil, math.Inf(1)
	}
	return g, g.cost(logs, s.scratch) + s.handicap
}

// choose returns the process that predicts every answer best from the others, where the sum is least. The search moves
// along each logarithm in turn, in steps that halve where no step helps.
func (s *search) choose() (best *process, logs []float64, least float64, err error) {
	logs = make([]float64, 1+len(s.prior.Lengths))
	if best, least = s.at(logs); best == nil {
		return nil, nil, 0, ErrSingular
	}
	if len(s.y) < 2 {
		return best, logs, least, nil
	}
	for step := 1.0; step > 0.04; {
		moved := false
		for i := range s.free(logs) {
			for _, sign := range []float64{1, -1} {
				was := logs[i]
				logs[i] += sign * step
				if g, c := s.at(logs); c < least {
					best, least, moved = g, c, true
					break
				}
				logs[i] = was
			}
		}
		if !moved {
			step /= 2
		}
	}
	return best, logs, least, nil
}

// free returns the logarithms that the answers may change.
func (s *search) free(logs []float64) []float64 {
	if s.fixed {
		return logs[:1]
	}
	return logs
}

// alternative is a process that predicts the answers nearly as well as the best process.
type alternative struct {
	*process
	weight float64
}

const (
	alternativeStep  = 0.5 // between alternatives, in each logarithm
	alternativeReach = 2   // of these steps to both sides
	leastWeight      = 1e-3
)

// alternatives returns processes about the best process of a trend, on a lattice of logarithms, with their likelihoods
// over that of the best process of all. Few answers do not determine amplitude and lengths, and the deviation grows by
// the differences of their models.
func (s *search) alternatives(logs []float64, least float64) []alternative {
	var list []alternative
	at := make([]float64, len(logs))
	step := make([]int, len(s.free(logs)))
	for i := range step {
		step[i] = -alternativeReach
	}
	for {
		copy(at, logs)
		for i := range step {
			at[i] += alternativeStep * float64(step[i])
		}
		if g, c := s.at(at); g != nil && math.Exp(least-c) > leastWeight {
			list = append(list, alternative{g, math.Exp(least - c)})
		}
		i := 0
		for ; i < len(step); i++ {
			if step[i]++; step[i] <= alternativeReach {
				break
			}
			step[i] = -alternativeReach
		}
		if i == len(step) {
			break
		}
	}
	return list
}

// cost returns the sum that choose minimizes, at logarithms over the priors. It uses scratch, of the size of the
// answers.
func (g *process) cost(at []float64, scratch *mat.SymDense) float64 {
	sum := at[0] * at[0] / (2 * amplitudeSpread * amplitudeSpread)
	for _, h := range at[1:] {
		sum += h * h / (2 * lengthSpread * lengthSpread)
	}
	miss, deviation := g.without(scratch)
	for i, e := range miss {
		z := e / deviation[i]
		sum += z*z/2 + math.Log(deviation[i])
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}
