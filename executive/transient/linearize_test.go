package transient

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// designed is the model of an engine at its design point.
func designed(t testing.TB, cfg *config.Engine) *graph.Model {
	t.Helper()
	m := must.Value(graph.New(cfg))(t)
	must.Value(steady.New(m).Design(t.Context()))(t)
	must.OK(t, m.Settle())
	return m
}

// motionOf are the equations of a case's motion about the design.
func motionOf(t testing.TB, cfg *config.Engine, tr *config.Transient) *dynamics {
	t.Helper()
	m := designed(t, cfg)
	d := must.Value(newDynamics(m, &config.Case{Name: "move", Transient: tr},
		components.OffDesign|components.Transient))(t)
	d.begin()
	return d
}

// The derivatives with respect to states and time agree with differences between solutions.
func TestLinearize(t *testing.T) {
	ramp := &config.Transient{Duration: 1, RTol: 1e-9, Schedules: []config.Schedule{enginetest.Fuel(0, 0.9, 1, 0.7)}}
	d := motionOf(t, enginetest.Parse(t, enginetest.Volumes(0.2, 0.5)), ramp)
	d.nw.Settings.Tolerance = 1e-13
	y := append([]float64(nil), d.u[:len(d.states)]...)
	d.enter(0)
	const at, span = 0.3, 1.0
	must.OK(t, d.moveTo(at, y))
	n := len(y)
	last := len(d.f) // behind the integrals of powers
	j := mat.NewDense(last, last+1, nil)
	must.OK(t, d.linearize(at, span, j))
	f := func(t0 float64, y []float64) []float64 {
		must.OK(t, d.moveTo(t0, y))
		return append([]float64(nil), d.f...)
	}
	for k := range n + 1 {
		h, size := 1e-6, 1.0
		plus, minus, tp, tm := append([]float64(nil), y...), append([]float64(nil), y...), at, at
		if k == n {
			tp, tm = at+h, at-h
		} else {
			size = math.Max(math.Abs(y[k]), d.states[k].typical)
			h *= size
			plus[k], minus[k] = plus[k]+h, minus[k]-h
			if y[k] == 0 { // a negative fuel mass is not possible
				minus[k], plus[k] = 0, 2*h
			}
		}
		fp, fm := f(tp, plus), f(tm, minus)
		for i := range n {
			want := (fp[i] - fm[i]) / (2 * h)
			scale := math.Max(math.Abs(y[i]), d.states[i].typical) / size
			column := k
			if k == n {
				column = last
			}
			if got := j.At(i, column); math.Abs(got-want) > 1e-4*math.Max(math.Abs(want), scale) {
				t.Errorf("d(%s)/dt by column %d: %.8g, by differences %.8g", d.states[i].name, k, got, want)
			}
		}
	}
}

// After linearize the model is where it was, and guesses of solutions nearby have an error
// of second order.
func TestLinearizeLeavesTheSolution(t *testing.T) {
	d := motionOf(t, enginetest.Parse(t, enginetest.Volumes(0.2, 0.5)), &config.Transient{Duration: 1, RTol: 1e-9})
	d.enter(0)
	thrust := d.m.Perf.Fn
	must.OK(t, d.linearize(0, 0, mat.NewDense(len(d.f), len(d.f), nil)))
	must.Near(t, "Fn", d.m.Perf.Fn, thrust, 1e-12)
	for _, step := range []float64{1e-2, 1e-3} {
		u := append([]float64(nil), d.u...)
		u[0] *= 1 - step
		guess := append([]float64(nil), d.guess.at(u, d.u, d.x)...)
		d.write(u)
		sol := must.Value(d.nw.Solve(t.Context(), d.s.Problem, guess))(t)
		for i, x := range sol.X {
			if math.Abs(guess[i]-x) > 30*step*step*math.Abs(x) {
				t.Errorf("%s is guessed to be %.9g for a change of %g, it is %.9g", d.s.Unknowns[i].Name, guess[i],
					step, x)
			}
		}
		must.OK(t, d.restoreSolution())
	}
}

// Singular equations are reported with the equation or unknown that makes them so.
func TestLinearizeSingular(t *testing.T) {
	var nw newton.Solver
	p := newton.Problem{Lower: []float64{-9, -9}, Upper: []float64{9, 9}, Typical: []float64{1, 1},
		Eval: func(x, r []float64) error { r[0], r[1] = x[0]+x[1]-1, 0; return nil }}
	err := nw.Linearize(p, []float64{0, 1}, func(int, float64) {})
	if singular, ok := errors.AsType[*newton.SingularError](err); !ok || singular.Residual != 1 {
		t.Fatalf("%v", err)
	}
	p.Eval = func(x, r []float64) error { r[0], r[1] = x[0]+x[1]-1, x[0]-x[1]; return nil }
	must.OK(t, nw.Linearize(p, []float64{0.5, 0.5}, func(int, float64) {}))
	if dx := nw.Respond([]float64{2, 0}); math.Abs(dx[0]+1) > 1e-6 || math.Abs(dx[1]+1) > 1e-6 {
		t.Errorf("the unknowns go by %v", dx)
	}
}

// An incremental evaluation gives the same as a full one: in every example engine, and in
// one with volumes, whichever value changes.
func TestVicinity(t *testing.T) {
	engines := map[string]*config.Engine{"volumes": enginetest.Parse(t, enginetest.Volumes(0.2, 0.5)),
		"e3-volumes": enginetest.E3WithVolumes(t)}
	for _, file := range enginetest.SomeExamples(t) {
		engines[strings.TrimSuffix(filepath.Base(file), ".yaml")] = enginetest.Moving(t, file)
	}
	for name, cfg := range engines {
		t.Run(name, func(t *testing.T) {
			d := motionOf(t, cfg,
				&config.Transient{
					Duration: 1, RTol: 1e-9,
					Schedules: []config.Schedule{
						{Quantity: config.Quantity{Path: "ambient.dTs"}, T: []float64{0, 1}, Values: []float64{0, 5}},
					},
				})
			d.enter(0)
			d.inc = d.newIncremental()
			n, nu := len(d.x), len(d.u)
			u, x := append([]float64(nil), d.u...), append([]float64(nil), d.x...)
			some, all := make([]float64, n), make([]float64, n)
			fSome, fAll := make([]float64, len(d.f)), make([]float64, len(d.f))
			for k := range nu + n {
				at := append(append([]float64(nil), u...), x...)
				at[k] += 1e-5 * math.Max(math.Abs(at[k]), 1e-3)
				must.OK(t, d.evalChanged(at[:nu], at[nu:], some))
				d.rates(fSome)
				must.OK(t, d.s.Eval(at[nu:], all))
				d.rates(fAll)
				for i := range all {
					if math.Abs(some[i]-all[i]) > 1e-11 {
						t.Errorf("by entry %d %s is %.15g, %.15g in full", k, d.s.Residuals[i].Name, some[i], all[i])
					}
				}
				for i := range fAll {
					size := math.Abs(fAll[i])
					if i < len(d.states) {
						size += math.Abs(u[i])
					}
					if math.Abs(fSome[i]-fAll[i]) > 1e-9*(size+1) {
						t.Errorf("by entry %d rate %d is %.15g, %.15g in full", k, i, fSome[i], fAll[i])
					}
				}
			}
		})
	}
}
