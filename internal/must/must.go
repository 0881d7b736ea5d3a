// Package must ends a test where a step fails without which it makes no sense, most often of its set-up.
package must

import "github.com/google/go-cmp/cmp"

// T is a test or a benchmark, or a test of one random input (rapid).
type T interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test if there is an error.
func OK(t T, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Value returns what a function returned with its error, which ends the test:
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

// Equal ends the test if the values differ, and says where.
func Equal(t T, want, got any, options ...cmp.Option) {
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Helper()
		t.Fatal("(-want +got)\n" + diff)
	}
}
