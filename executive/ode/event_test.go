package ode

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
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
				{Name: "ground", G: func(_ float64, y []float64) float64 { return y[0] }, Direction: Falling,
					Terminal: true},
			},
		}
		at, v := math.Sqrt(2*height/g), math.Sqrt(2*height*g)
		for bounce := range 10 {
			c := must.Value(d.Advance(context.Background(), 100))(t)
			if c == nil || c.Name != "ground" || c.Rising {
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

// TestEventsOfSine finds the zeros of y = sin t, at multiples of pi, by direction, with every method.
func TestEventsOfSine(t *testing.T) {
	p := Problem{N: 2, F: func(_ float64, y, f []float64) error { f[0], f[1] = y[1], -y[0]; return nil }}
	zero := func(_ float64, y []float64) float64 { return y[0] }
	for _, m := range Methods() {
		tol := 1e-8
		if m.Name == "modified-euler" {
			tol = 1e-6
		}
		s := start(t, m.Name, p, Settings{RTol: tol / 100, ATol: []float64{tol / 100}}, 1,
			[]float64{math.Sin(1), math.Cos(1)})
		var got []string
		d := Driver{Stepper: s, Events: []Event{
			{Name: "any", G: zero},
			{Name: "up", G: zero, Direction: Rising},
			{Name: "down", G: zero, Direction: Falling},
			{Name: "far", G: func(t float64, _ []float64) float64 { return t - 11.5 }, Terminal: true},
		}}
		d.OnEvent = func(c Crossing) error {
			got = append(got, c.Name)
			if n := math.Round(c.T / math.Pi); c.Name != "far" && math.Abs(c.T-n*math.Pi) > 10*tol {
				t.Errorf("%s: %s at %.10f, want %.10f", m.Name, c.Name, c.T, n*math.Pi)
			}
			return nil
		}
		var reached float64
		d.OnStep = func(_ Stepper, from, to float64) error {
			if from < reached || to <= from {
				t.Errorf("%s: a step from %v to %v after %v", m.Name, from, to, reached)
			}
			reached = to
			return nil
		}
		c := must.Value(d.Advance(context.Background(), 20))(t)
		if c == nil || c.Name != "far" || math.Abs(c.T-11.5) > 1e-10 || reached != c.T {
			t.Fatalf("%s: ended at %+v, steps at %v", m.Name, c, reached)
		}
		want := []string{"any", "down", "any", "up", "any", "down", "far"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: events (-want +got):\n%s", m.Name, diff)
		}
	}
}

// TestSimultaneousEvents checks that a terminal event does not swallow another one at the same
// time or a little later in the same step.
func TestSimultaneousEvents(t *testing.T) {
	s := start(t, "dormand-prince", fall, Settings{}, 0, []float64{1, 0})
	half := func(k float64) func(float64, []float64) float64 {
		return func(_ float64, y []float64) float64 { return k * (y[0] - 0.5) }
	}
	n := map[string]int{}
	d := Driver{
		Stepper: s, Events: []Event{{Name: "a", G: half(1), Terminal: true}, {Name: "b", G: half(-3)},
			{Name: "c", G: half(1e-3), Terminal: true},
			{Name: "d", G: func(_ float64, y []float64) float64 { return y[0] - 0.499 }}},
		OnEvent: func(c Crossing) error { n[c.Name]++; return nil }}
	for s.T() < 0.5 {
		must.Value(d.Advance(context.Background(), 0.5))(t)
	}
	must.Equal(t, map[string]int{"a": 1, "b": 1, "c": 1, "d": 1}, n)
}

// TestSamples finds both zeros of one long step.
func TestSamples(t *testing.T) {
	count := func(samples int) (n int) {
		s := start(t, "rk4", fall, Settings{Step: 2}, 0, []float64{-1, 9})
		d := Driver{
			Stepper: s, Samples: samples,
			Events: []Event{{G: func(_ float64, y []float64) float64 { return y[0] - 2 }}},
			OnEvent: func(c Crossing) error {
				must.Within(t, "height", -1+9*c.T-9.81/2*c.T*c.T, 2, 1e-9)
				n++
				return nil
			}}
		must.Value(d.Advance(context.Background(), 2))(t)
		return n
	}
	if a, b := count(0), count(10); a != 0 || b != 2 {
		t.Errorf("found %d and %d crossings, want 0 and 2", a, b)
	}
}

// TestEventFromZero starts on the ground with a step longer than the whole flight, 2 v/g.
func TestEventFromZero(t *testing.T) {
	s := start(t, "rk4", fall, Settings{Step: 3}, 0, []float64{0, 9.81})
	d := Driver{
		Stepper: s, Events: []Event{
			{G: func(_ float64, y []float64) float64 { return y[0] }, Direction: Falling, Terminal: true},
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
