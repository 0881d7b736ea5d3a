package format

import (
	"regexp"
	"strings"
)

// scanNPSS cuts text into tokens; the last is the end of the file.
func scanNPSS(text string) ([]npssToken, error) {
	lines := newLineIndex([]byte(text))
	var toks []npssToken
	for i := 0; i < len(text); {
		if n := blank(text[i:]); n > 0 {
			i += n
			continue
		}
		at := lines.place(i)
		if strings.HasPrefix(text[i:], "/*") {
			return nil, at.fault("this comment does not end: */ is missing")
		}
		tok, n, err := oneToken(text[i:], at)
		if err != nil {
			return nil, err
		}
		toks = append(toks, tok)
		i += n
	}
	return append(toks, npssToken{at: lines.place(len(text))}), nil
}

// blank returns the length of white space or a comment that text begins with.
func blank(text string) int {
	switch {
	case strings.IndexByte(" \t\r\n\f\v", text[0]) >= 0:
		return 1
	case strings.HasPrefix(text, "//") || text[0] == '#':
		if n := strings.IndexByte(text, '\n'); n >= 0 {
			return n
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		if n := strings.Index(text[2:], "*/"); n >= 0 {
			return n + 4
		}
	}
	return 0
}

var (
	npssNumber = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?`)
	npssOdd    = regexp.MustCompile(`^(?i)[+-]?(nan|inf|infinity)\b`)
	npssWord   = regexp.MustCompile(`^[A-Za-z_][\w.]*`)
)

func oneToken(text string, at place) (npssToken, int, error) {
	if text[0] == '"' {
		end := strings.IndexAny(text[1:], "\"\n")
		if end < 0 || text[1+end] == '\n' {
			return npssToken{}, 0, at.fault(`this text does not end: " is missing`)
		}
		return npssToken{kind: '"', text: text[1 : 1+end], at: at}, end + 2, nil
	}
	number := npssNumber.FindString(text)
	if number == "" {
		number = npssOdd.FindString(text)
	}
	if number != "" {
		v, err := parseNumber(number)
		if err != nil {
			return npssToken{}, 0, at.fault("%v", err)
		}
		return npssToken{kind: '0', text: number, num: v, at: at}, len(number), nil
	}
	if word := npssWord.FindString(text); word != "" {
		return npssToken{kind: 'a', text: word, at: at}, len(word), nil
	}
	return npssToken{kind: text[0], text: text[:1], at: at}, 1, nil
}
