package bmf

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// function is a function of a program.
type function struct {
	name    string // of its form, such as B_Map, or an operator's
	pos     document.Pos
	of      []*function // its parts
	numbers []int64     // of B_Addr, B_Split and P_Split
	value   Value       // of a constant
	target  *function   // of $name
	state   uint8       // of the search for circles
}

// form is how a function is written.
type form struct {
	least, most     int    // functions that it takes; most -1: any number
	first, last     int    // numbers that it takes, before the functions
	names           string // of its arguments, for messages
	optionalIsStart bool   // the last function is a start value, which is a constant
}

var forms = map[string]form{
	"B_Id":      {},
	"B_Comp":    {least: 2, most: -1, names: "functions, of which the last is applied first"},
	"B_Alltup":  {most: -1, names: "functions"},
	"B_Allvec":  {most: -1, names: "functions"},
	"B_Addr":    {first: 2, last: 2, names: "the length of a tuple and a place, from 1"},
	"B_Map":     {least: 1, most: 1, names: "a function"},
	"B_Reduce":  {least: 1, most: 2, names: "a function of two, and perhaps a start value", optionalIsStart: true},
	"B_Scan":    {least: 1, most: 2, names: "a function of two, and perhaps a start value", optionalIsStart: true},
	"B_Zip":     {most: 1, names: "perhaps a function of two"},
	"B_Split":   {first: 1, last: 1, names: "a number of parts"},
	"P_Map":     {least: 1, most: 1, names: "a function"},
	"P_Reduce":  {least: 1, most: 2, names: "a function of two, and perhaps a start value", optionalIsStart: true},
	"P_Scan":    {least: 1, most: 2, names: "a function of two, and perhaps a start value", optionalIsStart: true},
	"P_Zip":     {most: 1, names: "perhaps a function of two"},
	"P_Split":   {first: 1, last: 2, names: "a number of parts, and perhaps s for a stride of 2^s"},
	"P_Distl":   {},
	"P_Project": {},
}

// unknownForm has any arguments.
var unknownForm = form{most: -1}

// constant is the name of a function that is a constant.
const constant = "B_Con"

// limit is the largest program.
var limit = intake.Limit{What: "a BMF program", Bytes: 4 << 20}

// Program is a function to be evaluated.
type Program struct {
	name, text string
	main       *function
}

// Load reads a program from a file; see [Parse].
func Load(path string) (*Program, error) {
	text, err := intake.Read(path, limit)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse reads a program: definitions, $name = function, and the function to be evaluated, or that of the last
// definition. Arguments follow their function: B_Comp f g, B_Comp (f, g) and B_Comp (f) (g) are the same. The error is
// a [*document.Errors] with all problems.
func Parse(name, text string) (*Program, error) {
	r := &reader{source: newSource(name, text), defined: map[string]*function{}}
	main := r.program()
	r.resolve()
	if err := r.errors(); err != nil {
		return nil, err
	}
	return &Program{name, text, main}, nil
}

// reader reads a program.
type reader struct {
	*source
	defined map[string]*function
	order   []*function // of the definitions
	uses    []*function // of $names
}

func (r *reader) program() (main *function) {
	for r.token.text != "" {
		for r.skip(";") {
		}
		if r.token.text == "" {
			break
		}
		if !r.atDefinition() {
			if main != nil {
				r.fail(r.token, "the program's function has ended before%s", hintOf(main))
				r.recover()
				continue
			}
			main = r.function()
			continue
		}
		name := r.take()
		r.take()
		f := r.function()
		if r.defined[name.text] != nil {
			r.fail(name, "defined twice")
		}
		r.defined[name.text] = f
		r.order = append(r.order, f)
	}
	if main == nil && len(r.order) > 0 {
		main = r.order[len(r.order)-1]
	}
	if main == nil && len(r.problems) == 0 {
		r.fail(r.token, "empty; want a function such as B_Map (B_Op B_Uminus)")
	}
	return main
}

func (r *reader) atDefinition() bool {
	return strings.HasPrefix(r.token.text, "$") && r.ahead.text == "="
}

// recover skips the rest of a faulty function: to the end of its bracket, or to the next definition.
func (r *reader) recover() {
	for depth := 0; r.token.text != "" && !r.atDefinition() && r.token.text != ";"; {
		switch r.token.text {
		case "(", "[":
			depth++
		case ")", "]":
			if depth == 0 {
				if r.depth > 1 {
					return
				}
				depth = 1 // closes nothing
			}
			depth--
		case ",":
			if depth == 0 && r.depth > 1 {
				return
			}
		}
		r.take()
	}
}

// begins reports whether the next token begins a function.
func (r *reader) begins() bool {
	switch r.token.text {
	case "", ")", "]", ",", "=", ";":
		return false
	}
	return !r.atDefinition()
}

// function reads a function with its arguments.
func (r *reader) function() *function {
	defer func() { r.depth-- }()
	f := &function{name: "B_Id", pos: r.token.pos}
	if !r.deeper() {
		return f
	}
	if !r.begins() {
		r.fail(r.token, "want a function")
		r.recover()
		return f
	}
	if r.token.text == "(" || r.token.text == "[" {
		return r.brackets()
	}
	t := r.take()
	f.name = t.text
	if v, ok := literal(t.text); ok {
		f.name, f.value = constant, v
		return f
	}
	switch t.text {
	case "B_Con", "B_Num", "B_Int", "B_Real":
		f.name = constant
		f.value = r.constant(t)
	case "B_Op":
		f.name = r.operator()
	default:
		r.applied(f, t)
	}
	return f
}

// applied reads the arguments of a form, or of a name.
func (r *reader) applied(f *function, t token) {
	form, known := forms[t.text]
	switch {
	case operators[t.text] != nil:
	case strings.HasPrefix(t.text, "$"):
		r.uses = append(r.uses, f)
	case !known:
		meant := spell.Nearest(t.text, slices.Values(names()))
		if meant != "" {
			meant = "; did you mean " + meant + "?"
		}
		r.fail(t, "unknown function%s", meant)
		r.arguments(unknownForm) // have problems of their own
	default:
		before := len(r.problems)
		f.numbers = r.numbers(form)
		f.of = r.arguments(form)
		if n := len(f.of); len(r.problems) == before && (n < form.least || form.most >= 0 && n > form.most ||
			len(f.numbers) < form.first) {
			r.fail(t, "want %s", form.names)
			r.recover()
		}
		if len(r.problems) == before {
			r.check(f, t)
		}
	}
}

// check reports numbers that a form does not take.
func (r *reader) check(f *function, t token) {
	switch f.name {
	case "B_Addr":
		if n, i := f.numbers[0], f.numbers[1]; n < 1 || i < 1 || i > n {
			r.fail(t, "place %d of a tuple of %d; places are from 1", i, n)
		}
	case "B_Split", "P_Split":
		if n := f.numbers[0]; n < 1 || n > mostElements {
			r.fail(t, "%d parts; want 1 to %d", n, mostElements)
		}
		if len(f.numbers) > 1 && (f.numbers[1] < 0 || f.numbers[1] > 20) {
			r.fail(t, "a stride of 2^%d; want 2^0 to 2^20", f.numbers[1])
		}
	}
}

// names lists all names of functions.
func names() []string {
	list := []string{"B_Con", "B_Num", "B_Int", "B_Real", "B_True", "B_False", "B_Op"}
	for name := range forms {
		list = append(list, name)
	}
	for name := range operators {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// brackets reads (f), a tuple of functions (f, g), or a list of functions [f, g].
func (r *reader) brackets() *function {
	t := r.token
	list := r.group()
	if t.text == "(" && len(list) == 1 {
		return list[0]
	}
	f := &function{name: "B_Alltup", pos: t.pos, of: list}
	if t.text == "[" {
		f.name = "B_Allvec"
	}
	return f
}

// hintOf is the end of a message about a function that follows a composition: B_Comp f g h has a function too many.
func hintOf(before *function) string {
	if before.name != "B_Comp" {
		return ""
	}
	return "; B_Comp takes two functions: write more as B_Comp (f, g, h)"
}

// group reads functions in brackets, with or without commas. Behind a composition the comma must be there.
func (r *reader) group() (list []*function) {
	open := r.take()
	closing := map[string]string{"(": ")", "[": "]"}[open.text]
	for !r.skip(closing) {
		if !r.begins() {
			r.fail(r.token, "no %s for the %s at %v", closing, open.text, open.pos)
			r.recover()
			r.skip(closing)
			return list
		}
		f := r.function()
		list = append(list, f)
		if !r.skip(",") && r.begins() && f.name == "B_Comp" {
			r.fail(r.token, "no comma before it%s", hintOf(f))
		}
	}
	return list
}

// arguments reads the functions that a form takes.
func (r *reader) arguments(f form) (list []*function) {
	if f.most == 0 {
		return nil
	}
	for r.begins() && (f.most < 0 && f.least == 0 || len(list) < max(f.least, f.most)) {
		if f.optionalIsStart && len(list) == f.least && !r.atStart() {
			return list
		}
		switch first := r.token.text; {
		case len(list) == 0 && f.most != 1 && (first == "(" || first == "["):
			list = r.group()
			if first == "[" || len(list) != 1 {
				return list
			}
		default:
			list = append(list, r.function())
		}
	}
	return list
}

// atStart reports whether a start value is next.
func (r *reader) atStart() bool {
	word := r.token.text
	if word == "(" {
		word = r.ahead.text
	}
	_, is := literal(word)
	return is || strings.HasPrefix(word, "$") || slices.Contains([]string{"[", "(", "B_Con", "B_Num", "B_Int", "B_Real",
		"B_Allvec", "B_Alltup"}, word)
}

// numbers reads the numbers that a form takes, in brackets or not.
func (r *reader) numbers(f form) (list []int64) {
	if f.last == 0 {
		return nil
	}
	open := 0
	for len(list) < f.last {
		switch v, ok := literal(r.token.text); {
		case r.token.text == "(" && len(list) < f.first:
			open++
			r.take()
		case r.token.text == ")" && open > 0:
			open--
			r.take()
		case r.token.text == "," && open > 0:
			r.take()
		case ok && v.kind == intKind:
			r.take()
			list = append(list, v.int())
		default:
			return r.closed(list, open)
		}
	}
	return r.closed(list, open)
}

func (r *reader) closed(list []int64, open int) []int64 {
	for ; open > 0; open-- {
		r.close("the numbers")
	}
	return list
}

// close passes the ) behind something.
func (r *reader) close(what string) {
	if !r.skip(")") {
		r.fail(r.token, "want ) behind %s", what)
		r.recover()
		r.skip(")")
	}
}

// constant reads what follows B_Con: B_Int 3, B_Real 2.5, B_True or a value itself, in brackets or not.
func (r *reader) constant(t token) Value {
	if r.skip("(") {
		v := r.constant(t)
		r.close("the constant")
		return v
	}
	switch r.token.text {
	case "B_Int", "B_Real":
		return r.constant(r.take())
	case "[":
		if t.text == constant {
			return r.value()
		}
	}
	v, ok := literal(r.token.text)
	switch {
	case ok && t.text == "B_Real" && v.kind == intKind:
		v = realValue(v.number())
	case !ok || t.text == "B_Int" && v.kind != intKind || t.text == "B_Real" && v.kind != realKind ||
		t.text == "B_Num" && v.kind == boolKind:
		r.fail(r.token, "%s: want a constant such as B_Int 3, B_Real 2.5 or B_True", t.text)
		r.recover()
		return v
	}
	r.take()
	return v
}

// operator reads the name behind B_Op.
func (r *reader) operator() string {
	if r.skip("(") {
		name := r.operator()
		r.close("the operator")
		return name
	}
	if operators[r.token.text] == nil {
		meant := spell.Nearest(r.token.text, slices.Values(names()))
		if operators[meant] != nil {
			meant = "; did you mean " + meant + "?"
		} else {
			meant = "; want one such as B_Plus"
		}
		r.fail(r.token, "unknown operator%s", meant)
		r.recover()
		return "B_Id"
	}
	return r.take().text
}

// resolve finds the definitions of names, and refuses circles.
func (r *reader) resolve() {
	for _, f := range r.uses {
		if f.target = r.defined[f.name]; f.target == nil {
			r.fail(token{f.name, f.pos}, "not defined")
		}
	}
	if len(r.problems) > 0 {
		return
	}
	for _, f := range r.order {
		r.search(f, 0)
	}
}

// States of the search for circles.
const (
	onPath uint8 = iota + 1
	searched
)

// search visits all that a function is made of; false: it contains itself.
func (r *reader) search(f *function, depth int) bool {
	switch {
	case f.state == searched:
		return true
	case f.state == onPath:
		return false
	case depth > 10*mostDepth:
		r.fail(token{f.name, f.pos}, "nested deeper than %d", 10*mostDepth)
		return true
	}
	f.state = onPath
	for _, part := range f.of {
		r.search(part, depth+1)
	}
	if f.target != nil && !r.search(f.target, depth+1) {
		r.fail(token{f.name, f.pos}, "defined by itself")
	}
	f.state = searched
	return true
}

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
