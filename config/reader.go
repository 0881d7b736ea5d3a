package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// reader turns the tree of one engine file into an Engine and gathers problems
// on the way. Each section reads what it can and goes on after a problem, so
// that the user sees them all.
type reader struct {
	file     string
	lines    []string
	cat      *Catalogue
	engine   *Engine
	problems []*Problem

	// names are the components and shafts that the file has, even badly: a
	// broken one must not make every mention of it an unknown name.
	names map[string]name

	taken       map[Endpoint]stop // flow ports that chains connect, and where
	excused     map[string]bool   // components whose missing connections follow from a mistake that was reported
	joined      map[Endpoint]word // ports that shafts and buses name, and where
	lostTurbine bool              // a shaft without a turbine was reported
	points      []designPoint     // cases that targets of the design name, before cases are read
	yields      []yield           // parameters that give way to limits, before all balances are read
}

// fail records a problem at a place of the file.
func (r *reader) fail(at Pos, path, text, format string, args ...any) {
	p := &Problem{File: r.file, Pos: at, Path: path, Text: text, Message: fmt.Sprintf(format, args...)}
	if at.Line >= 1 && at.Line <= len(r.lines) {
		p.Source = r.lines[at.Line-1]
	}
	r.problems = append(r.problems, p)
}

// word is a scalar of the file, as written.
type word struct {
	text   string
	pos    Pos
	quoted bool
	lines  bool // it spans lines: places within it are unknown
}

// at returns the place of the byte at offset within the word.
func (w word) at(offset int) Pos {
	if w.lines || w.pos == (Pos{}) {
		return w.pos
	}
	p := w.pos
	p.Column += len([]rune(w.text[:offset]))
	if w.quoted {
		p.Column++
	}
	return p
}

// word reads a scalar, or reports what is there instead.
func (r *reader) word(n ast.Node, path, want string) (word, bool) {
	w := word{pos: position(n)}
	switch s := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		r.fail(w.pos, path, "", "a group of keys, want %s", want)
		return w, false
	case *ast.SequenceNode:
		r.fail(w.pos, path, "", "a list, want %s", want)
		return w, false
	case *ast.NullNode:
		r.fail(w.pos, path, "", "no value, want %s", want)
		return w, false
	case *ast.LiteralNode:
		w.text, w.lines = strings.TrimRight(s.Value.Value, "\n"), true
	default:
		t := n.GetToken()
		w.text = t.Value
		w.quoted = t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
		// Escapes, folds and doubled quotes make the text another than what stands there.
		w.lines = !r.stands(w)
	}
	if strings.TrimSpace(w.text) == "" {
		r.fail(w.pos, path, "", "no value, want %s", want)
		return w, false
	}
	return w, true
}

// stands reports whether a word's text is in the file, letter by letter, at its place.
func (r *reader) stands(w word) bool {
	if w.pos.Line < 1 || w.pos.Line > len(r.lines) {
		return false
	}
	line := []rune(r.lines[w.pos.Line-1])
	start := w.at(0).Column - 1
	return start >= 0 && start <= len(line) && strings.HasPrefix(string(line[start:]), w.text)
}

// field is one `key: value`.
type field struct {
	key   string
	pos   Pos
	value ast.Node
}

// fields reads a group of keys in the order of the file and reports keys that
// stand twice. It returns nil and reports if the node is something else.
func (r *reader) fields(n ast.Node, path, want string) []field {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		if w, ok := r.word(n, path, want); ok {
			r.fail(w.pos, path, w.text, "want %s", want)
		}
		return nil
	}
	seen := make(map[string]Pos, len(values))
	list := make([]field, 0, len(values))
	for _, v := range values {
		f := field{key: v.Key.GetToken().Value, pos: position(v.Key), value: v.Value}
		if first, twice := seen[f.key]; twice {
			r.fail(f.pos, join(path, f.key), f.key, "the key is already at line %d", first.Line)
			continue
		}
		seen[f.key] = f.pos
		list = append(list, f)
	}
	return list
}

// items reads a list; a nil node and an empty value are reported as anything else is.
func (r *reader) items(n ast.Node, path, want string) []ast.Node {
	s, ok := n.(*ast.SequenceNode)
	if ok {
		return s.Values
	}
	if w, ok := r.word(n, path, "a list of "+want); ok {
		r.fail(w.pos, path, w.text, "want a list of %s", want)
	}
	return nil
}

// key is one key that a group may have, and what reads its value.
type key struct {
	name     string
	required bool
	read     func(n ast.Node, path string)
}

// group reads a group with fixed keys: unknown and missing ones are problems.
func (r *reader) group(n ast.Node, path, want string, keys []key) {
	fields := r.fields(n, path, want)
	if fields == nil {
		return
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	given := make(map[string]bool, len(fields))
	for _, f := range fields {
		given[f.key] = true
		known := false
		for _, k := range keys {
			if k.name == f.key {
				known = true
				k.read(f.value, join(path, f.key))
			}
		}
		if !known {
			r.fail(f.pos, path, f.key, "unknown key%s", spell.Hint(f.key, names))
			given[spell.Nearest(f.key, slices.Values(names))] = true // misspelt, not missing as well
		}
	}
	for _, k := range keys {
		if k.required && !given[k.name] {
			r.fail(position(n), path, "", "no key %s", k.name)
		}
	}
}

// text returns a reader of any text into dst.
func (r *reader) text(dst *string, want string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		if w, ok := r.word(n, path, want); ok {
			*dst = w.text
		}
	}
}

// choice returns a reader of one of some words into dst.
func (r *reader) choice(dst *string, words ...string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w, ok := r.word(n, path, spell.List(words, "or"))
		if !ok {
			return
		}
		for _, known := range words {
			if w.text == known {
				*dst = known
				return
			}
		}
		r.fail(w.pos, path, w.text, "unknown word%s", spell.Hint(w.text, words))
	}
}

// join extends a path by a key.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// item extends a path by a place in a list, from 1.
func item(path string, index int) string { return fmt.Sprintf("%s[%d]", path, index+1) }

// position returns where a node starts: its first key for a block of keys.
func position(n ast.Node) Pos {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return position(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return position(m.Key)
	}
	t := n.GetToken()
	return Pos{t.Position.Line, t.Position.Column}
}

// section keeps a top-level section until those that it needs were read.
type section struct {
	node ast.Node
	path string
}

func (s *section) keep(n ast.Node, path string) { s.node, s.path = n, path }

func (s *section) read(f func(n ast.Node, path string)) {
	if s.node != nil {
		f(s.node, s.path)
	}
}

// designPoint is a mention of a case by a target of the design.
type designPoint struct {
	name word
	path string
}

// yield is a mention of a parameter that gives way to a limit.
type yield struct {
	param word
	path  string
}

// stop is one component in a flow chain, with the port that was written, if any.
type stop struct {
	component, port string
	text            string
	pos             Pos
	bad             bool // reported, or at a component that was
	stream          int  // of the port that was written for the other side
}
