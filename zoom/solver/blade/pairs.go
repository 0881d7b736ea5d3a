package blade

import (
	"math"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
)

// body reads a file with a solid blade row that is given by points on
// both sides: per section, hub to casing, rows of axial place, radius and the angles of the
// two sides there, leading to trailing edge, as NASA's tables of Rotor 37 are printed; hub
// and casing are curves of their own. Lengths and angles have the units that the file names
// once.
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
// Either side may come first, alike in all sections. The angle's sign is turned if the
// blade leans with it at the tip, so that it is positive with a compressor rotor's
// rotation.
func (r *fileReader) body(root ast.Node) (*Body, error) {
	b := &Body{}
	var hub, casing fileWall
	var sections [][]fileColumn
	r.Group(root, "", "a blade row: a group of keys, first blade: and a name", []document.Key{
		document.Required("blade", r.Text(&b.Name, "a name")),
		document.Optional("source", r.Text(&b.Source, "where the numbers are from")),
		document.Required("units", r.units),
		document.Required("blades", r.Whole(&b.Blades, math.MinInt32, "")),
		document.Optional("tip_gap", r.Number(&b.TipGap)),
		document.Required("flowpath", r.flowpath(&hub, &casing)),
		document.Required("sections", func(n ast.Node, path string) {
			for i, it := range r.Items(n, path, "sections") {
				sections = append(sections, r.points(it, document.Item(path, i)))
			}
		}),
	})
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

// points reads the rows of a section.
func (r *fileReader) points(n ast.Node, path string) []fileColumn {
	var list []fileColumn
	for k, it := range r.Items(n, path, "points: z, r, theta1, theta2") {
		p := fileColumn{at: document.Position(it), path: document.Item(path, k)}
		r.Numbers(&p.v).Read(it, p.path)
		list = append(list, p)
	}
	return list
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
