package throughflow

// smoother spreads residuals over the mesh by a factored implicit operator,
//
//	(1 - e dii)(1 - e djj) R' = R
//
// which lets the scheme run at several times its explicit Courant number
// (Jameson and Baker, AIAA 83-1929). The weights are constant, so the factors of
// the two tridiagonal systems are made once.
type smoother struct {
	nz, nr int
	e      float64
	fi, fj []float64 // reciprocal pivots
}

// newSmoother returns the smoother for a scheme run at cfl whose explicit limit
// is limit: e = ((cfl/limit)^2 - 1)/4, none below the limit.
func newSmoother(nz, nr int, cfl, limit float64) *smoother {
	s := &smoother{nz: nz, nr: nr}
	if ratio := cfl / limit; ratio > 1 {
		s.e = (ratio*ratio - 1) / 4
	}
	s.fi, s.fj = pivots(nz, s.e), pivots(nr, s.e)
	return s
}

// pivots returns the reciprocal pivots of the tridiagonal matrix (-e, 1+2e, -e)
// with ends that reflect (1+e).
func pivots(n int, e float64) []float64 {
	f := make([]float64, n)
	for k := range f {
		d := 1 + 2*e
		if k == 0 || k == n-1 {
			d = 1 + e
		}
		if k > 0 {
			d -= e * e * f[k-1]
		}
		f[k] = 1 / d
	}
	return f
}

func (s *smoother) apply(r []float64) {
	if s.e == 0 {
		return
	}
	nz, nr, e := s.nz, s.nr, s.e
	fj := s.fj[:nr]
	for i := range nz {
		row := r[i*nr : i*nr+nr]
		row = row[:len(fj)]
		last := 0.0
		for j, f := range fj {
			last = (row[j] + e*last) * f
			row[j] = last
		}
		for j := nr - 2; j >= 0; j-- {
			last = row[j] + e*fj[j]*last
			row[j] = last
		}
	}
	for j := range nr {
		r[j] *= s.fi[0]
	}
	for i := 1; i < nz; i++ {
		f := s.fi[i]
		a, b := r[(i-1)*nr:i*nr], r[i*nr:i*nr+nr]
		b = b[:len(a)]
		for j := range a {
			b[j] = (b[j] + e*a[j]) * f
		}
	}
	for i := nz - 2; i >= 0; i-- {
		f := e * s.fi[i]
		a, b := r[i*nr:i*nr+nr], r[(i+1)*nr:(i+2)*nr]
		b = b[:len(a)]
		for j := range a {
			a[j] += f * b[j]
		}
	}
}
