package terminal

// Keys send a character, or a sequence that begins with escape (ECMA-48, and xterm's control sequences).

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sequences are the codes of keys without characters, after escape.
var sequences = map[string]string{
	"[A": "up", "[B": "down", "[C": "right", "[D": "left", "OA": "up", "OB": "down", "OC": "right", "OD": "left",
	"[H": "home", "[F": "end", "OH": "home", "OF": "end", "[1~": "home", "[4~": "end", "[7~": "home", "[8~": "end",
	"[5~": "pgup", "[6~": "pgdown", "[Z": "tab", "[3~": "delete",
}

// controls are the codes of one byte.
var controls = map[byte]string{
	'\r': "enter", '\n': "enter", '\t': "tab", 0x7f: "backspace", '\b': "backspace", ' ': "space", 0x0c: "ctrl+l",
}

// decoder turns bytes into keys. A sequence may come in parts.
type decoder struct{ rest []byte }

// decode returns the keys in b. If quiet is true, no more bytes follow for a while, and a single escape is a key.
func (d *decoder) decode(b []byte, quiet bool) (keys []string) {
	d.rest = append(d.rest, b...)
	for len(d.rest) > 0 {
		key, n := first(d.rest)
		if n == 0 { // the rest follows, or it was the escape key
			if !quiet {
				return keys
			}
			if d.rest[0] == 0x1b {
				keys = append(keys, "esc")
			}
			d.rest = d.rest[:0]
			return keys
		}
		if key != "" {
			keys = append(keys, key)
		}
		d.rest = d.rest[n:]
	}
	return keys
}

// first returns the first key and its length. The key is empty for an unknown code; n is 0 for an incomplete one.
func first(b []byte) (key string, n int) {
	switch {
	case b[0] == 0x1b:
		return escaped(b)
	case b[0] < 0x20, b[0] == 0x7f, b[0] == ' ':
		return controls[b[0]], 1
	case !utf8.FullRune(b):
		return "", 0
	}
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return "", size
	}
	return string(r), size
}

// escaped is the key of a sequence.
func escaped(b []byte) (key string, n int) {
	if len(b) == 1 {
		return "", 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return sequences[plain(string(b[1:i+1]))], i + 1
			}
			if b[i] < 0x20 { // not a sequence
				return "", i
			}
		}
		return "", 0
	case 'O':
		if len(b) < 3 {
			return "", 0
		}
		return sequences[string(b[1:3])], 3
	}
	return "esc", 1 // and another key at once, or with the Alt key
}

// plain leaves out keys held with it: "[1;5A" is up with Ctrl.
func plain(s string) string {
	at := strings.IndexByte(s, ';')
	if at < 0 {
		return s
	}
	last := s[len(s)-1:]
	if last == "~" {
		return s[:at] + last
	}
	return "[" + last
}
