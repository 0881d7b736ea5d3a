package blade

import (
	"bytes"
	"fmt"
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
