package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
)

// Reading of the `controls` section. The dimensions of the signals are found in controldimension.go; formulas are read
// in formula.go.

const controlForm = "a control such as {type: pi, of: shafts.hp.N, demand: 12000 rpm, gain: 1e-3, integral: 1e-3, " +
	"moves: burner.Wf}"

// draftControl is a control before dimensions are known.
type draftControl struct {
	Control
	typ     *ControlType
	path    string
	numbers map[string]document.Word // by parameter
	inputs  []draftSignal
	unit    document.Word
	rows    *ast.SequenceNode
	at      *ast.SequenceNode
	known   bool // the dimension of the output
}

// draftSignal is an input with its key and place.
type draftSignal struct {
	Signal
	key   string
	text  document.Word
	path  string
	known bool
}

// controls is the `controls` section.
func (r *reader) controls() document.Value {
	schema := func() *jsonschema.Schema {
		names := convert.All(r.cat.Controls, func(t *ControlType) string { return t.Name })
		return document.NamedSchema(nameShape(), byType("What the control does.", "control.", names))
	}
	return document.Value{Schema: schema, Read: r.readControls}
}

func (r *reader) readControls(n ast.Node, path string) {
	var list []*draftControl
	var places []document.Field
	for _, f := range r.Fields(n, path, "a group of controls by name") {
		at := document.Join(path, f.Key)
		fields := r.Fields(f.Value, at, controlForm)
		if fields == nil {
			r.declare(f, "control", at, nil, nil)
			continue
		}
		t := r.controlType(f, fields, at)
		d := &draftControl{typ: t, path: at, numbers: map[string]document.Word{}}
		d.Name, d.Pos, d.Values = f.Key, f.Pos, Values{}
		if t != nil {
			d.Kind, d.Type = t.Name, &Type{Name: t.Name, Doc: t.Doc}
		}
		if r.declare(f, "control", at, d.Type, d.Values) && t != nil {
			list = append(list, d)
			places = append(places, f)
		}
	}
	for i, d := range list {
		r.control(d, places[i].Value)
	}
	r.dimensions(list)
	for _, d := range list {
		r.finish(d)
		r.engine.Controls = append(r.engine.Controls, d.Control)
	}
	r.movedOnce()
}

func (r *reader) controlType(f document.Field, fields []document.Field, path string) *ControlType {
	names := convert.All(r.cat.Controls, func(t *ControlType) string { return t.Name })
	for _, sub := range fields {
		if sub.Key != "type" {
			continue
		}
		w, ok := r.Word(sub.Value, document.Join(path, "type"), "a type of control")
		if !ok {
			return nil
		}
		if i := slices.Index(names, w.Text); i >= 0 {
			return r.cat.Controls[i]
		}
		r.Fail(w.Pos, document.Join(path, "type"), w.Text, "unknown type of control%s", r.Hint(w.Text, names))
		return nil
	}
	r.Fail(f.Pos, path, "", "no key type, which every control must have%s", r.Hint("", names))
	return nil
}

// controlKeys are the keys of a control; numbers wait for their dimensions.
func (r *reader) controlKeys(d *draftControl) []document.Key {
	t := d.typ
	moves := document.Value{Schema: r.path("", nil).Schema, Read: func(n ast.Node, path string) { r.moves(d, n, path) }}
	keys := []document.Key{
		typeKey(&t.Type),
		r.Optional("period", "Period of sampling; without, it acts continuously",
			r.Measure(&d.Period, unit.Time, 1e-6, 1e6)),
		r.Optional("moves", "The parameter that its signal moves, such as nozzle.area, or burner.Wf.", moves),
	}
	if t.Unit {
		keys = append(keys, r.Optional("unit", "Unit of its signal, if it does not follow from its connections.",
			r.Scalar("a unit such as kg/s", func(w document.Word, _ string) { d.unit = w })))
	}
	for _, in := range t.Inputs {
		keys = append(keys, document.Key{Name: in.Name, Required: in.Required, Doc: in.Doc, Value: r.signals(d, in)})
	}
	if t.Table {
		keys = append(keys, r.Required("points", "Points, rising.", r.sequence(&d.rows, pointsForm, pointSchema)),
			r.Optional("at", "Values of by, rising.", r.sequence(&d.at, "values of `by`, rising",
				func() *jsonschema.Schema {
					return document.ListOf(anyQuantity("A value."))
				})))
	}
	if t.Formula {
		is := r.Text(nil, "")
		is.Read = func(n ast.Node, path string) { r.controlFormula(d, n, path) }
		keys = append(keys, r.Required("is", "The expression, such as ratio * hpc.out.Pt, in SI and rpm.", is))
	}
	for i := range t.Params {
		keys = append(keys, document.Key{Name: t.Params[i].Name, Value: r.controlParam(d, &t.Params[i])})
	}
	return keys
}

// controlParam is a parameter of a control.
func (r *reader) controlParam(d *draftControl, p *Param) document.Value {
	v := r.Scalar(want(p), func(w document.Word, path string) {
		if p.Kind == Number {
			d.numbers[p.Name] = w
		} else if v, ok := r.value(w, path, p); ok {
			d.Values[p.Name] = v
		}
	})
	v.Schema = p.schema
	if Follows(p.Dim) {
		v.Schema = func() *jsonschema.Schema { return anyQuantity(p.Doc + "; " + string(p.Dim)) }
	}
	return v
}

func pointSchema() *jsonschema.Schema {
	row := document.ListOf(anyQuantity("A number."))
	row.Description = "The signal's value and the table's results there, one for each of at."
	points := document.ListOf(row)
	points.MinItems = new(1)
	return points
}

// control reads an entry.
func (r *reader) control(d *draftControl, n ast.Node) {
	t := d.typ
	r.Group(n, d.path, controlForm, r.controlKeys(d))
	// The file may have demand before of.
	place := func(s draftSignal) int {
		return slices.IndexFunc(t.Inputs, func(in ControlInput) bool { return in.Name == s.key })
	}
	slices.SortStableFunc(d.inputs, func(a, b draftSignal) int { return place(a) - place(b) })
}

// want describes the values of a parameter, for a message.
func want(p *Param) string {
	if Follows(p.Dim) {
		return "a number with the unit of its signal"
	}
	return p.Want()
}

// sequence is a list that is read when its dimensions are known.
func (r *reader) sequence(dst **ast.SequenceNode, form string, schema func() *jsonschema.Schema) document.Value {
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) > 0 {
			*dst = s
			return
		}
		r.Fail(document.Position(n), path, "", "want a list: %s", form)
	}}
}

// moves reads the `moves` of a control.
func (r *reader) moves(d *draftControl, n ast.Node, path string) {
	w, ok := r.Word(n, path, "a parameter such as nozzle.area, or burner.Wf")
	if !ok {
		r.lost = true
		return
	}
	w = r.canonical(w)
	if of, _, _ := strings.Cut(w.Text, "."); r.names[of].what == "control" {
		r.lost = true
		r.Fail(w.Pos, path, w.Text, "a control; controls move the engine, and follow each other by of and demand")
		return
	}
	p, vary, ok := r.scheduled(w, path)
	if !ok {
		r.lost = true
		return
	}
	d.Moves = Move{w.Text, vary, w.Pos}
	d.Dim, d.known = p.Dim, true
}

// constant reports a case that sets a control's time constant: the state of a control depends on it.
func (r *reader) constant(n name, p *Param, w document.Word, path string) bool {
	if n.what != "control" || p.Dim != unit.Time {
		return false
	}
	r.Fail(w.Pos, path, w.Text, "a time constant, which no case changes; give it in controls, or by --set")
	return true
}

// movedOnce reports parameters that two controls move.
func (r *reader) movedOnce() {
	list := r.engine.Controls
	for i := range list {
		for k := range i {
			a, b := &list[k].Moves, &list[i].Moves
			if a.Path != "" && b.Path != "" && a.same(b.Path, b.Vary) {
				r.Fail(b.Pos, "controls."+list[i].Name+".moves", b.Path,
					"%s moves %s already, at line %d; let one select between them", list[k].Name, a.Path, a.Pos.Line)
			}
		}
	}
	if len(list) > 0 && !r.lost && !slices.ContainsFunc(list, func(c Control) bool { return c.Moves.Path != "" }) {
		r.Fail(list[0].Pos, "controls", "", "no control moves anything; give one a target such as moves: burner.Wf")
	}
}

// same reports whether a schedule or balance of path, which varies vary, sets the same value as m.
func (m *Move) same(path, vary string) bool {
	return m.Path == path || m.Vary != "" && (m.Vary == path || m.Vary == vary) || vary != "" && m.Path == vary
}

// signals is one signal, or several.
func (r *reader) signals(d *draftControl, in ControlInput) document.Value {
	const form = "a control, an output such as hpc.out.Pt, or a value"
	schema := func() *jsonschema.Schema {
		s := &jsonschema.Schema{Types: []string{"string", "number"},
			Description: "a control, an output such as hpc.out.Pt, or a value"}
		if in.Many {
			s.Description = in.Doc + "; " + s.Description
			s = document.ListOf(s)
			s.MinItems = new(2)
		}
		return s
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		if !in.Many {
			if w, ok := r.Word(n, path, form); ok {
				r.signal(d, in.Name, in.Name, w, path)
			}
			return
		}
		items := r.Items(n, path, form)
		if len(items) == 1 {
			r.Fail(document.Position(n), path, "", "one signal leaves nothing to select; want two or more")
		}
		for i, it := range items {
			if w, ok := r.Word(it, document.Item(path, i), form); ok {
				r.signal(d, in.Name, in.Name+string(rune('1'+i)), w, document.Item(path, i))
			}
		}
	}}
}

// signal finds the source of an input.
func (r *reader) signal(d *draftControl, key, param string, w document.Word, path string) {
	s := draftSignal{key: key, text: w, path: path}
	w = r.canonical(w)
	first, rest, dotted := strings.Cut(w.Text, ".")
	n, known := r.names[first]
	switch {
	case w.Text[0] >= '0' && w.Text[0] <= '9' || w.Text[0] == '.' || w.Text[0] == '-' || w.Text[0] == '+':
		s.Param = param
		d.numbers[param] = w
	case known && n.what == "control" && (!dotted || rest == "out"):
		s.Control = first
	case known && n.what == "control":
		r.Fail(w.Pos, path, w.Text, "a control has one signal, %s", first)
		return
	case dotted || first == "performance":
		dim, ok := r.observable(w, path)
		if !ok {
			r.lost = true
			return
		}
		s.Path, s.Dim, s.known = w.Text, dim, true
	default:
		r.lost = true
		r.Fail(w.Pos, path, w.Text, "unknown signal; want a control, an output such as hpc.out.Pt, or a value%s",
			r.Hint(first, r.listNames("control")))
		return
	}
	d.inputs = append(d.inputs, s)
}
