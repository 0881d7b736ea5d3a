package blade

import (
	"fmt"
	"math"

	"github.com/goccy/go-yaml"
)

// pairsFile is a solid blade row given by points on both sides: per section, hub to
// casing, rows of axial place, radius and the angles of the two sides there, leading
// to trailing edge, as NASA's tables of Rotor 37 are printed; hub and casing are
// curves of their own. Lengths and angles have the units that the file names once.
type pairsFile struct {
	Blade    string `yaml:"blade"`  // name
	Source   string `yaml:"source"` // where the numbers come from
	Units    units
	Blades   int     `yaml:"blades"`  // their number
	TipGap   float64 `yaml:"tip_gap"` // between blade and casing; default none
	Flowpath flowpath
	Sections [][][]float64 `yaml:"sections"` // by section and point: z, r, theta1, theta2
}

// ParsePairs reads such a file's text:
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
func ParsePairs(data []byte) (*Body, error) {
	var f pairsFile
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		return nil, err
	}
	length, angle, err := f.Units.inSI()
	if err != nil {
		return nil, err
	}
	b := &Body{Name: f.Blade, Source: f.Source, Blades: f.Blades, TipGap: f.TipGap * length}
	if b.Hub, b.Casing, err = f.Flowpath.curves(length); err != nil {
		return nil, err
	}
	for n, rows := range f.Sections {
		p, err := pairs(rows, length, angle)
		if err != nil {
			return nil, fmt.Errorf("blade row %q, section %d: %w", b.Name, n+1, err)
		}
		b.Sections = append(b.Sections, p)
	}
	b.order()
	if n := len(b.Sections); n > 0 {
		if tip := &b.Sections[n-1]; len(tip.Upper) > 0 && last(tip.Upper) > tip.Upper[0] {
			b.mirror()
		}
	}
	return b, b.Check()
}

func pairs(rows [][]float64, length, angle float64) (Profile, error) {
	var p Profile
	for k, row := range rows {
		if len(row) != 4 {
			return p, fmt.Errorf("point %d: %d numbers; want z, r, theta1, theta2", k+1, len(row))
		}
		p.Z, p.R = append(p.Z, row[0]*length), append(p.R, row[1]*length)
		p.Lower, p.Upper = append(p.Lower, row[2]*angle), append(p.Upper, row[3]*angle)
	}
	return p, nil
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
