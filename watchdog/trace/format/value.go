package format

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

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

// whole is a value as a whole number; 0 if it is none.
func whole(v any) int64 {
	x, _ := number(v)
	return int64(x)
}

// number is a value as a number.
func number(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// messageValues are the details of a message.
func messageValues(r *trace.Record) map[string]any {
	return map[string]any{"from": r.From, "to": r.To, "type": r.Type, "bytes": r.Bytes}
}
