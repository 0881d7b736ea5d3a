package surrogate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// missOf is the root mean square error of a model of hill.
func missOf(m *Model, r *rand.Rand) float64 {
	sum := 0.0
	const n = 100
	for range n {
		x := []float64{0.82 + 0.26*r.Float64(), -0.4 + 1.1*r.Float64()}
		want, _ := hill(x)
		e := value(m, x) - want
		sum += e * e
	}
	return math.Sqrt(sum / n)
}

// A base that is like what is modelled helps, and by the less the more answers there are. One that is not like it, or
// is noise, is dropped: the model is no worse than without, and its deviations hold as well.
func TestTrendIsChosen(t *testing.T) {
	like := func(r *rand.Rand) Base {
		a, b, c := 0.1*r.NormFloat64(), 0.05*r.NormFloat64(), 0.05*r.NormFloat64()
		return func(x []float64, out []Value) {
			v, _ := hill(x)
			out[0].V = v + a + b*(x[0]-1) + c*math.Sin(3*x[1])
		}
	}
	unlike := func(r *rand.Rand) Base {
		at, width, size := []float64{0.8 + 0.3*r.Float64(), -0.5 + 1.3*r.Float64()}, 0.1+
			0.3*r.Float64(), r.NormFloat64()
		return func(x []float64, out []Value) {
			a, b := (x[0]-at[0])/width, (x[1]-at[1])/width
			out[0].V = size * math.Exp(-a*a-b*b)
		}
	}
	noise := func(*rand.Rand) Base {
		return func(x []float64, out []Value) { out[0].V = math.Mod(1e6*math.Abs(math.Sin(1e5*x[0]+1e4*x[1])), 1) }
	}
	numbers := []int{3, 6}
	if testenv.IsLong(t) {
		numbers = append(numbers, 12, 24)
	}
	for _, c := range []struct {
		name string
		base func(*rand.Rand) Base
		most float64 // error over that without
	}{{"like", like, 0.6}, {"unlike", unlike, 1.1}, {"noise", noise, 1.1}} {
		r := rand.New(rand.NewPCG(11, 12))
		for _, n := range numbers {
			with, without, within, all := 0.0, 0.0, 0, 0
			for range 20 {
				answers := hillAnswers(r, n, 1e-5)
				trends := []Trend{{Outputs: []Output{{Name: "hill", Prior: hillPrior}}}}
				for _, share := range []float64{0.15, 0.4} {
					p := hillPrior
					p.ValueSpread, p.SlopeSpread, p.Amplitude = share*p.ValueSpread, []float64{share,
						share}, share*p.Amplitude
					trends = append(trends, Trend{Outputs: []Output{{Name: "hill", Prior: p}}, Base: c.base(r)})
				}
				trends[2].Base = trends[1].Base
				m := must.Value(New(2, trends, answers))(t)
				with += missOf(m, rand.New(rand.NewPCG(13, uint64(n))))
				without += missOf(newHill(t, answers), rand.New(rand.NewPCG(13, uint64(n))))
				var sd [1]float64
				for range 20 {
					x := []float64{0.85 + 0.2*r.Float64(), -0.3 + 0.9*r.Float64()}
					want, _ := hill(x)
					all++
					if m.Deviations(x, sd[:]); math.Abs(value(m, x)-want) < 2*sd[0] {
						within++
					}
				}
			}
			t.Logf("%s, %d answers: error %.2g, without %.2g; %d of %d within two deviations", c.name, n, with/20,
				without/20, within, all)
			if with > c.most*without {
				t.Errorf("%s, %d answers: error %.3g, %.3g without", c.name, n, with/20, without/20)
			}
			if share := float64(within) / float64(all); share < 0.88 {
				t.Errorf("%s, %d answers: %.2f are within two deviations", c.name, n, share)
			}
		}
	}
}

// Slopes are those of the model also where outputs have different trends.
func TestTrendSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	answers := hillAnswers(r, 12, 0)
	for i := range answers {
		a := &answers[i]
		a.Y, a.Noise = append(a.Y, math.Sin(40*a.X[0])+0.1*a.X[1]), append(a.Noise, 0)
	}
	narrow := hillPrior
	narrow.ValueSpread, narrow.SlopeSpread, narrow.Amplitude = 0.1, []float64{0.1, 0.1}, 0.03
	base := func(x []float64, out []Value) {
		out[0].V, out[1].V = 7, math.Sin(40*x[0])
		if out[0].Slope != nil {
			copy(out[0].Slope, []float64{0, 0})
			copy(out[1].Slope, []float64{40 * math.Cos(40*x[0]), 0})
		}
	}
	m, err := New(2, []Trend{
		{Outputs: []Output{{Name: "hill", Prior: hillPrior}, {Name: "wave", Prior: hillPrior}}},
		{Outputs: []Output{{Name: "hill", Prior: narrow}, {Name: "wave", Prior: narrow}}, Base: base},
	}, answers)
	must.OK(t, err)
	if m.processes[0].trend != 0 || m.processes[1].trend != 1 {
		t.Fatalf("trends %d and %d", m.processes[0].trend, m.processes[1].trend)
	}
	at := func(x []float64) [2]Value {
		v := [2]Value{{Slope: make([]float64, 2)}, {Slope: make([]float64, 2)}}
		m.At(x, v[:])
		return v
	}
	for range 20 {
		x := []float64{0.8 + 0.3*r.Float64(), -0.5 + 1.3*r.Float64()}
		v := at(x)
		for d := range x {
			const h = 1e-5
			up, down := []float64{x[0], x[1]}, []float64{x[0], x[1]}
			up[d], down[d] = x[d]+h, x[d]-h
			above, below := at(up), at(down)
			for k := range v {
				if fd := (above[k].V - below[k].V) / (2 * h); math.Abs(fd-v[k].Slope[d]) > 1e-5*math.Max(1,
					math.Abs(fd)) {
					t.Errorf("output %d at %v: slope %d is %g, by differences %g", k, x, d, v[k].Slope[d], fd)
				}
			}
		}
	}
}
