package blade

import "math"

// Measure is a blade's section on a surface of revolution at a fraction of the span, unrolled. Angles are from the
// meridional direction, positive with the rotation, on the camber line.
type Measure struct {
	Span      float64
	R1, R2    float64 // radius of leading and trailing edge, m
	Chord     float64 // m
	Stagger   float64 // of the chord, rad
	Kappa1    float64 // camber line's angle at the leading edge, over its first tenth, rad
	Kappa2    float64 // and over its last tenth
	Thickness float64 // greatest, normal to the camber line, over the chord
	Solidity  float64 // chord over the pitch at the mean radius
}

// Measure cuts the blade at a fraction of the span.
func (b *Body) Measure(span float64) (Measure, error) {
	const n = 80
	x := make([]float64, n+1)
	for k := range x {
		x[k] = float64(k) / n
	}
	stations, err := b.Stations(x)
	if err != nil {
		return Measure{}, err
	}
	var m, r, y, thick [n + 1]float64 // along the surface, radius, circumferential offset, tangential thickness
	turn := 0.0
	for k := range x {
		z, lower, upper := stations[k].At(span)
		hub := b.Hub.At(z)
		r[k] = hub + span*(b.Casing.At(z)-hub)
		th := (lower + upper) / 2
		thick[k] = r[k] * (upper - lower)
		if k > 0 {
			z0, l0, u0 := stations[k-1].At(span)
			m[k] = m[k-1] + math.Hypot(z-z0, r[k]-r[k-1])
			turn += (r[k] + r[k-1]) / 2 * (th - (l0+u0)/2)
		}
		y[k] = turn
	}
	out := Measure{Span: span, R1: r[0], R2: r[n], Chord: math.Hypot(m[n], y[n]), Stagger: math.Atan2(y[n], m[n])}
	slope := func(a, b int) float64 { return math.Atan2(y[b]-y[a], m[b]-m[a]) }
	out.Kappa1, out.Kappa2 = slope(0, n/10), slope(n-n/10, n)
	for k := 1; k < n; k++ {
		out.Thickness = max(out.Thickness, thick[k]*math.Cos(slope(k-1, k+1))/out.Chord)
	}
	out.Solidity = out.Chord * float64(b.Blades) / (math.Pi * (r[0] + r[n]))
	return out, nil
}
