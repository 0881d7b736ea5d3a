package mock

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin/conformance"
)

// Subject is a solver's plugin under test.
type Subject = conformance.Subject

// Conform tests that a plugin in any language does what the host and its users rely on; see [conformance.Checks].
func Conform(t *testing.T, s Subject) {
	for _, c := range conformance.Checks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(&s, test{t}) })
	}
}

// test is a test that is skipped by package testenv where a plugin does without what the contract leaves to it.
type test struct{ *testing.T }

func (t test) Skip(args ...any) {
	t.Helper()
	testenv.NotHere(t.T, fmt.Sprint(args...))
}
