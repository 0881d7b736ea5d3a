package blade

import (
	"maps"
	"math"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
)

// form is that of a geometry file, which has some thousand numbers.
var form = document.Form{What: "a geometry file", Begins: "geometry: and a name", Bytes: int(Limit.Bytes),
	Words: 200_000}

// fileReader reads a geometry file. Lengths and angles have the units that the file names
// once; every list of a row has one entry a section, hub to casing.
type fileReader struct {
	document.Reader
	length, angle float64 // of the units, m and rad
}

var lengths = map[string]float64{"m": 1, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
var angles = map[string]float64{"rad": 1, "deg": math.Pi / 180}

func (r *fileReader) units(n ast.Node, path string) {
	var length, angle string
	r.Group(n, path, "units such as {length: cm, angle: deg}", []document.Key{
		document.Required("length", r.Choice(&length, slices.Sorted(maps.Keys(lengths))...)),
		document.Required("angle", r.Choice(&angle, slices.Sorted(maps.Keys(angles))...)),
	})
	r.length, r.angle = lengths[length], angles[angle]
}

// flowpath reads the annulus between hub and casing.
func (r *fileReader) flowpath(hub, casing *fileWall) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		r.Group(n, path, "a flow path: hub: and casing:", []document.Key{
			document.Required("hub", r.wall(hub)), document.Required("casing", r.wall(casing)),
		})
	}
}

// fileWall is a wall in the file's unit.
type fileWall struct {
	z, r []float64
	at   document.Pos
	path string
}

func (r *fileReader) wall(w *fileWall) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w.at, w.path = document.Position(n), path
		r.Group(n, path, "a wall such as {z: [0, 1], r: [2, 2.1]}", []document.Key{
			document.Required("z", r.Numbers(&w.z)), document.Required("r", r.Numbers(&w.r)),
		})
	}
}

// curve returns the wall in m, or reports what is no curve.
func (r *fileReader) curve(w *fileWall) *Curve {
	c, err := NewCurve(scaled(w.z, r.length), scaled(w.r, r.length))
	if err != nil {
		r.Fail(w.at, w.path, "", "%v", err)
	}
	return c
}

type fileRow struct {
	name              string
	blades            int
	rotating          bool
	stackZ, tipGap    float64
	setting           float64
	incidence         *float64
	radius            []float64
	columns           [5]fileColumn
	thickestR, thickA []float64
	thickest          document.Pos
	at                document.Pos
	path              string
}

// fileColumn is a list with one number a section.
type fileColumn struct {
	v    []float64
	at   document.Pos
	path string
}

// columns are the lists of a row besides its radii, as in fileRow.
var columns = [5]string{"chord", "stagger", "beta_le", "beta_te", "tm_over_c"}

// Parse is [ParseFile] for a file that has no name.
func Parse(data []byte) (*Geometry, error) { return ParseFile("geometry", data) }

// ParseFile reads a geometry file's text and checks it with Geometry.Check. The name stands in
// messages. If the file is wrong the error is a [*document.Errors] with everything that is.
func ParseFile(name string, data []byte) (*Geometry, error) {
	r := &fileReader{Reader: document.NewReader(name, form)}
	root := r.Tree(data)
	if root == nil {
		return nil, r.Errors()
	}
	return r.geometry(root)
}

func (r *fileReader) geometry(root ast.Node) (*Geometry, error) {
	g := &Geometry{}
	var hub, casing fileWall
	var rows []*fileRow
	r.Group(root, "", "a geometry: a group of keys, first geometry: and a name", []document.Key{
		document.Optional("geometry", r.Text(&g.Name, "a name")),
		document.Optional("source", r.Text(&g.Source, "where the numbers are from")),
		document.Required("units", r.units),
		document.Required("flowpath", r.flowpath(&hub, &casing)),
		document.Required("rows", func(n ast.Node, path string) {
			for i, it := range r.Items(n, path, "blade rows") {
				rows = append(rows, r.row(it, document.Item(path, i)))
			}
		}),
	})
	if err := r.Errors(); err != nil { // else what follows would be said of numbers that are not there
		return nil, err
	}
	g.Hub, g.Casing = r.curve(&hub), r.curve(&casing)
	for _, f := range rows {
		if row := r.sections(f); row != nil {
			g.Rows = append(g.Rows, row)
		}
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return g, r.whole(g.Check())
}

// whole reports what is wrong with a file as a whole.
func (r *fileReader) whole(err error) error {
	if err != nil {
		r.Fail(document.Pos{}, "", "", "%v", err)
	}
	return r.Errors()
}

func (r *fileReader) row(n ast.Node, path string) *fileRow {
	f := &fileRow{at: document.Position(n), path: path}
	keys := []document.Key{
		document.Optional("name", r.Text(&f.name, "a name")),
		document.Required("blades", r.Whole(&f.blades, math.MinInt32, "")),
		document.Optional("rotating", r.Flag(&f.rotating)),
		document.Optional("stacking_axis", r.Number(&f.stackZ)),
		document.Optional("tip_gap", r.Number(&f.tipGap)),
		document.Optional("setting", r.setting(&f.setting)),
		document.Optional("incidence", func(n ast.Node, path string) {
			f.incidence = new(float64)
			r.Number(f.incidence).Read(n, path)
		}),
		document.Required("radius", r.Numbers(&f.radius)),
		document.Required("max_thickness", func(n ast.Node, path string) {
			f.thickest = document.Position(n)
			r.Group(n, path, "where blades are thickest, such as {radius: [36, 105], at: [0.4, 0.6]}", []document.Key{
				document.Required("radius", r.Numbers(&f.thickestR)), document.Required("at", r.Numbers(&f.thickA)),
			})
		}),
	}
	for i, name := range columns {
		keys = append(keys, document.Required(name, func(n ast.Node, path string) {
			f.columns[i].at, f.columns[i].path = document.Position(n), path
			r.Numbers(&f.columns[i].v).Read(n, path)
		}))
	}
	r.Group(n, path, "a blade row: a group of keys, among them blades: and radius:", keys)
	return f
}

// mostSetting is the most that a row may turn for each degree of its machine's setting: rings drive rows by levers,
// at most a few to one.
const mostSetting = 10

// setting reads by how much a row turns with its machine's setting.
func (r *fileReader) setting(out *float64) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		before := len(r.Problems)
		r.Number(out).Read(n, path)
		if len(r.Problems) == before && !(math.Abs(*out) <= mostSetting) {
			r.Fail(document.Position(n), path, "",
				"the row turns by %g for each degree of the setting; want -%d to %[2]d, and 0 for a fixed row", *out,
				mostSetting)
		}
	}
}

// sections makes a row, or reports why there can be none.
func (r *fileReader) sections(f *fileRow) *Row {
	before := len(r.Problems)
	n := len(f.radius)
	for i, c := range f.columns {
		if len(c.v) != n {
			r.Fail(c.at, c.path, "", "row %q: %d radii but %d values of %s", f.name, n, len(c.v), columns[i])
		}
	}
	thickest, err := NewCurve(scaled(f.thickestR, r.length), f.thickA)
	if err != nil {
		r.Fail(f.thickest, f.path+".max_thickness", "", "row %q: %v", f.name, err)
	}
	if len(r.Problems) > before {
		return nil
	}
	sections := make([]Section, n)
	for k := range sections {
		sections[k] = Section{
			Chord: f.columns[0].v[k] * r.length, Stagger: f.columns[1].v[k] * r.angle,
			BetaLE: f.columns[2].v[k] * r.angle, BetaTE: f.columns[3].v[k] * r.angle,
			ThicknessRatio: f.columns[4].v[k], MaxThicknessAt: thickest.At(f.radius[k] * r.length),
		}
	}
	row, err := NewRow(f.name, f.blades, f.rotating, f.stackZ*r.length, scaled(f.radius, r.length), sections)
	if err != nil {
		r.Fail(f.at, f.path, "", "%v", err)
		return nil
	}
	row.TipGap, row.Setting = f.tipGap*r.length, f.setting
	if f.incidence != nil {
		i := *f.incidence * r.angle
		row.Incidence = &i
	}
	return row
}

func scaled(v []float64, by float64) []float64 {
	out := make([]float64, len(v))
	for k := range v {
		out[k] = v[k] * by
	}
	return out
}
