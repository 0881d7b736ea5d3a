package blade

import (
	"math"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// body reads a file with a solid blade row given by points on both sides: per section, hub to casing, rows of axial
// place, radius and the angles of the two sides there, leading to trailing edge, as NASA's tables of Rotor 37 are
// printed; hub and casing are separate curves. Lengths and angles have the units that the file names once.
//
//	blade: Rotor 37
//	source: NASA TP-1337
//	units: {length: cm, angle: rad}
//	blades: 36
//	tip_gap: 0.0356
//	flowpath:
//	  hub: {z: [...], r: [...]}
//	  casing: {z: [...], r: [...]}
//	sections:
//	  - - [z, r, theta1, theta2]
//	    - ...
//
// Either side may come first, in all sections alike. The sign of the angles is reversed if the angle increases along
// the blade at the tip, so that it is positive with a compressor rotor's rotation.
func (r *fileReader) body(root ast.Node) (*Body, error) {
	b := &Body{}
	var hub, casing fileWall
	var sections [][]fileColumn
	keys := r.bodyKeys(b, &hub, &casing, &sections)
	r.Group(root, "", "a blade row: a group of keys, first blade: and a name", keys)
	if err := r.Errors(); err != nil {
		return nil, err
	}
	b.TipGap *= r.length
	b.Hub, b.Casing = r.curve(&hub), r.curve(&casing)
	for _, points := range sections {
		b.Sections = append(b.Sections, r.pairs(points))
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	b.order()
	if n := len(b.Sections); n > 0 {
		if tip := &b.Sections[n-1]; len(tip.Upper) > 0 && last(tip.Upper) > tip.Upper[0] {
			b.mirror()
		}
	}
	return b, r.whole(b.Check())
}

func (r *fileReader) bodyKeys(b *Body, hub, casing *fileWall, sections *[][]fileColumn) []document.Key {
	return []document.Key{
		r.Required("blade", "name", r.Text(&b.Name, "a name")),
		r.Optional("source", "where the numbers come from", r.Text(&b.Source, "where the numbers are from")),
		r.Required("units", "Units of all lengths and angles.", r.units()),
		r.Required("blades", "their number", r.count(&b.Blades)),
		r.Optional("tip_gap", "between blade and casing; default none", r.Number(&b.TipGap)),
		r.Required("flowpath", "Hub and casing.", r.flowpath(hub, casing)),
		r.Required("sections", "by section and point: z, r, theta1, theta2",
			document.List(&r.Reader, sections, "sections", r.points)),
	}
}

// PairsSchema returns the JSON Schema of a file with points on both sides of a blade.
func PairsSchema() *jsonschema.Schema {
	keys := (&fileReader{}).bodyKeys(&Body{}, new(fileWall), new(fileWall), new([][]fileColumn))
	return document.Titled("Peregrine blade points", document.Object("A solid blade row.", keys))
}

// points reads the rows of a section.
func (r *fileReader) points(list *[]fileColumn) document.Value {
	return document.List(&r.Reader, list, "points: z, r, theta1, theta2", func(p *fileColumn) document.Value {
		v := r.Numbers(&p.v).With(func(s *jsonschema.Schema) { s.MinItems, s.MaxItems = new(4), new(4) })
		return v.Then(func(n ast.Node, path string) { p.at, p.path = document.Position(n), path })
	})
}

func (r *fileReader) pairs(points []fileColumn) Profile {
	var p Profile
	for _, row := range points {
		if len(row.v) != 4 {
			r.Fail(row.at, row.path, "", "%d numbers; want z, r, theta1, theta2", len(row.v))
			continue
		}
		p.Z, p.R = append(p.Z, row.v[0]*r.length), append(p.R, row.v[1]*r.length)
		p.Lower, p.Upper = append(p.Lower, row.v[2]*r.angle), append(p.Upper, row.v[3]*r.angle)
	}
	return p
}

// order makes Upper the side of larger angles, over most of the blade's thickness.
func (b *Body) order() {
	sum := 0.0
	for _, s := range b.Sections {
		for k := range s.Upper {
			if t := s.Upper[k] - s.Lower[k]; !math.IsNaN(t) {
				sum += t
			}
		}
	}
	if sum < 0 {
		for n := range b.Sections {
			s := &b.Sections[n]
			s.Lower, s.Upper = s.Upper, s.Lower
		}
	}
}
