package fact

// Kinds of facts. A kind keeps its facts in columns, a field a column and a fact a row: a condition on one field then
// reads memory in order, and a fact costs no allocation.

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// DefaultLimit is how many facts a kind has at most unless Kind.Limit says otherwise.
const DefaultLimit = 1 << 20

// Kind describes facts of one shape.
type Kind struct {
	Name   string
	Fields []Field
	Limit  int // most facts at a time; 0: DefaultLimit

	Gone func(Fact) // is given each fact that is about to go; it must not change the memory. nil: nobody asks
}

// Field is a named value of every fact of a kind.
type Field struct {
	Name string
	Type Type
}

// ID names a fact as long as its memory exists; no other fact ever has it. The zero ID names none.
type ID struct {
	seq  uint64 // order of assertion over all kinds, from 1
	kind int32
	row  int32
}

// Before reports whether the fact was asserted before another one. A change does not alter this order.
func (id ID) Before(other ID) bool { return id.seq < other.seq }

// String returns "#" and the fact's place in the order of assertion.
func (id ID) String() string { return fmt.Sprintf("#%d", id.seq) }

// ref is a row of a known kind, with the sequence number of its fact: it orders matches also when the row is in use
// by another fact meanwhile.
type ref struct {
	seq uint64
	row int32
}

// state of a row.
type state uint8

const (
	dead  state = iota // no fact, or one that is retracted
	fresh              // asserted or changed since the last pass over the rules
	live
)

// store holds the facts of a kind.
type store struct {
	Kind
	index   int32
	columns []column
	seq     []uint64
	stamp   []uint64 // when the fact was asserted or last changed
	state   []state
	added   []int32 // rows that were made fresh since the last pass; some may be dead since
	retired []int32 // rows to reuse after the next pass
	free    []int32 // rows to reuse
	count   int
	alphas  []*alpha

	tokens   map[int32][]*token    // with this row
	supports map[int32][]*support  // with this row as a premise
	derived  map[int32]*derivation // of facts that rules asserted
	content  map[string][]int32    // rows by their values; nil until a rule asserts such a fact
}

type column struct {
	typ   Type
	nums  []float64
	texts []string
	flags []bool
}

func (c *column) value(row int32) Value {
	switch c.typ {
	case Number:
		return Value{typ: Number, num: c.nums[row]}
	case Text:
		return Value{typ: Text, text: c.texts[row]}
	}
	return Value{typ: Bool, is: c.flags[row]}
}

func (c *column) set(row int32, v Value) {
	switch c.typ {
	case Number:
		c.nums[row] = v.num
	case Text:
		c.texts[row] = v.text
	case Bool:
		c.flags[row] = v.is
	}
}

func (c *column) add(v Value) {
	switch c.typ {
	case Number:
		c.nums = append(c.nums, v.num)
	case Text:
		c.texts = append(c.texts, v.text)
	case Bool:
		c.flags = append(c.flags, v.is)
	}
}

func newStore(k Kind, index int) (*store, error) {
	if k.Name == "" {
		return nil, fmt.Errorf("kind %d has no name", index+1)
	}
	s := &store{Kind: k, index: int32(index), tokens: map[int32][]*token{}, supports: map[int32][]*support{},
		derived: map[int32]*derivation{}}
	s.Fields = slices.Clone(k.Fields)
	if s.Limit == 0 {
		s.Limit = DefaultLimit
	}
	if s.Limit < 0 || s.Limit > math.MaxInt32 {
		return nil, fmt.Errorf("kind %s: a limit of %d facts is not within 1 to %d", k.Name, k.Limit, math.MaxInt32)
	}
	for i, f := range k.Fields {
		if f.Name == "" || s.field(f.Name) != i {
			return nil, fmt.Errorf("kind %s: field %d needs a name of its own, has %q", k.Name, i+1, f.Name)
		}
		if f.Type < Number || f.Type > Bool {
			return nil, fmt.Errorf("kind %s: field %s has no type: want Number, Text or Bool", k.Name, f.Name)
		}
		s.columns = append(s.columns, column{typ: f.Type})
	}
	return s, nil
}

// field returns a field's place, or -1.
func (s *store) field(name string) int {
	return slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
}

// check returns why the values are no fact of the kind.
func (s *store) check(values []Value) error {
	if len(values) != len(s.columns) {
		return fmt.Errorf("kind %s: %d values for %d fields", s.Name, len(values), len(s.columns))
	}
	for i := range values {
		if values[i].typ != s.columns[i].typ {
			return fmt.Errorf("kind %s: field %s is a %s, the value %s is not", s.Name, s.Fields[i].Name,
				s.columns[i].typ, values[i])
		}
	}
	return nil
}

// add stores a fact and returns its row.
func (s *store) add(seq, stamp uint64, values []Value) int32 {
	s.count++
	if n := len(s.free); n > 0 {
		row := s.free[n-1]
		s.free = s.free[:n-1]
		for i := range s.columns {
			s.columns[i].set(row, values[i])
		}
		s.seq[row], s.stamp[row], s.state[row] = seq, stamp, fresh
		s.added = append(s.added, row)
		return row
	}
	row := int32(len(s.seq))
	if len(s.seq) == cap(s.seq) {
		s.grow()
	}
	for i := range s.columns {
		s.columns[i].add(values[i])
	}
	s.seq, s.stamp, s.state = append(s.seq, seq), append(s.stamp, stamp), append(s.state, fresh)
	s.added = append(s.added, row)
	return row
}

// grow doubles the room for facts: append would copy large columns four times as often.
func (s *store) grow() {
	n := max(64, len(s.seq))
	s.seq, s.stamp, s.state = slices.Grow(s.seq, n), slices.Grow(s.stamp, n), slices.Grow(s.state, n)
	for i := range s.columns {
		switch c := &s.columns[i]; c.typ {
		case Number:
			c.nums = slices.Grow(c.nums, n)
		case Text:
			c.texts = slices.Grow(c.texts, n)
		case Bool:
			c.flags = slices.Grow(c.flags, n)
		}
	}
}

// remove forgets a fact whose matches are gone already.
func (s *store) remove(row int32) {
	s.count--
	s.state[row] = dead
	s.seq[row] = 0
	s.stamp[row] = math.MaxUint64
	s.retired = append(s.retired, row)
}

// settle ends a pass: what was fresh is live, and rows of retracted facts are free. Their texts are given up.
func (s *store) settle() {
	for _, row := range s.added {
		if s.state[row] == fresh {
			s.state[row] = live
		}
	}
	s.added = s.added[:0]
	for _, row := range s.retired {
		for i := range s.columns {
			if s.columns[i].typ == Text {
				s.columns[i].texts[row] = ""
			}
		}
	}
	s.free = append(s.free, s.retired...)
	s.retired = s.retired[:0]
}

func (s *store) values(row int32) []Value {
	values := make([]Value, len(s.columns))
	for i := range s.columns {
		values[i] = s.columns[i].value(row)
	}
	return values
}

// encode returns a text that is the same for the same values, bit by bit.
func encode(values []Value) string {
	var b strings.Builder
	var word [8]byte
	for _, v := range values {
		switch v.typ {
		case Number:
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v.num))
		case Text:
			binary.LittleEndian.PutUint64(word[:], uint64(len(v.text)))
		case Bool:
			n, _ := key(v)
			binary.LittleEndian.PutUint64(word[:], n)
		}
		b.Write(word[:])
		b.WriteString(v.text)
	}
	return b.String()
}

// find returns the first fact with these values, or -1. From then on the kind's facts are found by their values.
func (s *store) find(values []Value) int32 {
	if s.content == nil {
		s.content = map[string][]int32{}
		for row := range s.state {
			if s.state[row] != dead {
				s.list(int32(row))
			}
		}
	}
	first := int32(-1)
	for _, row := range s.content[encode(values)] {
		if first < 0 || s.seq[row] < s.seq[first] {
			first = row
		}
	}
	return first
}

// list enters a row among those found by their values, if this is of use.
func (s *store) list(row int32) {
	if s.content != nil {
		k := encode(s.values(row))
		s.content[k] = append(s.content[k], row)
	}
}

// unlist takes back list; the row still has the values.
func (s *store) unlist(row int32) {
	if s.content == nil {
		return
	}
	k := encode(s.values(row))
	rows := s.content[k]
	if i := slices.Index(rows, row); i >= 0 {
		rows = slices.Delete(rows, i, i+1)
	}
	if len(rows) == 0 {
		delete(s.content, k)
		return
	}
	s.content[k] = rows
}

// Fact is one fact, for reading. It must not be kept: what it reads is the memory's now.
type Fact struct {
	store *store
	row   int32
}

// ID returns the fact's name.
func (f Fact) ID() ID { return ID{f.store.seq[f.row], f.store.index, f.row} }

// Kind returns the name of the fact's kind.
func (f Fact) Kind() string { return f.store.Name }

// Number returns a field that holds a number, by its place in Kind.Fields. It panics if it holds none.
func (f Fact) Number(field int) float64 { return f.store.columns[field].nums[f.row] }

// Text returns a field that holds a text, as Number does.
func (f Fact) Text(field int) string { return f.store.columns[field].texts[f.row] }

// Bool returns a field that holds a bool, as Number does.
func (f Fact) Bool(field int) bool { return f.store.columns[field].flags[f.row] }

// Value returns any field, by its place in Kind.Fields.
func (f Fact) Value(field int) Value { return f.store.columns[field].value(f.row) }

// String returns the fact as KIND(FIELD: VALUE, ...).
func (f Fact) String() string {
	parts := make([]string, len(f.store.Fields))
	for i, field := range f.store.Fields {
		parts[i] = field.Name + ": " + f.Value(i).String()
	}
	return f.store.Name + "(" + strings.Join(parts, ", ") + ")"
}
