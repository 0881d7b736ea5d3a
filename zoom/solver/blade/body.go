package blade

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Profile is the outline of a blade on one surface across the span, from the leading to the trailing edge: two sides
// over a common axial distance. Lengths are metres, angles rad, positive with the rotation.
type Profile struct {
	Z, R         []float64
	Lower, Upper []float64 // theta of the sides; Upper is not below Lower
}

// Body is a blade row with its solid shape and the walls around it, for a solver that meshes the blades themselves.
// Sections are ordered from hub to casing and reach, or nearly reach, both walls.
type Body struct {
	Name        string
	Source      string
	Blades      int
	Hub, Casing *Curve // wall radius over axial distance, m
	Sections    []Profile
	TipGap      float64 // m; the blade ends this far below the casing
}

// Span returns the fraction of the height between hub and casing at (z, r).
func (b *Body) Span(z, r float64) float64 {
	hub := b.Hub.At(z)
	return (r - hub) / (b.Casing.At(z) - hub)
}

// Check reports the first fault of a body, by its section from 1.
func (b *Body) Check() error {
	if b.Blades < 2 {
		return fmt.Errorf("blade row %q: %d blades; want at least 2", b.Name, b.Blades)
	}
	if len(b.Sections) < 2 {
		return fmt.Errorf("blade row %q: %d sections; want at least 2", b.Name, len(b.Sections))
	}
	if b.Hub == nil || b.Casing == nil {
		return fmt.Errorf("blade row %q: hub and casing are both needed", b.Name)
	}
	for n := range b.Sections {
		if err := b.checkSection(n); err != nil {
			return fmt.Errorf("blade row %q, section %d: %w", b.Name, n+1, err)
		}
	}
	if err := b.checkSpan(); err != nil {
		return fmt.Errorf("blade row %q: %w", b.Name, err)
	}
	z := (b.Sections[0].Z[0] + last(b.Sections[0].Z)) / 2
	if h := b.Casing.At(z) - b.Hub.At(z); !(b.TipGap >= 0 && b.TipGap < 0.5*h) {
		return fmt.Errorf("blade row %q: tip gap %g m; want 0 to half of the span, which is %g m", b.Name, b.TipGap, h)
	}
	return nil
}

func last(x []float64) float64 { return x[len(x)-1] }

func (b *Body) checkSection(n int) error {
	s := &b.Sections[n]
	pitch := 2 * math.Pi / float64(b.Blades)
	if len(s.Z) < 4 || len(s.R) != len(s.Z) || len(s.Lower) != len(s.Z) || len(s.Upper) != len(s.Z) {
		return fmt.Errorf("%d axial places, %d radii, %d and %d angles; want one of each, at least 4", len(s.Z),
			len(s.R), len(s.Lower), len(s.Upper))
	}
	for k, z := range s.Z {
		switch t := s.Upper[k] - s.Lower[k]; {
		case !numeric.Finite(z) || !numeric.Finite(s.R[k]) || !numeric.Finite(t):
			return fmt.Errorf("point %d is not finite", k+1)
		case k > 0 && z <= s.Z[k-1]:
			return fmt.Errorf("point %d: z = %g m does not lie behind %g m of the point before", k+1, z, s.Z[k-1])
		case t < 0:
			return fmt.Errorf("point %d: thickness %.3g rad is negative; the sides cross", k+1, t)
		case t >= pitch:
			return fmt.Errorf("point %d: thickness %.3g rad fills the pitch, %.3g rad", k+1, t, pitch)
		case b.Casing.At(z) <= b.Hub.At(z):
			return fmt.Errorf("point %d: hub (%g m) is not below casing (%g m) at z = %g m", k+1, b.Hub.At(z),
				b.Casing.At(z), z)
		}
	}
	if n == 0 {
		return nil
	}
	for _, f := range [5]float64{0, 0.25, 0.5, 0.75, 1} {
		if below, here := b.height(n-1, f), b.height(n, f); !(here > below) {
			return fmt.Errorf(
				"lies at %.4g of the span at %g of its chord, not above the section before (%.4g): sections cross or "+
					"are out of order", here, f, below)
		}
	}
	return nil
}

// height returns a section's fraction of the span, at a fraction of its axial chord.
func (b *Body) height(n int, f float64) float64 {
	s := &b.Sections[n]
	z := s.Z[0] + f*(last(s.Z)-s.Z[0])
	k := 1
	for k < len(s.Z)-1 && s.Z[k] < z {
		k++
	}
	t := (z - s.Z[k-1]) / (s.Z[k] - s.Z[k-1])
	return b.Span(z, s.R[k-1]+t*(s.R[k]-s.R[k-1]))
}

// unreached is the part of the span, at either wall, over which a blade may be continued from its last section.
const unreached = 0.15

// checkSpan reports sections that do not reach the walls: a section is missing.
func (b *Body) checkSpan() error {
	top := len(b.Sections) - 1
	low, high := b.height(0, 0.5), b.height(top, 0.5)
	if low > unreached {
		return fmt.Errorf("section 1 lies at %.4g of the span: a section is missing below it, towards the hub", low)
	}
	z := (b.Sections[top].Z[0] + last(b.Sections[top].Z)) / 2
	if gap := b.TipGap / (b.Casing.At(z) - b.Hub.At(z)); high < 1-unreached-gap {
		return fmt.Errorf("section %d, the last, lies at %.4g of the span: a section is missing above it, towards "+
			"the casing", top+1, high)
	}
	return nil
}

// Stations cuts the blade at the fractions x of its axial chord, 0 the leading and 1
// the trailing edge. At each it returns functions of the fraction of the span.
func (b *Body) Stations(x []float64) ([]Station, error) {
	n := len(b.Sections)
	type curves struct{ r, lower, upper *Curve }
	sections := make([]curves, n)
	for k := range b.Sections {
		s := &b.Sections[k]
		for _, c := range []struct {
			to   **Curve
			from []float64
		}{{&sections[k].r, s.R}, {&sections[k].lower, s.Lower}, {&sections[k].upper, s.Upper}} {
			curve, err := NewCurve(s.Z, c.from)
			if err != nil {
				return nil, fmt.Errorf("blade row %q, section %d: %w", b.Name, k+1, err)
			}
			*c.to = curve
		}
	}
	out := make([]Station, len(x))
	for m, f := range x {
		var h, z, lower, upper []float64
		for k := range b.Sections {
			s := &b.Sections[k]
			zk := s.Z[0] + f*(last(s.Z)-s.Z[0])
			h = append(h, b.Span(zk, sections[k].r.At(zk)))
			z, lower, upper = append(z, zk), append(lower, sections[k].lower.At(zk)), append(upper,
				sections[k].upper.At(zk))
		}
		for _, c := range []struct {
			to   **Curve
			from []float64
		}{{&out[m].z, z}, {&out[m].lower, lower}, {&out[m].upper, upper}} {
			curve, err := NewCurve(h, c.from)
			if err != nil {
				return nil, fmt.Errorf("blade row %q at %g of the chord, over the span: %w", b.Name, f, err)
			}
			*c.to = curve
		}
	}
	return out, nil
}

// Station is a cut through a blade at a fraction of its axial chord.
type Station struct{ z, lower, upper *Curve }

// At returns the axial place and the angles of both sides at a fraction of the span.
func (s *Station) At(span float64) (z, lower, upper float64) {
	return s.z.At(span), s.lower.At(span), s.upper.At(span)
}
