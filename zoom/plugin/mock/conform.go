package mock

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin/conformance"
)

// Subject is a solver's plugin under test.
type Subject = conformance.Subject

// Conform tests a plugin in any language against the contract; see [conformance.Checks].
func Conform(t *testing.T, s Subject) {
	for _, c := range conformance.Checks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(&s, test{t}) })
	}
}

// test is a test whose skips go through package testenv, for optional parts of the contract that a plugin lacks.
type test struct{ *testing.T }

func (t test) Skip(args ...any) {
	t.Helper()
	testenv.NotHere(t.T, fmt.Sprint(args...))
}
