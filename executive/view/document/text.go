package document

// How the page writes numbers, times, durations and paths.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// number writes a number, and a dash for NaN and infinity.
func number(v float64) string {
	if !numeric.Finite(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// count writes a number of iterations, or a time where that is no whole number.
func count(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return number(v)
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
