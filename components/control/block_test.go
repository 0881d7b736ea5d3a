package control

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// integrate moves states by RK4 in n steps over h, the inputs being held.
func integrate(b Block, z, u []float64, h float64, n int) {
	k := [4][]float64{}
	for i := range k {
		k[i] = make([]float64, len(z))
	}
	at := make([]float64, len(z))
	dt := h / float64(n)
	for range n {
		for s, share := range []float64{0, dt / 2, dt / 2, dt} {
			for i := range z {
				at[i] = z[i]
				if s > 0 {
					at[i] += share * k[s-1][i]
				}
			}
			b.Rates(at, u, k[s])
		}
		for i := range z {
			z[i] += dt / 6 * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i])
		}
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12g, exactly %.12g", what, got, want)
	}
}

// Answers to a step, continuous by their rates and sampled by Hold.
func TestStepAnswers(t *testing.T) {
	const at = 0.3
	for _, c := range []struct {
		name  string
		block Block
		z, u  []float64
		want  float64
	}{
		{"lag", &Lag{Time: 0.2}, []float64{0}, []float64{1}, 1 - math.Exp(-at/0.2)},
		{"biased lag", &Lag{Time: 0.2, Bias: 5}, []float64{0}, []float64{1}, 6 - math.Exp(-at/0.2)},
		{"lead-lag", &LeadLag{Lead: 0.5, Lag: 0.2}, []float64{0}, []float64{1}, 1 + (0.5/0.2-1)*math.Exp(-at/0.2)},
		{"lag behind a lag", &LeadLag{Lag: 0.2}, []float64{0}, []float64{1}, 1 - math.Exp(-at/0.2)},
		{"slow actuator", &Actuator{Lag: 0.1, Rate: 2, Min: -9, Max: 9}, []float64{0}, []float64{5}, 2 * at},
		// It runs at its rate until 0.2 away, at 0.15 s, then by the lag.
		{"actuator", &Actuator{Lag: 0.1, Rate: 2, Min: 0, Max: 0.5}, []float64{0}, []float64{5},
			0.5 - 0.2*math.Exp(-(at-0.15)/0.1)},
		{"stuck actuator", &Actuator{Lag: 0.1, Rate: 2, Min: 0, Max: 0.5, Stuck: 1}, []float64{0.2}, []float64{5}, 0.2},
		{"PI", &PI{Gain: 2, Integral: 3, Min: -9, Max: 9, Tracking: 1}, []float64{0}, []float64{1, 1.5, 0},
			2*0.5 + 3*0.5*at},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps := 2000 // where a rate limit ends lies on one of them
			if pi, ok := c.block.(*PI); ok {
				pi.Windup = None
			}
			z := append([]float64(nil), c.z...)
			integrate(c.block, z, c.u, at, steps)
			near(t, "the continuous answer", c.block.Output(z, c.u), c.want, 1e-9)
			z = append([]float64(nil), c.z...)
			for range 3 {
				c.block.Hold(z, c.u, at/3)
			}
			near(t, "the sampled answer", c.block.Output(z, c.u), c.want, 1e-14)
		})
	}
}

// However a period is divided, held inputs give the same states.
func TestHoldComposes(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		num := rapid.Float64Range(-3, 3)
		for _, b := range []Block{
			&Lag{Time: 0.3}, &LeadLag{Lead: 0.1, Lag: 0.7},
			&Actuator{Lag: 0.2, Rate: 1.5, Min: -2, Max: 1},
		} {
			z, u, h := num.Draw(t, "z"), []float64{num.Draw(t, "u")}, rapid.Float64Range(0.01, 2).Draw(t, "h")
			share := rapid.Float64Range(0, 1).Draw(t, "share")
			once, twice := []float64{z}, []float64{z}
			b.Hold(once, u, h)
			b.Hold(twice, u, share*h)
			b.Hold(twice, u, (1-share)*h)
			if math.Abs(once[0]-twice[0]) > 1e-13 {
				t.Fatalf("%T: %.17g in one, %.17g in two", b, once[0], twice[0])
			}
		}
	})
}

// With an integral on a plant that answers at once, y = k u, the error dies out by
// k Integral/(1 + k Gain).
func TestPIAgainstPlant(t *testing.T) {
	b := &PI{Gain: 0.5, Integral: 4, Min: -9, Max: 9, Tracking: 1}
	const k, demand, h, n = 2.0, 1.0, 1e-3, 1000
	z, dz, u := []float64{0}, []float64{0}, []float64{0, demand, 0}
	e := func() float64 { return (demand - k*z[0]) / (1 + k*b.Gain) }
	start := e()
	rate := func() float64 {
		u[measured] = demand - e()
		u[used] = b.wants(z, u)
		b.Rates(z, u, dz)
		return dz[0]
	}
	for range n { // midpoint rule
		z0 := z[0]
		z[0] = z0 + h/2*rate()
		z[0] = z0 + h*rate()
	}
	near(t, "the error after 1 s", e(), start*math.Exp(-k*b.Integral/(1+k*b.Gain)), 1e-5)
}

// At its bound the integral stops by clamping, and waits by back-calculation at the value of Åström and Hägglund. When
// the error changes sign, the output leaves its bound at once by clamping, but without anti-windup only after the
// integral has come back.
func TestWindup(t *testing.T) {
	const h = 0.01
	wait := map[Windup]float64{}
	for _, w := range []Windup{BackCalculation, Clamping, None} {
		b := &PI{Gain: 1, Integral: 2, Min: -1, Max: 1, Tracking: 0.25, Windup: w}
		z, u := []float64{0}, []float64{0, 3, 0}
		move := func() float64 {
			u[used] = b.Output(z, u)
			b.Hold(z, u, h)
			return b.Output(z, u)
		}
		for range 1000 {
			if y := move(); y != 1 {
				t.Fatalf("%v: the output is %g", w, y)
			}
		}
		switch w {
		case BackCalculation: // w = v + Integral Tracking e, for a sampled one with 1-exp(-h/T) in the place of h/T
			near(t, "the signal that waits", b.wants(z, u), 1+2*3*h/(1-math.Exp(-h/0.25)), 1e-9)
		case Clamping:
			near(t, "the integral that stands", z[0], 0, 0)
		}
		u[demanded] = -0.5
		n := 0.0
		for move() > 0 {
			n++
		}
		wait[w] = n * h
	}
	if wait[Clamping] != 0 || !(wait[BackCalculation] < 0.5) || !(wait[None] > 30) {
		t.Errorf("s until the output changes its sign: %v", wait)
	}
}

// A table has its points, is linear between them in each signal, and is held beyond
// its ends.
func TestTable(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		c := [4]float64{}
		for i := range c {
			c[i] = rapid.Float64Range(-2, 2).Draw(t, "coefficient")
		}
		f := func(x, y float64) float64 { return c[0] + c[1]*x + c[2]*y + c[3]*x*y }
		b := &Table{X: []float64{-1, 0.5, 2, 4}, At: []float64{1, 3, 3.5}}
		for _, x := range b.X {
			row := convert.All(b.At, func(y float64) float64 { return f(x, y) })
			b.Values = append(b.Values, row)
		}
		must.OK(t, b.Check())
		x, y := rapid.Float64Range(-3, 6).Draw(t, "x"), rapid.Float64Range(0, 5).Draw(t, "y")
		if got, want := b.Output(nil, []float64{x, y}), f(clamp(x, -1, 4),
			clamp(y, 1, 3.5)); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%g at %g, %g, want %g", got, x, y, want)
		}
		one := &Table{X: b.X, Values: [][]float64{{f(-1, 0)}, {f(0.5, 0)}, {f(2, 0)}, {f(4, 0)}}}
		if got, want := one.Output(nil, []float64{x}), f(clamp(x, -1, 4), 0); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%g at %g, want %g", got, x, want)
		}
	})
	for _, b := range []*Table{
		{X: []float64{1, 1}, Values: [][]float64{{1}, {2}}}, {X: []float64{1, 2}, Values: [][]float64{{1}}},
		{}, {X: []float64{1}, Values: [][]float64{{1, 2}}},
	} {
		if b.Check() == nil {
			t.Errorf("%+v passes", b)
		}
	}
}

func TestFormula(t *testing.T) {
	f := must.Value(newFormula(config.Formula{Text: "a * b + (t > 1 ? sin(pi * t) : 2)", Inputs: []string{"a", "b"}}))(
		t)
	near(t, "it", f.Output(nil, []float64{3, 4, 0}), 14, 0)
	near(t, "it", f.Output(nil, []float64{3, 4, 1.5}), 11, 1e-15)
	for _, bad := range []string{"a +", "f(a)", `"a"`, "a > 1"} {
		if _, err := newFormula(config.Formula{Text: bad, Inputs: []string{"a"}}); err == nil {
			t.Errorf("%s compiles", bad)
		}
	}
}

// newFormula compiles a checked formula.
func newFormula(c config.Formula) (*Formula, error) {
	f := &Formula{}
	return f, f.compile(c)
}

// Values of an entry that do not go together are reported with the parameter to change, or of the
// whole entry.
func TestChecks(t *testing.T) {
	given := func(v float64) config.Value { return config.Value{Num: v, Set: true} }
	for _, c := range []struct {
		kind   string
		values config.Values
		want   config.Fault // zero: no fault
	}{
		{
			"actuator", config.Values{"rate": given(0)},
			config.Fault{Param: "rate", Message: "must be above 0; an actuator that does not move has stuck: 1"},
		},
		{
			"actuator", config.Values{"min": given(2), "max": given(1)},
			config.Fault{Param: "max", Message: "not above min"},
		},
		{"actuator", config.Values{"rate": given(1), "min": given(1), "max": given(2)}, config.Fault{}},
		{
			"pi", config.Values{"min": given(2), "max": given(2), "gain": given(1)},
			config.Fault{Param: "max", Message: "not above min"},
		},
		{
			"pi", config.Values{"gain": given(1), "integral": given(-1)},
			config.Fault{Param: "integral", Message: "of another sign than gain: it would work against it"},
		},
		{"pi", config.Values{}, config.Fault{Message: "gain and integral are both zero: it has no effect"}},
		{
			"pi", config.Values{"integral": given(1)},
			config.Fault{
				Message: "no key tracking, which a controller without gain needs against windup: a time such as 0.5 s",
			},
		},
		{"pi", config.Values{"integral": given(1), "windup": {Text: "clamping"}}, config.Fault{}},
		{"pi", config.Values{"integral": given(1), "tracking": given(1)}, config.Fault{}},
	} {
		for _, typ := range Types() {
			if typ.Name != c.kind {
				continue
			}
			var got config.Fault
			if faults := typ.Check(c.values); len(faults) > 0 {
				got = faults[0]
			}
			if got != c.want {
				t.Errorf("%s %v: %+v, want %+v", c.kind, c.values, got, c.want)
			}
		}
	}
}
