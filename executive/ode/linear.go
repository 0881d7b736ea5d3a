// The linear systems of the implicit methods: LU factors with row scaling, kept in
// place so that a factorisation allocates nothing.

package ode

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// linear is the system A x = b. Each row of A is scaled to a largest element of 1: without
// scaling, algebraic equations and differential equations divided by a small step differ by
// many orders of magnitude, and the choice of pivots would be wrong.
type linear struct {
	n     int
	a     []float64 // A by rows; after factor, its factors
	scale []float64
	pivot []int
}

func newLinear(n int) linear {
	return linear{n, make([]float64, n*n), make([]float64, n), make([]int, n)}
}

func (l *linear) general() blas64.General {
	return blas64.General{Rows: l.n, Cols: l.n, Stride: l.n, Data: l.a}
}

// factor replaces a by its factors. It returns false if A is singular.
func (l *linear) factor() bool {
	for i := range l.n {
		row := l.a[i*l.n : (i+1)*l.n]
		most := 0.0
		for _, x := range row {
			most = max(most, math.Abs(x))
		}
		if !(most > 0) || math.IsInf(most, 0) {
			return false
		}
		l.scale[i] = 1 / most
		for j := range row {
			row[j] /= most
		}
	}
	return lapack64.Getrf(l.general(), l.pivot)
}

// solve replaces b by the solution.
func (l *linear) solve(b []float64) {
	for i, s := range l.scale {
		b[i] *= s
	}
	lapack64.Getrs(blas.NoTrans, l.general(), blas64.General{Rows: l.n, Cols: 1, Stride: 1, Data: b}, l.pivot)
}
