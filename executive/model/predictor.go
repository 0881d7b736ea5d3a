package model

import "math"

// predictor guesses the solution of equations at new inputs from its change so
// far: x(u + du) = x(u) + S du, with S kept up to date by Broyden's rank-one
// formula (Math. Comp. 19, 1965),
//
//	S += (dx - S du) du^T/(du.du),
//
// the changes of inputs counted relative to their magnitude.
type predictor struct {
	s     []float64 // len(x) rows of len(u)
	x, du []float64
}

func newPredictor(nx, nu int) predictor {
	return predictor{s: make([]float64, nx*nu), x: make([]float64, nx), du: make([]float64, nu)}
}

// forget makes the last solution the guess again.
func (p *predictor) forget() { clear(p.s) }

// between sets du to the relative change of inputs and returns its square.
func (p *predictor) between(u, from []float64) float64 {
	square := 0.0
	for j := range u {
		p.du[j] = 0
		if d := u[j] - from[j]; d != 0 {
			p.du[j] = d / max(math.Abs(u[j]), math.Abs(from[j]))
		}
		square += p.du[j] * p.du[j]
	}
	return square
}

// At is the guess at u, from the solution x at from. It is overwritten by the next.
func (p *predictor) at(u, from, x []float64) []float64 {
	p.between(u, from)
	for i := range x {
		p.x[i] = x[i]
		for j, du := range p.du {
			p.x[i] += p.s[i*len(u)+j] * du
		}
	}
	return p.x
}

// slope makes dx the change of the solution per unit of the input j, whose value is u.
func (p *predictor) slope(j int, dx []float64, u float64) {
	width := len(p.du)
	for i, v := range dx {
		p.s[i*width+j] = v * math.Abs(u)
	}
}

// along makes over dx the change of the solution from inputs from to u.
func (p *predictor) along(u, from, dx []float64, over float64) {
	square := p.between(u, from)
	if square == 0 {
		return
	}
	for i, v := range dx {
		p.correct(i, over*v, square)
	}
}

// correct makes dx the change of unknown i by the change du of the inputs.
func (p *predictor) correct(i int, dx, square float64) {
	row := p.s[i*len(p.du) : (i+1)*len(p.du)]
	for j, du := range p.du {
		dx -= row[j] * du
	}
	for j, du := range p.du {
		row[j] += dx * du / square
	}
}

// learn takes note of the solution at u after that at from. Small changes tell
// more of errors than of slopes.
func (p *predictor) learn(u, from, x, before []float64) {
	const small = 1e-6
	square := p.between(u, from)
	if square < small*small {
		return
	}
	for i := range x {
		p.correct(i, x[i]-before[i], square)
	}
}
