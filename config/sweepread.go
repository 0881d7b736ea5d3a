package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// mostPoints bounds a grid: beyond, results fill memory and days.
const mostPoints = 1_000_000

const sweepForm = "a sweep such as {over: {ambient.mach: [0, 0.4, 0.8]}, collect: [performance.Fn]}"

// sweeps is the `sweeps` section.
func (r *reader) sweeps() document.Value {
	schema := func() *jsonschema.Schema {
		sweep := document.Object("A case solved at every point of a grid.", r.sweepKeys(new(Sweep), new(bool)))
		return document.NamedSchema(caseShape(), sweep)
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, "a group of sweeps: name: {over: {...}, collect: [...]}") {
			at := document.Join(path, f.Key)
			if !caseShape().MatchString(f.Key) {
				r.Fail(f.Pos, at, f.Key,
					"a name of a sweep is letters, digits and any of _ . + -, first a letter or digit")
				continue
			}
			r.engine.Sweeps = append(r.engine.Sweeps, r.sweep(f, at))
		}
	}}
}

func (r *reader) sweep(f document.Field, path string) Sweep {
	s := Sweep{Name: f.Key, Pos: f.Pos}
	fromKnown := true
	g := r.Open(f.Value, path, sweepForm, r.sweepKeys(&s, &fromKnown))
	g.Read("from", "solve")
	before := len(r.Problems)
	g.Read("over", "collect")
	if len(r.Problems) == before { // a plot of columns that could not be read cannot be judged
		g.Read("plot")
	}
	return s
}

// sweepKeys are the keys of a sweep; whether its case is known shows after `from` was read.
func (r *reader) sweepKeys(s *Sweep, fromKnown *bool) []document.Key {
	over := document.Value{Schema: overSchema, Read: func(n ast.Node, path string) {
		balances := s.Solve
		if len(balances) == 0 {
			balances = r.engine.solves(s.From)
		}
		r.grid(n, path, s, balances, *fromKnown)
	}}
	return []document.Key{
		r.Optional("from", "Case whose settings and balances the sweep starts from; without, the design.",
			r.Scalar("the name of a case", func(w document.Word, path string) {
				s.From, *fromKnown = r.ancestor(w, path)
			})),
		r.Required("over", "The grid: parameters, or targets of solve or design, with their values. The last changes "+
			"fastest. A parameter or target of the design makes a trade study: the design is solved again at each of "+
			"its values.",
			over),
		r.Optional("solve", "Balances of the sweep; without, those of from.", r.balances(&s.Solve, false)),
		r.Required("collect", "Outputs to keep of each point.", r.collect(s)),
		r.Optional("plot", "", r.plots(s)),
	}
}

// ancestor finds the case that a sweep starts from; the design becomes the empty name.
func (r *reader) ancestor(w document.Word, path string) (string, bool) {
	if w.Text == r.engine.DesignCase {
		return "", true
	}
	if r.engine.Case(w.Text) == nil {
		known := []string{r.engine.DesignCase}
		for i := range r.engine.Cases {
			known = append(known, r.engine.Cases[i].Name)
		}
		r.Fail(w.Pos, path, w.Text, "unknown case%s", r.Hint(w.Text, known))
		return "", false
	}
	if r.moving(w, path) {
		return "", false
	}
	return w.Text, true
}

// solves returns the balances of a case, its own or those of the cases in its `from`. It ends at a loop of cases, which
// is reported elsewhere.
func (e *Engine) solves(name string) []Balance {
	for range len(e.Cases) {
		c := e.Case(name)
		if c == nil {
			return nil
		}
		if c.Solve != nil {
			return c.Solve
		}
		name = c.From
	}
	return nil
}

// grid reads `over`. The meaning of its paths depends on the balances of the sweep; known reports whether these could
// be read.
func (r *reader) grid(n ast.Node, path string, s *Sweep, balances []Balance, known bool) {
	fields := r.Fields(n, path, "paths with values such as {ambient.mach: [0, 0.4, 0.8]}")
	points := 1
	for _, f := range fields {
		w := r.canonical(document.Word{Text: f.Key, Pos: f.Pos})
		at := document.Join(path, f.Key)
		if slices.ContainsFunc(s.Over, func(a Axis) bool { return a.Path == w.Text }) {
			r.Fail(f.Pos, at, f.Key, "the path is already listed under another name")
			continue
		}
		a, p, ok := r.axis(w, path, balances, known)
		if !ok {
			continue
		}
		a.Values = r.axisValues(f.Value, at, p)
		s.Over = append(s.Over, a)
		if points *= max(1, len(a.Values)); points > mostPoints {
			r.Fail(f.Pos, at, "", "the grid has more than %d points", mostPoints)
			return
		}
	}
	if fields != nil && len(fields) == 0 {
		r.Fail(document.Position(n), path, "", "no paths; want at least one such as ambient.mach: [0, 0.4, 0.8]")
	}
}

// axis finds the quantity that a path of `over` changes, and the parameter that defines its valid values. The target of
// a balance of the sweep comes first, since a speed may be both a parameter and a target.
func (r *reader) axis(w document.Word, path string, balances []Balance, known bool) (Axis, *Param, bool) {
	a := Axis{Quantity: Quantity{Path: w.Text}, Pos: w.Pos}
	asks := func(b Balance) bool { return b.Until == w.Text }
	target := func(kind AxisKind) (Axis, *Param, bool) {
		dim, ok := r.observable(w, path)
		a.Dim, a.Kind = dim, kind
		return a, &Param{Kind: Number, Dim: dim}, ok
	}
	if slices.ContainsFunc(balances, asks) {
		return target(OverTarget)
	}
	if p, ok := r.sweptParameter(w, path, balances); p != nil || !ok {
		if !ok {
			return a, nil, false
		}
		a.Dim = p.Dim
		return a, p, true
	}
	if slices.ContainsFunc(r.engine.Design, asks) {
		return target(OverDesign)
	}
	if r.nothing(w.Text) {
		r.parameter(w, path) // reports it, with the known parameters
		return a, nil, false
	}
	if _, ok := r.observable(w, path); ok && known {
		r.Fail(w.Pos, path, w.Text,
			"an output that no balance of this sweep asks for; add one such as {vary: burner.FAR, until: %s = ...} "+
				"to solve", w.Text)
	}
	return a, nil, false
}

// nothing reports whether a path of the form component.name names neither a parameter nor an output nor a port.
func (r *reader) nothing(path string) bool {
	first, rest, _ := strings.Cut(path, ".")
	entry := r.names[first].entry
	return entry != nil && rest != "" && !strings.Contains(rest, ".") &&
		entry.Param(rest) == nil && entry.Output(rest) == nil && entry.Port(rest) == nil
}

// sweptParameter returns the parameter that a path names, or nil for other paths. The last result is false for a
// parameter that cannot be swept, which was reported.
func (r *reader) sweptParameter(w document.Word, path string, balances []Balance) (*Param, bool) {
	first, rest, _ := strings.Cut(w.Text, ".")
	entry := r.names[first].entry
	if entry == nil || entry.Param(rest) == nil {
		return nil, true
	}
	p := entry.Param(rest)
	if p.Kind != Number {
		r.Fail(w.Pos, path, w.Text, "not a number, so it cannot be swept")
		return nil, false
	}
	for _, b := range balances {
		if b.Vary == w.Text {
			r.Fail(w.Pos, path, w.Text,
				"varied by the balance at line %d; sweep over the target %s, or leave the balance out", b.Pos.Line,
				b.Until)
			return nil, false
		}
	}
	return p, true
}

// axisValues reads the values of an axis: a list, or {from, to, points}.
func (r *reader) axisValues(n ast.Node, path string, p *Param) []float64 {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return r.ramp(n, path, p)
	}
	var list []float64
	seen := make(map[float64]document.Pos)
	items := r.Items(n, path, "values such as ["+strings.ReplaceAll(p.Dim.Examples(), " or ", ", ")+
		"], or {from: ..., to: ..., points: 5}")
	for i, it := range items {
		w, ok := r.Word(it, document.Item(path, i), p.Want())
		if !ok {
			continue
		}
		v, ok := r.value(w, document.Item(path, i), p)
		if !ok {
			continue
		}
		if first, twice := seen[v.Num]; twice {
			r.Fail(w.Pos, document.Item(path, i), w.Text, "the value is already at %v", first)
			continue
		}
		seen[v.Num] = w.Pos
		list = append(list, v.Num)
	}
	if _, ok := n.(*ast.SequenceNode); ok && len(items) == 0 {
		r.Fail(document.Position(n), path, "", "no values, want %s", p.Want())
	}
	return list
}

func overSchema() *jsonschema.Schema {
	values := document.ListOf(anyQuantity("A value."))
	values.Description, values.MinItems = "Values.", new(1)
	var r reader
	ramp := document.Object("Evenly spaced values.", r.rampKeys(&Param{Kind: Number}, new([2]float64), new(int)))
	s := byPath(document.Either(values, ramp))
	s.MinProperties = new(1)
	return s
}

func (r *reader) rampKeys(p *Param, ends *[2]float64, points *int) []document.Key {
	end := func(dst *float64) document.Value {
		v := r.Scalar(p.Want(), func(w document.Word, path string) {
			if v, ok := r.value(w, path, p); ok {
				*dst = v.Num
			}
		})
		v.Schema = laterQuantity.Schema
		return v
	}
	return []document.Key{
		r.Required("from", "First value.", end(&ends[0])),
		r.Required("to", "Last value.", end(&ends[1])),
		r.Required("points", "Number of values, both ends counted", r.Count(points, 2, 100_000)),
	}
}

// ramp reads evenly spaced values.
func (r *reader) ramp(n ast.Node, path string, p *Param) []float64 {
	before := len(r.Problems)
	ends, points := [2]float64{}, 0
	r.Group(n, path, "values such as {from: 0, to: 0.8, points: 5}", r.rampKeys(p, &ends, &points))
	if len(r.Problems) > before {
		return nil
	}
	if ends[0] == ends[1] {
		r.Fail(document.Position(n), path, "", "from and to are the same; write a single value as a list")
		return nil
	}
	list := make([]float64, points)
	for i := range list {
		j := float64(points - 1)
		list[i] = (ends[0]*(j-float64(i)) + ends[1]*float64(i)) / j
	}
	return list
}
