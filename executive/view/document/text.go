package document

// How the page writes numbers, times, durations and paths.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// number writes a number with so many significant digits, without an exponent if that is readable. For NaN and infinity
// it writes a dash.
func number(v float64, digits int) string {
	if !numeric.Finite(v) {
		return "–"
	}
	if v == 0 {
		return "0"
	}
	size := int(math.Floor(math.Log10(math.Abs(v))))
	if size < -3 || size > 6 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
		n, _ := strconv.Atoi(exponent) // strconv wrote it
		return strings.ReplaceAll(mantissa, "-", "−") + "·10" + raised(n)
	}
	return strings.ReplaceAll(strconv.FormatFloat(v, 'f', max(0, digits-1-size), 64), "-", "−")
}

// raised writes an exponent.
func raised(n int) string {
	return strings.Map(func(r rune) rune {
		if r == '-' {
			return '⁻'
		}
		return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0']
	}, strconv.Itoa(n))
}

// count writes a number of iterations, or a time where that is no whole number.
func count(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return number(v, 4)
}

// grouped puts thin spaces between thousands.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return digits
}

// span writes a duration.
func span(d time.Duration) string {
	switch {
	case d <= 0:
		return "–"
	case d < 10*time.Second:
		return fmt.Sprintf("%.2g s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// date writes a time of day with its date, in UTC: a page is read elsewhere.
func date(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// keys returns a map's keys in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// clipped shortens a text to so many characters.
func clipped(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
