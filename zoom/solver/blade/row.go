package blade

import (
	"fmt"
	"math"
)

// Row is a blade row: sections stacked with their centres of area on a radial line at StackZ. Between the tabulated
// radii every parameter of a section follows a Curve; beyond them it is constant.
type Row struct {
	Name     string
	Blades   int
	Rotating bool    // turns with the shaft
	StackZ   float64 // axial place of the stacking axis, m
	TipGap   float64 // between blade and casing, m; an axisymmetric solver has no use for it

	// Incidence is the design incidence, rad, on stream surfaces, where the
	// designer states it; nil: not known.
	Incidence *float64

	// Setting is by how much the row turns for each unit of the machine's setting, towards larger angles; 0: it is
	// fixed. See Geometry.Turned.
	Setting float64

	radius   []float64 // of the sections, m
	sections []Section

	chord, stagger, betaLE, betaTE, thickness, at *Curve
	cx, cy                                        *Curve // centroid, chords
}

// NewRow returns a row from sections at the given distances from the axis of
// rotation, m, hub to casing. Errors name the section, from 1.
func NewRow(name string, blades int, rotating bool, stackZ float64, radius []float64,
	sections []Section) (*Row, error) {
	if blades < 1 {
		return nil, fmt.Errorf("row %q: %d blades; want at least 1", name, blades)
	}
	if len(radius) != len(sections) {
		return nil, fmt.Errorf("row %q: %d radii but %d sections", name, len(radius), len(sections))
	}
	if len(sections) < 2 {
		return nil, fmt.Errorf("row %q: %d sections; want at least 2, hub and casing", name, len(sections))
	}
	cols := make([][]float64, 8)
	for k, s := range sections {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("row %q, section %d (radius %.6g m): %w", name, k+1, radius[k], err)
		}
		if !(radius[k] > 0) {
			return nil, fmt.Errorf("row %q, section %d: radius %.6g m; want more than 0", name, k+1, radius[k])
		}
		cx, cy := s.Centroid()
		for c, v := range []float64{s.Chord, s.Stagger, s.BetaLE, s.BetaTE, s.ThicknessRatio, s.MaxThicknessAt, cx,
			cy} {
			cols[c] = append(cols[c], v)
		}
	}
	r := &Row{Name: name, Blades: blades, Rotating: rotating, StackZ: stackZ, radius: radius, sections: sections}
	for c, dst := range []**Curve{&r.chord, &r.stagger, &r.betaLE, &r.betaTE, &r.thickness, &r.at, &r.cx, &r.cy} {
		curve, err := NewCurve(radius, cols[c])
		if err != nil {
			return nil, fmt.Errorf("row %q: section radii: %w", name, err)
		}
		*dst = curve
	}
	return r, nil
}

func (s Section) check() error {
	const right = math.Pi / 2
	switch {
	case !(s.Chord > 0) || math.IsInf(s.Chord, 0):
		return fmt.Errorf("chord %.6g m; want more than 0", s.Chord)
	case !(s.ThicknessRatio >= 0 && s.ThicknessRatio < 0.5):
		return fmt.Errorf("thickness over chord %g; want 0 to 0.5", s.ThicknessRatio)
	case !(s.MaxThicknessAt > 0 && s.MaxThicknessAt < 1):
		return fmt.Errorf("maximum thickness at %g of chord; want between 0 and 1", s.MaxThicknessAt)
	}
	for _, a := range []struct {
		name  string
		value float64
	}{{"stagger", s.Stagger}, {"leading-edge angle", s.BetaLE}, {"trailing-edge angle", s.BetaTE}} {
		if !(math.Abs(a.value) < right) {
			return fmt.Errorf("%s %g deg; want between -90 and 90", a.name, a.value*180/math.Pi)
		}
	}
	if math.Abs(s.BetaLE-s.Stagger) >= right || math.Abs(s.BetaTE-s.Stagger) >= right {
		return fmt.Errorf("edge angles %.4g and %.4g deg are 90 deg or more from the stagger %.4g deg",
			s.BetaLE*180/math.Pi, s.BetaTE*180/math.Pi, s.Stagger*180/math.Pi)
	}
	return nil
}

// Expands reports whether the row turns the flow as a turbine's rows and inlet guide vanes do, from smaller angles to
// larger ones, at its middle section; see Section.
func (r *Row) Expands() bool { return r.Middle().Camber() < 0 }

// Middle returns the section half-way between the first and the last.
func (r *Row) Middle() Section {
	first, last := r.chord.Range()
	return r.Section((first + last) / 2)
}

// Section returns the section at the distance h from the axis of rotation, m.
func (r *Row) Section(h float64) Section {
	return Section{r.chord.At(h), r.stagger.At(h), r.betaLE.At(h), r.betaTE.At(h), r.thickness.At(h), r.at.At(h)}
}

// CamberPoint is a place on the camber surface.
type CamberPoint struct {
	X         float64 // fraction of the section's chord; outside 0..1 off the blade
	Theta     float64 // circumferential angle from the stacking axis, rad, positive as Section's angles are
	Thickness float64 // tangential thickness, m
	Angle     float64 // angle of the camber line in its plane section, rad
}

// At returns the camber surface at (z, r). Sections are planes, not cylinders:
// a camber point at the distance h and the tangential offset tau lies on the
// radius sqrt(h^2 + tau^2).
func (r *Row) At(z, radius float64) CamberPoint {
	h := radius
	var p CamberPoint
	for range rounds {
		s := r.shape(h)
		p.X = s.at(z - r.StackZ)
		x := min(max(p.X, 0), 1)
		dz, tau, slope := s.place(x)
		p.Angle = s.Stagger + math.Atan(slope)
		tau += (z - r.StackZ - dz) * math.Tan(p.Angle)
		p.Thickness = s.Thickness(x) / math.Cos(p.Angle)
		old := h
		h = below(radius, tau)
		p.Theta = math.Atan2(tau, h)
		if math.Abs(h-old) < 1e-12*radius {
			break
		}
	}
	return p
}

// rounds bounds the search for the section that holds a point; each round gains
// about two digits.
const rounds = 12

func (r *Row) shape(h float64) shape { return r.Section(h).shape(r.cx.At(h), r.cy.At(h)) }

// below returns the distance from the axis of the plane section that holds a
// point at the radius and tangential offset given.
func below(radius, tau float64) float64 {
	return math.Sqrt(max(radius*radius-tau*tau, 0.25*radius*radius))
}

// Edge returns the axial place of the leading or trailing edge at the radius, m.
func (r *Row) Edge(leading bool, radius float64) float64 {
	x := 1.0
	if leading {
		x = 0
	}
	h, z := radius, 0.0
	for range rounds {
		s := r.shape(h)
		dz, tau, _ := s.place(x)
		old := h
		h, z = below(radius, tau), r.StackZ+dz
		if math.Abs(h-old) < 1e-12*radius {
			break
		}
	}
	return z
}
