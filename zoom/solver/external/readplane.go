package external

// What a description says of averaging planes.

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func (r *reader) planes(n ast.Node, path string) {
	r.results = r.names
	for _, f := range r.Fields(n, path, "planes such as exit: {Ps: {file: exit.csv, column: p, unit: Pa}}") {
		at := document.Join(path, f.Key)
		if !nameShape.MatchString(f.Key) {
			r.Fail(f.Pos, at, f.Key, "a name is letters, digits and _, first a letter")
		}
		r.d.planes = append(r.d.planes, r.planeOf(f, at))
	}
}

func (r *reader) planeOf(f document.Field, path string) *plane {
	p := &plane{name: f.Key, frame: frameAbsolute}
	var doc string
	from := func(to **output, dim unit.Dimension) func(ast.Node, string) {
		return func(n ast.Node, path string) { o := r.cellValues(n, path, dim); *to = &o }
	}
	into := func(to *output, dim unit.Dimension) func(ast.Node, string) {
		return func(n ast.Node, path string) { *to = r.cellValues(n, path, dim) }
	}
	scalar := func(to **expression) func(ast.Node, string) {
		return func(n ast.Node, path string) {
			*to = r.expression(r.names)(n, path)
			if *to != nil && (*to).shape != plugin.Scalar {
				r.Fail(document.Position(n), path, (*to).text, "a %s, want a number", (*to).shape)
			}
		}
	}
	r.group("a plane", f.Value, path, map[string]func(ast.Node, string){
		"Ps":         into(&p.ps, unit.Pressure),
		"Ts":         into(&p.ts, unit.Temperature),
		"axial":      from(&p.velocity[0], unit.Velocity),
		"tangential": from(&p.velocity[1], unit.Velocity),
		"radial":     from(&p.velocity[2], unit.Velocity),
		"area":       into(&p.area, unit.Area),
		"gamma":      scalar(&p.gamma),
		"R":          scalar(&p.r),
		"frame":      r.Choice(&p.frame, frameAbsolute, frameRelative).Read,
		"speed":      from(&p.speed, unit.Velocity),
		"doc":        r.Text(&doc, "what it is").Read,
	})
	r.gasOf(&p.gamma, "gamma", f, path)
	r.gasOf(&p.r, "R", f, path)
	switch relative := p.frame == frameRelative; {
	case relative && p.speed == nil:
		r.Fail(f.Pos, path, f.Key, "no key speed, which frame: relative needs")
	case !relative && p.speed != nil:
		r.Fail(f.Pos, path, f.Key, "a speed belongs to frame: relative")
	}
	return p
}

// gasOf takes what a plane does not say of its gas from the input of that name.
func (r *reader) gasOf(to **expression, name string, f document.Field, path string) {
	if *to != nil {
		return
	}
	e, err := r.names.compile(name)
	if err != nil {
		r.Fail(f.Pos, path, f.Key, "no key %s, and no input of that name", name)
	}
	*to = e
}

// cellValues reads where the values of a plane stand, which measure something of a dimension.
func (r *reader) cellValues(n ast.Node, path string, dim unit.Dimension) output {
	o := output{Quantity: plugin.Quantity{Name: path, Shape: plugin.Profile}}
	var sources []string
	kind := func(name string, read func(ast.Node, string)) func(ast.Node, string) {
		return func(n ast.Node, path string) {
			sources = append(sources, name)
			read(n, path)
		}
	}
	before := len(r.Problems)
	r.group("a source", n, path, map[string]func(ast.Node, string){
		"unit": func(n ast.Node, path string) {
			if o.unit = r.unit(n, path); o.unit != (unit.Unit{}) && o.unit.Dimension() != dim {
				r.Fail(document.Position(n), path, o.unit.Name(), "want a unit of %s", dim)
			}
		},
		"value":  kind("value", func(n ast.Node, path string) { o.is = r.expression(r.names)(n, path) }),
		"file":   r.inFolder(&o.file, patternFault),
		"column": kind("column", r.Text(&o.column, "the name or the number of a column").Read),
		"regexp": kind("regexp", func(n ast.Node, path string) { o.regexp = r.grouped(n, path) }),
		"json":   kind("json", func(n ast.Node, path string) { o.pointer = r.pointer(n, path) }),
	})
	if len(r.Problems) > before {
		return o
	}
	pos := document.Position(n)
	switch {
	case len(sources) != 1:
		r.Fail(pos, path, "", "want one of value, column, regexp and json; it has %s", orNone(sources))
	case o.is == nil && o.file == "":
		r.Fail(pos, path, "", "no key file")
	case o.is == nil && o.unit == (unit.Unit{}):
		r.Fail(pos, path, "", "no key unit")
	case o.is != nil && (o.file != "" || o.unit != (unit.Unit{})):
		r.Fail(pos, path, "", "a value is SI, and of no file")
	}
	return o
}

// plane reads the name of one.
func (r *reader) plane(n ast.Node, path string) *plane {
	var names []string
	for _, p := range r.d.planes {
		names = append(names, p.name)
	}
	w, ok := r.Word(n, path, "the name of a plane")
	if i := slices.Index(names, w.Text); i >= 0 {
		return r.d.planes[i]
	}
	if ok {
		r.Fail(w.Pos, path, w.Text, "no plane%s", r.Hint(w.Text, names))
	}
	return nil
}

// dimensionOf is what the quantities of a plane measure.
var dimensionOf = map[string]unit.Dimension{
	planeW: unit.MassFlow, planePs: unit.Pressure, planeTs: unit.Temperature, planePt: unit.Pressure,
	planeTt:    unit.Temperature,
	planeAxial: unit.Velocity, planeTangential: unit.Velocity, planeAlpha: unit.Angle,
}

// ofPlane checks an output of a plane, and gives it its unit.
func (r *reader) ofPlane(o *output, u *unit.Unit, shape string, pos document.Pos, path string) {
	dim, known := dimensionOf[o.quantity]
	switch {
	case !known:
		r.Fail(pos, path, "", "no key quantity, which an output of a plane needs")
		return
	case *u != plain && u.Dimension() != dim:
		r.Fail(pos, path, u.Name(), "%s of a plane is %s, in %s", o.quantity, dim, dim.Bare())
	case o.frame == frameRelative && o.plane.frame != frameRelative:
		r.Fail(pos, path, "", "the plane %s is in the absolute frame; nothing says at what speed another one moves",
			o.plane.name)
	case o.average != "" && (shape == string(plugin.Profile) || o.quantity == planeW):
		r.Fail(pos, path, "", "the flow and a profile are no averages")
	}
	if v, err := unit.New(dim.Bare(), dim); err == nil {
		*u = v
	}
}

// plain is the unit of a number without one.
var plain, _ = unit.New("", unit.None)
