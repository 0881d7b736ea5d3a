package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Key names a cache entry by the content that its answer depends on.
type Key [sha256.Size]byte

// NewKey returns the SHA-256 of a canonical encoding of parts, a value that encoding/json can write: JSON without white
// space, object members sorted by name, numbers in their shortest form (so 1, 1.0 and 1e0 are the same, and so are 0
// and -0). The caller rounds numbers if necessary. NaN, infinity and other values that JSON lacks are an error.
func NewKey(parts any) (Key, error) {
	text, err := appendCanonical(nil, parts)
	if err != nil {
		return Key{}, fmt.Errorf("cache key: %w", err)
	}
	return sha256.Sum256(text), nil
}

// appendCanonical appends the canonical encoding of a value. Values of the types that large keys consist of are written
// at once.
func appendCanonical(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case map[string]any:
		return appendObject(b, v, appendCanonical)
	case map[string]string:
		return appendObject(b, v, appendText)
	case map[string]float64:
		return appendObject(b, v, appendNumber)
	case map[string][]float64:
		return appendObject(b, v, appendNumbers)
	case []string:
		return appendList(b, v, appendText)
	case string:
		return appendText(b, v)
	}
	return appendValue(b, reflect.ValueOf(v))
}

// marshalers are the types that write their own JSON.
var marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}

// appendValue is appendCanonical of a value of any type. It writes structs without JSON tags, such as maps, field by
// field.
func appendValue(b []byte, v reflect.Value) ([]byte, error) {
	if !v.IsValid() {
		return append(b, "null"...), nil
	}
	of := v.Type()
	for _, m := range marshalers {
		if of.Implements(m) {
			return appendAny(b, v.Interface())
		}
		if v.CanAddr() && reflect.PointerTo(of).Implements(m) {
			return appendAny(b, v.Addr().Interface())
		}
	}
	switch {
	case of.Kind() == reflect.String:
		return appendText(b, v.String())
	case of.Kind() == reflect.Float64:
		return appendNumber(b, v.Float())
	case of.Kind() == reflect.Pointer && !v.IsNil():
		return appendValue(b, v.Elem())
	case of == reflect.TypeFor[[]float64]():
		return appendNumbers(b, v.Interface().([]float64))
	case of.Kind() == reflect.Slice && !v.IsNil() && of.Elem().Kind() != reflect.Uint8:
		elements := make([]reflect.Value, v.Len())
		for i := range elements {
			elements[i] = v.Index(i)
		}
		return appendList(b, elements, appendValue)
	case of.Kind() == reflect.Struct:
		if fields, plain := fieldsOf(v); plain {
			return appendObject(b, fields, appendValue)
		}
	}
	return appendAny(b, v.Interface())
}

// fieldsOf returns the exported fields of a struct by name. It reports false if its JSON may have other members.
func fieldsOf(v reflect.Value) (fields map[string]reflect.Value, plain bool) {
	fields = map[string]reflect.Value{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if _, tagged := f.Tag.Lookup("json"); tagged || f.Anonymous {
			return nil, false
		}
		if f.IsExported() {
			fields[f.Name] = v.Field(i)
		}
	}
	return fields, true
}

// appendObject appends an object, its members sorted by name.
func appendObject[V any](b []byte, m map[string]V, value func([]byte, V) ([]byte, error)) (_ []byte, err error) {
	if m == nil {
		return append(b, "null"...), nil
	}
	names := slices.Sorted(maps.Keys(m))
	if slices.ContainsFunc(names, func(name string) bool { return !utf8.ValidString(name) }) { // JSON changes them
		return appendAny(b, m)
	}
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendText(b, name); err == nil {
			b, err = value(append(b, ':'), m[name])
		}
		if err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendText(b []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return appendAny(b, s)
	}
	text, err := json.Marshal(s)
	return append(b, text...), err
}

func appendNumber(b []byte, x float64) ([]byte, error) {
	if !(math.Abs(x) < 1<<53) {
		return appendAny(b, x)
	}
	return append(b, numeric.Text(x+0)...), nil
}

func appendNumbers(b []byte, list []float64) ([]byte, error) {
	return appendList(b, list, appendNumber)
}

func appendList[V any](b []byte, list []V, value func([]byte, V) ([]byte, error)) (_ []byte, err error) {
	if list == nil {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = value(b, v); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// appendAny is appendCanonical of any value.
func appendAny(b []byte, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	canonical, err := json.Marshal(canonicalNumbers(tree)) // sorts members
	return append(b, canonical...), err
}

func canonicalNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = canonicalNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = canonicalNumbers(v[i])
		}
	case json.Number:
		return canonicalNumber(v)
	}
	return v
}

// canonicalNumber shortens a number that a float64 holds exactly as written. It does not change a whole number too
// large for a float64.
func canonicalNumber(n json.Number) json.Number {
	f, err := n.Float64()
	if err != nil {
		return n
	}
	if i, err := n.Int64(); err == nil && math.Abs(f) >= 1<<53 {
		return json.Number(strconv.FormatInt(i, 10))
	}
	return json.Number(numeric.Text(f + 0))
}

// String returns the key in hexadecimal, as [ParseKey] reads it.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ParseKey reads the text of [Key.String].
func ParseKey(s string) (k Key, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(k) {
		return Key{}, fmt.Errorf("%q is no cache key of %d hexadecimal digits", s, 2*len(k))
	}
	return Key(b), nil
}
