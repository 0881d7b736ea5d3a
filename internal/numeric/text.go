package numeric

import (
	"math"
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

// Round rounds v to a number of significant digits.
func Round(v float64, digits int) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// OrNaN is v, or NaN if it is infinite.
func OrNaN(v float64) float64 {
	if !Finite(v) {
		return math.NaN()
	}
	return v
}
