package client

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// ParseValue reads a value for an object, as a person writes it:
//
//	5, 98 kPa       a number, in the unit of the object or another unit of its dimension
//	+3 %, -3 %      of the present value
//	true, on        true or false
//	1, 2, 3         an array; JSON for an array or a struct
//
// Relative reports that the value depends on the present value of the object. It fails for a value that the object
// cannot have.
func ParseValue(o steer.Listed, text string) (v steer.Value, relative bool, err error) {
	text = strings.TrimSpace(text)
	switch o.Type {
	case steer.Int, steer.Float:
		if v, relative, err = parseNumber(o, text); err != nil {
			return v, relative, fmt.Errorf("%s: %w", o.Name, err)
		}
	case steer.Bool:
		on, known := map[string]bool{"true": true, "on": true, "yes": true, "false": false, "off": false,
			"no": false}[strings.ToLower(text)]
		if !known {
			return v, false, fmt.Errorf("%s: %q: want true or false", o.Name, text)
		}
		v = steer.BoolValue(on)
	case steer.Text:
		v = steer.TextValue(text)
	case steer.Array:
		if v, err = parseArray(o, text); err != nil {
			return v, false, fmt.Errorf("%s: %w", o.Name, err)
		}
	case steer.Struct:
		if err := json.Unmarshal([]byte(text), &v); err != nil || v.Type != steer.Struct {
			return v, false, fmt.Errorf(`%s: %q: want JSON as {"k2": 0.5, "k4": 0.02}`, o.Name, text)
		}
	default:
		return v, false, fmt.Errorf("%s takes no value", o.Name)
	}
	v, err = o.Convert(v)
	return v, relative, err
}

// parseNumber reads a number, in the unit of the object or another unit of its dimension, or relative to the present
// value.
func parseNumber(o steer.Listed, text string) (steer.Value, bool, error) {
	if relative(text) {
		x, err := unit.Parse(strings.TrimSuffix(text, "%"), unit.None)
		if err == nil && o.Value.Type == "" {
			err = fmt.Errorf("%q: its value is not known, of which that would be a part", text)
		}
		return steer.FloatValue(o.Value.Number * (1 + x/100)), true, err
	}
	x, err := parseQuantity(o.Unit, text)
	return steer.FloatValue(x), false, err
}

// relative reports whether a number is a change of the present value, such as +3 %.
func relative(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, "%") && (strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-"))
}

// parseQuantity reads a number in the unit of the object, or with another unit of its dimension.
func parseQuantity(in, text string) (float64, error) {
	u, err := unit.Derived(in)
	// a unit unknown here: the number may have it, or none
	if err != nil || in != "" && u.Dimension() == unit.None && in != "%" {
		text = strings.TrimSpace(strings.TrimSuffix(text, in))
	}
	if err != nil {
		return unit.Parse(text, unit.None)
	}
	return unit.Parse(text, u.Dimension())
}

func parseArray(o steer.Listed, text string) (v steer.Value, err error) {
	if strings.HasPrefix(text, "[") {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return v, fmt.Errorf("%q: want numbers as [1, 2, 3]", text)
		}
		return v, nil
	}
	var list []float64
	for part := range strings.SplitSeq(text, ",") {
		x, err := parseQuantity(o.Unit, part)
		if err != nil {
			return v, err
		}
		list = append(list, x)
	}
	return steer.ArrayValue(list), nil
}
