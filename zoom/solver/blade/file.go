package blade

import (
	"maps"
	"math"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// form describes a geometry file, which has some thousand numbers.
var form = document.Form{What: "a geometry file", Begins: "geometry: and a name", Bytes: int(Limit.Bytes),
	Words: 200_000}

// fileReader reads a geometry file. Lengths and angles have the units that the file names once; every list of a row has
// one entry a section, hub to casing.
type fileReader struct {
	document.Reader
	length, angle float64 // of the units, m and rad
}

var lengths = map[string]float64{"m": 1, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
var angles = map[string]float64{"rad": 1, "deg": math.Pi / 180}

func (r *fileReader) units() document.Value {
	word := func(dst *float64, known map[string]float64) document.Value {
		var w string
		v := r.Choice(&w, slices.Sorted(maps.Keys(known))...)
		return v.Then(func(ast.Node, string) { *dst = known[w] })
	}
	return r.Section("units such as {length: cm, angle: deg}", []document.Key{
		r.Required("length", "m, cm, mm, in or ft", word(&r.length, lengths)),
		r.Required("angle", "deg or rad", word(&r.angle, angles)),
	})
}

// flowpath reads the annulus between hub and casing.
func (r *fileReader) flowpath(hub, casing *fileWall) document.Value {
	return r.Section("a flow path: hub: and casing:", []document.Key{
		r.Required("hub", "A wall.", r.wall(hub)), r.Required("casing", "A wall.", r.wall(casing)),
	})
}

// fileWall is a wall in the file's unit.
type fileWall struct {
	z, r []float64
	at   document.Pos
	path string
}

func (r *fileReader) wall(w *fileWall) document.Value {
	v := r.Section("a wall such as {z: [0, 1], r: [2, 2.1]}", []document.Key{
		r.Required("z", "axial distances of points of the wall", r.column(&w.z)),
		r.Required("r", "their radii", r.column(&w.r)),
	})
	return v.Then(func(n ast.Node, path string) { w.at, w.path = document.Position(n), path })
}

// column reads a list of two numbers or more.
func (r *fileReader) column(dst *[]float64) document.Value {
	return r.Numbers(dst).With(func(s *jsonschema.Schema) { s.MinItems = new(2) })
}

// count reads the number of blades, which is checked with the row.
func (r *fileReader) count(dst *int) document.Value {
	return r.Whole(dst, math.MinInt32, "").With(func(s *jsonschema.Schema) { s.Minimum = new(1.0) })
}

// curve returns the wall in m, or reports an invalid curve.
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

// ParseFile reads a geometry file's text and checks it with Geometry.Check. Messages contain the name. The error of an
// invalid file is a [*document.Errors] with all its faults.
func ParseFile(name string, data []byte) (*Geometry, error) {
	r := &fileReader{Reader: document.NewReader(name, form)}
	root := r.Tree(data)
	if root == nil {
		return nil, r.Errors()
	}
	return r.geometry(root)
}

// Schema returns the JSON Schema (draft 2020-12) of a geometry file of section tables. The help page on geometry lists
// the keys by its descriptions.
func Schema() *jsonschema.Schema {
	keys := (&fileReader{}).geometryKeys(&Geometry{}, new(fileWall), new(fileWall), new([]*fileRow))
	return document.Titled("Peregrine geometry", document.Object("Flow path and blade rows.", keys))
}

func (r *fileReader) geometryKeys(g *Geometry, hub, casing *fileWall, rows *[]*fileRow) []document.Key {
	list := document.List(&r.Reader, rows, "blade rows", func(f **fileRow) document.Value {
		*f = &fileRow{}
		v := r.Section("a blade row: a group of keys, among them blades: and radius:", r.rowKeys(*f))
		return v.Says("A blade row.").Then(func(n ast.Node, path string) {
			(*f).at, (*f).path = document.Position(n), path
		})
	})
	return []document.Key{
		r.Optional("geometry", "name", r.Text(&g.Name, "a name")),
		r.Optional("source", "where the numbers come from", r.Text(&g.Source, "where the numbers are from")),
		r.Required("units", "Units of all lengths and angles.", r.units()),
		r.Required("flowpath", "Hub and casing.", r.flowpath(hub, casing)),
		r.Required("rows", "", list),
	}
}

func (r *fileReader) geometry(root ast.Node) (*Geometry, error) {
	g := &Geometry{}
	var hub, casing fileWall
	var rows []*fileRow
	keys := r.geometryKeys(g, &hub, &casing, &rows)
	r.Group(root, "", "a geometry: a group of keys, first geometry: and a name", keys)
	if err := r.Errors(); err != nil { // else later messages would concern missing numbers
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

// whole reports a fault of a file as a whole.
func (r *fileReader) whole(err error) error {
	if err != nil {
		r.Fail(document.Pos{}, "", "", "%v", err)
	}
	return r.Errors()
}

func (r *fileReader) rowKeys(f *fileRow) []document.Key {
	incidence := new(float64)
	list := func(i int) document.Value {
		c := &f.columns[i]
		return r.column(&c.v).Then(func(n ast.Node, path string) { c.at, c.path = document.Position(n), path })
	}
	thickest := r.Section("where blades are thickest, such as {radius: [36, 105], at: [0.4, 0.6]}", []document.Key{
		r.Required("radius", "at which the next is given", r.column(&f.thickestR)),
		r.Required("at", "where along the chord the blade is thickest, as a fraction", r.column(&f.thickA)),
	})
	return []document.Key{
		r.Optional("name", "of the row", r.Text(&f.name, "a name")),
		r.Required("blades", "their number", r.count(&f.blades)),
		r.Optional("rotating", "whether it turns; default false", r.Flag(&f.rotating)),
		r.Optional("stacking_axis", "axial place of the line on which the sections' centres of area stand; default 0",
			r.Number(&f.stackZ)),
		r.Optional("tip_gap", "between blade and casing; default none", r.Number(&f.tipGap)),
		r.Optional("setting",
			"degrees by which the row turns about its stacking axis, towards larger angles, for each degree of the "+
				"component's alpha, negative the other way; default 0, fixed",
			r.setting(&f.setting)),
		r.Optional("incidence", "reference incidence; default by correlation",
			r.Number(incidence).Then(func(ast.Node, string) { f.incidence = incidence })),
		r.Required("radius", "of each section", r.column(&f.radius)),
		r.Required(columns[0], "of each section", list(0)),
		r.Required(columns[1], "of each section, from the axial direction", list(1)),
		r.Required(columns[2],
			"metal angle at the leading edge from the axial direction, positive against the rotation", list(2)),
		r.Required(columns[3], "the same at the trailing edge", list(3)),
		r.Required(columns[4], "greatest thickness over chord", list(4)),
		r.Required("max_thickness", "Where blades are thickest.",
			thickest.Then(func(n ast.Node, _ string) { f.thickest = document.Position(n) })),
	}
}

// mostSetting is the largest turn of a row for each degree of its machine's setting: rings drive rows by levers, at
// most a few to one.
const mostSetting = 10

// setting reads the turn of a row per setting of its machine.
func (r *fileReader) setting(out *float64) document.Value {
	return r.Number(out).Then(func(n ast.Node, path string) {
		if !(math.Abs(*out) <= mostSetting) {
			r.Fail(document.Position(n), path, "",
				"the row turns by %g for each degree of the setting; want -%d to %[2]d, and 0 for a fixed row", *out,
				mostSetting)
		}
	})
}

// sections makes a row, or reports its faults.
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
