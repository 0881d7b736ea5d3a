package terminal

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// Is reports whether a file is a terminal: /dev/null and /dev/full are none.
func Is(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// Columns returns the width of a terminal; of one that does not say, the usual 80.
func Columns(f *os.File) int {
	if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
		return width
	}
	return 80
}
