package surrogate

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Prior is the knowledge about an output before its answers.
type Prior struct {
	Origin []float64 // of the slopes
	Value  float64   // of the mean at the origin
	Slope  []float64 // of the mean

	ValueSpread float64   // s0, standard deviation of the value at the origin
	SlopeSpread []float64 // s_d, of the slopes
	Amplitude   float64   // s, of the bends
	Lengths     []float64 // l_d, of the bends
}

// mean returns the prior's mean at a point; it adds its slopes to slope if that is not nil.
func (p *Prior) mean(x, slope []float64) float64 {
	v := p.Value
	for d, s := range p.Slope {
		v += s * (x[d] - p.Origin[d])
		if slope != nil {
			slope[d] += s
		}
	}
	return v
}

// process is a Gaussian process with its answers.
type process struct {
	trend  int // of the model's
	prior  Prior
	s      float64   // amplitude
	l      []float64 // lengths
	x      [][]float64
	y      []float64 // less the mean
	noise  []float64 // standard deviations
	chol   mat.Cholesky
	weight []float64 // (C + N)^-1 (y - m)
}

// ErrSingular reports answers whose covariance has no inverse.
var ErrSingular = errors.New("surrogate: the covariance of the answers is singular")

// leastNoise is the least standard deviation of an answer as a share of the output's prior deviation: it keeps the
// covariance regular for two answers at the same point.
const leastNoise = 1e-7

// pairs are the parts of covariances that do not depend on the amplitude: of level and slopes, and of bends with an
// amplitude of 1.
type pairs struct{ level, bend []float64 }

// covariance returns the covariance of pair i with an amplitude.
func (of *pairs) covariance(i int, s float64) float64 { return of.level[i] + s*s*of.bend[i] }

// between returns the pairs of all answers: row by row, each with the answers up to its own.
func between(p *Prior, l []float64, x [][]float64) pairs {
	n := len(x) * (len(x) + 1) / 2
	all := pairs{make([]float64, 0, n), make([]float64, 0, n)}
	for i := range x {
		for j := range i + 1 {
			all.level = append(all.level, p.level(x[i], x[j]))
			all.bend = append(all.bend, bend(l, x[i], x[j]))
		}
	}
	return all
}

// join gives a process its answers y at its points, whose pairs are given. It uses c, which has their size.
func (g *process) join(y []float64, of pairs, c *mat.SymDense) error {
	g.y, g.weight = make([]float64, len(y)), make([]float64, len(y))
	for i := range y {
		g.y[i] = y[i] - g.prior.mean(g.x[i], nil)
	}
	if len(y) == 0 {
		return nil
	}
	at := 0
	for i := range y {
		for j := range i + 1 {
			c.SetSym(i, j, of.covariance(at, g.s))
			at++
		}
		n := max(g.noise[i], leastNoise*math.Sqrt(c.At(i, i)))
		c.SetSym(i, i, c.At(i, i)+n*n)
	}
	if !g.chol.Factorize(c) {
		return ErrSingular
	}
	return g.chol.SolveVecTo(mat.NewVecDense(len(y), g.weight), mat.NewVecDense(len(y), g.y))
}

// level returns the covariance of level and slopes at two points.
func (p *Prior) level(a, b []float64) float64 {
	c := p.ValueSpread * p.ValueSpread
	for d := range a {
		s := p.SlopeSpread[d]
		c += s * s * (a[d] - p.Origin[d]) * (b[d] - p.Origin[d])
	}
	return c
}

// bend returns the covariance of bends of amplitude 1 at two points.
func bend(l, a, b []float64) float64 {
	r2 := 0.0
	for d := range a {
		h := (a[d] - b[d]) / l[d]
		r2 += h * h
	}
	k, _ := kernel(r2)
	return k
}

// value returns the model at a point; it adds its slopes to slope if that is not nil.
func (g *process) value(x, slope []float64) float64 {
	p := &g.prior
	v := p.mean(x, slope)
	for i, at := range g.x {
		c, r2 := p.ValueSpread*p.ValueSpread, 0.0
		for d := range x {
			c += p.SlopeSpread[d] * p.SlopeSpread[d] * (x[d] - p.Origin[d]) * (at[d] - p.Origin[d])
			h := (x[d] - at[d]) / g.l[d]
			r2 += h * h
		}
		k, dk := kernel(r2)
		v += g.weight[i] * (c + g.s*g.s*k)
		for d := range slope {
			slope[d] += g.weight[i] * (p.SlopeSpread[d]*p.SlopeSpread[d]*(at[d]-p.Origin[d]) +
				g.s*g.s*dk*2*(x[d]-at[d])/(g.l[d]*g.l[d]))
		}
	}
	return v
}

// to returns the pairs of a point with the answers.
func (g *process) to(x []float64) pairs {
	all := pairs{make([]float64, 0, len(g.x)), make([]float64, 0, len(g.x))}
	for _, at := range g.x {
		all.level = append(all.level, g.prior.level(x, at))
		all.bend = append(all.bend, bend(g.l, x, at))
	}
	return all
}

// with returns the model at a point and its standard deviation there, from the pairs of the point with the answers.
func (g *process) with(x []float64, to pairs) (v, deviation float64) {
	v = g.prior.mean(x, nil)
	c := g.prior.level(x, x) + g.s*g.s*bend(g.l, x, x)
	n := len(g.x)
	if n == 0 {
		return v, math.Sqrt(c)
	}
	k, w := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range g.x {
		b := to.covariance(i, g.s)
		v += g.weight[i] * b
		k.SetVec(i, b)
	}
	if g.chol.SolveVecTo(w, k) != nil {
		return v, math.Sqrt(c)
	}
	return v, math.Sqrt(max(0, c-mat.Dot(k, w)))
}

// without returns, for every answer, the error of its prediction by the model of the others, and the standard deviation
// of that: e_i = weight_i/P_ii and P_ii^-1/2, where P is the inverse of C + N. It sets p to P.
func (g *process) without(p *mat.SymDense) (miss, deviation []float64) {
	n := len(g.x)
	miss, deviation = make([]float64, n), make([]float64, n)
	if n == 0 {
		return miss, deviation
	}
	if g.chol.InverseTo(p) != nil {
		for i := range miss {
			miss[i], deviation[i] = math.NaN(), math.NaN()
		}
		return miss, deviation
	}
	for i := range n {
		miss[i], deviation[i] = g.weight[i]/p.At(i, i), 1/math.Sqrt(p.At(i, i))
	}
	return miss, deviation
}

// kernel returns the covariance of the bends at the squared distance r2, and its slope by r2: the Matern function of
// order 5/2, whose functions have two derivatives,
//
//	k = (1 + a + a^2/3) exp(-a),  a = sqrt(5) r
func kernel(r2 float64) (k, dk float64) {
	a := math.Sqrt(5 * r2)
	e := math.Exp(-a)
	return (1 + a + a*a/3) * e, -5.0 / 6 * (1 + a) * e
}
