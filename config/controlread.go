package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// This file reads the `controls` section. What the signals measure is found in
// controldimension.go; formulas are read in formula.go.

const controlForm = "a control such as {type: pi, of: shafts.hp.N, demand: 12000 rpm, gain: 1e-3, integral: 1e-3, moves: burner.Wf}"

// draftControl is a control before dimensions are known.
type draftControl struct {
	Control
	typ     *ControlType
	path    string
	numbers map[string]word // by parameter
	inputs  []draftSignal
	unit    word
	rows    *ast.SequenceNode
	at      *ast.SequenceNode
	known   bool // the dimension of the output
}

// draftSignal is an input with its key and place.
type draftSignal struct {
	Signal
	key   string
	text  word
	path  string
	known bool
}

// controls reads the `controls` section.
func (r *reader) controls(n ast.Node, path string) {
	var list []*draftControl
	var places []field
	for _, f := range r.fields(n, path, "a group of controls by name") {
		at := join(path, f.key)
		fields := r.fields(f.value, at, controlForm)
		if fields == nil {
			r.declare(f, "control", at, nil, nil)
			continue
		}
		t := r.controlType(f, fields, at)
		d := &draftControl{typ: t, path: at, numbers: map[string]word{}}
		d.Name, d.Pos, d.Values = f.key, f.pos, Values{}
		if t != nil {
			d.Kind, d.Type = t.Name, &Type{Name: t.Name, Doc: t.Doc}
		}
		if r.declare(f, "control", at, d.Type, d.Values) && t != nil {
			list = append(list, d)
			places = append(places, f)
		}
	}
	for i, d := range list {
		r.control(d, places[i].value)
	}
	r.dimensions(list)
	for _, d := range list {
		r.finish(d)
		r.engine.Controls = append(r.engine.Controls, d.Control)
	}
	r.movedOnce()
}

func (r *reader) controlType(f field, fields []field, path string) *ControlType {
	var names []string
	for _, t := range r.cat.Controls {
		names = append(names, t.Name)
	}
	for _, sub := range fields {
		if sub.key != "type" {
			continue
		}
		w, ok := r.word(sub.value, join(path, "type"), "a type of control")
		if !ok {
			return nil
		}
		if i := slices.Index(names, w.text); i >= 0 {
			return r.cat.Controls[i]
		}
		r.fail(w.pos, join(path, "type"), w.text, "unknown type of control%s", spell.Hint(w.text, names))
		return nil
	}
	r.fail(f.pos, path, "", "no key type, which every control must have%s", spell.Hint("", names))
	return nil
}

// control reads one entry; numbers wait for their dimensions.
func (r *reader) control(d *draftControl, n ast.Node) {
	t := d.typ
	keys := []key{
		{"type", true, func(ast.Node, string) {}},
		{"period", false, func(n ast.Node, path string) {
			r.number(&d.Period, unit.Time, 1e-6, 1e6)(n, path)
		}},
		{"moves", false, func(n ast.Node, path string) { r.moves(d, n, path) }},
	}
	if t.Unit {
		keys = append(keys, key{"unit", false, func(n ast.Node, path string) {
			if w, ok := r.word(n, path, "a unit such as kg/s"); ok {
				d.unit = w
			}
		}})
	}
	for _, in := range t.Inputs {
		keys = append(keys, key{in.Name, in.Required, func(n ast.Node, path string) { r.signals(d, in, n, path) }})
	}
	for i := range t.Params {
		p := &t.Params[i]
		keys = append(keys, key{p.Name, false, func(n ast.Node, path string) {
			w, ok := r.word(n, path, want(p))
			switch {
			case !ok:
			case p.Kind == Number:
				d.numbers[p.Name] = w
			default:
				if v, ok := r.value(w, path, p); ok {
					d.Values[p.Name] = v
				}
			}
		}})
	}
	if t.Table {
		keys = append(keys,
			key{"points", true, func(n ast.Node, path string) { d.rows = r.sequence(n, path, pointsForm) }},
			key{"at", false, func(n ast.Node, path string) { d.at = r.sequence(n, path, "values of `by`, rising") }})
	}
	if t.Formula {
		keys = append(keys, key{"is", true, func(n ast.Node, path string) { r.expression(d, n, path) }})
	}
	r.group(n, d.path, controlForm, keys)
	// The file may have demand before of.
	place := func(s draftSignal) int {
		return slices.IndexFunc(t.Inputs, func(in ControlInput) bool { return in.Name == s.key })
	}
	slices.SortStableFunc(d.inputs, func(a, b draftSignal) int { return place(a) - place(b) })
}

// want is what a parameter takes, for a message.
func want(p *Param) string {
	if Follows(p.Dim) {
		return "a number with the unit of its signal"
	}
	return p.Want()
}

func (r *reader) sequence(n ast.Node, path, form string) *ast.SequenceNode {
	if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) > 0 {
		return s
	}
	r.fail(position(n), path, "", "want a list: %s", form)
	return nil
}

// moves reads what a control moves.
func (r *reader) moves(d *draftControl, n ast.Node, path string) {
	w, ok := r.word(n, path, "a parameter such as nozzle.area, or burner.Wf")
	if !ok {
		return
	}
	w = r.canonical(w)
	if of, _, _ := strings.Cut(w.text, "."); r.names[of].what == "control" {
		r.fail(w.pos, path, w.text, "a control; controls move the engine, and follow each other by of and demand")
		return
	}
	p, vary, ok := r.scheduled(w, path)
	if !ok {
		return
	}
	d.Moves = Move{w.text, vary, w.pos}
	d.Dim, d.known = p.Dim, true
}

// constant reports a control's time constant where a case would set it: what a control
// remembers depends on it.
func (r *reader) constant(n name, p *Param, w word, path string) bool {
	if n.what != "control" || p.Dim != unit.Time {
		return false
	}
	r.fail(w.pos, path, w.text, "a time constant, which no case changes; give it in controls, or by --set")
	return true
}

// movedOnce reports parameters that two controls move.
func (r *reader) movedOnce() {
	list := r.engine.Controls
	for i := range list {
		for k := range i {
			a, b := &list[k].Moves, &list[i].Moves
			if a.Path != "" && b.Path != "" && a.same(b.Path, b.Vary) {
				r.fail(b.Pos, "controls."+list[i].Name+".moves", b.Path, "%s moves %s already, at line %d; let one select between them", list[k].Name, a.Path, a.Pos.Line)
			}
		}
	}
	if len(list) > 0 && !slices.ContainsFunc(list, func(c Control) bool { return c.Moves.Path != "" }) {
		r.fail(list[0].Pos, "controls", "", "no control moves anything; give one a target such as moves: burner.Wf")
	}
}

// same reports whether a schedule or balance of path, which varies vary, sets what m moves.
func (m *Move) same(path, vary string) bool {
	return m.Path == path || m.Vary != "" && (m.Vary == path || m.Vary == vary) || vary != "" && m.Path == vary
}

// signals reads a key that takes one signal or some.
func (r *reader) signals(d *draftControl, in ControlInput, n ast.Node, path string) {
	const form = "a control, an output such as hpc.out.Pt, or a value"
	if !in.Many {
		if w, ok := r.word(n, path, form); ok {
			r.signal(d, in.Name, in.Name, w, path)
		}
		return
	}
	items := r.items(n, path, form)
	if len(items) == 1 {
		r.fail(position(n), path, "", "one signal leaves nothing to select; want two or more")
	}
	for i, it := range items {
		if w, ok := r.word(it, item(path, i), form); ok {
			r.signal(d, in.Name, in.Name+string(rune('1'+i)), w, item(path, i))
		}
	}
}

// signal finds out what an input is.
func (r *reader) signal(d *draftControl, key, param string, w word, path string) {
	s := draftSignal{key: key, text: w, path: path}
	w = r.canonical(w)
	first, rest, dotted := strings.Cut(w.text, ".")
	n, known := r.names[first]
	switch {
	case w.text[0] >= '0' && w.text[0] <= '9' || w.text[0] == '.' || w.text[0] == '-' || w.text[0] == '+':
		s.Param = param
		d.numbers[param] = w
	case known && n.what == "control" && (!dotted || rest == "out"):
		s.Control = first
	case known && n.what == "control":
		r.fail(w.pos, path, w.text, "a control has one signal, %s", first)
		return
	case dotted || first == "performance":
		dim, ok := r.observable(w, path)
		if !ok {
			return
		}
		s.Path, s.Dim, s.known = w.text, dim, true
	default:
		r.fail(w.pos, path, w.text, "unknown signal; want a control, an output such as hpc.out.Pt, or a value%s", spell.Hint(first, r.listNames("control")))
		return
	}
	d.inputs = append(d.inputs, s)
}
