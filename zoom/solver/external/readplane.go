package external

// The averaging planes in a description.

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func (r *reader) planes() document.Value {
	entry := func() *jsonschema.Schema { return r.planeGroup(new(plane)).schema() }
	return byName("planes", entry, func(n ast.Node, path string) {
		r.results = r.names
		for _, f := range r.Fields(n, path, "planes such as exit: {Ps: {file: exit.csv, column: p, unit: Pa}}") {
			at := document.Join(path, f.Key)
			if !nameShape().MatchString(f.Key) {
				r.Fail(f.Pos, at, f.Key, "a name is letters, digits and _, first a letter")
			}
			r.d.planes = append(r.d.planes, r.planeOf(f, at))
		}
	})
}

func (r *reader) planeGroup(p *plane) Group {
	from := func(to **output, dim unit.Dimension) document.Value {
		o := new(output)
		return r.cellValues(o, dim).Then(func(ast.Node, string) { *to = o })
	}
	scalar := func(to **expression) document.Value {
		return r.expression(to, r.names).Then(func(n ast.Node, path string) {
			if *to != nil && (*to).shape != plugin.Scalar {
				r.Fail(document.Position(n), path, (*to).text, "a %s, want a number", (*to).shape)
			}
		})
	}
	return Group{"a plane", "{Ps: {file: exit.csv, column: p, unit: Pa}, frame: relative}", []document.Key{
		r.Required("Ps", "static pressure of each cell", r.cellValues(&p.ps, unit.Pressure)),
		r.Required("Ts", "static temperature of each cell", r.cellValues(&p.ts, unit.Temperature)),
		r.Required("axial", "velocity through the plane, positive downstream, of each cell",
			from(&p.velocity[0], unit.Velocity)),
		r.Optional("tangential", "velocity in a tangential direction (default: none)",
			from(&p.velocity[1], unit.Velocity)),
		r.Optional("radial", "velocity in the third direction (default: none)", from(&p.velocity[2], unit.Velocity)),
		r.Required("area", "of each cell; one number is that of the plane, whose cells then count alike",
			r.cellValues(&p.area, unit.Area)),
		r.Optional("gamma", "of the perfect gas: ratio of specific heats (default: gamma)", scalar(&p.gamma)),
		r.Optional("R", "gas constant, J/(kg K) (default: R)", scalar(&p.r)),
		r.Optional("frame", "in which the tangential velocities are given (default: absolute)",
			r.Choice(&p.frame, frameAbsolute, frameRelative)),
		r.Optional("speed", "of a relative frame, in the direction of `tangential`: absolute velocity = relative "+
			"velocity + speed",
			from(&p.speed, unit.Velocity)),
		r.Optional("doc", "what it is", r.Text(new(string), "what it is")),
	}}
}

func (r *reader) planeOf(f document.Field, path string) *plane {
	p := &plane{name: f.Key, frame: frameAbsolute}
	r.read(r.planeGroup(p), f.Value, path)
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

// gasOf takes a gas property that a plane lacks from the input of that name.
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

// placeKeys returns the keys for the source of a value: an expression of some names, or a place in a file.
func (r *reader) placeKeys(o *output, names scope) []document.Key {
	pointer := r.Scalar("a pointer such as /exit/W", func(w document.Word, path string) {
		if o.pointer = w.Text; !strings.HasPrefix(w.Text, "/") {
			r.Fail(w.Pos, path, w.Text, "want a pointer such as /exit/W (RFC 6901)")
		}
	})
	return []document.Key{
		r.Optional("value", "of inputs, settings and values, SI", r.expression(&o.is, names)),
		r.Optional("file", "of names in the run folder, as of an output",
			r.inFolder(&o.file, patternFault).Called("pattern")),
		r.Optional("column", "of a table",
			r.Text(&o.column, "the name or the number of a column").Called("name or number")),
		r.Optional("regexp", "with a group", r.pattern(&o.regexp, onePlace)),
		r.Optional("json", "to a number or a list in a JSON document", pointer.Called("pointer")),
	}
}

// sourceGroup describes the source of a plane's values of a dimension.
func (r *reader) sourceGroup(o *output, dim unit.Dimension) Group {
	u := r.unit(&o.unit).Then(func(n ast.Node, path string) {
		if o.unit != (unit.Unit{}) && o.unit.Dimension() != dim {
			r.Fail(document.Position(n), path, o.unit.Name(), "want a unit of %s", dim)
		}
	})
	return Group{"a source", "{file: exit.csv, column: p, unit: Pa}",
		append([]document.Key{r.Optional("unit", "in which the file has it", u)}, r.placeKeys(o, r.names)...)}
}

// cellValues reads the source of a plane's values.
func (r *reader) cellValues(o *output, dim unit.Dimension) document.Value {
	schema := func() *jsonschema.Schema { return r.sourceGroup(o, dim).schema() }
	return document.Value{Form: "source", Schema: schema, Read: func(n ast.Node, path string) {
		o.Quantity = plugin.Quantity{Name: path, Shape: plugin.Profile}
		before := len(r.Problems)
		g := r.read(r.sourceGroup(o, dim), n, path)
		sources := g.Given("value", "column", "regexp", "json")
		if len(r.Problems) > before {
			return
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
	}}
}

// planeName reads the name of a plane.
func (r *reader) planeName(dst **plane) document.Value {
	v := r.Scalar("the name of a plane", func(w document.Word, path string) {
		var names []string
		for _, p := range r.d.planes {
			if names = append(names, p.name); p.name == w.Text {
				*dst = p
				return
			}
		}
		r.Fail(w.Pos, path, w.Text, "no plane%s", r.Hint(w.Text, names))
	})
	return v.Called("name")
}

// dimensionOf lists the dimensions of a plane's quantities.
var dimensionOf = map[string]unit.Dimension{
	planeW: unit.MassFlow, planePs: unit.Pressure, planeTs: unit.Temperature, planePt: unit.Pressure,
	planeTt:    unit.Temperature,
	planeAxial: unit.Velocity, planeTangential: unit.Velocity, planeAlpha: unit.Angle,
}

// ofPlane checks an output of a plane, and gives it its unit.
func (r *reader) ofPlane(o *output, pos document.Pos, path string) {
	dim, known := dimensionOf[o.quantity]
	switch {
	case !known:
		r.Fail(pos, path, "", "no key quantity, which an output of a plane needs")
		return
	case o.unit != plain && o.unit.Dimension() != dim:
		r.Fail(pos, path, o.unit.Name(), "%s of a plane is %s, in %s", o.quantity, dim, dim.Bare())
	case o.frame == frameRelative && o.plane.frame != frameRelative:
		r.Fail(pos, path, "", "the plane %s is in the absolute frame; the speed of a relative frame is unknown",
			o.plane.name)
	case o.average != "" && (o.Shape == plugin.Profile || o.quantity == planeW):
		r.Fail(pos, path, "", "the flow and a profile are no averages")
	}
	if v, err := unit.New(dim.Bare(), dim); err == nil {
		o.unit = v
	}
}

// plain is the unit of a number without a unit.
var plain, _ = unit.New("", unit.None)
