package bladerow

import (
	"math"
	"slices"
	"testing"
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

// Where totals do not vary, the probes' average is they; where they do, those near the
// walls count for nothing beyond the outermost probe.
func TestSurveyed(t *testing.T) {
	s := &Station{}
	for k := range 41 {
		r := 0.12 + 0.125*float64(k)/40
		s.R, s.Rho, s.Vz = append(s.R, r), append(s.Rho, 1.2), append(s.Vz, 150+100*r)
		pt, tt := 1.6e5, 330.0
		if r < 0.13 || r > 0.235 {
			pt, tt = 1e5, 400
		}
		s.PtCell, s.TtCell = append(s.PtCell, pt), append(s.TtCell, tt)
	}
	pr, eff := surveyed(s, survey67, 0.12, 0.245, 1e5, 300, 1.4)
	if math.Abs(pr-1.6) > 1e-12 || math.Abs(eff-(math.Pow(1.6, 1/3.5)-1)/0.1) > 1e-12 {
		t.Errorf("PR %.6f, efficiency %.6f", pr, eff)
	}
}
