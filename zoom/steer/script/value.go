package script

// Values of objects in Starlark. A value for an object is converted to the text that a person would write, so that
// units, relative values and bounds are handled in one place. The text of a number keeps all its bits.

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// valueOf returns a value for a script.
func valueOf(v steer.Value) starlark.Value {
	switch v.Type {
	case steer.Bool:
		return starlark.Bool(v.Bool)
	case steer.Int:
		return starlark.MakeInt64(int64(v.Number))
	case steer.Float:
		return starlark.Float(v.Number)
	case steer.Text:
		return starlark.String(v.Text)
	case steer.Array:
		list := convert.All(v.Array, func(x float64) starlark.Value { return starlark.Float(x) })
		return starlark.NewList(list)
	case steer.Struct:
		fields := starlark.StringDict{}
		for _, f := range v.Fields {
			fields[f.Name] = valueOf(f.Value)
		}
		return newStruct(fields)
	}
	return starlark.None
}

func newStruct(fields starlark.StringDict) *starlarkstruct.Struct {
	return starlarkstruct.FromStringDict(starlarkstruct.Default, fields)
}

// textOf returns the text of a value for an object.
func textOf(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		if strings.TrimSpace(string(v)) == "" {
			return "", fmt.Errorf("an empty text is no value")
		}
		return string(v), nil
	case starlark.Bool, starlark.Int, starlark.Float:
		return plain(v), nil
	case starlark.Sequence, *starlark.Dict, *starlarkstruct.Struct:
		return jsonOf(v)
	}
	return "", fmt.Errorf("%s is no value of an object; want a number, a text as \"98 kPa\" or \"+3 %%\", True or "+
		"False, a list or a dict", v.Type())
}

// plain is the text of a number, to the last bit, or of true or false.
func plain(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.Bool:
		return strconv.FormatBool(bool(v))
	case starlark.Float:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	}
	return v.String()
}

// Limits of a list, dict or struct for an object, which may hold itself: its depth, its entries, and the bytes of its
// text.
const (
	mostDeep    = 8
	mostEntries = 1 << 16
	mostLetters = 1 << 22
)

// jsonOf writes a list, a dict or a struct as JSON.
func jsonOf(v starlark.Value) (string, error) {
	if n := starlark.Len(v); n > mostEntries {
		return "", fmt.Errorf("a list of %d entries; a value has at most %d", n, mostEntries)
	}
	if shown(v, mostLetters, mostDeep+1) < 0 {
		return "", fmt.Errorf("the value is more than %d deep, or longer than %d bytes", mostDeep, mostLetters)
	}
	text, err := starlark.Call(&starlark.Thread{}, json.Module.Members["encode"], starlark.Tuple{v}, nil)
	if err != nil {
		return "", err
	}
	words, _ := starlark.AsString(text)
	return words, nil
}

// receiptOf returns the receipt of a command for a script. For several objects old and new are dicts by name.
func receiptOf(run string, x event.Receipt) *starlarkstruct.Struct {
	before, after := starlark.Value(starlark.None), starlark.Value(starlark.None)
	switch len(x.Effects) {
	case 0:
	case 1:
		before, after = valueOf(x.Effects[0].Old), valueOf(x.Effects[0].New)
	default:
		olds, news := starlark.NewDict(len(x.Effects)), starlark.NewDict(len(x.Effects))
		for _, d := range x.Effects { // if an object is named twice: the first old, the last new value
			if _, seen, _ := olds.Get(starlark.String(d.Object)); !seen {
				// a text can be a key, and the dict is not being iterated
				_ = olds.SetKey(starlark.String(d.Object), valueOf(d.Old))
			}
			_ = news.SetKey(starlark.String(d.Object), valueOf(d.New))
		}
		before, after = olds, news
	}
	return newStruct(starlark.StringDict{
		"run": starlark.String(run), "verb": starlark.String(x.Verb), "state": starlark.String(x.State),
		"iteration": starlark.MakeInt64(x.Iteration),
		"old":       before, "new": after, "reason": starlark.String(x.Reason), "file": starlark.String(x.File),
	})
}

// objectOf returns the description of an object for a script.
func objectOf(o steer.Listed) *starlarkstruct.Struct {
	bound := func(x *float64) starlark.Value {
		if x == nil {
			return starlark.None
		}
		return starlark.Float(*x)
	}
	operations := convert.All(o.Operations, func(op steer.Operation) starlark.Value { return starlark.String(op) })
	return newStruct(starlark.StringDict{
		"name": starlark.String(o.Name), "type": starlark.String(o.Type), "unit": starlark.String(o.Unit),
		"value": valueOf(o.Value), "min": bound(o.Min), "max": bound(o.Max),
		"effect": starlark.String(o.Effect), "operations": starlark.NewList(operations), "doc": starlark.String(o.Doc),
	})
}
