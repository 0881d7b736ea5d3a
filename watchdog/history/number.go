package history

import (
	"math"
	"strconv"
	"strings"
)

// number reads a number as solvers print it. Besides Go's forms it accepts Fortran's double exponent (1.0D-05), and its
// exponent of three digits without a letter (1.0-105). It reads as NaN the texts of C and Fortran for invalid values
// (1.#QNAN, -nan(ind), or asterisks where the field is too narrow).
func number(b []byte) (x float64, ok bool) {
	if x, ok := decimal(b); ok {
		return x, true
	}
	return word(string(b))
}

// word reads a number that is not a short decimal.
func word(s string) (x float64, ok bool) {
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

// powers are the powers of ten that float64 holds exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimal reads a decimal number of at most 15 digits that is an exact integer times or divided by an exact power of
// ten: the result of this single operation is the nearest float64 (Clinger, How to Read Floating Point Numbers
// Accurately, 1990). Solvers nearly always print such numbers; decimal returns false for all others.
func decimal(s []byte) (float64, bool) {
	i, negative := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative, i = s[0] == '-', 1
	}
	var mantissa uint64
	digits, seen, exponent := 0, false, 0
	for point := false; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c -= '0'; c > 9 {
			break
		}
		seen = true
		if mantissa > 0 || c > 0 {
			digits++
		}
		mantissa = 10*mantissa + uint64(c)
		if point {
			exponent--
		}
		if digits > 15 {
			return 0, false
		}
	}
	if !seen {
		return 0, false
	}
	if i < len(s) {
		e, ok := exponentOf(s[i:])
		if !ok {
			return 0, false
		}
		exponent += e
	}
	x := float64(mantissa)
	switch {
	case mantissa == 0: // of any exponent
	case exponent < -22 || exponent > 22:
		return 0, false
	case exponent < 0:
		x /= powers[-exponent]
	default:
		x *= powers[exponent]
	}
	if negative {
		x = -x
	}
	return x, true
}

// exponentOf reads e-05, E+5 or D3.
func exponentOf(s []byte) (e int, ok bool) {
	switch s[0] {
	case 'e', 'E', 'd', 'D':
	default:
		return 0, false
	}
	i, negative := 1, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	if i == len(s) || len(s)-i > 4 {
		return 0, false
	}
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		e = 10*e + int(c)
	}
	if negative {
		e = -e
	}
	return e, true
}
