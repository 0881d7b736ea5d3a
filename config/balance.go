package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

const balanceForm = "a balance such as {vary: burner.FAR, until: burner.out.Tt = 1500 K}"

// balances reads a list of balances. A system has no solution if two balances vary the same parameter, or if two ask
// for the same output in one case.
func (r *reader) balances(dst *[]Balance, design bool) document.Value {
	schema := func() *jsonschema.Schema {
		if design {
			return document.ListOf(document.Object(balanceDoc, r.balanceKeys(new(draft), true)))
		}
		return document.ListOf(document.Ref("balance"))
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		*dst = append([]Balance{}, r.readBalances(n, path, design)...) // an empty list is not nil
	}}
}

func (r *reader) readBalances(n ast.Node, path string, design bool) []Balance {
	var list []Balance
	vary, until := make(map[string]document.Pos), make(map[string]document.Pos)
	once := func(seen map[string]document.Pos, w document.Word, path, message string) {
		if first, twice := seen[w.Text]; twice && w.Text != "" {
			r.Fail(w.Pos, path, w.Text, message, first.Line)
			return
		}
		seen[w.Text] = w.Pos
	}
	for i, it := range r.Items(n, path, "balances such as {vary: burner.FAR, until: burner.out.Tt = 1500 K}") {
		at := document.Item(path, i)
		d := r.balance(it, at, design)
		once(vary, d.vary, at+".vary", "varied already at line %d")
		if d.until.Text != "" && d.At != "" {
			d.until.Text += " at " + d.At
		}
		once(until, d.until, at+".until", "has a target already at line %d")
		list = append(list, d.Balance)
	}
	return list
}

// draft is a balance with the places of its two sides; the text of a faulty side is empty.
type draft struct {
	Balance
	vary, until document.Word
	param       *Param // that is varied
}

const balanceDoc = "One unknown and the value that it must reach."

func (r *reader) balanceKeys(b *draft, design bool) []document.Key {
	varied := func(w document.Word, path string) {
		if b.param = r.varied(w, path); b.param != nil {
			b.vary, b.Vary = w, w.Text
		}
	}
	until := r.Scalar(untilForm, func(w document.Word, path string) { r.until(w, path, b) })
	until.Schema = func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: `^[^=]+=[^=]+$`} }
	at := r.Scalar("the name of a case", func(w document.Word, path string) { b.At = r.At(w, path, design) })
	return []document.Key{
		r.Required("vary", "Parameter to vary, such as burner.FAR.",
			r.path("the path of a parameter such as burner.FAR", varied)),
		r.Required("until", "Output and target, such as burner.out.Tt = 1500 K.", until),
		r.Optional("min", "Least value of the parameter.", laterQuantity),
		r.Optional("max", "Largest value of the parameter.", laterQuantity),
		r.Optional("at", "Case in which the target holds; without, the design case.", at), // of the design only
	}
}

func (r *reader) balance(n ast.Node, path string, design bool) draft {
	b := draft{Balance: Balance{Pos: document.Position(n)}}
	g := r.Group(n, path, balanceForm, r.balanceKeys(&b, design))
	if b.param == nil {
		return b
	}
	// The bounds may lie outside those of the parameter, which also apply.
	b.Min, b.Max = r.bounds(g, path, b.param.Dim)
	return b
}

// At stores the case of a target of the design, which is looked up when all cases are known.
func (r *reader) At(w document.Word, path string, design bool) string {
	switch {
	case !design:
		r.Fail(w.Pos, path, w.Text, "only a target of the design holds in another case")
		return ""
	case w.Text == r.engine.DesignCase:
		return ""
	}
	r.points = append(r.points, designPoint{w, path})
	return w.Text
}

// designPoints checks that the cases of the targets of the design exist.
func (r *reader) designPoints() {
	known := []string{r.engine.DesignCase}
	for i := range r.engine.Cases {
		known = append(known, r.engine.Cases[i].Name)
	}
	for _, p := range r.points {
		if !slices.Contains(known, p.name.Text) {
			r.Fail(p.name.Pos, p.path, p.name.Text, "unknown case%s", r.Hint(p.name.Text, known))
		} else {
			r.moving(p.name, p.path)
		}
	}
}

// varied resolves the parameter that a balance varies, which is a number. It returns nil for an unknown parameter.
func (r *reader) varied(w document.Word, path string) *Param {
	n, p, ok := r.parameter(w, path)
	if ok && n.what == "control" {
		r.Fail(w.Pos, path, w.Text, "of a control, which acts in transients alone; schedule it there")
		return nil
	}
	if ok && p.Kind != Number {
		r.Fail(w.Pos, path, w.Text, "not a number, so it cannot be varied")
		return nil
	}
	return p
}

const untilForm = "path = value such as burner.out.Tt = 1500 K"

// until reads `path = value`, with the value in the dimension of the path's output.
func (r *reader) until(w document.Word, path string, b *draft) {
	left, right, equation := strings.Cut(w.Text, "=")
	target := strings.TrimSpace(right)
	if !equation || strings.TrimSpace(left) == "" || target == "" || target[0] == '=' {
		r.Fail(w.Pos, path, w.Text, "want %s", untilForm)
		return
	}
	what := r.canonical(document.Word{Text: strings.TrimSpace(left), Pos: w.Pos, Lines: w.Lines})
	dim, ok := r.observable(what, path)
	if !ok {
		return
	}
	value := document.Word{Text: target, Pos: w.At(len(left) + 1 + strings.Index(right, target)), Lines: w.Lines}
	b.Until = what.Text // also of a bad target: sweeps look for it
	if x, ok := r.Quantity(value, path, document.Span{Dim: dim}); ok {
		b.until, b.Target, b.Unit = what, x, unit.Written(target)
	}
}

// laterQuantity is a quantity that is read when its dimension is known.
var laterQuantity = document.Value{
	Schema: func() *jsonschema.Schema { return anyQuantity("") }, Read: func(ast.Node, string) {}}

// bounds reads `min` and `max` of a group; both are optional.
func (r *reader) bounds(g *document.Group, path string, dim unit.Dimension) (lo, hi *float64) {
	lo = r.bound(g.Node("min"), path+".min", dim)
	hi = r.bound(g.Node("max"), path+".max", dim)
	if lo != nil && hi != nil && *lo >= *hi {
		g.Fail("max", "not above min")
	}
	return lo, hi
}

func (r *reader) bound(n ast.Node, path string, dim unit.Dimension) *float64 {
	if n == nil {
		return nil
	}
	var x float64
	before := len(r.Problems)
	if r.Measure(&x, dim, 0, 0).Read(n, path); len(r.Problems) > before {
		return nil
	}
	return &x
}

// Limits keep an operating point within the limits of the engine: the target of a balance gives way to the first limit
// that would be passed.

const limitForm = "a limit such as {path: hpt.rotor.Tt, max: 1700 K}"

// limits is a list of limits, of the engine or of a case.
func (r *reader) limits(dst *[]Limit) document.Value {
	schema := func() *jsonschema.Schema { return document.ListOf(document.Ref("limit")) }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		seen := make(map[string]document.Pos)
		for i, it := range r.Items(n, path, "limits such as {path: hpt.rotor.Tt, max: 1700 K}") {
			at := document.Item(path, i)
			l := r.limit(it, at)
			if first, twice := seen[l.Path]; twice && l.Path != "" {
				r.Fail(l.Pos, at+".path", l.Path, "limited already at line %d; one entry may have min and max",
					first.Line)
			}
			seen[l.Path] = l.Pos
			*dst = append(*dst, l)
		}
	}}
}

func (r *reader) limitKeys(l *Limit, what *document.Word) []document.Key {
	gives := func(w document.Word, path string) {
		if r.varied(w, path) != nil {
			l.Vary = w.Text
			r.yields = append(r.yields, yield{w, path})
		}
	}
	return []document.Key{
		r.Required("path", "Output, such as hpt.rotor.Tt.",
			r.path("the path of an output such as hpt.rotor.Tt", func(w document.Word, _ string) { *what = w })),
		r.Optional("min", "Least value of the output.", laterQuantity),
		r.Optional("max", "Largest value of the output.", laterQuantity),
		r.Optional("vary", "Varied parameter whose target gives way; default the first of solve.",
			r.path("the path of a parameter that gives way, such as burner.FAR", gives)),
	}
}

func (r *reader) limitSchema() *jsonschema.Schema {
	keys := r.limitKeys(new(Limit), new(document.Word))
	s := document.Object("An output that an operating point must not pass.", keys)
	s.AnyOf = []*jsonschema.Schema{{Required: []string{"min"}}, {Required: []string{"max"}}}
	return s
}

func (r *reader) limit(n ast.Node, path string) Limit {
	l := Limit{Pos: document.Position(n)}
	var what document.Word
	g := r.Group(n, path, limitForm, r.limitKeys(&l, &what))
	if what.Text == "" { // reported
		return l
	}
	if !g.Has("min") && !g.Has("max") {
		r.Fail(l.Pos, path, "", "no key min or max; want %s", limitForm)
	}
	dim, ok := r.observable(what, path+".path")
	if !ok {
		return l
	}
	l.Path, l.Dim = what.Text, dim
	l.Min, l.Max = r.bounds(g, path, dim)
	return l
}

// yielding checks that a balance varies each parameter that gives way to a limit. A case also solves with the balances
// of the cases in its `from`, so the list of a single case is not enough for this check.
func (r *reader) yielding() {
	var varied []string
	add := func(list []Balance) {
		for _, b := range list {
			if !slices.Contains(varied, b.Vary) {
				varied = append(varied, b.Vary)
			}
		}
	}
	add(r.engine.Design)
	for i := range r.engine.Cases {
		add(r.engine.Cases[i].Solve)
	}
	for i := range r.engine.Sweeps {
		add(r.engine.Sweeps[i].Solve)
	}
	for _, y := range r.yields {
		if !slices.Contains(varied, y.param.Text) {
			r.Fail(y.param.Pos, y.path, y.param.Text, "no balance varies it, so it cannot give way%s",
				r.Hint(y.param.Text, varied))
		}
	}
}
