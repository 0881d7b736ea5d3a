package throughflow

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

func TestBadInput(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(c *Case)
		field  string
		want   string
	}{
		{"no geometry", func(c *Case) { c.Geometry = nil }, "Geometry", "missing"},
		{
			"crossing walls", func(c *Case) {
				c.Geometry = duct(t, 0, 1, constant(0.6), func(z float64) float64 { return 1 - 0.6*z })
			}, "Geometry", "not below casing",
		},
		{"gamma", func(c *Case) { c.Gas.Gamma = 1 }, "Gas.Gamma", "between 1 and 2"},
		{"gas constant", func(c *Case) { c.Gas.R = math.NaN() }, "Gas.R", "more than 0"},
		{"backward rotation", func(c *Case) { c.N = -100 }, "N", "-100 rpm"},
		{"rotor at rest", func(c *Case) { c.N = 0 }, "N", `"rotor" rotates`},
		{"no total pressure", func(c *Case) { c.Inlet.Pt = nil }, "Inlet.Pt", "0 values; want 1"},
		{"negative total temperature", func(c *Case) { c.Inlet.Tt = []float64{-1} }, "Inlet.Tt", "value 1 is -1 K"},
		{"profile of unequal length", func(c *Case) {
			c.Inlet = march.Inlet{Span: []float64{0, 1}, Pt: []float64{1e5, 1e5}, Tt: []float64{300}}
		}, "Inlet.Tt", "1 values; want 2"},
		{"span not increasing", func(c *Case) {
			c.Inlet = march.Inlet{Span: []float64{0.5, 0.5}, Pt: []float64{1e5, 1e5}, Tt: []float64{300, 300}}
		}, "Inlet.Span", "value 2 is 0.5"},
		{"swirl of 90 degrees", func(c *Case) { c.Inlet.Alpha = []float64{math.Pi / 2} }, "Inlet.Alpha", "90 deg"},
		{"no exit condition", func(c *Case) { c.Exit = march.Exit{} }, "Exit", "none of"},
		{"two exit conditions", func(c *Case) { c.Exit = march.Exit{K: 1, W: 1} }, "Exit", "both"},
		{"exit pressure NaN", func(c *Case) { c.Exit = march.Exit{Ps: math.NaN()} }, "Exit.Ps", "NaN"},
		{"exit place", func(c *Case) { c.Exit.At = "tip" }, "Exit.At", `"tip"; want hub, mid or casing`},
		{"back pressure above stagnation", func(c *Case) {
			c.Geometry = duct(t, 0, 1, constant(0.5), constant(1))
			c.Exit = march.Exit{Ps: 110000}
		}, "Exit.Ps", "not below the inlet's total pressure"},
		{"hopeless back pressure", func(c *Case) { c.Exit = march.Exit{Ps: 1e9} }, "Exit.Ps", "no row can hold"},
		{"too few cells", func(c *Case) { c.Settings.NR = 4 }, "Settings.NR", "multiple of 4"},
		{"cells not divisible", func(c *Case) { c.Settings.NZ = 82 }, "Settings.NZ", "multiple of 4"},
		{"too many cells", func(c *Case) { c.Settings.NZ = 40000 }, "Settings.NZ", "4096"},
		{"levels", func(c *Case) { c.Settings.Levels = 9 }, "Settings.Levels", "1 to 3"},
		{"CFL", func(c *Case) { c.Settings.CFL = -1 }, "Settings.CFL", "more than 0"},
		{"tolerance", func(c *Case) { c.Settings.Tolerance = math.NaN() }, "Settings", "Tolerance"},
		{"calibration", func(c *Case) { c.Settings.Calibration.Deviation = 2 }, "Settings.Calibration", "0.5 rad"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := e3Case(t)
			tc.change(&c)
			_, err := New(c)
			var in *march.InputError
			if !errors.As(err, &in) {
				t.Fatalf("got %v, want an InputError", err)
			}
			if in.Field != tc.field || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %q, want field %s and %q", err, tc.field, tc.want)
			}
		})
	}
}

// What a rotor cannot hold ends as stalled, soon, and with finite numbers.
func TestStall(t *testing.T) {
	for _, e := range []march.Exit{{Ps: 135000}, {K: 0.6}} {
		c := coarseE3(t)
		c.Exit = e
		r := result(t, newSolver(t, c))
		if r.Status != march.Stalled || !strings.Contains(r.Message, "no steady flow") {
			t.Errorf("%+v: %s: %s", e, r.Status, r.Message)
		}
		finiteResult(t, r)
	}
}

// A state without meaning is caught at the next step and never gets into a result.
func TestDivergence(t *testing.T) {
	c := coarseE3(t)
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1} {
		s := newSolver(t, c)
		hits, last := 0, 0
		r, err := s.Run(context.Background(), func(p march.Progress) march.Reply {
			l := s.levels[s.at]
			l.u.en[l.u.at(l.m.nz/2, l.m.nr/2)] = bad
			hits, last = hits+1, p.Iteration
			return march.Continue
		})
		must.OK(t, err)
		if r.Status != march.Diverged || hits != 3 {
			t.Errorf("%g: %s after %d tries: %s", bad, r.Status, hits, r.Message)
		}
		if r.Iterations > last+1 {
			t.Errorf("%g: noticed %d iterations later", bad, r.Iterations-last)
		}
		finiteResult(t, r)
	}
}

func TestIterationLimit(t *testing.T) {
	c := e3Case(t)
	c.Settings = Settings{NZ: 40, NR: 12, Levels: 1, MaxIterations: 30}
	r := result(t, newSolver(t, c))
	if r.Status != march.NotConverged || r.Iterations != 30 {
		t.Errorf("%s after %d", r.Status, r.Iterations)
	}
	finiteResult(t, r)
}

func TestCancel(t *testing.T) {
	s := newSolver(t, coarseE3(t))
	ctx, cancel := context.WithCancel(context.Background())
	r, err := s.Run(ctx, func(p march.Progress) march.Reply {
		cancel()
		return march.Continue
	})
	if !errors.Is(err, context.Canceled) || r.Status != march.Stopped || r.Iterations != 20 {
		t.Errorf("%v, %s after %d", err, r.Status, r.Iterations)
	}
}

func finiteResult(t *testing.T, r *Result) {
	t.Helper()
	for _, v := range []float64{r.Residual, r.W, r.PR, r.TR, r.Eff, r.Power, r.Ps, r.MassError, r.EnergyError} {
		if !numeric.Finite(v) {
			t.Errorf("result holds %g", v)
		}
	}
	for _, s := range []*march.Station{r.Inlet, r.Exit} {
		for _, a := range [][]float64{s.R, s.Area, s.Mass, s.DW, s.PtCell, s.TtCell, s.Ps, s.Ts, s.Vz, s.Vr, s.Vtheta,
			s.Rho} {
			for _, v := range a {
				if !numeric.Finite(v) {
					t.Fatalf("station holds %g", v)
				}
			}
		}
	}
}
