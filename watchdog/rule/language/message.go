package language

// Messages with expressions in braces.

import (
	"errors"
	"fmt"
	"math"
	"strconv"
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

// How values are shown to people.

// Show formats a value for people, numbers with four digits.
func Show(x any) string {
	switch x := x.(type) {
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e9 {
			return strconv.FormatFloat(x, 'f', 0, 64)
		}
		return strconv.FormatFloat(x, 'g', 4, 64)
	default:
		return fmt.Sprint(x)
	}
}
