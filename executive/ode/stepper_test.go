package ode

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// TestCheckpoint saves a run at any step, through JSON, and continues both: they
// stay identical to the last bit, with and without a limit or a restart in between.
func TestCheckpoint(t *testing.T) {
	br := brusselator()
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			testenv.Check(t, func(t *rapid.T) {
				p, y0, t0 := br.Problem, br.y0, br.t0
				set := Settings{RTol: 1e-5}
				a := must.Value(m.New(p, set, t0, y0))(t)
				for range rapid.IntRange(0, 40).Draw(t, "steps") {
					step(t, a, 1e3)
				}
				if rapid.Bool().Draw(t, "restart") {
					must.OK(t, a.Restart())
				}
				text := must.Value(json.Marshal(a.Save()))(t)
				var c Checkpoint
				must.OK(t, json.Unmarshal(text, &c))
				b := must.Value(m.New(p, set, 0, make([]float64, len(y0))))(t)
				must.OK(t, b.Restore(c))
				same(t, a, b)
				for range 20 {
					limit := a.T() + rapid.Float64Range(1e-3, 10).Draw(t, "limit")
					step(t, a, limit)
					step(t, b, limit)
					same(t, a, b)
				}
			})
		})
	}
}

func step(t *rapid.T, s Stepper, limit float64) {
	must.OK(t, s.Step(limit))
}

func same(t *rapid.T, a, b Stepper) {
	from, to := a.Last()
	ya, yb := make([]float64, len(a.Y())), make([]float64, len(a.Y()))
	a.At(from+0.3*(to-from), ya)
	b.At(from+0.3*(to-from), yb)
	if a.T() != b.T() || !slices.Equal(a.Y(), b.Y()) || !slices.Equal(ya, yb) || a.Stats() != b.Stats() {
		t.Fatalf("at %v and %v: %v, %v; between %v, %v; %+v, %+v", a.T(), b.T(), a.Y(), b.Y(), ya, yb, a.Stats(),
			b.Stats())
	}
}

// TestRestoreRefuses checks that a checkpoint of another method or size leaves the state unchanged.
func TestRestoreRefuses(t *testing.T) {
	h, b := hires(), brusselator()
	rk := start(t, "rk4", b.Problem, Settings{}, 0, b.y0)
	before := rk.Save()
	for _, c := range []Checkpoint{
		start(t, "adams", b.Problem, Settings{}, 0, b.y0).Save(),
		start(t, "rk4", h.Problem, Settings{}, 0, h.y0).Save(),
		{},
	} {
		if err := rk.Restore(c); err == nil {
			t.Errorf("a checkpoint of %q with %d unknowns was restored", c.Method, c.N)
		}
	}
	must.Equal(t, before, rk.Save())
}

// TestLimits steps through random limits: each is met exactly, the equations are
// never evaluated beyond it, and the answer is right although an input jumps at each.
func TestLimits(t *testing.T) {
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			testenv.Check(t, func(t *rapid.T) {
				limit, u := 0.0, 0.0
				p := Problem{N: 1, F: func(at float64, y, f []float64) error {
					if at > limit {
						t.Fatalf("evaluated at %v, beyond %v", at, limit)
					}
					f[0] = u - y[0]
					return nil
				}}
				s := must.Value(m.New(p, Settings{RTol: 1e-7, ATol: []float64{1e-7}}, 0, []float64{1}))(t)
				want := 1.0
				for range rapid.IntRange(1, 10).Draw(t, "limits") {
					dt := math.Pow(10, rapid.Float64Range(-6, 1).Draw(t, "log dt"))
					u = rapid.Float64Range(-1, 1).Draw(t, "u")
					limit += dt
					dt = limit - s.T()
					must.OK(t, s.Restart())
					for s.T() < limit {
						step(t, s, limit)
					}
					want = u + (want-u)*math.Exp(-dt)
					if s.T() != limit || math.Abs(s.Y()[0]-want) > 2e-5 {
						t.Fatalf("y is %v at %v, want %v at %v", s.Y()[0], s.T(), want, limit)
					}
				}
			})
		})
	}
}

// TestLimitOutOfReach checks that a limit within the resolution of t is met too.
func TestLimitOutOfReach(t *testing.T) {
	for _, m := range Methods() {
		s := start(t, m.Name, fall, Settings{}, 1, []float64{3, 0})
		run(t, s, 2)
		y := slices.Clone(s.Y())
		run(t, s, math.Nextafter(2, 3))
		got := make([]float64, 2)
		s.At(2, got)
		if diff := cmp.Diff(y, got); diff != "" {
			t.Errorf("%s: y changed:\n%s", m.Name, diff)
		}
		run(t, s, 2.5)
		must.Within(t, m.Name+": height", s.Y()[0], 3-9.81/2*1.5*1.5, 1e-4)
	}
}

// TestLastSteps checks that the steps before a limit are made even, so that none is tiny, and
// that one-step methods return to their step after a limit that cut it.
func TestLastSteps(t *testing.T) {
	p := Problem{N: 2, F: func(_ float64, y, f []float64) error { f[0], f[1] = y[1], -y[0]; return nil }}
	for _, m := range Methods() {
		testenv.Check(t, func(t *rapid.T) {
			s := must.Value(m.New(p, Settings{RTol: 1e-6}, 0, []float64{0, 1}))(t)
			limit := rapid.Float64Range(5, 7).Draw(t, "limit")
			var h []float64
			for s.T() < limit {
				step(t, s, limit)
				from, to := s.Last()
				h = append(h, to-from)
			}
			if k := len(h); s.T() != limit || h[k-1] < 0.3*h[k-3] {
				t.Fatalf("%s: the last steps before %v are %v, ending at %v", m.Name, limit, h[k-3:], s.T())
			}
			step(t, s, limit+1e-6)
			step(t, s, limit+10)
			from, to := s.Last()
			if one := m.Name != "gear" && m.Name != "adams"; one && to-from < 0.5*h[len(h)-3] {
				t.Fatalf("%s: a step of %v follows one that was cut from %v", m.Name, to-from, h[len(h)-3])
			}
		})
	}
}

// TestWork holds the work that each method does on a smooth and a stiff problem, within 5 %: a
// change of step or order control shows here.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		ref  reference
		want map[string][2]int // steps, evaluations
	}{
		{
			brusselator(), map[string][2]int{"modified-euler": {15361, 30724}, "rk4": {304, 1278},
				"dormand-prince": {137, 944},
				"adams":          {265, 542}, "gear": {443, 988}, "rosenbrock": {353, 3592}}},
		{oregonator(), map[string][2]int{"gear": {1412, 3885}, "rosenbrock": {1511, 16683}}},
	} {
		for m, want := range c.want {
			s := start(t, m, c.ref.Problem, Settings{RTol: 1e-6, ATol: []float64{1e-8}}, c.ref.t0, c.ref.y0)
			run(t, s, c.ref.t1)
			n := s.Stats()
			if math.Abs(float64(n.Steps)/float64(want[0])-1) > 0.05 ||
				math.Abs(float64(n.Evaluations)/float64(want[1])-1) > 0.05 {
				t.Errorf("%s, %s: %d steps and %d evaluations, want %v", c.ref.name, m, n.Steps, n.Evaluations, want)
			}
		}
	}
}

// TestConstantStep counts the steps of a constant size, the last of which is cut at the limit.
func TestConstantStep(t *testing.T) {
	for _, m := range Methods() {
		s := start(t, m.Name, fall, Settings{Step: 0.1}, 0, []float64{3, 0})
		run(t, s, 0.95)
		if n := s.Stats().Steps; n != 10 {
			t.Errorf("%s: %d steps, want 10", m.Name, n)
		}
	}
}

// TestNoGarbage checks that steps after the first do not allocate.
func TestNoGarbage(t *testing.T) {
	h := hires()
	for _, m := range Methods() {
		s := start(t, m.Name, h.Problem, Settings{}, h.t0, h.y0)
		run(t, s, 1)
		y := make([]float64, h.N)
		if n := testing.AllocsPerRun(200, func() {
			must.OK(t, s.Step(h.t1))
			from, to := s.Last()
			s.At((from+to)/2, y)
		}); n != 0 {
			t.Errorf("%s: %v allocations a step", m.Name, n)
		}
	}
}

// TestRepeats checks that two runs give the same numbers to the last bit, and that Reset removes the whole state of the
// first.
func TestRepeats(t *testing.T) {
	b := brusselator()
	for _, m := range Methods() {
		s := start(t, m.Name, b.Problem, Settings{}, b.t0, b.y0)
		run(t, s, 7)
		first := slices.Clone(s.Y())
		must.OK(t, s.Reset(b.t0, b.y0))
		run(t, s, 7)
		if diff := cmp.Diff(first, s.Y()); diff != "" {
			t.Errorf("%s: (-first +second)\n%s", m.Name, diff)
		}
	}
}

// TestRestarts checks the cost of a controller's period of 20 ms, which ends in a restart, on a nonlinear system: one
// step of rosenbrock, at most eight of gear, and hardly a rejected one.
func TestRestarts(t *testing.T) {
	e := nonlinear()
	for method, most := range map[string]int{"rosenbrock": 1, "gear": 8} {
		s := start(t, method, e.Problem, Settings{RTol: 1e-5, ATol: []float64{1e-5}}, e.t0, e.start())
		for k := 1; k <= 100; k++ {
			must.OK(t, s.Restart())
			run(t, s, e.t0+0.01*float64(k))
		}
		if n := s.Stats(); n.Steps > 100*most || n.Rejected > 5 {
			t.Errorf("%s: %+v", method, n)
		}
	}
}
