package numeric

import (
	"strconv"
	"strings"
)

// Text returns v in the fewest digits that read back as v, such as 0.1 or 1e+21.
func Text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Join returns the texts of v with a separator between them.
func Join(v []float64, separator string) string {
	parts := make([]string, len(v))
	for i := range v {
		parts[i] = Text(v[i])
	}
	return strings.Join(parts, separator)
}

// List returns the texts of v as a list, such as [1, 2.5].
func List(v []float64) string { return "[" + Join(v, ", ") + "]" }
