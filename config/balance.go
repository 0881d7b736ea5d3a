package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

const balanceForm = "a balance such as {vary: burner.FAR, until: burner.out.Tt = 1500 K}"

// design reads the `design` section.
func (r *reader) design(n ast.Node, path string) { r.engine.Design = r.balances(n, path) }

// balances reads a list of balances. Varying one parameter twice, or asking
// twice for one output, leaves a system without a solution.
func (r *reader) balances(n ast.Node, path string) []Balance {
	var list []Balance
	vary, until := make(map[string]Pos), make(map[string]Pos)
	for i, it := range r.items(n, path, "balances such as {vary: burner.FAR, until: burner.out.Tt = 1500 K}") {
		at := item(path, i)
		b, ok := r.balance(it, at)
		if !ok {
			continue
		}
		if first, twice := vary[b.Vary]; twice {
			r.fail(b.Pos, at+".vary", b.Vary, "varied already at line %d", first.Line)
		}
		if first, twice := until[b.Until]; twice {
			r.fail(b.Pos, at+".until", b.Until, "asked for already at line %d", first.Line)
		}
		vary[b.Vary], until[b.Until] = b.Pos, b.Pos
		list = append(list, b)
	}
	return list
}

func (r *reader) balance(n ast.Node, path string) (Balance, bool) {
	b := Balance{Pos: position(n)}
	var param *Param
	var least, most ast.Node
	before := len(r.problems)
	r.group(n, path, balanceForm, []key{
		{"vary", true, func(n ast.Node, path string) {
			if w, ok := r.word(n, path, "the path of a parameter such as burner.FAR"); ok {
				b.Vary, param = r.varied(w, path)
			}
		}},
		{"until", true, func(n ast.Node, path string) { r.until(n, path, &b) }},
		{"min", false, func(n ast.Node, _ string) { least = n }},
		{"max", false, func(n ast.Node, _ string) { most = n }},
	})
	if param != nil {
		b.Min = r.limit(least, path+".min", param)
		b.Max = r.limit(most, path+".max", param)
		if b.Min != nil && b.Max != nil && *b.Min >= *b.Max {
			r.fail(position(most), path+".max", "", "not above min")
		}
	}
	return b, len(r.problems) == before && b.Vary != "" && b.Until != ""
}

// varied resolves the parameter that a balance varies: a number.
func (r *reader) varied(w word, path string) (string, *Param) {
	_, p, ok := r.parameter(w, path)
	if !ok {
		return "", nil
	}
	if p.Kind != Number {
		r.fail(w.pos, path, w.text, "not a number, so it cannot be varied")
		return "", nil
	}
	return w.text, p
}

// until reads `path = value`, the value in the dimension of what the path names.
func (r *reader) until(n ast.Node, path string, b *Balance) {
	const form = "path = value such as burner.out.Tt = 1500 K"
	w, ok := r.word(n, path, form)
	if !ok {
		return
	}
	left, right, equation := strings.Cut(w.text, "=")
	target := strings.TrimSpace(right)
	if !equation || strings.TrimSpace(left) == "" || target == "" || target[0] == '=' {
		r.fail(w.pos, path, w.text, "want %s", form)
		return
	}
	what := word{text: strings.TrimSpace(left), pos: w.pos, lines: w.lines}
	dim, ok := r.observable(what, path)
	if !ok {
		return
	}
	value := word{text: target, pos: w.at(len(left) + 1 + strings.Index(right, target)), lines: w.lines}
	if x, ok := r.quantity(value, path, dim); ok {
		b.Until, b.Target = what.text, x
	}
}

// limit reads a bound of a varied parameter; nil if there is none. It may lie
// outside the parameter's own bounds, which hold anyway.
func (r *reader) limit(n ast.Node, path string, p *Param) *float64 {
	if n == nil {
		return nil
	}
	w, ok := r.word(n, path, p.Want())
	if !ok {
		return nil
	}
	x, ok := r.quantity(w, path, p.Dim)
	if !ok {
		return nil
	}
	return &x
}
