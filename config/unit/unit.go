// Package unit reads quantities with units, such as "11800 lbf" or "3 %", and converts them to the plain numbers of
// Peregrine's computations.
//
// Units are read and written only at the edges: the results of [Parse] are SI, except that rotational speeds are in
// rpm, as is usual in the field. A unit is any product of known words: "lbm/h/lbf" and "lbm/(lbf h)" are the same, and
// so are "N m", "N*m" and "kg m2/s2". The dimension that the caller expects decides the meaning of a quantity, so that
// "20 degC" is 293.15 K as a temperature and 20 K as a difference.
package unit

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unit is a unit of a dimension: SI = (x + zero) num / den, with rpm in place of SI for speeds.
type Unit struct {
	name     string
	dim      Dimension
	exp      exponents
	num, den float64
	zero     float64
}

// New returns the unit of that name, such as "lbm/h/lbf". The empty name is
// the unit of bare numbers. The error is an [*Error].
func New(name string, dim Dimension) (Unit, error) {
	want := describe(dim)
	if name == "" {
		return Unit{name: want.bare, dim: dim, exp: want.exp, num: 1, den: 1}, nil
	}
	got, err := product(name)
	if err != nil {
		return Unit{}, &Error{Kind: Unknown, Text: name, Want: dim, Reason: err.Error() + oneOf(want)}
	}
	if got.exp != want.exp {
		return Unit{}, &Error{Kind: Mismatch, Text: name, Want: dim, Reason: mismatch(name, got.exp, want)}
	}
	u := Unit{name: name, dim: dim, exp: got.exp, num: got.num, den: got.den}
	if dim == Temperature {
		u.zero = got.zero
	}
	if dim == Speed { // numbers are rpm inside, radians a second in the table
		rpm := words["rpm"]
		u.num, u.den = got.num/rpm.num*rpm.den, got.den
	}
	return u, nil
}

// Derived returns the unit of that name in any dimension. If two dimensions have the same units it is the first of
// [Dimensions]. If the dimension has no name here, such as that of "Pa s2/kg2", it is None. The error is an [*Error].
func Derived(name string) (Unit, error) {
	if name == "" {
		return New("", None)
	}
	got, err := product(name)
	if err != nil {
		return Unit{}, &Error{Kind: Unknown, Text: name, Reason: err.Error()}
	}
	if d, ok := named(got.exp); ok {
		return New(name, d.dim)
	}
	return Unit{name: name, exp: got.exp, num: got.num, den: got.den}, nil
}

// Dimension returns the dimension of the unit; None also for a dimension without a name here.
func (u Unit) Dimension() Dimension { return u.dim }

// Alike reports whether two units measure the same.
func (u Unit) Alike(v Unit) bool { return u.exp == v.exp }

// Name returns the unit as it is written.
func (u Unit) Name() string { return u.name }

// ToSI returns the SI value (rpm for speeds) of x of the unit.
func (u Unit) ToSI(x float64) float64 { return (x + u.zero) * u.num / u.den }

// FromSI returns how many of the unit an SI value (rpm for speeds) is.
func (u Unit) FromSI(x float64) float64 { return x*u.den/u.num - u.zero }

// Parse returns the SI value (rpm for speeds) of a quantity such as "11800 lbf",
// "3%" or "288.15". A number without unit is taken as SI (rpm). The error is an
// [*Error]: no number, an unknown unit, a unit of something else, NaN or an
// infinity, or a temperature below absolute zero.
func Parse(text string, dim Dimension) (float64, error) {
	x, name, err := split(text, dim)
	if err != nil {
		return 0, err
	}
	u, err := New(name, dim)
	if err != nil {
		err.(*Error).Text = text
		return 0, err
	}
	v := u.ToSI(x)
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return 0, &Error{Kind: NotFinite, Text: text, Want: dim, Reason: "beyond the range of numbers"}
	case dim == Temperature && v < 0:
		return 0, &Error{Kind: OutOfRange, Text: text, Want: dim, Reason: "below absolute zero"}
	}
	return v, nil
}

// oneOf continues an error about a unit with the accepted units.
func oneOf(want *description) string {
	if want.dim == None {
		return "; want " + want.phrase + " such as " + want.examples
	}
	return " (units of " + string(want.dim) + ": " + strings.Join(want.usual, ", ") + ")"
}

// mismatch describes a quantity of the wrong dimension.
func mismatch(name string, got exponents, want *description) string {
	is := "in no unit that has a name here"
	switch d, ok := named(got); {
	case ok && d.dim == Torque: // the same unit, and the more likely slip
		is = "an energy or a torque"
	case ok:
		is = d.phrase
	}
	if name == "%" {
		is = "a percentage"
	}
	return is + ", want " + want.phrase + " such as " + want.examples
}

// product evaluates a product of units: words with whole exponents, joined by spaces, '*', '·', '/' or hyphens, with
// parentheses. A '/' divides only by the next factor; hyphens bind closest.
//
// An offset (degC) survives only if the product is that one word.
func product(name string) (atom, error) {
	p := reader{rest: name}
	a, err := p.product()
	if err == nil && p.blank().rest != "" {
		err = badUnit(name)
	}
	if _, alone := words[strings.TrimSpace(name)]; !alone {
		a.zero = 0
	}
	return a, err
}

// reader walks through a unit's text.
type reader struct {
	rest  string
	depth int
}

func (p *reader) blank() *reader {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	return p
}

// take consumes one of the runes of set, if it is next.
func (p *reader) take(set string) (rune, bool) {
	r, n := utf8.DecodeRuneInString(p.blank().rest)
	if n == 0 || !strings.ContainsRune(set, r) {
		return 0, false
	}
	p.rest = p.rest[n:]
	return r, true
}

func (p *reader) product() (atom, error) {
	total, err := p.factor()
	for err == nil && p.blank().rest != "" && p.rest[0] != ')' {
		op, _ := p.take("*·/")
		var f atom
		if f, err = p.factor(); err != nil {
			break
		}
		sign := 1
		if op == '/' {
			sign = -1
		}
		total = total.times(f, sign)
	}
	return total, err
}

func (p *reader) factor() (atom, error) {
	if _, ok := p.take("("); ok {
		if p.depth++; p.depth > 8 {
			return atom{}, badUnit("parentheses")
		}
		a, err := p.product()
		if err != nil {
			return a, err
		}
		if _, ok := p.take(")"); !ok {
			return a, badUnit("( without )")
		}
		p.depth--
		return a, nil
	}
	total := atom{num: 1, den: 1}
	for {
		word := p.word()
		a, ok := lookup(word)
		if !ok {
			return atom{}, unknown(word, p.rest)
		}
		n, err := p.exponent()
		if err != nil {
			return atom{}, err
		}
		total = total.times(a, n)
		total.zero = a.zero
		if !strings.HasPrefix(p.rest, "-") {
			return total, nil
		}
		p.rest = p.rest[1:] // lbf-ft: a hyphen joins words to one factor, so that J/kg-K is J/(kg K)
	}
}

// word consumes the next unit's name: letters, a degree or per-cent sign, or the 1 of "1/s".
func (p *reader) word() string {
	end := strings.IndexFunc(p.blank().rest, func(r rune) bool {
		return !unicode.IsLetter(r) && r != '%' && r != '°'
	})
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 && strings.HasPrefix(p.rest, "1") {
		end = 1
	}
	w := p.rest[:end]
	p.rest = p.rest[end:]
	return w
}

// exponent consumes a whole exponent from -9 to 9 such as the 2 of m2, m^2 or m², or gives 1.
func (p *reader) exponent() (int, error) {
	rest, caret := strings.CutPrefix(p.rest, "^")
	sign := 1
	if r, minus := strings.CutPrefix(rest, "-"); minus {
		rest, sign = r, -1
	}
	r, n := utf8.DecodeRuneInString(rest)
	digit := strings.IndexRune("0123456789", r)
	switch {
	case r == '²':
		digit = 2
	case r == '³':
		digit = 3
	case n == 0 || digit < 0:
		if caret {
			return 0, badUnit(p.rest)
		}
		return 1, nil
	}
	p.rest = rest[n:]
	if next, _ := utf8.DecodeRuneInString(p.rest); unicode.IsDigit(next) {
		return 0, badUnit(p.rest)
	}
	return sign * digit, nil
}

// times multiplies a by b to the power n.
func (a atom) times(b atom, n int) atom {
	for range max(n, -n) {
		if n > 0 {
			a.num, a.den = a.num*b.num, a.den*b.den
		} else {
			a.num, a.den = a.num*b.den, a.den*b.num
		}
	}
	a.exp.mass += n * b.exp.mass
	a.exp.length += n * b.exp.length
	a.exp.time += n * b.exp.time
	a.exp.temperature += n * b.exp.temperature
	a.exp.angle += n * b.exp.angle
	a.exp.data += n * b.exp.data
	return a
}
