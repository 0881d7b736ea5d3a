package config

import (
	"cmp"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Dimensions of controls' signals. The file does not state them. A measured output and a moved parameter have a
// dimension; a selection or an actuator passes on the dimension of its input. The dimensions spread in this way until
// all are known. Then numbers can be read, and signals of different dimensions are reported.

const pointsForm = "points such as [[8000 rpm, 0.5 kg/s], [12000 rpm, 1.2 kg/s]]"

// dimensions spreads the known dimensions over the signals.
func (r *reader) dimensions(list []*draftControl) {
	byName := map[string]*draftControl{}
	for _, d := range list {
		byName[d.Name] = d
		r.stated(d)
	}
	for changed := true; changed; {
		changed = false
		learn := func(to *unit.Dimension, known *bool, dim unit.Dimension) {
			if !*known {
				*to, *known, changed = dim, true, true
			}
		}
		for _, d := range list {
			for i := range d.inputs {
				in := &d.inputs[i]
				if of := byName[in.Control]; of != nil {
					if of.known {
						learn(&in.Dim, &in.known, of.Dim)
					}
					if in.known {
						learn(&of.Dim, &of.known, in.Dim)
					}
				}
				if d.typ.Same && in.known {
					learn(&d.Dim, &d.known, in.Dim)
				}
				if d.typ.Same && d.known {
					learn(&in.Dim, &in.known, d.Dim)
				}
				for k := range d.inputs {
					if d.typ.Alike && d.inputs[k].known {
						learn(&in.Dim, &in.known, d.inputs[k].Dim)
					}
				}
			}
		}
		if !changed {
			changed = r.spelled(list)
		}
	}
	for _, d := range list {
		r.agree(d, byName)
	}
}

// stated takes the dimension that the key `unit` gives.
func (r *reader) stated(d *draftControl) {
	if d.unit.Text == "" {
		return
	}
	dim, ok := measure("1 " + d.unit.Text)
	switch {
	case !ok:
		r.lost = true
		r.Fail(d.unit.Pos, d.path+".unit", d.unit.Text, "not a unit such as kg/s, rpm or K")
	case d.known && dim != d.Dim:
		r.Fail(d.unit.Pos, d.path+".unit", d.unit.Text, "%s, where %s is moved, %s", dim.Phrase(), d.Moves.Path,
			d.Dim.Phrase())
	default:
		d.Dim, d.known = dim, true
	}
}

// measure is the dimension of a quantity by its unit.
func measure(text string) (unit.Dimension, bool) {
	for _, dim := range unit.Dimensions() {
		if _, err := unit.Parse(text, dim); err == nil {
			return dim, true
		}
	}
	return unit.None, false
}

// spelled takes a dimension, if all other rules fail, from the unit of a value. An unknown unit is ignored here: it is
// reported where the value is read.
func (r *reader) spelled(list []*draftControl) bool {
	for _, d := range list {
		for i := range d.inputs {
			in := &d.inputs[i]
			if in.Param == "" || in.known {
				continue
			}
			if dim, ok := measure(d.numbers[in.Param].Text); ok {
				in.Dim, in.known = dim, true
				return true
			}
		}
		if dim, ok := measure(d.example()); ok && !d.known {
			d.Dim, d.known = dim, true
			return true
		}
	}
	return false
}

// example returns a value of a control's signal as written; empty: the control has no value.
func (d *draftControl) example() string {
	if w, ok := d.numbers["value"]; ok {
		return w.Text
	}
	if d.rows == nil {
		return ""
	}
	if row, ok := d.rows.Values[0].(*ast.SequenceNode); ok && len(row.Values) > 1 {
		return row.Values[1].GetToken().Value
	}
	return ""
}

// agree reports signals of different dimensions that should have the same dimension.
func (r *reader) agree(d *draftControl, byName map[string]*draftControl) {
	for i := range d.inputs {
		in := &d.inputs[i]
		if of := byName[in.Control]; of != nil {
			in.Dim = of.Dim
		}
		if r.lost && (!in.known || d.typ.Same && !d.known || d.typ.Alike && !d.inputs[0].known) {
			continue
		}
		want := in.Dim
		with := "its signal"
		switch {
		case d.typ.Same:
			want = d.Dim
			if d.Moves.Path != "" {
				with = d.Moves.Path
			}
		case d.typ.Alike:
			want, with = d.inputs[0].Dim, d.inputs[0].text.Text
		}
		if in.Dim != want && in.Param == "" {
			r.Fail(in.text.Pos, in.path, in.text.Text, "%s, where %s is %s", in.Dim.Phrase(), with, want.Phrase())
			continue
		}
		in.Dim = want
	}
}

// finish reads the numbers of an entry and makes its own type.
func (r *reader) finish(d *draftControl) {
	t := d.Type
	for i := range d.inputs {
		in := &d.inputs[i]
		d.In = append(d.In, in.Signal)
		if in.Param != "" {
			t.Params = append(t.Params, Param{Name: in.Param, Kind: Number, Dim: in.Dim, Doc: "input " + in.key})
		}
	}
	of := unit.None
	if len(d.inputs) > 0 {
		of = d.inputs[0].Dim
	}
	for _, p := range d.typ.Params {
		switch p.Dim {
		case LikeInput:
			p.Dim = difference(of)
		case LikeOutput:
			p.Dim = d.Dim
		case LikeChange:
			p.Dim = difference(d.Dim)
		}
		t.Params = append(t.Params, p)
	}
	t.Outputs = []Output{{Name: "out", Dim: d.Dim, Doc: "signal"}}
	for i := range t.Params {
		p := &t.Params[i]
		w, ok := d.numbers[p.Name]
		if !ok {
			continue
		}
		d.Values[p.Name] = Value{Pos: w.Pos} // given, though perhaps badly
		if r.lost && d.unknown(p.Name) {
			continue // consequence of a reported error
		}
		if v, ok := r.value(w, document.Join(d.path, p.Name), p); ok {
			d.Values[p.Name] = v
		}
	}
	if d.typ.Table && d.rows != nil {
		r.tablePoints(d)
	}
	if d.typ.Check == nil {
		return
	}
	for _, f := range d.typ.Check(d.Values) {
		pos, path := d.Pos, d.path
		if f.Param != "" {
			pos, path = d.Values[f.Param].Pos, document.Join(d.path, f.Param)
		}
		r.Fail(pos, path, "", "%s", f.Message)
	}
}

// unknown reports whether the dimension of a number follows from a signal whose own is
// not known.
func (d *draftControl) unknown(param string) bool {
	for i := range d.inputs {
		if d.inputs[i].Param == param {
			return !d.inputs[i].known
		}
	}
	for _, p := range d.typ.Params {
		switch {
		case p.Name != param:
		case p.Dim == LikeInput:
			return len(d.inputs) == 0 || !d.inputs[0].known
		case p.Dim == LikeOutput || p.Dim == LikeChange:
			return !d.known
		}
	}
	return false
}

// difference is the dimension of a difference of two values.
func difference(dim unit.Dimension) unit.Dimension {
	if dim == unit.Temperature {
		return unit.TemperatureDiff
	}
	return dim
}

// tablePoints reads a table's rows: x and a value, or x and a value for each of `at`.
func (r *reader) tablePoints(d *draftControl) {
	p := &Points{}
	var x, at unit.Dimension
	for _, in := range d.inputs {
		if in.key == "by" {
			at = in.Dim
		} else {
			x = in.Dim
		}
	}
	by := slices.ContainsFunc(d.inputs, func(in draftSignal) bool { return in.key == "by" })
	switch {
	case by && d.at == nil:
		r.Fail(d.Pos, d.path, "", "no key at: the values of `by` that the columns of points are for")
		return
	case !by && d.at != nil:
		r.Fail(document.Position(d.at), d.path+".at", "", "belongs to a second signal; add the key by")
		return
	case by:
		var ok bool
		if p.At, ok = r.rising(d.at.Values, d.path+".at", at); !ok {
			return
		}
	}
	columns := max(1, len(p.At))
	rows := slices.Clone(d.rows.Values)
	for i, it := range rows {
		path := document.Item(d.path+".points", i)
		row, ok := it.(*ast.SequenceNode)
		if !ok || len(row.Values) != columns+1 {
			r.Fail(document.Position(it), path, "",
				"want %d numbers: the signal's value and the table's results there", columns+1)
			return
		}
		v, ok := r.quantities(row.Values[:1], path, x)
		if !ok {
			return
		}
		if i > 0 && !(v[0] > p.X[i-1]) {
			r.Fail(document.Position(it), path, "", "does not rise from %.6g", p.X[i-1])
			return
		}
		y, ok := r.quantities(row.Values[1:], path, d.Dim)
		if !ok {
			return
		}
		p.X, p.Values = append(p.X, v[0]), append(p.Values, y)
	}
	d.Points = p
}

// rising reads rising numbers.
func (r *reader) rising(nodes []ast.Node, path string, dim unit.Dimension) ([]float64, bool) {
	list, ok := r.quantities(nodes, path, dim)
	if ok && !slices.IsSortedFunc(list, cmpRising) {
		r.Fail(document.Position(nodes[0]), path, "", "the values must rise")
		return nil, false
	}
	return list, ok
}

// cmpRising takes equal numbers as out of order.
func cmpRising(a, b float64) int {
	if a == b {
		return -1
	}
	return cmp.Compare(a, b)
}

func (r *reader) quantities(nodes []ast.Node, path string, dim unit.Dimension) ([]float64, bool) {
	var list []float64
	for i, n := range nodes {
		w, ok := r.Word(n, document.Item(path, i), dim.Phrase())
		if !ok {
			return nil, false
		}
		x, ok := r.Quantity(w, document.Item(path, i), document.Span{Dim: dim})
		if !ok {
			return nil, false
		}
		list = append(list, x)
	}
	return list, true
}
