package blade

// Rows that turn while the machine runs: variable vanes, and blades of variable pitch.

import (
	"fmt"
	"math"
	"slices"
)

// Settable reports whether a row of the geometry turns with the machine's setting.
func (g *Geometry) Settable() bool {
	return slices.ContainsFunc(g.Rows, func(r *Row) bool { return r.Setting != 0 })
}

// Turned returns the geometry at a setting of its vanes and blades, rad, from the file's position: each row is turned
// by its Setting times that, as a rigid body about its stacking axis. Plane sections normal to that axis turn about
// their centres of area, so that stagger and both metal angles grow by the same angle, and the rest of a section is
// unchanged. Tip gaps are unchanged as well, although the edges of a turned blade move away from a curved wall.
//
// The error is a [*TurnError] for an impossible setting: an angle reaches 90 degrees, or rows touch.
func (g *Geometry) Turned(setting float64) (*Geometry, error) {
	if setting == 0 || !g.Settable() {
		return g, nil
	}
	turned := *g
	turned.Rows = make([]*Row, len(g.Rows))
	for i, r := range g.Rows {
		t, err := r.turned(r.Setting * setting)
		if err != nil {
			return nil, &TurnError{setting, err}
		}
		turned.Rows[i] = t
	}
	if err := turned.Check(); err != nil {
		return nil, &TurnError{setting, err}
	}
	return &turned, nil
}

// TurnError reports an impossible setting of the rows, rad.
type TurnError struct {
	Setting float64
	Err     error
}

func (e *TurnError) Error() string {
	return fmt.Sprintf("at a setting of %.4g deg: %v", e.Setting*180/math.Pi, e.Err)
}

func (e *TurnError) Unwrap() error { return e.Err }

// turned returns the row turned by an angle, rad.
func (r *Row) turned(by float64) (*Row, error) {
	if by == 0 {
		return r, nil
	}
	sections := make([]Section, len(r.sections))
	for k, s := range r.sections {
		s.Stagger += by
		s.BetaLE += by
		s.BetaTE += by
		sections[k] = s
	}
	t, err := NewRow(r.Name, r.Blades, r.Rotating, r.StackZ, r.radius, sections)
	if err != nil {
		return nil, err
	}
	t.TipGap, t.Incidence, t.Setting = r.TipGap, r.Incidence, r.Setting
	return t, nil
}
