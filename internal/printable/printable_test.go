package printable_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/printable"
)

func TestControlCharactersAreVisible(t *testing.T) {
	const text = "a\x1b[2J\tb\nü\xff"
	for got, want := range map[string]string{
		printable.Text(text):          "a\\x1b[2J\tb\nü\\xff",
		printable.Cell(text):          `a\x1b[2J\x09b\x0aü\xff`,
		printable.Line(text, 100):     `a\x1b[2J b ü\xff`,
		printable.Line("éééééééé", 6): "ééé...",
		printable.Line("éééééé", 6):   "éééééé",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
