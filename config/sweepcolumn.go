package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// Results of a sweep: the collected quantities, and their plots.

// collect is the list of quantities to keep.
func (r *reader) collect(s *Sweep) document.Value {
	keep := func(w document.Word, path string) {
		if s.shows(w.Text) && !r.twofold(w.Text, s) {
			r.Fail(w.Pos, path, w.Text, "a column already")
		} else if dim, ok := r.observable(w, path); ok {
			s.Collect = append(s.Collect, Quantity{w.Text, dim})
		}
	}
	item := r.path("the path of an output such as performance.Fn", keep).Says("Output, such as performance.TSFC.")
	return r.Each("outputs such as [performance.Fn, performance.TSFC]", item)
}

// shows reports whether a path is a column already.
func (s *Sweep) shows(path string) bool {
	return slices.ContainsFunc(s.Columns(), func(q Quantity) bool { return q.Path == path })
}

// twofold reports whether a path that is an axis may also be collected. The axis is then a value of the design, and the
// output a value of the point: for example, a pressure ratio is a parameter of the design and an output of every point.
func (r *reader) twofold(path string, s *Sweep) bool {
	i := s.Axis(path)
	if i < 0 || slices.ContainsFunc(s.Collect, func(q Quantity) bool { return q.Path == path }) {
		return false
	}
	first, rest, _ := strings.Cut(path, ".")
	entry := r.names[first].entry
	output := entry != nil && entry.Output(rest) != nil
	return s.Over[i].Kind == OverDesign || s.Over[i].Kind == OverParameter && output
}

// plots is one plot, or a list of plots.
func (r *reader) plots(s *Sweep) document.Value {
	const doc = "A plot with a curve for each value of one path of over; without x a carpet over the two paths of over."
	schema := func() *jsonschema.Schema {
		plot := document.Object(doc, r.plotKeys(new(Plot), s))
		many := document.ListOf(plot)
		many.Description = "Plots."
		return document.Either(plot, many)
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			s.Plots = append(s.Plots, r.plot(n, path, s))
			return
		}
		for i, it := range list.Values {
			s.Plots = append(s.Plots, r.plot(it, document.Item(path, i), s))
		}
	}}
}

func (r *reader) plotKeys(p *Plot, s *Sweep) []document.Key {
	var columns, axes []string
	for _, q := range s.Columns() {
		columns = append(columns, q.Path)
	}
	for _, a := range s.Over {
		axes = append(axes, a.Path)
	}
	among := func(dst *string, all []string, what string) document.Value {
		return r.path("the path of a column of this sweep", func(w document.Word, path string) {
			if *dst = w.Text; !slices.Contains(all, w.Text) {
				r.Fail(w.Pos, path, w.Text, "%s of this sweep%s", what, r.Hint(w.Text, all))
			}
		})
	}
	return []document.Key{
		r.Optional("x", "Abscissa, a path of over or collect.", among(&p.X, columns, "not in over or collect")),
		r.Required("y", "Ordinate, a path of over or collect.", among(&p.Y, columns, "not in over or collect")),
		r.Optional("lines", "Path of over with a curve for each of its values.", among(&p.Lines, axes, "not in over")),
	}
}

func (r *reader) plot(n ast.Node, path string, s *Sweep) Plot {
	p := Plot{Pos: document.Position(n)}
	before := len(r.Problems)
	r.Group(n, path, "a plot such as {x: performance.Fn, y: performance.TSFC, lines: ambient.mach}", r.plotKeys(&p, s))
	if len(r.Problems) > before {
		return p
	}
	switch {
	case p.X == "" && len(s.Over) != 2:
		r.Fail(p.Pos, path, "",
			"no key x; without it the plot is a carpet, which needs two paths in over, and there are %d", len(s.Over))
	case p.X == "" && s.Axis(p.Y) >= 0:
		r.Fail(p.Pos, path, p.Y, "a carpet shows a collected quantity over the paths of over; name one as y")
	case p.X == "" && p.Lines != "":
		r.Fail(p.Pos, path, p.Lines, "a carpet has lines of both paths of over; leave lines out")
	case p.X == p.Y:
		r.Fail(p.Pos, path, p.Y, "x and y are the same")
	case p.Lines != "" && len(s.Over) == 1:
		r.Fail(p.Pos, path, p.Lines, "the only path of over, so each of its lines would be a point; leave lines out")
	case s.Axis(p.X) >= 0 && s.Axis(p.Y) >= 0:
		r.Fail(p.Pos, path, p.Y, "x and y are both paths of over; name a collected quantity as one of them")
	case p.Lines != "" && (p.Lines == p.X || p.Lines == p.Y):
		r.Fail(p.Pos, path, p.Lines, "the lines are an axis of the plot; name another path of over")
	}
	return p
}
