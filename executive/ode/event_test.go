package ode

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// fall is a body in free flight: y = (height, speed), g = 9.81 m/s2.
var fall = Problem{N: 2, F: func(_ float64, y, f []float64) error {
	f[0], f[1] = y[1], -9.81
	return nil
}}

// TestBouncingBall compares the times of ten bounces with the exact ones: dropped from
// height H, the ball lands after sqrt(2H/g), and each flight lasts 2 v/g with v falling by e each time.
func TestBouncingBall(t *testing.T) {
	const height, e, g = 2.0, 0.8, 9.81
	for _, m := range Methods() {
		s := start(t, m.Name, fall, Settings{RTol: 1e-10, ATol: []float64{1e-10}, MaxStep: 0.05}, 0,
			[]float64{height, 0})
		d := Driver{
			Stepper: s,
			Events: []Event{
				{Name: "ground", G: func(_ float64, y []float64) float64 { return y[0] }},
			},
		}
		at, v := math.Sqrt(2*height/g), math.Sqrt(2*height*g)
		for bounce := range 10 {
			c := must.Value(d.Advance(context.Background(), 100))(t)
			if c == nil || c.Name != "ground" {
				t.Fatalf("%s: bounce %d: crossing is %+v", m.Name, bounce, c)
			}
			if math.Abs(c.T-at) > 1e-8 || s.T() != c.T {
				t.Errorf("%s: bounce %d at %.12f s, want %.12f; the stepper is at %v", m.Name, bounce, c.T, at, s.T())
			}
			if math.Abs(c.Y[1]+v) > 1e-7 {
				t.Errorf("%s: bounce %d at speed %v, want %v", m.Name, bounce, c.Y[1], -v)
			}
			v *= e
			at += 2 * v / g
			must.OK(t, s.Reset(c.T, []float64{0, -e * c.Y[1]}))
		}
	}
}

// TestEventsOfSine finds the falls of y = sin t, at odd multiples of pi, with every method.
func TestEventsOfSine(t *testing.T) {
	p := Problem{N: 2, F: func(_ float64, y, f []float64) error { f[0], f[1] = y[1], -y[0]; return nil }}
	for _, m := range Methods() {
		tol := 1e-8
		if m.Name == "modified-euler" {
			tol = 1e-6
		}
		s := start(t, m.Name, p, Settings{RTol: tol / 100, ATol: []float64{tol / 100}}, 1,
			[]float64{math.Sin(1), math.Cos(1)})
		var reached float64
		d := Driver{Stepper: s, Events: []Event{
			{Name: "down", G: func(_ float64, y []float64) float64 { return y[0] }},
			{Name: "far", G: func(t float64, _ []float64) float64 { return 11.5 - t }},
		}, OnStep: func(_ Stepper, from, to float64) error {
			if from < reached || to <= from {
				t.Errorf("%s: a step from %v to %v after %v", m.Name, from, to, reached)
			}
			reached = to
			return nil
		}}
		for _, want := range []struct {
			name   string
			at, by float64
		}{{"down", math.Pi, 10 * tol}, {"down", 3 * math.Pi, 10 * tol}, {"far", 11.5, 1e-10}} {
			c := must.Value(d.Advance(context.Background(), 20))(t)
			if c == nil || c.Name != want.name || math.Abs(c.T-want.at) > want.by || reached != c.T {
				t.Fatalf("%s: ended at %+v, steps at %v; want %+v", m.Name, c, reached, want)
			}
		}
	}
}

// TestSimultaneousEvents checks that of two events at the same time the first is found, and that it does not swallow
// another one a little later in the same step.
func TestSimultaneousEvents(t *testing.T) {
	s := start(t, "dormand-prince", fall, Settings{}, 0, []float64{1, 0})
	half := func(k float64) func(float64, []float64) float64 {
		return func(_ float64, y []float64) float64 { return k * (y[0] - 0.5) }
	}
	n := map[string]int{}
	d := Driver{Stepper: s, Events: []Event{{"a", half(1)}, {"c", half(1e-3)},
		{"d", func(_ float64, y []float64) float64 { return y[0] - 0.499 }}}}
	for s.T() < 0.5 {
		if c := must.Value(d.Advance(context.Background(), 0.5))(t); c != nil {
			n[c.Name]++
		}
	}
	must.Equal(t, map[string]int{"a": 1, "d": 1}, n)
}

// TestEventFromZero starts on the ground with a step longer than the whole flight, 2 v/g.
func TestEventFromZero(t *testing.T) {
	s := start(t, "rk4", fall, Settings{Step: 3}, 0, []float64{0, 9.81})
	d := Driver{
		Stepper: s, Events: []Event{
			{G: func(_ float64, y []float64) float64 { return y[0] }},
		},
	}
	c, err := d.Advance(context.Background(), 3)
	if err != nil || c == nil || math.Abs(c.T-2) > 1e-10 {
		t.Errorf("landed at %+v, %v; want 2 s", c, err)
	}
}

// TestLocate finds zeros of functions with kinks, jumps and flat places, to tolerance and on the far side.
func TestLocate(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		zero := rapid.Float64Range(0.001, 0.999).Draw(t, "zero")
		power := rapid.SampledFrom([]float64{0, 0.2, 1, 3, 9}).Draw(t, "power")
		scale := math.Pow(10, rapid.Float64Range(-12, 12).Draw(t, "scale"))
		calls := 0
		g := func(x float64) float64 {
			calls++
			v := scale * math.Copysign(math.Pow(math.Abs(x-zero), power), x-zero)
			if x > zero {
				v *= 1000
			}
			return v
		}
		got := locate(g, 0, g(0), 1, g(1), 1e-12)
		if calls > 2+40+2 { // both ends, log2(1e12), and two
			t.Fatalf("%d calls", calls)
		}
		if got-zero > 1e-12 || g(got) < 0 {
			t.Fatalf("zero at %v, want %v", got, zero)
		}
	})
}

// TestLocateIsFast finds a zero of a smooth function to 1e-12 in far fewer evaluations than bisection.
func TestLocateIsFast(t *testing.T) {
	calls := 0
	g := func(x float64) float64 { calls++; return math.Exp(x) - 1.7 }
	if got := locate(g, 0, g(0), 1, g(1), 1e-12); math.Abs(got-math.Log(1.7)) > 1e-12 || calls > 12 {
		t.Errorf("zero at %v after %d evaluations", got, calls)
	}
}

// TestAdvanceEnds checks that a context and the callbacks end an advance with their error.
func TestAdvanceEnds(t *testing.T) {
	s := start(t, "rk4", fall, Settings{MaxStep: 0.1}, 0, []float64{1, 0})
	ctx, cancel := context.WithCancel(context.Background())
	d := Driver{Stepper: s, OnStep: func(s Stepper, _, _ float64) error {
		if s.T() > 1 {
			cancel()
		}
		return nil
	}}
	if _, err := d.Advance(ctx, 10); !errors.Is(err, context.Canceled) || s.T() < 1 || s.T() > 1.2 {
		t.Errorf("error is %v at t = %v", err, s.T())
	}
	full := errors.New("disk full")
	d.OnStep = func(Stepper, float64, float64) error { return full }
	if _, err := d.Advance(context.Background(), 10); !errors.Is(err, full) {
		t.Errorf("error is %v", err)
	}
}
