package transient

import (
	"math"
)

// predictor guesses the solution x of equations at new inputs u. It extrapolates from the
// last solution, x(u + du) = x(u) + S du. Broyden's rank-one formula (Math. Comp. 19, 1965)
// keeps the slopes S up to date:
//
//	S += (dx - S du) du^T/(du.du)
//
// Changes du are relative to the magnitude of each input.
type predictor struct {
	s     []float64 // S, len(x) rows of len(u)
	x, du []float64
}

func newPredictor(nx, nu int) predictor {
	return predictor{s: make([]float64, nx*nu), x: make([]float64, nx), du: make([]float64, nu)}
}

// forget sets the slopes to zero: the guess is then the last solution.
func (p *predictor) forget() { clear(p.s) }

// relativeChange sets du to the relative change of the inputs and returns its square.
func (p *predictor) relativeChange(u, from []float64) float64 {
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

// at returns the guess at u, from the solution x at from. The next call overwrites it.
func (p *predictor) at(u, from, x []float64) []float64 {
	p.relativeChange(u, from)
	for i := range x {
		p.x[i] = x[i]
		for j, du := range p.du {
			p.x[i] += p.s[i*len(u)+j] * du
		}
	}
	return p.x
}

// setSlope sets the change of the solution per unit of input j, whose value is u, to dx.
func (p *predictor) setSlope(j int, dx []float64, u float64) {
	width := len(p.du)
	for i, v := range dx {
		p.s[i*width+j] = v * math.Abs(u)
	}
}

// setSlopeAlong corrects the slopes so that the change of the solution from inputs from to
// u is over times dx.
func (p *predictor) setSlopeAlong(u, from, dx []float64, over float64) {
	square := p.relativeChange(u, from)
	if square == 0 {
		return
	}
	for i, v := range dx {
		p.correct(i, over*v, square)
	}
}

// correct updates row i of S by Broyden's formula: unknown i changes by dx for the change du
// of the inputs.
func (p *predictor) correct(i int, dx, square float64) {
	row := p.s[i*len(p.du) : (i+1)*len(p.du)]
	for j, du := range p.du {
		dx -= row[j] * du
	}
	for j, du := range p.du {
		row[j] += dx * du / square
	}
}

// learn corrects the slopes by a new solution, x at u, after the solution before at from. It skips small changes, in
// which the solver's error is larger than the effect of the slopes.
func (p *predictor) learn(u, from, x, before []float64) {
	const small = 1e-6
	square := p.relativeChange(u, from)
	if square < small*small {
		return
	}
	for i := range x {
		p.correct(i, x[i]-before[i], square)
	}
}
