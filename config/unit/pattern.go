package unit

import (
	"regexp"
	"slices"
	"strings"
)

// Pattern returns a regular expression, for JSON Schema, of a number with an optional unit. It matches every text that
// Parse reads as a quantity of some dimension, and no text with an unknown unit. It does not check the combination of
// units.
func Pattern() string {
	words := slices.Sorted(names())
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	word := "(?:1|" + strings.Join(words, "|") + ")"
	const (
		number   = `[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`
		exponent = `\^?-?[0-9²³]`
		between  = `[\s*·/()-]`
	)
	unit := `[(\s]*(?:` + word + `(?:` + exponent + between + `*|` + between + `+))*` + word + `(?:` + exponent +
		`)?[)\s]*`
	return `^\s*` + number + `(?:` + unit + `)?\s*$`
}
