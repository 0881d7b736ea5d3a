package format

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

var errWhole, errNumber = errors.New("a whole number"), errors.New("a number")

// finite parses a finite number.
func finite(word string) (float64, error) {
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, errors.New("no finite number")
	}
	return x, nil
}

// cut shortens a word for a message.
func cut(word string) string {
	if len(word) > 40 {
		return word[:40] + "..."
	}
	return word
}

// scaled is a word as a value: a whole number, a number, or a text. A scale makes any number one that is not whole.
func scaled(word string, scale float64) any {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && scale == 1 {
		return n
	}
	if x, err := finite(word); err == nil {
		return x * scale
	}
	return word
}

// whole is a value as a whole number; 0 if it is none.
func whole(v any) int64 {
	x, _ := trace.Number(v)
	return int64(x)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// wholes parses words that are whole numbers. Its error names the first that is none.
func wholes(into []int64, words, names []string) (err error) {
	for i, word := range words {
		if into[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			return fmt.Errorf("%s is %q, want %w", names[i], cut(word), errWhole)
		}
	}
	return nil
}
