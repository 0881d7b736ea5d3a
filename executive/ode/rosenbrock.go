// RODAS: a stiff method without Newton's iteration, robust where the Jacobian is
// cheap or changes fast.

package ode

import "math"

// Rosenbrock is RODAS, a stiffly accurate, L-stable Rosenbrock method of order 4 with an embedded method of order 3, of
// six stages (Hairer II, section IV.7):
//
//	(1/(gamma h) - J) u_i = f(t + alpha_i h, y + sum_j a_ij u_j) + sum_j c_ij u_j / h + gamma_i h df/dt
//	y_new = y + sum_j m_j u_j
//
// with J = df/dy at (t, y), new in every step. Stage 6 starts from the embedded solution, whose error is u_6. The error
// of dense output is O(h^4).
type Rosenbrock struct {
	oneStep
	implicit
	u      [6][]float64
	f0, ft []float64
	known  bool    // f0, ft and the Jacobian are those at (t, y)
	limit  float64 // of the present step, s
	yOld   []float64
	c2, c3 []float64 // dense output
	rhs    []float64
}

var _ Stepper = (*Rosenbrock)(nil)

// Coefficients of RODAS (Hairer's code of that name): gamma, alpha, gamma_i, a, c and the dense output's h.
const rodasGamma = 0.25

var (
	rodasAlpha = [6]float64{0, 0.386, 0.21, 0.63, 1, 1}
	rodasG     = [6]float64{0.25, -0.1043, 0.1035, -0.0362, 0, 0}
	rodasA     = [6][5]float64{
		{},
		{1.544},
		{0.9466785280815826, 0.2557011698983284},
		{3.314825187068521, 2.896124015972201, 0.9986419139977817},
		{1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
		{1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
	}
	rodasC = [6][5]float64{
		{},
		{-5.6688},
		{-2.430093356833875, -0.2063599157091915},
		{-0.1073529058151375, -9.594562251023355, -20.47028614809616},
		{7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
		{8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
	}
	rodasD2 = [5]float64{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
		1.025137723295662}
	rodasD3 = [5]float64{-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
		-6.594389125716872}
)

// NewRosenbrock starts at t with y. It returns an *InputError for an unsuitable problem.
func NewRosenbrock(p Problem, s Settings, t float64, y []float64) (*Rosenbrock, error) {
	m := &Rosenbrock{}
	if err := m.init("rosenbrock", 4, p, s, t, y); err != nil {
		return nil, err
	}
	m.implicit = newImplicit(m.n)
	for _, v := range []*[]float64{&m.f0, &m.ft, &m.yOld, &m.c2, &m.c3, &m.rhs} {
		*v = make([]float64, m.n)
	}
	for i := range m.u {
		m.u[i] = make([]float64, m.n)
	}
	return m, nil
}

// Step implements Stepper.
func (m *Rosenbrock) Step(limit float64) error {
	m.limit = limit
	return m.step(m, limit)
}

// open evaluates f, df/dy and df/dt at (t, y).
func (m *Rosenbrock) open() error {
	if m.known {
		return nil
	}
	if err := m.slope(m.t, m.y, m.f0); err != nil {
		return err
	}
	copy(m.yp, m.f0)
	if err := m.linearize(&m.core, m.t, m.h, m.y, m.yp); err != nil {
		return err
	}
	if err := m.timeSlope(); err != nil {
		return err
	}
	m.known = true
	return nil
}

// timeSlope sets ft = df/dt by a forward difference.
func (m *Rosenbrock) timeSlope() error {
	clear(m.ft)
	if m.p.Autonomous {
		return nil
	}
	d := math.Sqrt(eps) * max(math.Abs(m.t), m.h)
	if d == 0 {
		d = math.Sqrt(eps) * 1e-3
	}
	d = min(m.t+d, m.limit) - m.t
	if err := m.slope(m.t+d, m.y, m.ft); err != nil {
		return err
	}
	for i := range m.ft {
		m.ft[i] = (m.ft[i] - m.f0[i]) / d
	}
	return nil
}

func (m *Rosenbrock) first(limit float64) float64 {
	return m.guess(3, m.yp, m.ynew, m.delta, m.slope, limit)
}

func (m *Rosenbrock) attempt(h, tnew float64) (float64, error) {
	if err := m.matrix(&m.core, 1/(rodasGamma*h), h); err != nil {
		return 0, err
	}
	for s := range m.u {
		if err := m.stage(s, h, tnew); err != nil {
			return 0, err
		}
	}
	// ynew holds the embedded solution, at which stage 6 was evaluated
	for i, e := range m.u[5] {
		m.est[i] = e
		m.ynew[i] += e
	}
	return m.norm(m.est, m.y, m.ynew), nil
}

// stage sets u[s], and leaves its argument in ynew.
func (m *Rosenbrock) stage(s int, h, tnew float64) error {
	f := m.f0
	if s > 0 {
		copy(m.ynew, m.y)
		for j := 0; j < s; j++ {
			for i, u := range m.u[j] {
				m.ynew[i] += rodasA[s][j] * u
			}
		}
		t := tnew
		if rodasAlpha[s] < 1 {
			t = m.t + rodasAlpha[s]*h
		}
		if err := m.slope(t, m.ynew, m.rhs); err != nil {
			return err
		}
		f = m.rhs
	}
	u := m.u[s]
	for i := range u {
		sum := 0.0
		for j := 0; j < s; j++ {
			sum += rodasC[s][j] * m.u[j][i]
		}
		u[i] = f[i] + sum/h + rodasG[s]*h*m.ft[i]
	}
	m.lin.solve(u)
	return nil
}

func (m *Rosenbrock) accept(h float64) {
	m.hLast, m.known = h, false
	copy(m.yOld, m.y)
	for i := range m.c2 {
		m.c2[i], m.c3[i] = 0, 0
		for j := range rodasD2 {
			m.c2[i] += rodasD2[j] * m.u[j][i]
			m.c3[i] += rodasD3[j] * m.u[j][i]
		}
	}
}

// At implements Stepper.
func (m *Rosenbrock) At(t float64, y []float64) {
	if t == m.t || m.hLast == 0 {
		copy(y, m.y)
		return
	}
	a := (t - m.tPrev) / m.hLast
	for i := range y {
		y[i] = (1-a)*m.yOld[i] + a*(m.y[i]+(1-a)*(m.c2[i]+a*m.c3[i]))
	}
}

// Restart implements Stepper. The step is kept, for the error test to judge.
func (m *Rosenbrock) Restart() error {
	m.known, m.tried, m.errOld = false, 0, 1e-4
	return nil
}

// Reset implements Stepper.
func (m *Rosenbrock) Reset(t float64, y []float64) error {
	if err := m.place(t, y); err != nil {
		return err
	}
	return m.Restart()
}
