package config

import (
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Integrators are the methods that a transient can name, those of package executive/ode, the default first.
var Integrators = []string{"rosenbrock", "modified-euler", "rk4", "dormand-prince", "adams", "gear"}

// MaxRows is the most rows that the history of a transient has, some 500 MB.
const MaxRows = 1_000_000

// steadies are the methods to find the operating point at the start of a transient. Auto tries Newton's method first.
// If it fails, auto integrates the engine there to a steady state.
var steadies = []string{"auto", "newton", "rk4"}

// flameOuts are the possible actions after a flame-out.
var flameOuts = []string{"end", "continue"}

const scheduleForm = "points such as [[0 s, 0.66 kg/s], [0.1 s, 1.08 kg/s]], or one value"

// transientKeys are the keys that only a transient has.
func (r *reader) transientKeys(t *Transient) []document.Key {
	acts := "on"
	return []document.Key{
		r.Optional("duration", "How long a transient takes", r.positive(&t.Duration, unit.Time)),
		r.Optional("schedule",
			"Parameters over time, linear between points and held at the ends; burner.Wf is brought about by "+
				"burner.FAR.",
			r.schedules(&t.Schedules)),
		r.Optional("integrator", "Method of integration in time.",
			r.Choice(&t.Integrator, Integrators...).Default(Integrators[0])),
		r.Optional("rtol", "Relative tolerance of a step's error",
			r.Measure(&t.RTol, unit.None, 1e-13, 0.1).Default(1e-6)),
		r.Optional("atol", "Absolute tolerance of a shaft's speed", r.positive(&t.ATol, Speed).Default(1e-3)),
		r.Optional("steady",
			"How the operating point that a transient starts from is found: by Newton's method, by letting the "+
				"engine run there, or by the first that succeeds.",
			r.Choice(&t.Steady, steadies...).Default(steadies[0])),
		r.Optional("flame_out", "Action after a flame-out: the transient ends, or continues without the flame.",
			r.Choice(&t.FlameOut, flameOuts...).Default(flameOuts[0])),
		r.Optional("controls", "Whether the engine's controls act.", r.Choice(&acts, "on", "off").Default("on").
			Then(func(ast.Node, string) { t.Controls = acts == "on" })),
		r.Optional("every", "Spacing of the history; without, the integrator's steps", r.positive(&t.Every, unit.Time)),
		r.Optional("save", "Further outputs of the history.", r.saves(&t.Save)),
		r.Optional("plot", "Outputs that are drawn over time, from top to bottom; a list of outputs of one dimension "+
			"shares a panel. Without, all that the history has.",
			r.panels(&t.Plot)),
	}
}

// positive is a quantity above 0.
func (r *reader) positive(dst *float64, dim unit.Dimension) document.Value {
	v := r.Measure(dst, dim, 0, math.Inf(1))
	v.Read = func(n ast.Node, path string) {
		var x float64
		before := len(r.Problems)
		switch r.Measure(&x, dim, 0, 0).Read(n, path); {
		case len(r.Problems) > before:
		case !(x > 0):
			r.Fail(document.Position(n), path, n.GetToken().Value, "must be above 0")
		default:
			*dst = x
		}
	}
	return v
}

// transient reads the kind of a case from its keys.
func (r *reader) transient(c *Case, t *Transient, g *document.Group, at string) {
	if c.Kind != "transient" {
		for _, k := range r.transientKeys(new(Transient)) {
			if g.Has(k.Name) {
				r.Fail(document.Position(g.Node(k.Name)), g.At(k.Name), k.Name,
					"belongs to a transient; add kind: transient")
			}
		}
		return
	}
	if !g.Has("duration") {
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
				"the control %s moves %s; schedule its input, or run the case with controls: off", k.Name, k.Moves.Path)
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

// schedules is the `schedule` group.
func (r *reader) schedules(dst *[]Schedule) document.Value {
	schema := func() *jsonschema.Schema {
		pair := document.ListOf(anyQuantity("A time or a value."))
		pair.Description, pair.MinItems, pair.MaxItems = "A time and a value.", new(2), new(2)
		points := document.ListOf(pair)
		points.Description, points.MinItems = "Points, in the order of time; two at one time make a step.", new(1)
		return byPath(document.Either(anyQuantity("One value, from the start on."), points))
	}
	const want = "parameters over time such as {burner.Wf: [[0 s, 0.66 kg/s], [0.1 s, 1.08 kg/s]]}"
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, want) {
			if s, ok := r.schedule(f, path, *dst); ok {
				*dst = append(*dst, s)
			}
		}
	}}
}

// schedule reads a parameter over time. It must not be in an earlier schedule.
func (r *reader) schedule(f document.Field, path string, before []Schedule) (Schedule, bool) {
	at := document.Join(path, f.Key)
	target := r.canonical(document.Word{Text: f.Key, Pos: f.Pos})
	p, vary, ok := r.scheduled(target, path)
	if !ok {
		return Schedule{}, false
	}
	s := Schedule{Quantity: Quantity{target.Text, r.shown(target, p)}, Vary: vary, Pos: f.Pos}
	if seq, ok := f.Value.(*ast.SequenceNode); ok {
		r.table(&s, seq, at, p)
	} else if w, ok := r.Word(f.Value, at, scheduleForm); ok {
		if v, ok := r.value(w, at, p); ok {
			s.T, s.Values = []float64{0}, []float64{v.Num}
		}
	}
	same := func(o Schedule) bool { return s.Path == o.Path || s.Path == o.Vary || s.Vary == o.Path }
	if i := slices.IndexFunc(before, same); i >= 0 {
		r.Fail(f.Pos, path, f.Key, "%s is scheduled already at line %d", before[i].Path, before[i].Pos.Line)
		return s, false
	}
	return s, true
}

// shown is the dimension of a scheduled parameter in a history. If an output has the same name, such as a bleed's flow
// for its share, it is that of the output.
func (r *reader) shown(w document.Word, p *Param) unit.Dimension {
	first, rest, _ := strings.Cut(w.Text, ".")
	if o := r.names[first].entry.Output(rest); o != nil {
		return o.Dim
	}
	return p.Dim
}

// scheduled finds the quantity that a schedule moves: a number among the parameters, or an output that follows from a
// parameter.
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

// movable names the quantities of an entry that a schedule or a control may move.
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

// saves are the outputs that a history has besides.
func (r *reader) saves(dst *[]Quantity) document.Value {
	return document.List(&r.Reader, dst, "outputs such as [burner.out.Tt, compressor.SMN]", r.saved)
}

// saved is the path of an output that a history has.
func (r *reader) saved(q *Quantity) document.Value {
	return r.path("the path of an output such as burner.out.Tt", func(w document.Word, path string) {
		if dim, ok := r.observable(w, path); ok {
			*q = Quantity{w.Text, dim}
		}
	}).Says("An output such as burner.out.Tt.")
}

// panels are the outputs drawn over time, and lists of outputs that share a panel.
func (r *reader) panels(dst *[]Panel) document.Value {
	const want = "outputs such as [burner.out.Tt, [fan.SMN, hpc.SMN]]"
	return document.List(&r.Reader, dst, want, func(p *Panel) document.Value {
		var alone Quantity
		one := r.saved(&alone)
		schema := func() *jsonschema.Schema {
			panel := document.ListOf(one.Schema())
			panel.Description, panel.MinItems = "Outputs that share a panel.", new(1)
			return document.Either(one.Schema(), panel)
		}
		return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
			if seq, ok := n.(*ast.SequenceNode); ok {
				*p = r.panel(seq, path)
				return
			}
			one.Read(n, path)
			*p = Panel{alone}
		}}
	})
}

// panel reads the outputs that share a panel.
func (r *reader) panel(seq *ast.SequenceNode, path string) Panel {
	var panel Panel
	if len(seq.Values) == 0 {
		r.Fail(document.Position(seq), path, "", "an empty list, want outputs such as [fan.SMN, hpc.SMN]")
	}
	for i, it := range seq.Values {
		at := document.Item(path, i)
		var q Quantity
		r.saved(&q).Read(it, at)
		ok := q.Path != ""
		if ok && len(panel) > 0 && q.Dim != panel[0].Dim {
			r.Fail(document.Position(it), at, q.Path,
				"its dimension differs from that of %s in the same panel; give it a panel of its own", panel[0].Path)
			ok = false
		}
		if ok {
			panel = append(panel, q)
		}
	}
	return panel
}
