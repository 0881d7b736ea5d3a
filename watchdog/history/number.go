package history

import (
	"math"
	"strconv"
	"strings"
)

// number reads a number as solvers print it. Besides Go's forms it accepts Fortran's double
// exponent (1.0D-05), its exponent of three digits without a letter (1.0-105), and, as NaN,
// what C and Fortran print for values that are no numbers (1.#QNAN, -nan(ind), or asterisks
// where the field is too narrow).
func number(s string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(s, 64)
	if err == nil {
		return x, true
	}
	if math.IsInf(x, 0) { // beyond the range of float64
		return x, true
	}
	if len(s) == 0 || len(s) > 64 {
		return 0, false
	}
	if strings.Trim(s, "*") == "" {
		return math.NaN(), true
	}
	lower := strings.ToLower(strings.TrimLeft(s, "+-"))
	for _, word := range []string{"nan", "1.#", "1#qnan", "1#ind", "1#inf"} {
		if strings.HasPrefix(lower, word) && !strings.ContainsAny(lower, " \t") {
			return math.NaN(), true
		}
	}
	return fortran(s)
}

// fortran reads 1.0D-05 and 1.0-105.
func fortran(s string) (float64, bool) {
	e := strings.IndexAny(s, "dD")
	mantissa, exponent := "", ""
	if e > 0 {
		mantissa, exponent = s[:e], s[e+1:]
	} else if e = strings.LastIndexAny(s, "+-"); e > 0 {
		mantissa, exponent = s[:e], s[e:]
	} else {
		return 0, false
	}
	x, err := strconv.ParseFloat(mantissa+"e"+exponent, 64)
	return x, err == nil || math.IsInf(x, 0)
}
