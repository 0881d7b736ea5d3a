package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Limits of an engine file. A real one has some hundred lines; these keep a
// wrong or hostile file from costing time or memory before it is refused. The
// YAML parser's time grows with the square of entries and of depth.
const (
	maxBytes  = 1 << 20
	maxTokens = 30_000
	maxDepth  = 32  // brackets within brackets
	maxIndent = 256 // column of a block key or dash
)

// readFile returns a file's content; what names its kind in errors.
func readFile(path, what string) ([]byte, error) {
	return intake.Read(path, intake.Limit{What: what, Bytes: maxBytes})
}

// tree checks that the data is one YAML document of the plain kind and parses
// it. On a problem that leaves nothing to check it returns nil.
func (r *reader) tree(data []byte) ast.Node {
	if len(data) > maxBytes {
		r.fail(Pos{}, "", "", "over %d bytes, the most an engine file may have", maxBytes)
		return nil
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	r.lines = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if !r.plainText() {
		return nil
	}
	tokens := lexer.Tokenize(strings.Join(r.lines, "\n"))
	if !r.plainYAML(tokens) {
		return nil
	}
	// Duplicate keys are found later, with the rest of the problems.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			r.fail(position(doc.Body), "", "", "a second document; an engine file is one, without --- in it")
			return nil
		default:
			body = doc.Body
		}
	}
	if body == nil {
		r.fail(Pos{1, 1}, "", "", "empty; an engine file starts with engine: and a name")
	}
	return body
}

// plainText refuses what is no text, and tabs. YAML forbids tabs in indents
// only, but the parser drops those between words without a word.
func (r *reader) plainText() bool {
	ok := true
	for i, line := range r.lines {
		column := 0
		var before rune
		for offset, c := range line {
			column++
			message := ""
			switch {
			case c == utf8.RuneError && !strings.HasPrefix(line[offset:], "\ufffd"):
				message = "not UTF-8 text"
			case c == '\t':
				message = "a tab; indent and separate with blanks"
			case c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == '\ufeff':
				message = fmt.Sprintf("a control character (U+%04X)", c)
			}
			if message != "" {
				r.fail(Pos{i + 1, column}, "", "", "%s", message)
				ok = false
				break // one problem a line is enough
			}
			if c == '#' && (before == 0 || before == ' ') {
				break // tabs in comments do no harm
			}
			before = c
		}
	}
	return ok
}

// refused are the parts of YAML that an engine file may not use.
var refused = map[token.Type]string{
	token.AnchorType:     "anchors (&) are not allowed; quote the text if it is one",
	token.AliasType:      "aliases (*) are not allowed; quote the text if it is one",
	token.MergeKeyType:   "merge keys (<<) are not allowed",
	token.TagType:        "tags (!) are not allowed; quote the text if it is one",
	token.DirectiveType:  "directives (%) are not allowed; quote the text if it is one",
	token.MappingKeyType: "the long form of a key (?) is not allowed; write key: value",
}

// plainYAML refuses the parts of YAML that an engine file has no use for and
// that can make a small file a large one or a key something else than it looks.
func (r *reader) plainYAML(tokens token.Tokens) bool {
	if len(tokens) > maxTokens {
		r.fail(Pos{1, 1}, "", "", "%d words and signs; an engine file may have %d", len(tokens), maxTokens)
		return false
	}
	before := len(r.problems)
	depth, line := 0, 0
	for _, t := range tokens {
		at := Pos{t.Position.Line, t.Position.Column}
		if message, ok := refused[t.Type]; ok && at.Line != line { // one problem a line is enough
			r.fail(at, "", "", "%s", message)
			line = at.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		}
		block := t.Type == token.SequenceEntryType || t.Type == token.MappingValueType
		if depth > maxDepth || block && depth <= 0 && at.Column > maxIndent {
			r.fail(at, "", "", "nested too deep")
			return false
		}
	}
	return len(r.problems) == before
}

// syntax reports an error of the YAML parser.
func (r *reader) syntax(err error) {
	var se *yaml.SyntaxError
	if !errors.As(err, &se) || se.Token == nil {
		r.fail(Pos{1, 1}, "", "", "not YAML: %v", err)
		return
	}
	p := se.Token.Position
	r.fail(Pos{p.Line, p.Column}, "", "", "not YAML: %s", se.Message)
}
