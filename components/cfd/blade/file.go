package blade

import (
	"fmt"
	"math"

	"github.com/goccy/go-yaml"
)

// file is the geometry file. Lengths and angles have the units that the file
// names once; every list of a row has one entry a section, hub to casing. The comments of
// the fields are the list of the help page on geometry.
type file struct {
	Geometry string `yaml:"geometry"` // name
	Source   string `yaml:"source"`   // where the numbers come from
	Units    units
	Flowpath flowpath
	Rows     []fileRow `yaml:"rows"`
}

// units are those that a file names once.
type units struct {
	Length string `yaml:"length"` // m, cm, mm, in or ft
	Angle  string `yaml:"angle"`  // deg or rad
}

// inSI returns the length in m and the angle in rad.
func (u *units) inSI() (length, angle float64, err error) {
	length, ok := lengths[u.Length]
	if !ok {
		return 0, 0, fmt.Errorf("units.length is %q; want m, cm, mm, in or ft", u.Length)
	}
	angle, ok = angles[u.Angle]
	if !ok {
		return 0, 0, fmt.Errorf("units.angle is %q; want deg or rad", u.Angle)
	}
	return length, angle, nil
}

// flowpath is the annulus between hub and casing.
type flowpath struct {
	Hub    wall `yaml:"hub"`
	Casing wall `yaml:"casing"`
}

type wall struct {
	Z []float64 `yaml:"z"` // axial distances of points of the wall
	R []float64 `yaml:"r"` // their radii
}

// curves returns the walls in m.
func (f *flowpath) curves(length float64) (hub, casing *Curve, err error) {
	if hub, err = NewCurve(scaled(f.Hub.Z, length), scaled(f.Hub.R, length)); err != nil {
		return nil, nil, fmt.Errorf("flowpath.hub: %w", err)
	}
	if casing, err = NewCurve(scaled(f.Casing.Z, length), scaled(f.Casing.R, length)); err != nil {
		return nil, nil, fmt.Errorf("flowpath.casing: %w", err)
	}
	return hub, casing, nil
}

type fileRow struct {
	Name       string    `yaml:"name"`          // of the row
	Blades     int       `yaml:"blades"`        // their number
	Rotating   bool      `yaml:"rotating"`      // whether it turns; default false
	StackZ     float64   `yaml:"stacking_axis"` // axial place of the line on which the sections' centres of area stand
	TipGap     float64   `yaml:"tip_gap"`       // between blade and casing; default none
	Incidence  *float64  // reference incidence; default by correlation
	Radius     []float64 // of each section
	Chord      []float64 // of each section
	Stagger    []float64 // of each section, from the axial direction
	BetaLE     []float64 `yaml:"beta_le"`   // metal angle at the leading edge from the axial direction, positive against the rotation
	BetaTE     []float64 `yaml:"beta_te"`   // the same at the trailing edge
	Thickness  []float64 `yaml:"tm_over_c"` // greatest thickness over chord
	ThickestAt struct {
		Radius []float64 `yaml:"radius"` // at which the next is given
		At     []float64 `yaml:"at"`     // where along the chord the blade is thickest, as a fraction
	} `yaml:"max_thickness"`
}

var lengths = map[string]float64{"m": 1, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
var angles = map[string]float64{"rad": 1, "deg": math.Pi / 180}

// Parse reads a geometry file's text and checks it with Geometry.Check. Errors of form
// carry the line of the file.
func Parse(data []byte) (*Geometry, error) {
	var f file
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		return nil, err
	}
	length, angle, err := f.Units.inSI()
	if err != nil {
		return nil, err
	}
	g := &Geometry{Name: f.Geometry, Source: f.Source}
	if g.Hub, g.Casing, err = f.Flowpath.curves(length); err != nil {
		return nil, err
	}
	for _, fr := range f.Rows {
		row, err := fr.row(length, angle)
		if err != nil {
			return nil, err
		}
		g.Rows = append(g.Rows, row)
	}
	return g, g.Check()
}

func (f *fileRow) row(length, angle float64) (*Row, error) {
	n := len(f.Radius)
	for _, col := range []struct {
		name string
		v    []float64
	}{{"chord", f.Chord}, {"stagger", f.Stagger}, {"beta_le", f.BetaLE}, {"beta_te", f.BetaTE}, {"tm_over_c", f.Thickness}} {
		if len(col.v) != n {
			return nil, fmt.Errorf("row %q: %d radii but %d values of %s", f.Name, n, len(col.v), col.name)
		}
	}
	thickest, err := NewCurve(scaled(f.ThickestAt.Radius, length), f.ThickestAt.At)
	if err != nil {
		return nil, fmt.Errorf("row %q: max_thickness: %w", f.Name, err)
	}
	sections := make([]Section, n)
	for k := range sections {
		sections[k] = Section{
			Chord: f.Chord[k] * length, Stagger: f.Stagger[k] * angle,
			BetaLE: f.BetaLE[k] * angle, BetaTE: f.BetaTE[k] * angle,
			ThicknessRatio: f.Thickness[k], MaxThicknessAt: thickest.At(f.Radius[k] * length),
		}
	}
	row, err := NewRow(f.Name, f.Blades, f.Rotating, f.StackZ*length, scaled(f.Radius, length), sections)
	if err != nil {
		return nil, err
	}
	row.TipGap = f.TipGap * length
	if f.Incidence != nil {
		i := *f.Incidence * angle
		row.Incidence = &i
	}
	return row, nil
}

func scaled(v []float64, by float64) []float64 {
	out := make([]float64, len(v))
	for k := range v {
		out[k] = v[k] * by
	}
	return out
}
