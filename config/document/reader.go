package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Reader reads a file and collects problems. The caller continues after a problem, so that the user sees all problems.
type Reader struct {
	form     Form
	File     string
	Lines    []string
	Problems []*Problem
}

// NewReader returns a reader of a file. Messages use the name of the file.
func NewReader(file string, form Form) Reader { return Reader{File: file, form: form} }

// Errors returns the problems in the order of the file, as an [*Errors]; nil: no problems.
func (r *Reader) Errors() error {
	if len(r.Problems) == 0 {
		return nil
	}
	e := &Errors{Problems: r.Problems}
	e.sort()
	return e
}

// Fail records a problem at a place of the file.
func (r *Reader) Fail(at Pos, path, text, format string, args ...any) {
	p := &Problem{File: r.File, Pos: at, Path: path, Text: text, Message: fmt.Sprintf(format, args...)}
	if at.Line >= 1 && at.Line <= len(r.Lines) {
		p.Source = r.Lines[at.Line-1]
	}
	r.Problems = append(r.Problems, p)
}

// Hint is [spell.Hint]. It is empty if there are already more problems than a user reads: the search for the nearest
// name takes longer than all other work.
func (r *Reader) Hint(word string, known []string, given ...string) string {
	if len(r.Problems) > 4*mostPrinted {
		return ""
	}
	return spell.Hint(word, known, given...)
}

// Word is a scalar of the file, as written.
type Word struct {
	Text   string
	Pos    Pos
	Quoted bool
	Lines  bool // it spans lines: places within it are unknown
}

// At returns the place of the byte at offset within the word.
func (w Word) At(offset int) Pos {
	if w.Lines || w.Pos == (Pos{}) {
		return w.Pos
	}
	p := w.Pos
	p.Column += len([]rune(w.Text[:offset]))
	if w.Quoted {
		p.Column++
	}
	return p
}

// AtRune returns the place of the rune at offset within the word.
func (w Word) AtRune(offset int) Pos {
	runes := []rune(w.Text)
	return w.At(len(string(runes[:min(offset, len(runes))])))
}

// Word reads a scalar, or reports the other kind of node.
func (r *Reader) Word(n ast.Node, path, want string) (Word, bool) {
	w := Word{Pos: Position(n)}
	switch s := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		r.Fail(w.Pos, path, "", "a group of keys, want %s", want)
		return w, false
	case *ast.SequenceNode:
		r.Fail(w.Pos, path, "", "a list, want %s", want)
		return w, false
	case *ast.NullNode:
		r.Fail(w.Pos, path, "", "no value, want %s", want)
		return w, false
	case *ast.LiteralNode:
		w.Text, w.Lines = strings.TrimRight(s.Value.Value, "\n"), true
	default:
		t := n.GetToken()
		w.Text = t.Value
		w.Quoted = t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
		// Escapes, folds and doubled quotes make the text differ from the file.
		w.Lines = !r.stands(w)
	}
	if strings.TrimSpace(w.Text) == "" {
		r.Fail(w.Pos, path, "", "no value, want %s", want)
		return w, false
	}
	return w, true
}

// stands reports whether a word's text is in the file, letter by letter, at its place.
func (r *Reader) stands(w Word) bool {
	if w.Pos.Line < 1 || w.Pos.Line > len(r.Lines) {
		return false
	}
	line := []rune(r.Lines[w.Pos.Line-1])
	start := w.At(0).Column - 1
	return start >= 0 && start <= len(line) && strings.HasPrefix(string(line[start:]), w.Text)
}

// Field is a `key: value`.
type Field struct {
	Key   string
	Pos   Pos
	Value ast.Node

	token *token.Token // of the key
}

// Fields reads a group of keys in the order of the file and reports duplicate keys. For another kind of node it returns
// nil and reports a problem.
func (r *Reader) Fields(n ast.Node, path, want string) []Field {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		if w, ok := r.Word(n, path, want); ok {
			r.Fail(w.Pos, path, w.Text, "want %s", want)
		}
		return nil
	}
	seen := make(map[string]Pos, len(values))
	list := make([]Field, 0, len(values))
	for _, v := range values {
		key := v.Key.GetToken()
		f := Field{Key: key.Value, Pos: Position(v.Key), Value: v.Value, token: key}
		if first, twice := seen[f.Key]; twice {
			r.Fail(f.Pos, Join(path, f.Key), f.Key, "the key is already at line %d", first.Line)
			continue
		}
		if r.rejoined(list, f, path) {
			continue
		}
		seen[f.Key] = f.Pos
		list = append(list, f)
	}
	return list
}

// number, and cutNumber: the halves of a number that YAML splits at a comma within brackets.
var (
	number    = regex.Lazy(`^(|.*[ =<>])([-+]?[0-9]+)$`)
	cutNumber = regex.Lazy(`^([0-9]+)([ .].*)?$`)
)

// rejoined reports whether a key is the second half of a number with a comma, as in {altitude: 36,000 ft}; the value
// before it is the first half. That is a problem; the value becomes the intended number.
func (r *Reader) rejoined(list []Field, f Field, path string) bool {
	m := cutNumber().FindStringSubmatch(f.Key)
	if m == nil || f.Value.Type() != ast.NullType || len(list) == 0 {
		return false
	}
	last := &list[len(list)-1]
	at := last.Value.GetToken()
	begin := number().FindStringSubmatch(at.Value)
	if begin == nil {
		return false
	}
	text := begin[2] + "," + f.Key
	last.Value = wordNode(at, 0, begin[1]+unit.Decimal(text))
	r.Fail(Position(last.Value), Join(path, last.Key), text, "%s", unit.Comma(text))
	return true
}

// wordNode is a word that begins some bytes after a token, in place of a badly written value.
func wordNode(at *token.Token, offset int, text string) ast.Node {
	place := *at.Position
	place.Column += offset
	return ast.String(token.String(text, text, &place))
}

// Keys returns the keys of fields.
func Keys(list []Field) []string { return convert.All(list, func(f Field) string { return f.Key }) }

// Known reports the unknown keys among fields. The text what names their owner, such as " of a burner". If an unknown
// key is close to a known key that is missing, it is read as that key, so that only the misspelling is reported.
func (r *Reader) Known(list []Field, path, what string, names []string) []Field {
	keys := Keys(list)
	given := map[string]bool{}
	for _, key := range keys {
		given[key] = true
	}
	for i, f := range list {
		if slices.Contains(names, f.Key) {
			continue
		}
		meant := spell.Nearest(f.Key, slices.Values(names))
		if key, value, cut := strings.Cut(f.Key, " "); cut && f.Value.Type() == ast.NullType &&
			slices.Contains(names, key) {
			r.Fail(f.Pos, path, f.Key, "no colon: write %s: %s", key, strings.TrimSpace(value))
			meant = key
			list[i].Value = wordNode(f.token, len(f.Key)-len(value), value)
		} else {
			r.Fail(f.Pos, path, f.Key, "unknown key%s%s", what, r.Hint(f.Key, names, keys...))
		}
		if meant != "" && !given[meant] {
			list[i].Key, given[meant] = meant, true
		}
	}
	return list
}

// Items reads a list; a nil node and an empty value are reported as anything else is.
func (r *Reader) Items(n ast.Node, path, want string) []ast.Node {
	s, ok := n.(*ast.SequenceNode)
	if ok {
		return s.Values
	}
	if w, ok := r.Word(n, path, "a list of "+want); ok {
		r.Fail(w.Pos, path, w.Text, "want a list of %s", want)
	}
	return nil
}

// Join extends a path by a key.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Item extends a path by a place in a list, from 1.
func Item(path string, index int) string { return fmt.Sprintf("%s[%d]", path, index+1) }

// Position returns where a node starts: its first key for a block of keys.
func Position(n ast.Node) Pos {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return Position(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return Position(m.Key)
	}
	t := n.GetToken()
	return Pos{t.Position.Line, t.Position.Column}
}
