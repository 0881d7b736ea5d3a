package format

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

var (
	npssLong  = regex.Lazy(`^(?:"[^"\n]*"|//[^\n]*|#[^\n]*|/\*(?s:.*?)\*/)`) // texts and comments
	npssWords = []struct {
		kind byte
		form func() *regexp.Regexp
	}{
		{'0', regex.Lazy(`^[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?`)},
		{'0', regex.Lazy(`^(?i)[+-]?(nan|inf|infinity)\b`)},
		{'a', regex.Lazy(`^[A-Za-z_][\w.]*`)},
	}
)

// scanNPSS cuts text into tokens; the last is the end of the file.
func scanNPSS(text string) (toks []npssToken, err error) {
	lines := newLineIndex([]byte(text))
	for i := 0; ; {
		rest := strings.TrimLeft(text[i:], " \t\r\n\f\v")
		i = len(text) - len(rest)
		tok := npssToken{at: lines.place(i)}
		if rest == "" {
			return append(toks, tok), nil
		}
		tok.kind, tok.text = rest[0], rest[:1]
		if strings.IndexByte(`"/#`, rest[0]) >= 0 {
			tok.text = cmp.Or(npssLong().FindString(rest), tok.text)
		} else {
			for _, w := range npssWords {
				if word := w.form().FindString(rest); word != "" {
					tok.kind, tok.text = w.kind, word
					break
				}
			}
		}
		i += len(tok.text)
		switch {
		case tok.kind == '0':
			if tok.num, err = parseNumber(tok.text); err != nil {
				return nil, tok.at.fault("%v", err)
			}
		case tok.text == `"`:
			return nil, tok.at.fault(`this text does not end: " is missing`)
		case tok.kind == '"':
			tok.text = strings.Trim(tok.text, `"`)
		case tok.kind == '#', tok.kind == '/' && len(tok.text) > 1:
			continue
		case strings.HasPrefix(rest, "/*"):
			return nil, tok.at.fault("this comment does not end: */ is missing")
		}
		toks = append(toks, tok)
	}
}
