package language

// Messages with expressions in braces.

import (
	"errors"
	"strings"
)

// Fragment is a text, or an expression that is replaced by its value.
type Fragment struct {
	Text       string
	Expression bool
}

// Fragments takes a message apart.
func Fragments(message string) (list []Fragment, err error) {
	for rest := message; rest != ""; {
		before, inner, found := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return nil, errors.New("a } without {")
		}
		list = append(list, Fragment{Text: before})
		if !found {
			break
		}
		text, after, closed := strings.Cut(inner, "}")
		if !closed {
			return nil, errors.New("a { without }")
		}
		list = append(list, Fragment{text, true})
		rest = after
	}
	return list, nil
}
