package surrogate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// hill is a smooth function of two coordinates, and its slopes.
func hill(x []float64) (v float64, slope [2]float64) {
	a, b := x[0]-1, x[1]-0.3
	e := math.Exp(-a*a*6 - b*b)
	return 0.5*a + e, [2]float64{0.5 - 12*a*e, -2 * b * e}
}

var hillPrior = Prior{Origin: []float64{1, 0}, Slope: []float64{0, 0}, ValueSpread: 1, SlopeSpread: []float64{1, 1},
	Amplitude: 0.3, Lengths: []float64{0.3, 0.6}}

// hillAnswers are answers at random points within 0.8 <= x <= 1.1, -0.5 <= y <= 0.8.
func hillAnswers(r *rand.Rand, n int, noise float64) []Observation {
	var out []Observation
	for i := range n {
		x := []float64{0.8 + 0.3*r.Float64(), -0.5 + 1.3*r.Float64()}
		v, _ := hill(x)
		out = append(out, Observation{Key: fmt.Sprintf("%03d", i), X: x, Y: []float64{v + noise*r.NormFloat64()},
			Noise: []float64{noise}})
	}
	return out
}

func newHill(t *testing.T, answers []Observation) *Model {
	t.Helper()
	return must.Value(New(2, []Trend{{Outputs: []Output{{Name: "hill", Prior: hillPrior}}}}, answers))(t)
}

func value(m *Model, x []float64) float64 {
	var v [1]Value
	m.At(x, v[:])
	return v[0].V
}

// The model goes through answers without noise, and is certain there.
func TestModelInterpolates(t *testing.T) {
	m := newHill(t, hillAnswers(rand.New(rand.NewPCG(1, 2)), 20, 0))
	var sd [1]float64
	for _, a := range m.Answers() {
		if got := value(m, a.X); math.Abs(got-a.Y[0]) > 1e-8 {
			t.Errorf("at %v: %g, want %g", a.X, got, a.Y[0])
		}
		if m.Deviations(a.X, sd[:]); sd[0] > 1e-5 {
			t.Errorf("at %v: deviation %g", a.X, sd[0])
		}
	}
}

// trials is how many sets of answers a statistic is of.
func trials(t testing.TB) int {
	if testenv.IsLong(t) {
		return 10
	}
	return 3
}

// Errors among the answers fall as answers are added; nine tenths of them are within two deviations, which are not
// stated too large for that.
func TestDeviationIsHonest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	before := math.Inf(1)
	for _, n := range []int{6, 12, 24, 48} {
		within, all, sum, stated := 0, 0, 0.0, 0.0
		for range trials(t) {
			m := newHill(t, hillAnswers(r, n, 1e-5))
			var sd [1]float64
			for range 50 {
				x := []float64{0.85 + 0.2*r.Float64(), -0.3 + 0.9*r.Float64()}
				want, _ := hill(x)
				m.Deviations(x, sd[:])
				e := value(m, x) - want
				all++
				sum += e * e
				stated += sd[0]
				if math.Abs(e) < 2*sd[0] {
					within++
				}
			}
		}
		rms := math.Sqrt(sum / float64(all))
		t.Logf("%d answers: rms error %.2g, mean deviation %.2g, %d of %d within two deviations", n, rms,
			stated/float64(all), within, all)
		if rms > before {
			t.Errorf("%d answers have a larger error than half as many", n)
		}
		if share := float64(within) / float64(all); share < 0.9 {
			t.Errorf("%d answers: %.2f are within two deviations", n, share)
		}
		if mean := stated / float64(all); mean > 4*rms {
			t.Errorf("%d answers: mean deviation %g, rms error %g", n, mean, rms)
		}
		before = rms
	}
}

// Noise is no signal: of noisy answers the model is better than each.
func TestNoiseIsSmoothed(t *testing.T) {
	const noise = 0.01
	r := rand.New(rand.NewPCG(5, 6))
	sum, n := 0.0, 0
	for range trials(t) {
		m := newHill(t, hillAnswers(r, 60, noise))
		for _, a := range m.Answers() {
			want, _ := hill(a.X)
			e := value(m, a.X) - want
			sum += e * e
			n++
		}
	}
	if rms := math.Sqrt(sum / float64(n)); rms > 0.6*noise {
		t.Errorf("rms error %g of answers with a noise of %g", rms, noise)
	}
}

// What leaves each answer out by the formula is what the model without it finds.
func TestMisses(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	answers := hillAnswers(r, 12, 1e-3)
	all := newHill(t, answers)
	p := all.processes[0]
	missed, deviations := p.without(mat.NewSymDense(len(answers), nil))
	for i := range missed {
		var x [][]float64
		var y, noise []float64
		for j, a := range all.Answers() {
			if j != i {
				x, y, noise = append(x, a.X), append(y, a.Y[0]), append(noise, a.Noise[0])
			}
		}
		others := &process{prior: p.prior, s: p.s, l: p.l, x: x, noise: noise}
		must.OK(t, others.join(y, between(&p.prior, p.l, x), mat.NewSymDense(len(y), nil)))
		a := all.Answers()[i]
		there, sd := others.with(a.X, others.to(a.X))
		by := a.Y[0] - there
		sd = math.Hypot(sd, a.Noise[0])
		if math.Abs(by-missed[i]) > 1e-6*math.Abs(by)+1e-9 || math.Abs(sd/deviations[i]-1) > 1e-6 {
			t.Errorf("answer %d: missed by %g (%g), without it by %g (%g)", i, missed[i], deviations[i], by, sd)
		}
	}
}

// A straight function is found from as few answers as a plane needs, as the prior holds slopes for likelier than
// bends.
func TestPlane(t *testing.T) {
	var answers []Observation
	for i, x := range [][]float64{{0.9, 0}, {1, 0.4}, {1.1, -0.2}, {0.95, 0.5}} {
		answers = append(answers, Observation{Key: fmt.Sprint(i), X: x, Y: []float64{2 + 0.7*x[0] - 0.4*x[1]},
			Noise: []float64{0}})
	}
	m := newHill(t, answers)
	x := []float64{1.02, 0.1}
	if got, want := value(m, x), 2+0.7*x[0]-0.4*x[1]; math.Abs(got-want) > 5e-3 {
		t.Errorf("got %g, want %g", got, want)
	}
}

// Without answers the model is its base, and the answers correct it.
func TestBase(t *testing.T) {
	base := func(x []float64, out []Value) {
		out[0].V = 3 * x[0]
		if out[0].Slope != nil {
			out[0].Slope[0] = 3
		}
	}
	outputs := []Output{{Name: "y", Prior: hillPrior}}
	m, err := New(2, []Trend{{Outputs: outputs, Base: base}}, nil)
	must.OK(t, err)
	out := []Value{{Slope: make([]float64, 2)}}
	if m.At([]float64{2, 0}, out); out[0].V != 6 || out[0].Slope[0] != 3 {
		t.Errorf("without answers: %v", out)
	}
	m = must.Value(New(2, []Trend{{Outputs: outputs, Base: base}},
		[]Observation{{Key: "a", X: []float64{1, 0}, Y: []float64{3.5}, Noise: []float64{0}}}))(t)
	if got := value(m, []float64{1.01, 0}); math.Abs(got-3.53) > 0.01 {
		t.Errorf("beside one answer: %g", got)
	}
	var sd [1]float64
	if m.Deviations([]float64{1, 0}, sd[:]); sd[0] > 1e-5 {
		t.Errorf("at the answer the deviation is %g", sd[0])
	}
}

// Lengths that are fixed stay, whatever the answers.
func TestFixedLengths(t *testing.T) {
	answers := hillAnswers(rand.New(rand.NewPCG(4, 4)), 20, 0)
	for _, fixed := range []bool{false, true} {
		m, err := New(2, []Trend{{Outputs: []Output{{Name: "hill", Prior: hillPrior, FixedLengths: fixed}}}}, answers)
		must.OK(t, err)
		if same := slices.Equal(m.processes[0].l, hillPrior.Lengths); same != fixed {
			t.Errorf("fixed %t: lengths are %v, the prior's %v", fixed, m.processes[0].l, hillPrior.Lengths)
		}
		for _, o := range m.others[0] {
			if fixed && !slices.Equal(o.l, hillPrior.Lengths) {
				t.Errorf("an alternative has lengths %v", o.l)
			}
		}
	}
}

// The bits do not depend on the order of the answers.
func TestOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	answers := hillAnswers(r, 15, 1e-4)
	want := newHill(t, answers)
	for range 5 {
		r.Shuffle(len(answers), func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
		got := newHill(t, answers)
		for range 20 {
			x := []float64{0.8 + 0.3*r.Float64(), -0.5 + 1.3*r.Float64()}
			if a, b := value(got, x), value(want, x); a != b {
				t.Fatalf("at %v: %g and %g", x, a, b)
			}
		}
	}
}

func TestWrongAnswers(t *testing.T) {
	good := Observation{Key: "a", X: []float64{1, 0}, Y: []float64{1}, Noise: []float64{0}}
	for name, list := range map[string][]Observation{
		"coordinates": {{Key: "a", X: []float64{1}, Y: []float64{1}, Noise: []float64{0}}},
		"outputs":     {{Key: "a", X: []float64{1, 0}, Y: nil, Noise: []float64{0}}},
		"not finite":  {{Key: "a", X: []float64{1, 0}, Y: []float64{math.NaN()}, Noise: []float64{0}}},
		"noise":       {{Key: "a", X: []float64{1, 0}, Y: []float64{1}, Noise: []float64{-1}}},
		"twice":       {good, good},
	} {
		var wrong *AnswerError
		if _, err := New(2, []Trend{{Outputs: []Output{{Name: "hill", Prior: hillPrior}}}}, list); !errors.As(err,
			&wrong) || wrong.Key != "a" {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Two answers at one point, which differ, are noise of each other.
	other := Observation{Key: "b", X: good.X, Y: []float64{1.2}, Noise: []float64{0.1}}
	good.Noise = []float64{0.1}
	m := newHill(t, []Observation{good, other})
	if got := value(m, good.X); math.Abs(got-1.1) > 0.01 {
		t.Errorf("between two answers: %g", got)
	}
}
