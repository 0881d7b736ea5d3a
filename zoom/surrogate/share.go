package surrogate

import "gonum.org/v1/gonum/mat"

// Shares returns the changes of the model's output k at a point by a unit change of each answer, by their keys: the
// weights (C + N)^-1 c(x). The answers' noise contributes the sum of the squares of weight times noise to the squared
// deviation there.
func (m *Model) Shares(k int, x []float64) []float64 { return m.processes[k].shares(x) }

// shares returns the weights of the answers at a point, 0 where they cannot be had.
func (g *process) shares(x []float64) []float64 {
	n := len(g.x)
	w := make([]float64, n)
	if n == 0 {
		return w
	}
	c := mat.NewVecDense(n, nil)
	for i, at := range g.x {
		c.SetVec(i, g.covariance(x, at))
	}
	if g.chol.SolveVecTo(mat.NewVecDense(n, w), c) != nil {
		clear(w)
	}
	return w
}
