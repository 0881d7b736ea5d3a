package script

// The limits on the values that the language's own functions and methods may make in a single step; bound.go does the
// same for operators. ",".join(list), a.replace(b, c) and list.extend multiply like *. A list that holds the same list
// a thousand times is short, but its text is long.

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// size returns the size of the value that a function would make of its receiver, which may be nil, and its arguments.
// Invalid arguments count 0; the function itself refuses them.
type size func(on starlark.Value, args starlark.Tuple) float64

// ofMethods and ofFunctions are the functions whose result may be much larger than their arguments.
var (
	ofMethods = map[string]size{
		"join": joinedSize, "replace": replacedSize, "format": formattedSize,
		"extend": func(on starlark.Value, args starlark.Tuple) float64 {
			return float64(starlark.Len(on) + lengths(args))
		},
	}
	ofFunctions = map[string]size{
		"str": shownSize, "repr": shownSize, "print": shownSize, "log": shownSize, "fail": shownSize, "zip": zippedSize,
	}
)

// guard is a text or list by whose methods too much cannot be made.
type guard struct{ starlark.HasAttrs }

// guarded returns a value for calls of its methods.
func guarded(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case starlark.String, *starlark.List:
		return guard{v.(starlark.HasAttrs)}
	}
	return v
}

// Attr implements starlark.HasAttrs.
func (g guard) Attr(name string) (starlark.Value, error) {
	method, err := g.HasAttrs.Attr(name)
	if of := ofMethods[name]; of != nil && method != nil {
		return sized(name, g.HasAttrs, of, method), err
	}
	return method, err
}

// sized returns a function that fails, without calling function, if the result would be too large.
func sized(name string, on starlark.Value, of size, function starlark.Value) *starlark.Builtin {
	return starlark.NewBuiltin(name,
		func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
			kwargs []starlark.Tuple) (starlark.Value, error) {
			all := args
			for _, k := range kwargs {
				all = append(all[:len(all):len(all)], k[1])
			}
			if err := tooMuch(name, of(on, all)); err != nil {
				return nil, err
			}
			return starlark.Call(t, function, args, kwargs)
		})
}

// lengths returns the sum of the lengths of the values that have one.
func lengths(args starlark.Tuple) (n int) {
	for _, v := range args {
		n += max(starlark.Len(v), 0)
	}
	return n
}

func joinedSize(on starlark.Value, args starlark.Tuple) (n float64) {
	if len(args) != 1 {
		return 0
	}
	list, ok := args[0].(starlark.Iterable)
	if !ok {
		return 0
	}
	for v := range starlark.Elements(list) {
		n += float64(starlark.Len(on) + max(starlark.Len(v), 0))
	}
	return n
}

func replacedSize(on starlark.Value, args starlark.Tuple) float64 {
	if len(args) < 2 {
		return 0
	}
	text, _ := starlark.AsString(on)
	before, is := starlark.AsString(args[0])
	after, are := starlark.AsString(args[1])
	if !is || !are {
		return 0
	}
	return float64(len(text)) + float64(strings.Count(text, before))*float64(len(after)-len(before))
}

// formattedSize returns the largest size of a formatted text: each of its fields may show any of the values.
func formattedSize(on starlark.Value, args starlark.Tuple) float64 {
	format, _ := starlark.AsString(on)
	return float64(len(format)) + float64(strings.Count(format, "{"))*shownSize(nil, args)
}

func zippedSize(_ starlark.Value, args starlark.Tuple) float64 {
	least := 0
	for i, v := range args {
		if n := starlark.Len(v); i == 0 || n < least {
			least = n
		}
	}
	return float64(max(least, 0)) * float64(len(args))
}

// shownSize returns the length of values as text. Above the limit it is only known to be too large.
func shownSize(_ starlark.Value, args starlark.Tuple) float64 {
	room := shown(args, mostMade, mostNested)
	return float64(mostMade - room)
}

// mostNested is the greatest depth of nested lists that are shown. A list that holds itself is deeper.
const mostNested = 500

// shown returns the room for text left after the text of a value; less than 0: the room was not enough.
func shown(v starlark.Value, room, deep int) int {
	if room -= 2; room < 0 || deep == 0 {
		return -1
	}
	each := func(v starlark.Value) {
		if room >= 0 {
			room = shown(v, room, deep-1)
		}
	}
	switch v := v.(type) {
	case starlark.String:
		room -= len(v)
	case starlark.Int:
		room -= v.BigInt().BitLen() / 3
	case starlark.IterableMapping:
		for key, value := range starlark.Entries(v) {
			each(key)
			each(value)
		}
	case starlark.Sequence:
		for one := range starlark.Elements(v) {
			if each(one); room < 0 {
				break
			}
		}
	case *starlarkstruct.Struct:
		for _, name := range v.AttrNames() {
			field, _ := v.Attr(name) // the attribute exists
			room -= len(name)
			each(field)
		}
	default:
		room -= 24 // as of a number
	}
	return room
}
