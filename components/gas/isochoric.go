package gas

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Isochoric returns the state of density rho [kg/m3] and internal energy u [J/kg], as of a gas in a vessel. The guess
// is the initial temperature, K, or 0.
//
//	P = rho R T,  h - P/rho = u
//
// It takes steps dT = (u - u(T))/(cp - R), which is Newton's method for a gas that does not react, and otherwise
// converges by some per cent a step.
func Isochoric(g Model, c Composition, rho, u, guess float64) (State, error) {
	if !(rho > 0) || math.IsInf(rho, 0) || !numeric.Finite(u) {
		return State{}, &RangeError{What: "density", Value: rho, Min: 0, Max: math.Inf(1)}
	}
	const most = 60
	T := guess
	if !(T > 0) {
		T = 800
	}
	R := 287.0
	last := math.Inf(1)
	for range most {
		st, err := g.TP(c, T, rho*R*T)
		if err != nil {
			return State{}, err
		}
		dT := (u - st.H + st.R*T) / (st.Cp - st.R)
		off := math.Abs(dT)/T + math.Abs(st.R/R-1)
		R = st.R
		// Below 1e-13 round-off decides; an error that no longer falls cannot be improved.
		if off < 1e-14 || off < 1e-12 && off >= last {
			st.P = rho * st.R * T
			st.H = u + st.P/rho
			return st, nil
		}
		last = off
		T = max(0.5*T, min(2*T, T+dT))
	}
	return State{}, fmt.Errorf("gas: no temperature found for a density of %.6g kg/m3 and an internal energy of %.6g "+
		"J/kg; after %d steps it is %.6g K", rho, u, most, T)
}
