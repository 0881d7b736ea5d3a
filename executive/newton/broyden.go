package newton

import "math"

// broyden adds (r_new - r - J dx) dx^T / dx.dx for the step taken.
func (s *Solver) broyden() {
	dd := 0.0
	for i := range s.n {
		s.col[i] = s.xn[i] - s.x[i]
		// Unknowns have different units: each is scaled by its magnitude.
		dd += s.col[i] * s.col[i] / s.weight(i)
	}
	if dd == 0 {
		return
	}
	for i := range s.n {
		jd := 0.0
		for j := range s.n {
			jd += s.jac.At(i, j) * s.col[j]
		}
		e := (s.rn[i] - s.r[i] - jd) / dd
		for j := range s.n {
			s.jac.Set(i, j, s.jac.At(i, j)+e*s.col[j]/s.weight(j))
		}
	}
}

func (s *Solver) weight(i int) float64 {
	w := max(math.Abs(s.x[i]), 1e-3)
	return w * w
}
