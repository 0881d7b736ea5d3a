package document

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Form describes a kind of file, with its limits. Real files are far smaller: the limits keep a wrong or hostile file
// from using time or memory before it is refused.
type Form struct {
	What   string // with its article, such as "an engine file"
	Begins string // first text of the file, such as "engine: and a name"
	Bytes  int    // most
	Words  int    // most words and signs
	Many   bool   // groups may have many keys
}

// Limits of every form. The YAML parser's time grows with the square of the keys of a group and with depth. Its memory
// grows with the length of keys times the size of their contents.
const (
	maxDepth  = 32   // brackets within brackets
	maxIndent = 256  // column of a block key or dash
	maxKeys   = 1000 // of a group
	maxKey    = 256  // bytes of a key
)

// Limit is that of the file's size.
func (f Form) Limit() intake.Limit { return intake.Limit{What: f.What, Bytes: int64(f.Bytes)} }

// Tree checks that the data is a single plain YAML document and parses it. It returns nil if a problem leaves no tree
// to check.
func (r *Reader) Tree(data []byte) ast.Node {
	tokens := r.tokens(data)
	if tokens == nil {
		return nil
	}
	// Duplicate keys are found later, with the rest of the problems.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil
	}
	if body := content(file); body != nil {
		return body
	}
	r.Fail(Pos{1, 1}, "", "", "empty; %s starts with %s", r.form.What, r.form.Begins)
	return nil
}

// Decode reads data strictly into a value, as goccy/go-yaml does and with its errors, for
// files of many numbers. The error is an [*Errors] if the data are beyond the form's limits, or
// not plain.
func Decode(data []byte, form Form, to any) error {
	r := NewReader("", form)
	tokens := r.tokens(data)
	if tokens == nil {
		return r.Errors()
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return err
	}
	body := content(file)
	if body == nil {
		return nil
	}
	return yaml.NodeToValue(body, to, yaml.Strict())
}

// content is the content of the only document of a file; nil: the document is empty.
func content(file *ast.File) ast.Node {
	for _, doc := range file.Docs {
		if doc.Body != nil {
			return doc.Body
		}
	}
	return nil
}

// tokens returns the words and signs of plain YAML within the form's limits. For other data it reports a problem and
// returns nil.
func (r *Reader) tokens(data []byte) token.Tokens {
	if len(data) > r.form.Bytes {
		r.Fail(Pos{}, "", "", "%s", &intake.SizeError{Limit: r.form.Limit()})
		return nil
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	r.Lines = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if !r.plainText() {
		return nil
	}
	text = strings.Join(r.Lines, "\n")
	if n := signs(text); n > r.form.Words {
		r.tooMany(n)
		return nil
	}
	tokens := lexer.Tokenize(text)
	if r.form.Many {
		tokens = inBrackets(tokens)
	}
	if !r.plainYAML(tokens) {
		return nil
	}
	if tokens == nil {
		tokens = token.Tokens{} // an empty text is plain
	}
	return tokens
}

// signs estimates the number of words and signs before the lexer runs: the lexer takes some 300 bytes for each.
func signs(text string) int {
	n := strings.Count(text, "- ")
	for i := range len(text) {
		switch text[i] {
		case ',', ':', '[', ']', '{', '}', '?', '&', '*', '!', '|', '>', '%', '@', '`', '"', '\'', '#':
			n++
		}
	}
	return n
}

func (r *Reader) tooMany(words int) {
	r.Fail(Pos{1, 1}, "", "", "%d words and signs; %s may have %d", words, r.form.What, r.form.Words)
}

// plainText refuses data that are not text, and tabs. YAML forbids tabs only in indents, but the parser silently drops
// those between words. Data that are not text are a single problem, as all of their lines are faulty.
func (r *Reader) plainText() bool {
	ok := true
	if strings.HasPrefix(r.Lines[0], "\xff\xfe") || strings.HasPrefix(r.Lines[0], "\xfe\xff") {
		r.Fail(Pos{}, "", "", "text in UTF-16; save it as UTF-8")
		return false
	}
	for i, line := range r.Lines {
		column := 0
		var before rune
		for offset, c := range line {
			column++
			at := Pos{i + 1, column}
			switch {
			case c == utf8.RuneError && !strings.HasPrefix(line[offset:], "\ufffd"):
				r.Fail(at, "", "", "not UTF-8 text; save it as UTF-8")
				return false
			case c < ' ' && c != '\t' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == '\ufeff':
				r.Fail(at, "", "", "a control character (U+%04X)", c)
				return false
			}
			if c == '\t' {
				r.Fail(at, "", "", "a tab; indent and separate with blanks")
				ok = false
				break // report one problem a line
			}
			if c == '#' && (before == 0 || before == ' ') {
				break // tabs in comments do no harm
			}
			before = c
		}
	}
	return ok
}

// inBrackets writes blocks of keys as groups in brackets, whose parsing time grows with their keys and not with the
// square of these. Tokens with dashes, texts of several lines or wrong indents stay as they are.
func inBrackets(tokens token.Tokens) token.Tokens {
	list := make(token.Tokens, 0, 2*len(tokens))
	var columns []int // of the open blocks
	depth, line := 0, 0
	for i, t := range tokens {
		switch t.Type {
		case token.CommentType:
			continue
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType, token.LiteralType, token.FoldedType, token.DocumentHeaderType,
			token.DocumentEndType:
			return tokens
		}
		if depth == 0 && i+1 < len(tokens) && tokens[i+1].Type == token.MappingValueType {
			open, n := len(columns), len(columns)
			for n > 0 && columns[n-1] > t.Position.Column {
				list, n = append(list, token.MappingEnd("}", t.Position)), n-1
			}
			columns = columns[:n]
			switch at := t.Position.Column; {
			case t.Position.Line == line || n < open && (n == 0 || columns[n-1] < at):
				return tokens
			case n > 0 && columns[n-1] == at:
				list = append(list, token.CollectEntry(",", t.Position))
			default:
				list, columns = append(list, token.MappingStart("{", t.Position)), append(columns, at)
			}
			line = t.Position.Line
		}
		list = append(list, t)
	}
	for range columns {
		list = append(list, token.MappingEnd("}", tokens[len(tokens)-1].Position))
	}
	return list
}

// refused are the parts of YAML that no file may use.
var refused = map[token.Type]string{
	token.AnchorType:     "anchors (&) are not allowed; quote the value if it is a text",
	token.AliasType:      "aliases (*) are not allowed; quote the value if it is a text",
	token.MergeKeyType:   "merge keys (<<) are not allowed",
	token.TagType:        "tags (!) are not allowed; quote the value if it is a text",
	token.DirectiveType:  "directives (%) are not allowed; quote the value if it is a text",
	token.MappingKeyType: "the long form of a key (?) is not allowed; write key: value",
}

// plainYAML refuses parts of YAML that these files do not need. Such parts can make a small file large, or give a key
// another meaning than it seems to have.
func (r *Reader) plainYAML(tokens token.Tokens) bool {
	if len(tokens) > r.form.Words {
		r.tooMany(len(tokens))
		return false
	}
	before := len(r.Problems)
	line := 0
	var groups groups
	var brackets brackets
	var parts documents
	for i, t := range tokens {
		at := Pos{t.Position.Line, t.Position.Column}
		if message, ok := refused[t.Type]; ok && at.Line != line { // report one problem a line
			r.Fail(at, "", "", "%s", message)
			line = at.Line
		}
		if message := brackets.follow(t.Type); message != "" {
			if t.Type == token.MappingValueType { // where the key begins
				at = Pos{tokens[i-1].Position.Line, tokens[i-1].Position.Column}
			}
			r.Fail(at, "", "", "%s", message)
			return false
		}
		depth := len(brackets)
		if parts.second(t.Type) {
			r.Fail(at, "", "", "a second document; %s is one, without --- in it", r.form.What)
			return false
		}
		indent := 0
		switch {
		case depth > 0:
		case t.Type == token.SequenceEntryType:
			indent = at.Column
		case t.Type == token.MappingValueType && i > 0:
			indent = tokens[i-1].Position.Column
		}
		if depth > maxDepth || indent > maxIndent {
			r.Fail(at, "", "", "nested too deep")
			return false
		}
		if t.Type == token.MappingValueType && i > 0 {
			key := tokens[i-1]
			if len(key.Value) > maxKey {
				r.Fail(Pos{key.Position.Line, key.Position.Column}, "", "", "a key of %d bytes; one may have %d",
					len(key.Value), maxKey)
				return false
			}
			if depth == 0 && groups.key(key.Position.Column) > maxKeys {
				r.Fail(at, "", "", "a group of more than %d keys", maxKeys)
				return false
			}
		}
		if t.Type == token.SequenceEntryType && depth == 0 {
			groups.end(at.Column)
		}
	}
	return len(r.Problems) == before
}

// brackets are the open brackets at a place of the file. Each records whether a key has come since the last comma.
type brackets []bool

// follow moves to the next token and returns an error text for a token that is not allowed within brackets: the parser
// accepts it, in a time that grows with the square.
func (b *brackets) follow(t token.Type) string {
	in := len(*b) - 1
	switch {
	case t == token.MappingStartType || t == token.SequenceStartType:
		*b = append(*b, false)
	case in < 0:
	case t == token.MappingEndType || t == token.SequenceEndType:
		*b = (*b)[:in]
	case t == token.CollectEntryType:
		(*b)[in] = false
	case t == token.SequenceEntryType:
		return "a list with dashes within brackets; separate with commas"
	case t == token.MappingValueType && (*b)[in]:
		return "a key without a comma or a closing bracket before it"
	case t == token.MappingValueType:
		(*b)[in] = true
	}
	return ""
}

// documents is the state of the only document of a file: --- may be before it, and ... after it.
type documents struct{ headed, begun, ended bool }

// second reports whether a token is not of the first document.
func (d *documents) second(t token.Type) bool {
	switch t {
	case token.CommentType:
		return false
	case token.DocumentHeaderType:
		second := d.headed || d.begun || d.ended
		d.headed = true
		return second
	case token.DocumentEndType:
		second := d.ended
		d.ended = true
		return second
	}
	d.begun = true
	return d.ended
}

// groups counts the keys of the blocks of keys that a place of the file is in.
type groups []struct{ column, keys int }

// key counts a key at a column, ends the blocks further to the right, and returns the number of keys in its block.
func (g *groups) key(column int) int {
	g.end(column)
	if n := len(*g); n == 0 || (*g)[n-1].column < column {
		*g = append(*g, struct{ column, keys int }{column, 0})
	}
	last := &(*g)[len(*g)-1]
	last.keys++
	return last.keys
}

// end ends the blocks to the right of a column.
func (g *groups) end(column int) {
	for len(*g) > 0 && (*g)[len(*g)-1].column > column {
		*g = (*g)[:len(*g)-1]
	}
}

// syntax reports an error of the YAML parser.
func (r *Reader) syntax(err error) {
	var se *yaml.SyntaxError
	if !errors.As(err, &se) || se.Token == nil {
		r.Fail(Pos{1, 1}, "", "", "not YAML: %v", err)
		return
	}
	p := se.Token.Position
	r.Fail(Pos{p.Line, p.Column}, "", "", "not YAML: %s", se.Message)
}
