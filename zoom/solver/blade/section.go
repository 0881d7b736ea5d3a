package blade

import "math"

// Section is a blade section in a plane normal to the stacking axis. Angles are
// from the axial direction, positive against the rotation for a rotor and with
// it for a stator, so that a compressor row of either kind turns the flow from
// larger to smaller angles.
//
//	camber line  y/c = m0 x (1-x)^2 - m1 x^2 (1-x),  x = 0..1 along the chord,
//	             m0 = tan(BetaLE - Stagger), m1 = tan(BetaTE - Stagger)
//	thickness    t/c = ThicknessRatio sin(pi/2 x/xm)          for x <= xm,
//	             t/c = ThicknessRatio sin(pi/2 (1-x)/(1-xm))  behind it
//
// The cubic is the simplest camber line that has the three tabulated angles; for
// equal and opposite m0 and m1 it is the parabola close to a circular arc. The
// thickness law is that of the E3 fan (NASA CR-165148, appendix B).
type Section struct {
	Chord          float64 // m
	Stagger        float64 // rad
	BetaLE         float64 // camber line's angle at the leading edge, rad
	BetaTE         float64 // and at the trailing edge, rad
	ThicknessRatio float64 // maximum thickness over chord
	MaxThicknessAt float64 // its place, fraction of chord
}

// Camber returns the camber turning BetaLE - BetaTE, rad.
func (s Section) Camber() float64 { return s.BetaLE - s.BetaTE }

// line returns the camber line's offset and slope at x, in chords.
func (s Section) line(x float64) (y, slope float64) {
	m0, m1 := math.Tan(s.BetaLE-s.Stagger), math.Tan(s.BetaTE-s.Stagger)
	y = x * (1 - x) * (m0*(1-x) - m1*x)
	slope = m0*(1-x)*(1-3*x) + m1*x*(3*x-2)
	return y, slope
}

// Thickness returns the thickness normal to the camber line at the chord
// fraction x, m.
func (s Section) Thickness(x float64) float64 {
	if x <= 0 || x >= 1 {
		return 0
	}
	t := s.ThicknessRatio * s.Chord
	if x <= s.MaxThicknessAt {
		return t * math.Sin(math.Pi/2*x/s.MaxThicknessAt)
	}
	return t * math.Sin(math.Pi/2*(1-x)/(1-s.MaxThicknessAt))
}

// Centroid returns the section's centre of area, in chords along and normal to
// the chord (thin section: the thickness is counted along the camber line).
func (s Section) Centroid() (x, y float64) {
	const n = 64
	var a, ax, ay float64
	for k := range n {
		xk := (float64(k) + 0.5) / n
		t := s.Thickness(xk)
		yk, _ := s.line(xk)
		a, ax, ay = a+t, ax+t*xk, ay+t*yk
	}
	if a == 0 {
		y, _ = s.line(0.5)
		return 0.5, y
	}
	return ax / a, ay / a
}

// shape is a section with precomputed values of its evaluation.
type shape struct {
	Section
	m0, m1   float64 // camber slopes at the edges
	sin, cos float64 // of the stagger
	cx, cy   float64 // centroid, chords
}

func (s Section) shape(cx, cy float64) shape {
	sin, cos := math.Sincos(s.Stagger)
	return shape{s, math.Tan(s.BetaLE - s.Stagger), math.Tan(s.BetaTE - s.Stagger), sin, cos, cx, cy}
}

// place returns the axial and tangential distance from the centroid, m, of the
// camber line at chord fraction x, and the camber line's slope against the chord.
func (s *shape) place(x float64) (dz, tau, slope float64) {
	y := x * (1 - x) * (s.m0*(1-x) - s.m1*x)
	slope = s.m0*(1-x)*(1-3*x) + s.m1*x*(3*x-2)
	dx, dy := s.Chord*(x-s.cx), s.Chord*(y-s.cy)
	return dx*s.cos - dy*s.sin, dx*s.sin + dy*s.cos, slope
}

// at returns the chord fraction whose camber point lies dz behind the centroid,
// by Newton's method within a shrinking bracket; it lies beyond 0..1 by linear
// extension if dz does.
func (s *shape) at(dz float64) float64 {
	lo, hi := 0.0, 1.0
	zlo, _, _ := s.place(lo)
	zhi, _, _ := s.place(hi)
	x := (dz - zlo) / (zhi - zlo)
	if x <= 0 || x >= 1 {
		return x
	}
	for range 40 {
		z, _, slope := s.place(x)
		if z < dz {
			lo = x
		} else {
			hi = x
		}
		next := x - (z-dz)/(s.Chord*(s.cos-slope*s.sin))
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-x) < 1e-14 {
			break
		}
		x = next
	}
	return x
}
