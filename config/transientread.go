package config

import (
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Integrators are the methods that a transient can name, those of package
// executive/ode, the default first.
var Integrators = []string{"rosenbrock", "modified-euler", "rk4", "dormand-prince", "adams", "gear"}

// MaxRows is the most rows that the history of a transient has, some 500 MB.
const MaxRows = 1_000_000

// steadies are the ways to the operating point that a transient starts from. Auto
// is Newton's method first, and letting the engine run there where that fails.
var steadies = []string{"auto", "newton", "rk4"}

// flameOuts are what may follow a flame that goes out.
var flameOuts = []string{"end", "continue"}

const scheduleForm = "points such as [[0 s, 0.66 kg/s], [0.1 s, 1.08 kg/s]], or one value"

// transientKeys reads the keys that only a transient has. What was given is noted
// in seen, because the kind may stand after them.
func (r *reader) transientKeys(t *Transient, seen *[]document.Field) []document.Key {
	positive := func(dst *float64, dim unit.Dimension) func(ast.Node, string) {
		return func(n ast.Node, path string) {
			w, ok := r.Word(n, path, (&Param{Kind: Number, Dim: dim}).Want())
			if !ok {
				return
			}
			x, ok := r.Quantity(w, path, document.Span{Dim: dim})
			if ok && !(x > 0) {
				r.Fail(w.Pos, path, w.Text, "must be above 0")
			} else if ok {
				*dst = x
			}
		}
	}
	keys := []document.Key{
		document.Optional("duration", positive(&t.Duration, unit.Time)),
		document.Optional("schedule", func(n ast.Node, path string) { t.Schedules = r.schedules(n, path) }),
		document.Optional("integrator", r.Choice(&t.Integrator, Integrators...)),
		document.Optional("rtol", r.Measure(&t.RTol, document.Span{Dim: unit.None, Least: 1e-13, Most: 0.1})),
		document.Optional("atol", positive(&t.ATol, Speed)),
		document.Optional("steady", r.Choice(&t.Steady, steadies...)),
		document.Optional("every", positive(&t.Every, unit.Time)),
		document.Optional("save", func(n ast.Node, path string) { t.Save = r.saves(n, path) }),
		document.Optional("flame_out", r.Choice(&t.FlameOut, flameOuts...)),
		document.Optional("controls", func(n ast.Node, path string) {
			word := "on"
			r.Choice(&word, "on", "off")(n, path)
			t.Controls = word == "on"
		}),
		document.Optional("plot", func(n ast.Node, path string) { t.Plot = r.panels(n, path) }),
	}
	for i := range keys {
		k := keys[i]
		keys[i].Read = func(n ast.Node, path string) {
			*seen = append(*seen, document.Field{Key: k.Name, Pos: document.Position(n), Value: n})
			k.Read(n, path)
		}
	}
	return keys
}

// transient decides what the keys of a case make it.
func (r *reader) transient(c *Case, t *Transient, seen []document.Field, at string) {
	if c.Kind != "transient" {
		for _, f := range seen {
			r.Fail(f.Pos, document.Join(at, f.Key), f.Key, "belongs to a transient; add kind: transient")
		}
		return
	}
	if !slices.ContainsFunc(seen, func(f document.Field) bool { return f.Key == "duration" }) {
		r.Fail(c.Pos, at, "", "a transient needs a duration such as 10 s")
	}
	// The rounding of a quotient is less than half a row.
	if rows := math.Floor(t.Duration/t.Every+0.5) + 1; t.Every > 0 && rows > MaxRows {
		r.Fail(c.Pos, at+".every", "", "%.4g rows in %g s, one every %g s; a history has %d at most", rows, t.Duration,
			t.Every, MaxRows)
	}
	for _, s := range t.Schedules {
		for _, b := range c.Solve {
			if b.Vary == s.Path || b.Vary == s.Vary {
				r.Fail(s.Pos, at+".schedule", s.Path, "line %d varies %s already", b.Pos.Line, b.Vary)
			}
		}
	}
	for _, l := range c.Limits {
		if l.Vary != "" {
			r.Fail(l.Pos, at+".limits", l.Vary,
				"in a transient limits are watched and nothing gives way to them: a control can")
		}
	}
	if t.Controls {
		r.apart(c, t, at)
	}
	t.Pos = c.Pos
	c.Transient = t
}

// apart reports parameters that both a case and a control set.
func (r *reader) apart(c *Case, t *Transient, at string) {
	for i := range r.engine.Controls {
		k := &r.engine.Controls[i]
		clash := func(pos document.Pos, key, path string) {
			r.Fail(pos, at+key, path,
				"the control %s moves %s; schedule what it follows, or run the case with controls: off", k.Name,
				k.Moves.Path)
		}
		for _, s := range t.Schedules {
			if k.Moves.Path != "" && k.Moves.same(s.Path, s.Vary) {
				clash(s.Pos, ".schedule", s.Path)
			}
		}
		for _, s := range c.Set {
			if k.Moves.Path != "" && k.Moves.same(s.Path, "") {
				clash(s.Pos, ".set", s.Path)
			}
		}
		for _, b := range c.Solve {
			if k.Moves.Path != "" && k.Moves.same(b.Vary, "") {
				clash(b.Pos, ".solve", b.Vary)
			}
		}
	}
}

// schedules reads the `schedule` group.
func (r *reader) schedules(n ast.Node, path string) []Schedule {
	var list []Schedule
	for _, f := range r.Fields(n, path,
		"parameters over time such as {burner.Wf: [[0 s, 0.66 kg/s], [0.1 s, 1.08 kg/s]]}") {
		at := document.Join(path, f.Key)
		target := r.canonical(document.Word{Text: f.Key, Pos: f.Pos})
		p, vary, ok := r.scheduled(target, path)
		if !ok {
			continue
		}
		s := Schedule{Quantity: Quantity{target.Text, r.shown(target, p)}, Vary: vary, Pos: f.Pos}
		if seq, ok := f.Value.(*ast.SequenceNode); ok {
			r.table(&s, seq, at, p)
		} else if w, ok := r.Word(f.Value, at, scheduleForm); ok {
			if v, ok := r.value(w, at, p); ok {
				s.T, s.Values = []float64{0}, []float64{v.Num}
			}
		}
		if i := slices.IndexFunc(list, func(o Schedule) bool {
			return s.Path == o.Path || s.Path == o.Vary ||
				s.Vary == o.Path
		}); i >= 0 {
			r.Fail(f.Pos, path, f.Key, "%s is scheduled already at line %d", list[i].Path, list[i].Pos.Line)
			continue
		}
		list = append(list, s)
	}
	return list
}

// shown is the dimension of what a history shows of a scheduled parameter: that of the
// output of the same name, such as a bleed's flow for its share, if there is one.
func (r *reader) shown(w document.Word, p *Param) unit.Dimension {
	first, rest, _ := strings.Cut(w.Text, ".")
	if o := r.names[first].entry.Output(rest); o != nil {
		return o.Dim
	}
	return p.Dim
}

// scheduled finds what a schedule moves: a number among the parameters, or an
// output that one of the parameters brings about.
func (r *reader) scheduled(w document.Word, path string) (p *Param, vary string, ok bool) {
	n, rest, ok := r.split(w, path)
	if !ok {
		return nil, "", false
	}
	if o := n.entry.Output(rest); o != nil && o.By != "" && n.entry.Param(rest) == nil {
		first, _, _ := strings.Cut(w.Text, ".")
		return &Param{Kind: Number, Dim: o.Dim, Min: o.Min, Max: o.Max}, first + "." + o.By, true
	}
	if n.entry.Param(rest) == nil && n.entry.Output(rest) == nil {
		r.Fail(w.Pos, path, w.Text, "unknown parameter of %s%s", n.entry.Article(), r.Hint(rest, n.entry.movable()))
		return nil, "", false
	}
	if n, p, ok = r.parameter(w, path); !ok {
		return nil, "", false
	}
	if r.constant(n, p, w, path) {
		return nil, "", false
	}
	if p.Kind != Number {
		r.Fail(w.Pos, path, w.Text, "not a number, so it cannot be scheduled")
		return nil, "", false
	}
	return p, "", true
}

// movable names what a schedule or a control may move of an entry.
func (t *Type) movable() []string {
	var names []string
	for i := range t.Params {
		if t.Params[i].Kind == Number {
			names = append(names, t.Params[i].Name)
		}
	}
	for i := range t.Outputs {
		if t.Outputs[i].By != "" {
			names = append(names, t.Outputs[i].Name)
		}
	}
	return names
}

// table reads pairs of time and value.
func (r *reader) table(s *Schedule, list *ast.SequenceNode, path string, p *Param) {
	if len(list.Values) == 0 {
		r.Fail(document.Position(list), path, "", "an empty list, want %s", scheduleForm)
	}
	for i, it := range list.Values {
		at := document.Item(path, i)
		pair, ok := it.(*ast.SequenceNode)
		if !ok || len(pair.Values) != 2 {
			r.Fail(document.Position(it), at, "", "want a time and a value such as [0 s, 0.66 kg/s]")
			return
		}
		when, ok := r.Word(pair.Values[0], at, "a time such as 0.1 s")
		if !ok {
			return
		}
		t, ok := r.Quantity(when, at, document.Span{Dim: unit.Time})
		if !ok {
			return
		}
		switch k := len(s.T); {
		case t < 0:
			r.Fail(when.Pos, at, when.Text, "a transient starts at 0 s")
			return
		case k > 0 && t < s.T[k-1]:
			r.Fail(when.Pos, at, when.Text, "the schedule goes back in time, from %.6g s", s.T[k-1])
			return
		case k > 1 && t == s.T[k-2]:
			r.Fail(when.Pos, at, when.Text, "a third point at this time; two make a step")
			return
		}
		w, ok := r.Word(pair.Values[1], at, p.Want())
		if !ok {
			return
		}
		v, ok := r.value(w, at, p)
		if !ok {
			return
		}
		s.T, s.Values = append(s.T, t), append(s.Values, v.Num)
	}
}

// saves reads the outputs that a history has besides.
func (r *reader) saves(n ast.Node, path string) []Quantity {
	var list []Quantity
	for i, it := range r.Items(n, path, "outputs such as [burner.out.Tt, compressor.SMN]") {
		if q, ok := r.saved(it, document.Item(path, i)); ok {
			list = append(list, q)
		}
	}
	return list
}

// saved reads the path of an output that a history has.
func (r *reader) saved(n ast.Node, at string) (Quantity, bool) {
	w, ok := r.Word(n, at, "the path of an output such as burner.out.Tt")
	if !ok {
		return Quantity{}, false
	}
	w = r.canonical(w)
	dim, ok := r.observable(w, at)
	return Quantity{w.Text, dim}, ok
}

// panels reads what is drawn over time.
func (r *reader) panels(n ast.Node, path string) []Panel {
	var list []Panel
	for i, it := range r.Items(n, path, "outputs such as [burner.out.Tt, [fan.SMN, hpc.SMN]]") {
		at := document.Item(path, i)
		var panel Panel
		if seq, ok := it.(*ast.SequenceNode); ok {
			panel = r.panel(seq, at)
		} else if q, ok := r.saved(it, at); ok {
			panel = Panel{q}
		}
		if panel != nil {
			list = append(list, panel)
		}
	}
	return list
}

// panel reads the outputs that share one.
func (r *reader) panel(seq *ast.SequenceNode, path string) Panel {
	var panel Panel
	if len(seq.Values) == 0 {
		r.Fail(document.Position(seq), path, "", "an empty list, want outputs such as [fan.SMN, hpc.SMN]")
	}
	for i, it := range seq.Values {
		at := document.Item(path, i)
		q, ok := r.saved(it, at)
		if ok && len(panel) > 0 && q.Dim != panel[0].Dim {
			r.Fail(document.Position(it), at, q.Path,
				"not of the dimension of %s, whose panel it would share; give it one of its own", panel[0].Path)
			ok = false
		}
		if ok {
			panel = append(panel, q)
		}
	}
	return panel
}
