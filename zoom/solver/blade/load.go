package blade

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// The numbers of points from hub to casing and from edge to edge by which LoadBodies represents rows of section tables.
const (
	SolidSections = 21
	SolidPoints   = 81
)

// Limit is the size limit of a file of blades: the largest published files have some 100 kB.
var Limit = intake.Limit{What: "a geometry", Bytes: 4 << 20}

// LoadBodies reads the blade rows of a file of any kind: section tables (see Parse, each
// row made solid), points on both sides (see PairsSchema), both YAML, or else NASA's
// stream surfaces (see ReadStreamSurfaces), whose lengths have the given unit in metres
// and whose row takes the file's name. Errors name the file.
func LoadBodies(path string, unit float64) ([]*Body, error) {
	data, err := intake.Read(path, Limit)
	if err != nil {
		return nil, err
	}
	ext := filepath.Ext(path)
	if ext == ".yaml" || ext == ".yml" {
		return bodies(path, data)
	}
	b, err := ReadStreamSurfaces(bytes.NewReader(data), unit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b.Name = strings.TrimSuffix(filepath.Base(path), ext)
	return []*Body{b}, nil
}

// bodies reads YAML of either kind.
func bodies(path string, data []byte) ([]*Body, error) {
	r := &fileReader{Reader: document.NewReader(path, form)}
	root := r.Tree(data)
	if root == nil {
		return nil, r.Errors()
	}
	if group, ok := root.(*ast.MappingNode); ok && slices.ContainsFunc(group.Values,
		func(v *ast.MappingValueNode) bool { return v.Key.GetToken().Value == "blade" }) {
		b, err := r.body(root)
		if err != nil {
			return nil, err
		}
		return []*Body{b}, nil
	}
	g, err := r.geometry(root)
	if err != nil {
		return nil, err
	}
	var out []*Body
	for _, row := range g.Rows {
		b, err := g.Solid(row, SolidSections, SolidPoints)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, b)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: geometry %q has no blade rows", path, g.Name)
	}
	return out, nil
}

// Solid returns a row of section tables as a solid body: n sections of m points along
// surfaces at even fractions of the height, the thickness of each laid to both sides
// of the camber surface along the circumference. Edges are sharp.
func (g *Geometry) Solid(row *Row, n, m int) (*Body, error) {
	if n < 2 || m < 4 {
		return nil, fmt.Errorf("row %q: %d sections of %d points; want at least 2 of 4", row.Name, n, m)
	}
	hub, casing := g.Hub.At(row.StackZ), g.Casing.At(row.StackZ)
	if first, last := row.chord.Range(); first > hub+unreached*(casing-hub) ||
		last < casing-row.TipGap-unreached*(casing-hub) {
		return nil, fmt.Errorf(
			"row %q: its sections lie at radii from %.4g to %.4g m, the walls there at %.4g and %.4g m: a section is "+
				"missing towards a wall", row.Name, first, last, hub, casing)
	}
	b := &Body{Name: row.Name, Source: g.Source, Blades: row.Blades, Hub: g.Hub, Casing: g.Casing, TipGap: row.TipGap}
	sign := 1.0 // Section's angles are positive against the rotation for a rotor, with it for a stator
	if row.Rotating {
		sign = -1
	}
	for k := range n {
		b.Sections = append(b.Sections, g.outline(row, float64(k)/float64(n-1), m, sign))
	}
	return b, b.Check()
}

// outline cuts a row at the fraction eta of the height. The points crowd towards the
// edges (Chebyshev), where the thickness changes most.
func (g *Geometry) outline(row *Row, eta float64, m int, sign float64) Profile {
	radius := func(z float64) float64 {
		hub := g.Hub.At(z)
		return hub + eta*(g.Casing.At(z)-hub)
	}
	edge := func(leading bool) float64 {
		z := row.StackZ
		for range 30 {
			next := row.Edge(leading, radius(z))
			if math.Abs(next-z) < 1e-13 {
				break
			}
			z = next
		}
		return z
	}
	le, te := edge(true), edge(false)
	var p Profile
	for i := range m {
		z := le + (te-le)*(1-math.Cos(math.Pi*float64(i)/float64(m-1)))/2
		r := radius(z)
		c := row.At(z, r)
		half := c.Thickness / (2 * r)
		if i == 0 || i == m-1 {
			half = 0
		}
		p.Z, p.R = append(p.Z, z), append(p.R, r)
		p.Lower, p.Upper = append(p.Lower, sign*c.Theta-half), append(p.Upper, sign*c.Theta+half)
	}
	return p
}
