package script

// The limits on the values that a single step of a script may make. The limit of steps bounds many steps; but [0] *
// 1000000000 is one step, and so is list(range(1000000000)), and a text added to itself doubles. Products, sums and
// ranges are checked before they are made, so that a mistake does not exhaust the memory of the process that works on a
// study.

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// mostMade is how many entries or bytes a product, sum or range has at most, and how many bits a number.
const mostMade = 1 << 20

// mostAdded is the largest number of entries added at once to a place such as a[0], whose present content is not
// checked.
const mostAdded = mostMade >> 4

// Names of the checking functions. Scripts cannot use these names.
const (
	product = "*"
	sum     = "+"
	percent = "%"
	added   = "+= of a place"
	method  = "."
)

var checked = map[syntax.Token]string{
	syntax.STAR: product, syntax.PLUS: sum, syntax.PERCENT: percent, syntax.STAR_EQ: product, syntax.PLUS_EQ: sum,
	syntax.PERCENT_EQ: percent,
}

// bound makes the operators *, + and % check the size of their result. In effect X * Y becomes 1 and X * check(X, Y),
// but X is evaluated once. Methods become methods of guarded values.
func bound(file *syntax.File) (err error) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryExpr:
			if check := checked[n.Op]; check != "" {
				made := call(n.OpPos, check, n.X, n.Y)
				n.X, n.Op, n.Y = &syntax.Literal{Token: syntax.INT, TokenPos: n.OpPos, Raw: "1",
					Value: int64(1)}, syntax.AND, made
			}
		case *syntax.AssignStmt:
			check := checked[n.Op]
			name, plain := n.LHS.(*syntax.Ident)
			switch {
			case check != "" && plain: // a list that += makes longer stays the same list
				n.RHS = call(n.OpPos, check+"=", &syntax.Ident{NamePos: name.NamePos, Name: name.Name}, n.RHS)
			case n.Op == syntax.PLUS_EQ:
				n.RHS = call(n.OpPos, added, n.RHS)
			case check != "" && err == nil:
				err = &Error{
					Places: []string{n.OpPos.String()},
					Err:    fmt.Errorf("%s changes a plain name only; write it with = and %s", n.Op, check),
				}
			}
		case *syntax.DotExpr:
			n.X = call(n.Dot, method, n.X)
		}
		return true
	})
	return err
}

func call(at syntax.Position, name string, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

// checks returns the checking functions, by their names.
func checks() starlark.StringDict {
	all := starlark.StringDict{
		"range": starlark.NewBuiltin("range", boundedRange), "getattr": starlark.NewBuiltin("getattr", guardedAttr),
		added: starlark.NewBuiltin(added, addedToPlace),
		method: starlark.NewBuiltin(method,
			func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
				_ []starlark.Tuple) (starlark.Value, error) {
				return guarded(args[0]), nil
			}),
	}
	for name, of := range ofFunctions {
		if function, there := starlark.Universe[name]; there {
			all[name] = sized(name, nil, of, function)
		}
	}
	for op, name := range map[syntax.Token]string{syntax.STAR: product, syntax.PLUS: sum, syntax.PERCENT: percent} {
		all[name] = starlark.NewBuiltin(name,
			func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
				_ []starlark.Tuple) (starlark.Value, error) {
				if err := checkMade(op, args[0], args[1]); err != nil {
					return nil, err
				}
				return starlark.Binary(op, args[0], args[1])
			})
		all[name+"="] = starlark.NewBuiltin(name,
			func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
				_ []starlark.Tuple) (starlark.Value, error) {
				return args[1], checkMade(op, args[0], args[1])
			})
	}
	return all
}

// checkMade returns an error if an operator would make too much of two values.
func checkMade(op syntax.Token, x, y starlark.Value) error {
	a, b := starlark.Len(x), starlark.Len(y) // -1: it has none
	n := 0.0
	switch i, j := asInt(x), asInt(y); {
	case op == syntax.PERCENT:
		if a >= 0 {
			n = float64(a) + shownSize(nil, starlark.Tuple{y})
		}
	case op == syntax.PLUS:
		n = float64(max(a, 0)) + float64(max(b, 0))
	case i != nil && j != nil:
		n = float64(i.BigInt().BitLen()) + float64(j.BigInt().BitLen())
	case a >= 0 && j != nil:
		n = float64(a) * float64(j.Float())
	case b >= 0 && i != nil:
		n = float64(b) * float64(i.Float())
	}
	return tooMuch(op.String(), n)
}

// tooMuch returns an error if something would make a value of too many entries.
func tooMuch(what string, n float64) error {
	if n > mostMade {
		return fmt.Errorf("%s would make %.3g entries; a value has at most %d", what, n, mostMade)
	}
	return nil
}

// addedToPlace checks and returns the value added to a place.
func addedToPlace(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	if n := starlark.Len(args[0]); n > mostAdded {
		return nil, fmt.Errorf("+= would add %d entries to a place; it adds at most %d: change a plain name, and put "+
			"it there", n, mostAdded)
	}
	return args[0], nil
}

// guardedAttr is getattr, which also returns methods.
func guardedAttr(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		args = append(starlark.Tuple{guarded(args[0])}, args[1:]...)
	}
	return starlark.Call(t, starlark.Universe["getattr"], args, kwargs)
}

func asInt(v starlark.Value) *starlark.Int {
	if i, ok := v.(starlark.Int); ok {
		return &i
	}
	return nil
}

func boundedRange(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := starlark.Call(t, starlark.Universe["range"], args, kwargs)
	if err != nil {
		return nil, err
	}
	if n := starlark.Len(v); n > mostMade {
		return nil, fmt.Errorf("range: %d entries; there may be %d; loop with while", n, mostMade)
	}
	return v, nil
}
