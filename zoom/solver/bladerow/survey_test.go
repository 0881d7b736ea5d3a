package bladerow

import (
	"math"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// survey67 holds the radii, m, at which NASA's probes stood behind Rotor 67 (TP-2879,
// station 2): from a tenth to nine tenths of the span.
var survey67 = []float64{0.133299, 0.146126, 0.158902, 0.171526, 0.183947, 0.196164, 0.20828, 0.22032, 0.232258}

// behind67 is where they stood behind the leading edge at the hub, m: hub and casing are as
// far apart there as the radii say, a tenth of the span from one to the next and from the
// walls (0.1205 and 0.2441 m, if the steps go on as they do).
const behind67 = 0.11

// behind averages the flow where the mesh's lines cross z: from the planes ahead of and
// behind it, row by row of cells, linearly.
func behind(l *level, z float64, gas march.Gas) *march.Station {
	planes := map[int]*march.Station{}
	plane := func(i int) *march.Station {
		if planes[i] == nil {
			planes[i] = l.station(i, gas)
		}
		return planes[i]
	}
	s := &march.Station{}
	for k := range l.n[2] {
		at := func(i int) float64 { return l.faceCentre(l.at(i, 0, k), 0)[2] }
		i := l.n[0]
		for i > 1 && at(i-1) > z {
			i--
		}
		a, b, f := plane(i-1), plane(i), (z-at(i-1))/(at(i)-at(i-1))
		add := func(to *[]float64, a, b []float64) { *to = append(*to, a[k]+f*(b[k]-a[k])) }
		add(&s.R, a.R, b.R)
		add(&s.PtCell, a.PtCell, b.PtCell)
		add(&s.TtCell, a.TtCell, b.TtCell)
		add(&s.Ps, a.Ps, b.Ps)
		add(&s.Vz, a.Vz, b.Vz)
		add(&s.Vtheta, a.Vtheta, b.Vtheta)
		add(&s.Rho, a.Rho, b.Rho)
	}
	return s
}

// surveyed averages a plane as the measurement was: from the values at the probes'
// radii alone, the outermost taken as far as the walls, by mass flow. The totals of
// the inflow are the reference.
func surveyed(s *march.Station, at []float64, hub, casing, pt, tt, gamma float64) (pr, eff float64) {
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
	s := &march.Station{}
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
