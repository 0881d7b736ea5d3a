package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Type is the type of a value.
type Type string

// The types.
const (
	Bool   Type = "bool"
	Int    Type = "int" // a float64 without a fraction
	Float  Type = "float"
	Text   Type = "text"
	Array  Type = "array"  // of floats, row-major
	Struct Type = "struct" // of named values
)

// Value is a value of any Type, of an object that a command reads or changes. The zero Value is empty.
type Value struct {
	Type   Type
	Bool   bool
	Number float64 // Int, Float
	Text   string
	Array  []float64
	Fields []Field // Struct, in their order
}

// Field is a named part of a Struct.
type Field struct {
	Name  string
	Value Value
}

// Equal reports whether two values are the same, numbers to the last bit. An Int equals a Float with the same number.
func (v Value) Equal(o Value) bool {
	numeric := func(t Type) bool { return t == Int || t == Float }
	if v.Type != o.Type && !(numeric(v.Type) && numeric(o.Type)) {
		return false
	}
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	switch v.Type {
	case Bool:
		return v.Bool == o.Bool
	case Int, Float:
		return same(v.Number, o.Number)
	case Text:
		return v.Text == o.Text
	case Array:
		return slices.EqualFunc(v.Array, o.Array, same)
	default:
		return slices.EqualFunc(v.Fields, o.Fields,
			func(a, b Field) bool { return a.Name == b.Name && a.Value.Equal(b.Value) })
	}
}

// Clone returns a deep copy.
func (v Value) Clone() Value {
	v.Array = slices.Clone(v.Array)
	v.Fields = slices.Clone(v.Fields)
	for i := range v.Fields {
		v.Fields[i].Value = v.Fields[i].Value.Clone()
	}
	return v
}

// String returns a value for people. Long arrays are cut.
func (v Value) String() string {
	const most = 8
	switch v.Type {
	case Bool:
		return strconv.FormatBool(v.Bool)
	case Int, Float:
		return strconv.FormatFloat(v.Number, 'g', -1, 64)
	case Text:
		return strconv.Quote(v.Text)
	case Array:
		if len(v.Array) > most {
			return fmt.Sprintf("%v and %d more", v.Array[:most], len(v.Array)-most)
		}
		return fmt.Sprint(v.Array)
	case Struct:
		var parts []string
		for _, f := range v.Fields {
			parts = append(parts, f.Name+": "+f.Value.String())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "nothing"
}

// MarshalJSON implements [json.Marshaler]: a value becomes its JSON equivalent. Numbers keep their bits; numbers that
// are not finite become texts.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.Type {
	case Bool:
		return json.Marshal(v.Bool)
	case Int, Float:
		return json.Marshal(jsonNumber(v.Number))
	case Text:
		return json.Marshal(v.Text)
	case Array:
		list := make([]any, len(v.Array))
		for i, x := range v.Array {
			list[i] = jsonNumber(x)
		}
		return json.Marshal(list)
	case Struct:
		var parts []string
		for _, f := range v.Fields {
			name, _ := json.Marshal(f.Name) // a string
			part, err := f.Value.MarshalJSON()
			if err != nil {
				return nil, err
			}
			parts = append(parts, string(name)+":"+string(part))
		}
		return []byte("{" + strings.Join(parts, ",") + "}"), nil
	}
	return []byte("null"), nil
}

// jsonNumber returns the number for JSON: as a text if it is not finite.
func jsonNumber(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return x
}

// mostDeep is the largest depth of nested structs: the time for data from outside must not grow with their depth.
const mostDeep = 8

// UnmarshalJSON implements [json.Unmarshaler]. Whole numbers become Int.
func (v *Value) UnmarshalJSON(data []byte) error { return v.unmarshal(data, 0) }

func (v *Value) unmarshal(data []byte, deep int) error {
	*v = Value{}
	text := strings.TrimSpace(string(data))
	switch {
	case text == "null" || text == "":
		return nil
	case text == "true" || text == "false":
		*v = Value{Type: Bool, Bool: text == "true"}
		return nil
	case text[0] == '"':
		v.Type = Text
		return json.Unmarshal(data, &v.Text)
	case text[0] == '[':
		v.Type = Array
		return v.unmarshalArray(data)
	case text[0] == '{':
		return v.unmarshalStruct(data, deep)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return err
	}
	*v = Value{Type: Float, Number: x}
	if x == math.Trunc(x) && math.Abs(x) <= mostInt {
		v.Type = Int
	}
	return nil
}

// mostInt is the limit up to which a float64 holds all whole numbers.
const mostInt = 1 << 53

func (v *Value) unmarshalArray(data []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, text := range list { // in quotes: not finite
		x, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
		if err != nil {
			return errors.New("an array holds numbers")
		}
		v.Array = append(v.Array, x)
	}
	return nil
}

func (v *Value) unmarshalStruct(data []byte, deep int) error {
	if deep == mostDeep {
		return fmt.Errorf("structs are %d deep", mostDeep)
	}
	v.Type = Struct
	d := json.NewDecoder(strings.NewReader(string(data)))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return err
		}
		f := Field{Name: name.(string)} // an object's keys are
		if err := f.Value.unmarshal(text, deep+1); err != nil {
			return err
		}
		v.Fields = append(v.Fields, f)
	}
	_, err := d.Token()
	return err
}

// AsNumber returns a value as a number, true as 1 and false as 0; NaN: it is none.
func (v Value) AsNumber() float64 {
	switch v.Type {
	case Int, Float:
		return v.Number
	case Bool:
		if v.Bool {
			return 1
		}
		return 0
	}
	return math.NaN()
}
