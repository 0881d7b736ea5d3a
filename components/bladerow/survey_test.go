package bladerow

import (
	"math"
	"slices"
)

// survey67 holds the radii, m, at which NASA's probes stood behind Rotor 67 (TP-2879,
// station 2): from a tenth to nine tenths of the span.
var survey67 = []float64{0.133299, 0.146126, 0.158902, 0.171526, 0.183947, 0.196164, 0.20828, 0.22032, 0.232258}

// surveyed averages a plane as the measurement was: from the values at the probes'
// radii alone, the outermost taken as far as the walls, by mass flow. The totals of
// the inflow are the reference.
func surveyed(s *Station, at []float64, hub, casing, pt, tt, gamma float64) (pr, eff float64) {
	radii := append(append([]float64{hub}, at...), casing)
	value := func(v []float64, r float64) float64 { // linear over the radius
		r = min(max(r, at[0]), at[len(at)-1])
		k, _ := slices.BinarySearch(s.R, r)
		k = min(max(k, 1), len(s.R)-1)
		f := (r - s.R[k-1]) / (s.R[k] - s.R[k-1])
		return v[k-1] + f*(v[k]-v[k-1])
	}
	var w, p, t float64
	for n := 1; n < len(radii); n++ {
		for _, r := range radii[n-1 : n+1] {
			dw := (radii[n] - radii[n-1]) * r * value(s.Rho, r) * value(s.Vz, r)
			w, p, t = w+dw, p+dw*value(s.PtCell, r), t+dw*value(s.TtCell, r)
		}
	}
	pr, tr := p/w/pt, t/w/tt
	return pr, (math.Pow(pr, (gamma-1)/gamma) - 1) / (tr - 1)
}
