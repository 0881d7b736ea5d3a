// Package must ends a test when a step fails, most often of its set-up, or a value differs from the wanted one.
package must

import (
	"fmt"
	"math"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// T is a test or a benchmark, or a test of one random input (rapid).
type T interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test if err is not nil.
func OK(t T, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Value returns the value of a function that also returns an error. The error ends the test:
//
//	text := must.Value(os.ReadFile(name))(t)
func Value[V any](v V, err error) func(T) V {
	return func(t T) V {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return v
	}
}

// Equal ends the test if the values differ, and prints the difference.
func Equal(t T, want, got any, options ...cmp.Option) {
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Helper()
		t.Fatal("(-want +got)\n" + diff)
	}
}

// Fail ends the test unless err contains the given text.
func Fail(t T, err error, says string) {
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Helper()
		t.Fatal(fmt.Sprintf("got %v, want %q", err, says))
	}
}

// Refuse is Fail for a function that returns a value with its error:
//
//	must.Refuse(config.Load(name))(t, "no such file")
func Refuse[V any](_ V, err error) func(T, string) {
	return func(t T, says string) {
		t.Helper()
		Fail(t, err, says)
	}
}

// Near ends the test unless got is want within a relative tolerance.
func Near(t T, what string, got, want, tolerance float64) {
	t.Helper()
	Within(t, what, got, want, tolerance*math.Abs(want))
}

// Within ends the test unless got is want within an absolute tolerance.
func Within(t T, what string, got, want, tolerance float64) {
	if !(math.Abs(got-want) <= tolerance) {
		t.Helper()
		t.Fatal(fmt.Sprintf("%s is %.15g, want %.15g within %.3g", what, got, want, tolerance))
	}
}

// Contain ends the test unless a text has all parts.
func Contain(t T, text string, parts ...string) {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Helper()
			t.Fatal(fmt.Sprintf("no %q in\n%s", part, text))
		}
	}
}
