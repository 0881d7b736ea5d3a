package blade

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Points from hub to casing and from edge to edge to which LoadBodies draws out rows of
// section tables.
const (
	SolidSections = 21
	SolidPoints   = 81
)

// Limit is that of a file of blades: the largest that are published have some 100 kB.
var Limit = intake.Limit{What: "a geometry", Bytes: 4 << 20}

// LoadBodies reads the blade rows of a file of any kind: section tables (see Parse, each
// row made solid), points on both sides (see ParsePairs), both YAML, or else NASA's
// stream surfaces (see ReadStreamSurfaces), whose lengths have the given unit in metres
// and whose row takes the file's name. Errors name the file.
func LoadBodies(path string, unit float64) ([]*Body, error) {
	data, err := intake.Read(path, Limit)
	if err != nil {
		return nil, err
	}
	bodies, err := bodies(path, data, unit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return bodies, nil
}

func bodies(path string, data []byte, unit float64) ([]*Body, error) {
	var kind struct {
		Geometry string `yaml:"geometry"`
		Blade    string `yaml:"blade"`
	}
	ext := filepath.Ext(path)
	if ext != ".yaml" && ext != ".yml" {
		b, err := ReadStreamSurfaces(bytes.NewReader(data), unit)
		if err != nil {
			return nil, err
		}
		b.Name = strings.TrimSuffix(filepath.Base(path), ext)
		return []*Body{b}, nil
	}
	if err := yaml.Unmarshal(data, &kind); err != nil {
		return nil, err
	}
	if kind.Blade != "" {
		b, err := ParsePairs(data)
		if err != nil {
			return nil, err
		}
		return []*Body{b}, nil
	}
	g, err := Parse(data)
	if err != nil {
		return nil, err
	}
	var out []*Body
	for _, row := range g.Rows {
		b, err := g.Solid(row, SolidSections, SolidPoints)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("geometry %q has no blade rows", g.Name)
	}
	return out, nil
}
