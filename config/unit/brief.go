package unit

import (
	"math"
	"strconv"
)

// Brief writes a number with five significant digits at most, without exponent
// where that is readable.
func Brief(v float64) string {
	text := strconv.FormatFloat(v, 'g', 5, 64)
	if a := math.Abs(v); a < 1e-3 || a >= 1e7 {
		return text
	}
	rounded, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err) // it was written the line before last
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
