package external

// The files of a run before its first step: templates with values, copies, tables of the zoom's values, blades.

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// placed is a file, or a folder of files, that a run gets.
type placed struct {
	to  string // name in the run folder
	pos document.Pos

	text   *template // or
	source string    // absolute path of the template's file; empty: it is in the description
	copied string    // absolute path of a file or folder, or
	format string    // of a table (csv, columns, json) or of blades (sections, stl)

	columns []column    // of a table
	of      *expression // text with the geometry
	row     string      // of the blades; empty: the first
}

// column is a column of a table.
type column struct {
	name string
	is   *expression
}

// Formats of written files.
const (
	formatCSV      = "csv"
	formatColumns  = "columns"
	formatJSON     = "json"
	formatSections = "sections"
	formatSTL      = "stl"
)

// place makes the file in a run folder.
func (p *placed) place(folder *runFolder, env environment) error {
	if p.copied != "" {
		return folder.copy(p.copied, p.to)
	}
	text, err := p.content(env)
	if err != nil {
		return fmt.Errorf("%s: %w", p.to, err)
	}
	return folder.write(p.to, []byte(text), 0o644)
}

func (p *placed) content(env environment) (string, error) {
	switch p.format {
	case "":
		return p.text.render(env)
	case formatSections, formatSTL:
		geometry, err := env.value(p.of)
		if err != nil {
			return "", err
		}
		return blades(geometry.(string), p.row, p.format)
	}
	values := make([][]float64, len(p.columns))
	for i, c := range p.columns {
		v, err := env.value(c.is)
		if err != nil {
			return "", err
		}
		if x, ok := v.(float64); ok {
			v = []float64{x}
		}
		values[i] = v.([]float64)
	}
	if p.format == formatJSON {
		return p.object(values)
	}
	return p.table(values)
}

// object returns a JSON object of the columns; a column with a single number becomes a number.
func (p *placed) object(values [][]float64) (string, error) {
	object := map[string]any{}
	for i, c := range p.columns {
		object[c.name] = values[i]
		if c.is.shape == plugin.Scalar {
			object[c.name] = values[i][0]
		}
	}
	text, err := json.MarshalIndent(object, "", "  ")
	return string(text) + "\n", err
}

// table returns a header and rows. A single number is repeated in every row.
func (p *placed) table(values [][]float64) (string, error) {
	rows := 1
	for i, c := range p.columns {
		if c.is.shape == plugin.Profile {
			rows = len(values[i])
		}
	}
	between, head := ",", ""
	if p.format == formatColumns {
		between, head = " ", "# "
	}
	var b strings.Builder
	b.WriteString(head)
	for i, c := range p.columns {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(c.name)
	}
	for k := range rows {
		b.WriteByte('\n')
		for i, c := range p.columns {
			if i > 0 {
				b.WriteString(between)
			}
			at := k
			if c.is.shape == plugin.Scalar {
				at = 0
			} else if len(values[i]) != rows {
				return "", fmt.Errorf("column %s has %d values, another one %d", c.name, len(values[i]), rows)
			}
			b.WriteString(numeric.Text(values[i][at]))
		}
	}
	return b.String() + "\n", nil
}

// mostCopied is the size of a file that is copied into a run folder, bytes.
var mostCopied = intake.Limit{What: "a file for a run", Bytes: 4 << 30}

// copy copies a file, or a folder with all files in it. It rejects links, as their targets are no part of the solver's
// version.
func (f *runFolder) copy(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rest)
		switch {
		case entry.IsDir():
			return f.root.MkdirAll(target, 0o755)
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is no regular file", path)
		}
		data, err := intake.Read(path, mostCopied)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if info, err := entry.Info(); err == nil && info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		return f.write(target, data, mode)
	})
}

// Blades for programs that mesh them themselves: a row of the zoom's geometry as sections or as a surface of triangles.

// blades writes a row of a geometry file; the first if the name is empty. Lengths are in m, the axis is x, and y is up
// at the angle 0.
func blades(geometry, row, format string) (string, error) {
	g, err := blade.Parse([]byte(geometry))
	if err != nil {
		return "", err
	}
	for _, r := range g.Rows {
		if row != "" && r.Name != row {
			continue
		}
		body, err := g.Solid(r, blade.SolidSections, blade.SolidPoints)
		if err != nil {
			return "", err
		}
		if format == formatSTL {
			return stl(body), nil
		}
		return sections(body), nil
	}
	return "", fmt.Errorf("the geometry %q has no blade row %q", g.Name, row)
}

// sections returns a table: number of the section from the hub, x, r, and the angles of both sides, from the leading to
// the trailing edge.
func sections(b *blade.Body) string {
	var text strings.Builder
	text.WriteString("# section x r theta_lower theta_upper\n")
	for k, s := range b.Sections {
		for i := range s.Z {
			fmt.Fprintf(&text, "%d %s %s %s %s\n", k+1, numeric.Text(s.Z[i]), numeric.Text(s.R[i]),
				numeric.Text(s.Lower[i]), numeric.Text(s.Upper[i]))
		}
	}
	return text.String()
}

type point [3]float64

// stl returns a closed surface in the ASCII form of STL: both sides from edge to edge, and lids at hub and casing.
// Normals point outwards.
func stl(b *blade.Body) string {
	at := func(k, i int, upper bool) point {
		s := b.Sections[k]
		theta := s.Lower[i]
		if upper {
			theta = s.Upper[i]
		}
		sin, cos := math.Sincos(theta)
		return point{s.Z[i], s.R[i] * cos, s.R[i] * sin}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "solid %s\n", strings.ReplaceAll(b.Name, " ", "_"))
	quad := func(p, q, r, s point) {
		triangle(&text, p, q, r)
		triangle(&text, p, r, s)
	}
	last := len(b.Sections) - 1
	for k := range last {
		for i := range len(b.Sections[k].Z) - 1 {
			quad(at(k, i, true), at(k, i+1, true), at(k+1, i+1, true), at(k+1, i, true))
			quad(at(k, i, false), at(k+1, i, false), at(k+1, i+1, false), at(k, i+1, false))
		}
	}
	for i := range len(b.Sections[0].Z) - 1 {
		quad(at(0, i, false), at(0, i+1, false), at(0, i+1, true), at(0, i, true))
		quad(at(last, i, false), at(last, i, true), at(last, i+1, true), at(last, i+1, false))
	}
	fmt.Fprintf(&text, "endsolid\n")
	return text.String()
}

// triangle writes a triangle, unless two of its corners coincide, as at a sharp edge.
func triangle(text *strings.Builder, p, q, r point) {
	if p == q || q == r || r == p {
		return
	}
	var u, v point
	for i := range 3 {
		u[i], v[i] = q[i]-p[i], r[i]-p[i]
	}
	n := point{u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0]}
	length := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if length == 0 {
		return
	}
	fmt.Fprintf(text, "facet normal %g %g %g\nouter loop\n", n[0]/length, n[1]/length, n[2]/length)
	for _, c := range []point{p, q, r} {
		fmt.Fprintf(text, "vertex %s %s %s\n", numeric.Text(c[0]), numeric.Text(c[1]), numeric.Text(c[2]))
	}
	text.WriteString("endloop\nendfacet\n")
}
