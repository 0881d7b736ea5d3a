package bmf

import (
	"math"
	"strconv"
	"strings"
)

// ParseValue reads a value: 3, -2.5, true, [1, 2], (1, [true]). The name is for messages. The error is a
// [*document.Errors].
func ParseValue(name, text string) (Value, error) {
	s := newSource(name, text)
	v := s.value()
	if s.token.text != "" && len(s.problems) == 0 {
		s.fail(s.token, "a value has ended before")
	}
	return v, s.errors()
}

func (s *source) value() Value {
	defer func() { s.depth-- }()
	if !s.deeper() {
		return Value{}
	}
	t := s.take()
	closing := map[string]string{"[": "]", "(": ")"}[t.text]
	if closing == "" {
		v, ok := literal(t.text)
		if !ok {
			s.fail(t, "want a value such as 3, 2.5, true, [1, 2] or (1, true)")
		}
		return v
	}
	var parts []Value
	for len(s.problems) < mostProblems && !s.skip(closing) {
		if s.token.text == "" || s.token.text == ")" || s.token.text == "]" {
			s.fail(s.token, "no %s for the %s at %v", closing, t.text, t.pos)
			return Value{}
		}
		before := len(s.problems)
		if v := s.value(); len(s.problems) == before {
			parts = append(parts, v)
		}
		if !s.skip(",") && s.token.text != closing && s.token.text != "" && len(s.problems) == before {
			s.fail(s.token, "want a comma or %s", closing)
		}
	}
	return s.assemble(t, parts)
}

func (s *source) assemble(t token, parts []Value) Value {
	if len(s.problems) > 0 {
		return Value{}
	}
	if t.text == "(" && len(parts) == 1 {
		return parts[0]
	}
	make := makeTuple
	if t.text == "[" {
		make = func(parts ...Value) (Value, error) { return makeList(parts, nil) }
	}
	v, err := make(parts...)
	if err != nil {
		s.fail(t, "%v", err)
	}
	return v
}

// literal reads a number or a boolean. Its sign may be ~, as in Standard ML.
func literal(word string) (Value, bool) {
	switch word {
	case "true", "True", "B_True":
		return boolValue(true), true
	case "false", "False", "B_False":
		return boolValue(false), true
	}
	word = strings.Replace(word, "~", "-", 1)
	if x, err := strconv.ParseInt(word, 10, 64); err == nil {
		return intValue(x), true
	}
	if !strings.ContainsAny(word, "0123456789") || strings.ContainsAny(word, "xX_pP") {
		return Value{}, false
	}
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(x, 0) || !strings.ContainsAny(word, ".eE") {
		return Value{}, false
	}
	return realValue(x), true
}
