package predict

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"
	"gonum.org/v1/gonum/stat"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// enough is the number of runs whose spread is known.
const enough = 3

// Spread is a time that is not known exactly: its logarithm is normal, about that of the median.
type Spread struct {
	Median float64 // s
	Own    float64 // standard deviation of the logarithm, of each run by itself
	Common float64 // the same, of all runs of a sample together: the median itself is uncertain
}

// known returns a time that is known exactly.
func known(s float64) *Spread { return &Spread{Median: s} }

// between returns the spread with quantiles of 10 and 90 %, which is symmetric in the logarithm.
func between(p10, p90 float64) Spread {
	return Spread{Median: math.Sqrt(p10 * p90), Own: math.Log(p90/p10) / (2 * tenth)}
}

// tenth is the normal deviate that a tenth of the values exceed.
const tenth = 1.2815515655446004

// quantiles returns those of 10 and 90 % of a run by itself.
func (s *Spread) quantiles() (p10, p90 float64) {
	return s.Median * math.Exp(-tenth*s.Own), s.Median * math.Exp(tenth*s.Own)
}

// share gives the runs of a study together a part of the variance of measured times: their machine was busier, or
// slower. A further study has its own.
func (s *Spread) share(runs int, common float64) {
	if runs >= enough && common > 0 {
		variance := s.Own * s.Own
		s.Own, s.Common = math.Sqrt(variance*(1-common)), math.Sqrt(variance*(common+1/float64(runs)))
	}
}

// commonPart returns the part of the variance of the logarithms of times that is between studies and not between the
// runs of each (analysis of variance with a random effect: S. Searle, G. Casella and C. McCulloch, Variance Components,
// 1992, section 3.6), and the mean number of runs beside one in its study, itself too. Both are 0 without runs of three
// studies, and several of some.
func commonPart(times []float64, studies []string) (part, beside float64) {
	by := map[string][]float64{}
	var all []float64
	for i, t := range times {
		y := math.Log(t)
		by[studies[i]], all = append(by[studies[i]], y), append(all, y)
	}
	n, k := float64(len(all)), float64(len(by))
	if k < enough || n == k {
		return 0, 0
	}
	mean := stat.Mean(all, nil)
	within, between, squares := 0.0, 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(by)) {
		m, number := stat.Mean(by[name], nil), float64(len(by[name]))
		for _, y := range by[name] {
			within += (y - m) * (y - m) / (n - k)
		}
		between += number * (m - mean) * (m - mean) / (k - 1)
		squares += number * number
	}
	common := max(0, between-within) * (k - 1) / (n - squares/n)
	if common == 0 {
		return 0, 0
	}
	return common / (common + within), squares / n
}

// draw returns a time. Common is the deviate of all runs of the sample.
func (s *Spread) draw(own *rand.Rand, common float64) float64 {
	if s.Own == 0 && s.Common == 0 {
		return s.Median
	}
	return s.Median * math.Exp(s.Own*own.NormFloat64()+s.Common*common)
}

// spread is a time, or its quantiles of 10 and 90 %.
func spread(r *document.Reader, to **Spread) document.Value {
	x := 0.0
	one := r.Measure(&x, unit.Time, 0, virtual.MostTime)
	var low, high float64
	keys := []document.Key{
		r.Required("p10", "A run in ten takes less", r.Measure(&low, unit.Time, 1e-6, virtual.MostTime)),
		r.Required("p90", "A run in ten takes more", r.Measure(&high, unit.Time, 1e-6, virtual.MostTime)),
	}
	return document.Value{
		Schema: func() *jsonschema.Schema {
			return document.Either(one.Schema(), document.Object("", keys))
		},
		Read: func(n ast.Node, path string) {
			before := len(r.Problems)
			switch n.(type) {
			case *ast.MappingNode, *ast.MappingValueNode:
				group := r.Group(n, path, "quantiles such as {p10: 8 s, p90: 15 s}", keys)
				if len(r.Problems) == before && high < low {
					group.Fail("p90", "less than p10")
				} else if len(r.Problems) == before {
					s := between(low, high)
					*to = &s
				}
			default:
				if one.Read(n, path); len(r.Problems) == before {
					*to = known(x)
				}
			}
		},
	}
}
