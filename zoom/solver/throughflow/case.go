package throughflow

import (
	"cmp"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// viscosity returns the viscosity of air, Pa s, by Sutherland's law (US Standard Atmosphere 1976, eq. 51). Only the
// loss correlation's Reynolds number needs it.
func viscosity(ts float64) float64 {
	return 1.458e-6 * math.Pow(ts, 1.5) / (ts + 110.4)
}

// Settings steer the solver; zero values mean the defaults.
type Settings struct {
	// cells along and across the flow, multiples of 4; default 80 x 24, and along at least 32 (1 + rows)
	NZ, NR        int
	CFL           float64 // Courant number of the implicit scheme, default 20
	MaxIterations int     // on the finest mesh, default 4000
	Tolerance     float64 // orders of magnitude the residual must drop, default 4
	Steady        float64 // the flow's relative change over 50 iterations that counts as steady, default 2e-5
	MassError     float64 // |W_in - W_out|/W_in that counts as closed, default 2e-4
	Levels        int     // meshes of the start, 1 (none coarser) to 3; default 3
	Every         int     // iterations between two reports, default 20
	Dissipation   Dissipation
	Calibration   Calibration
}

// Calibration corrects the correlations of all rows by two numbers; its zero
// value leaves them as published.
type Calibration struct {
	Deviation float64 // added to the deviation angle, rad
	Loss      float64 // relative change of every loss coefficient: factor 1 + Loss
}

// Case is a flow to be computed.
type Case struct {
	Geometry *blade.Geometry
	Gas      march.Gas
	Inlet    march.Inlet
	Exit     march.Exit
	N        float64 // speed of the rotating rows, rpm, positive
	Settings Settings
}

func (s Settings) withDefaults(rows int) Settings {
	s.NZ, s.NR = cmp.Or(s.NZ, max(80, 32*(1+rows))), cmp.Or(s.NR, 24)
	s.MaxIterations, s.Levels, s.Every = cmp.Or(s.MaxIterations, 4000), cmp.Or(s.Levels, 3), cmp.Or(s.Every, 20)
	s.CFL, s.Tolerance = cmp.Or(s.CFL, 20), cmp.Or(s.Tolerance, 4)
	s.Steady, s.MassError = cmp.Or(s.Steady, 2e-5), cmp.Or(s.MassError, 2e-4)
	s.Dissipation.First, s.Dissipation.Third = cmp.Or(s.Dissipation.First, 0.5), cmp.Or(s.Dissipation.Third, 1.0/32)
	return s
}

// rows returns the number of blade rows.
func (c *Case) rows() int {
	if c.Geometry == nil {
		return 0
	}
	return len(c.Geometry.Rows)
}

// check reports the first fault of a case whose settings have their defaults.
func (c *Case) check() error {
	if c.Geometry == nil {
		return march.Bad("Geometry", "missing")
	}
	if err := c.Geometry.Check(); err != nil {
		return &march.InputError{Field: "Geometry", Err: err}
	}
	if err := c.Gas.Check(); err != nil {
		return err
	}
	if !numeric.Finite(c.N) || c.N < 0 {
		return march.Bad("N", "%g rpm; want 0 or more (the blades' angles are given against a positive rotation)", c.N)
	}
	if err := CheckRows(c.Geometry); err != nil {
		return err
	}
	for _, row := range c.Geometry.Rows {
		if row.Rotating && c.N == 0 {
			return march.Bad("N", "0 rpm, but row %q rotates", row.Name)
		}
	}
	if err := c.Inlet.Check(); err != nil {
		return err
	}
	if err := c.checkExit(); err != nil {
		return err
	}
	return c.checkSettings()
}

// CheckRows reports a row without a loss correlation: a turbine's rotor. Vanes that accelerate the flow are treated as
// a compressor's inlet guide vanes.
func CheckRows(g *blade.Geometry) error {
	for _, row := range g.Rows {
		if row.Rotating && row.Expands() {
			return march.Bad("Geometry",
				"row %q is a turbine's, turning the flow from %.3g to %.3g rad at its middle; the correlations are "+
					"those of compressors", row.Name, row.Middle().BetaLE, row.Middle().BetaTE)
		}
	}
	return nil
}

func (c *Case) checkExit() error {
	e := &c.Exit
	if err := e.Check(); err != nil {
		return err
	}
	// Without a rotor the total pressure cannot rise, so a back pressure at or above it can only drive the flow
	// backwards.
	top := c.Inlet.TopPt()
	rotates := false
	for _, row := range c.Geometry.Rows {
		rotates = rotates || row.Rotating
	}
	if !rotates && e.Ps >= top {
		return march.Bad("Exit.Ps", "%g Pa is not below the inlet's total pressure, %g Pa, and no row rotates", e.Ps,
			top)
	}
	if rotates && e.Ps >= 20*top {
		return march.Bad("Exit.Ps", "%g Pa is %.3g times the inlet's total pressure; no row can hold that", e.Ps,
			e.Ps/top)
	}
	return nil
}

// CheckMesh reports cells that do not suit so many rows; cells of 0 are the defaults.
func (s Settings) CheckMesh(rows int) error {
	s = s.withDefaults(rows)
	if s.Levels < 1 || s.Levels > 3 {
		return march.Bad("Settings.Levels", "%d; want 1 to 3", s.Levels)
	}
	unit := 1 << (s.Levels - 1)
	for _, f := range []struct {
		name   string
		v, min int
	}{{"NZ", s.NZ, unit * int(leastNZ(rows))}, {"NR", s.NR, unit * leastNR}} {
		if f.v < f.min || f.v%unit != 0 || f.v > 4096 {
			return march.Bad("Settings."+f.name, "%d; want a multiple of %d from %d to 4096", f.v, unit, f.min)
		}
	}
	return nil
}

func (c *Case) checkSettings() error {
	s := &c.Settings
	if err := s.CheckMesh(c.rows()); err != nil {
		return err
	}
	if !(s.CFL > 0 && s.CFL <= 1000) {
		return march.Bad("Settings.CFL", "%g; want more than 0 and at most 1000", s.CFL)
	}
	if s.MaxIterations < 1 || s.Every < 1 {
		return march.Bad("Settings", "MaxIterations %d and Every %d; want at least 1", s.MaxIterations, s.Every)
	}
	if !(s.Tolerance > 0) || !(s.Steady > 0) || !(s.MassError > 0) {
		return march.Bad("Settings", "Tolerance %g, Steady %g, MassError %g; want more than 0", s.Tolerance, s.Steady,
			s.MassError)
	}
	if d := s.Dissipation; !(d.First > 0 && d.First <= 4) || !(d.Third > 0 && d.Third <= 1) {
		return march.Bad("Settings.Dissipation",
			"%g of first and %g of third differences; want more than 0, and at most 4 and 1", d.First, d.Third)
	}
	if k := s.Calibration; !(math.Abs(k.Deviation) < 0.5) || !(k.Loss >= -1) || math.IsInf(k.Loss, 0) {
		return march.Bad("Settings.Calibration", "deviation %g rad, loss %g; want within 0.5 rad, and -1 or more",
			k.Deviation, k.Loss)
	}
	return nil
}

// Refined returns the settings of a case of so many rows with about f times as many cells in each direction. It also
// reduces the number of meshes of the start to the number that the cells allow.
func (s Settings) Refined(rows int, f float64) Settings {
	s = s.withDefaults(rows)
	if f == 1 {
		return s
	}
	nz, nr := f*float64(s.NZ), f*float64(s.NR)
	unit := func() float64 { return math.Exp2(float64(s.Levels - 1)) }
	for s.Levels > 1 && (nz < leastNZ(rows)*unit() || nr < leastNR*unit()) {
		s.Levels--
	}
	s.NZ = int(math.Round(nz/unit()) * unit())
	s.NR = int(math.Round(nr/unit()) * unit())
	return s
}

// leastNZ and leastNR return the least numbers of cells of the coarsest mesh of the start.
func leastNZ(rows int) float64 { return 8 * (1 + float64(rows)) }

const leastNR = 4
