package plugintest

import (
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/conform"
)

// Subject is a solver's plugin under test.
type Subject = conform.Subject

// Conform tests that a plugin in any language does what the host and its users rely on; see [conform.Checks].
func Conform(t *testing.T, s Subject) {
	for _, c := range conform.Checks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(&s, t) })
	}
}
