package ode

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// TestLinearSystems compares every method on random linear systems y' = A y with
// the matrix exponential, y(t) = exp(t A) y(0).
func TestLinearSystems(t *testing.T) {
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			testenv.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 6).Draw(t, "n")
				value := rapid.Float64Range(-2, 2)
				a, y0 := mat.NewDense(n, n, nil), make([]float64, n)
				for i := range n {
					y0[i] = value.Draw(t, "y")
					for j := range n {
						v := value.Draw(t, "a")
						if i == j {
							v -= 2
						}
						a.Set(i, j, v)
					}
				}
				p := Problem{N: n, F: func(_ float64, y, f []float64) error {
					mat.NewVecDense(n, f).MulVec(a, mat.NewVecDense(n, y))
					return nil
				}}
				end := rapid.Float64Range(0.01, 1).Draw(t, "end")
				s := must.Value(m.New(p, Settings{RTol: 1e-6, ATol: []float64{1e-6}, MaxSteps: 20000}, 0, y0))(t)
				for s.T() < end {
					step(t, s, end)
				}
				var want mat.VecDense
				var e mat.Dense
				e.Scale(end, a)
				e.Exp(&e)
				want.MulVec(&e, mat.NewVecDense(n, y0))
				for i, v := range s.Y() {
					// errors grow no faster than exp(t ||A||) with ||A|| of at most 40
					if d := math.Abs(v - want.AtVec(i)); d > 1e-3*(1+mat.Norm(&want, 2)) {
						t.Fatalf("y[%d] is %v, want %v", i, v, want.AtVec(i))
					}
				}
			})
		})
	}
}

// TestScaling changes the units of the unknowns and of time by powers of two, with the tolerances in
// the same units: every method takes the same steps to the same digits.
func TestScaling(t *testing.T) {
	b := brusselator()
	for _, m := range Methods() {
		end := func(unit, second float64) ([]float64, Stats) {
			p := Problem{N: 2, F: func(t float64, y, f []float64) error {
				err := b.F(t/second, []float64{y[0] / unit, y[1] / unit}, f)
				f[0] *= unit / second
				f[1] *= unit / second
				return err
			}}
			s := start(t, m.Name, p, Settings{ATol: []float64{1e-6 * unit}, FirstStep: 1e-3 * second}, 0,
				[]float64{1.5 * unit, 3 * unit})
			run(t, s, 5*second)
			return []float64{s.Y()[0] / unit, s.Y()[1] / unit}, s.Stats()
		}
		y, n := end(1, 1)
		for _, c := range [][2]float64{{0x1p20, 1}, {1, 0x1p-10}, {0x1p-12, 0x1p7}} {
			got, gotN := end(c[0], c[1])
			if math.Abs(got[0]-y[0])+math.Abs(got[1]-y[1]) > 1e-9 || math.Abs(float64(gotN.Steps-n.Steps)) > 2 {
				t.Errorf("%s in units of %v and %v s: y is %v, want %v; %+v, want %+v", m.Name, c[0], c[1], got, y,
					gotN, n)
			}
		}
	}
}
