package printable_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"

	"github.com/peregrine-sim/peregrine/internal/printable"
)

func TestControlCharactersAreVisible(t *testing.T) {
	const text = "a\x1b[2J\tb\nü\xff"
	for got, want := range map[string]string{
		printable.Text(text):          "a\\x1b[2J\tb\nü\\xff",
		printable.Cell(text):          `a\x1b[2J\x09b\x0aü\xff`,
		printable.Line(text, 100):     `a\x1b[2J b ü\xff`,
		printable.Line("éééééééé", 6): "ééé...",
		// text that runs backwards, a separator of lines, an invisible letter, and a joiner, which is part of a word
		printable.Text("a\u202eb\u2028c\U000e0041\u009b\ufeff\u06cc\u200c\x7f"): `a\u202eb\u2028c\udb40\udc41\u009b\ufeff` +
			"\u06cc\u200c" + `\u007f`,
		printable.Line("éééééé", 6): "éééééé",
	} {
		must.Equal(t, want, got)
	}
}
