// Dormand and Prince's pair: the method of choice for problems that are not stiff.

package ode

// DormandPrince is the Runge-Kutta pair of order 5(4) with seven stages; the last stage is the next step's first
// (Dormand and Prince, J. Comput. Appl. Math. 6, 1980; Hairer I, table II.5.2). Its dense output of order 4 is
// continuously differentiable from step to step (Hairer I, section II.6; Shampine, Math. Comp. 46, 1986).
type DormandPrince struct {
	explicit
	k [5][]float64 // stages 2 to 6
	z []float64
	c [4][]float64 // dense output beyond y at the start
}

var _ Stepper = (*DormandPrince)(nil)

// dpA holds rows 2 to 6 of the method's matrix; dpB, the weights of order 5, is its
// row 7, without the zero of stage 2; dpE is dpB less the weights of order 4; dpD the dense output's.
var (
	dpC = [5]float64{1. / 5, 3. / 10, 4. / 5, 8. / 9, 1}
	dpA = [5][5]float64{
		{1. / 5},
		{3. / 40, 9. / 40},
		{44. / 45, -56. / 15, 32. / 9},
		{19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
		{9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
	}
	dpB = [6]float64{35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}
	dpE = [7]float64{71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}
	dpD = [7]float64{-12715105075. / 11282082432, 0, 87487479700. / 32700410799, -10690763975. / 1880347072,
		701980252875. / 199316789632, -1453857185. / 822651844, 69997945. / 29380423}
)

// NewDormandPrince starts at t with y. It returns an *InputError for an unsuitable problem.
func NewDormandPrince(p Problem, s Settings, t float64, y []float64) (*DormandPrince, error) {
	m := &DormandPrince{}
	if err := m.init("dormand-prince", 5, p, s, t, y); err != nil {
		return nil, err
	}
	for i := range m.k {
		m.k[i] = make([]float64, m.n)
	}
	for i := range m.c {
		m.c[i] = make([]float64, m.n)
	}
	m.z = make([]float64, m.n)
	return m, nil
}

// Step implements Stepper.
func (m *DormandPrince) Step(limit float64) error { return m.step(m, limit) }

func (m *DormandPrince) attempt(h, tnew float64) (float64, error) {
	for s := range m.k {
		a := &dpA[s]
		for i := range m.z {
			sum := a[0] * m.f0[i]
			for j := 0; j < s; j++ {
				sum += a[j+1] * m.k[j][i]
			}
			m.z[i] = m.y[i] + h*sum
		}
		t := m.t + dpC[s]*h
		if dpC[s] == 1 {
			t = tnew
		}
		if err := m.slope(t, m.z, m.k[s]); err != nil {
			return 0, err
		}
	}
	k3, k4, k5, k6 := m.k[1], m.k[2], m.k[3], m.k[4]
	for i, k1 := range m.f0 {
		m.ynew[i] = m.y[i] + h*(dpB[0]*k1+dpB[2]*k3[i]+dpB[3]*k4[i]+dpB[4]*k5[i]+dpB[5]*k6[i])
	}
	if err := m.slope(tnew, m.ynew, m.f1); err != nil {
		return 0, err
	}
	for i, k1 := range m.f0 {
		m.est[i] = h * (dpE[0]*k1 + dpE[2]*k3[i] + dpE[3]*k4[i] + dpE[4]*k5[i] + dpE[5]*k6[i] + dpE[6]*m.f1[i])
	}
	return m.norm(m.est, m.y, m.ynew), nil
}

func (m *DormandPrince) accept(h float64) {
	k3, k4, k5, k6 := m.k[1], m.k[2], m.k[3], m.k[4]
	for i, k1 := range m.f0 {
		dy := m.ynew[i] - m.y[i]
		b := h*k1 - dy
		m.c[0][i] = dy
		m.c[1][i] = b
		m.c[2][i] = dy - h*m.f1[i] - b
		m.c[3][i] = h * (dpD[0]*k1 + dpD[2]*k3[i] + dpD[3]*k4[i] + dpD[4]*k5[i] + dpD[5]*k6[i] + dpD[6]*m.f1[i])
	}
	m.explicit.accept(h)
}

// At implements Stepper.
func (m *DormandPrince) At(t float64, y []float64) {
	if t == m.t || m.hLast == 0 {
		copy(y, m.y)
		return
	}
	theta := (t - m.tPrev) / m.hLast
	for i := range y {
		y[i] = m.yOld[i] + theta*(m.c[0][i]+(1-theta)*(m.c[1][i]+theta*(m.c[2][i]+(1-theta)*m.c[3][i])))
	}
}
