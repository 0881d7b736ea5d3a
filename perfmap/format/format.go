// Package format reads and writes files of performance maps, in Peregrine's own format and in those of other programs.
//
// [Read] finds the format of a file by its content; [Write] writes Peregrine's
// own format and [WriteAs] any other. A new format needs a file that implements [Format], optionally [Writer], and an
// entry in the list of registry.go. Detection, the command line's formats and its help follow from the list.
package format

import (
	"io"
	"strings"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// Format is a file format that maps can be read from.
type Format interface {
	// Name is the user's word for the format, such as "npss".
	Name() string
	// Title is the format's name in messages, such as "NPSS .map".
	Title() string
	// Match reports whether data look like a file of the format. Names of files do not matter.
	Match(data []byte) bool
	// Read returns the map of a file's content. The map gets the name if the file
	// states none. An error with a place in the file is a *[FileError].
	Read(data []byte, name string) (*perfmap.Map, error)
}

// Writer is a format that maps can also be written in.
type Writer interface {
	Format
	// Write writes a file. It leaves out the parts of the map that the format cannot hold.
	Write(w io.Writer, m *perfmap.Map) error
	// Loss returns the parts of m that a file of the format does not hold, a phrase each.
	Loss(m *perfmap.Map) []string
}

// losses are parts of a map that a format does not hold.
type losses []string

func (l *losses) add(lost bool, part string) {
	if lost {
		*l = append(*l, part)
	}
}

// originLoss describes the loss in formats that cannot hold a map's origin.
func originLoss(m *perfmap.Map) []string {
	if m.Origin == nil {
		return nil
	}
	return []string{"the map's origin (" + strings.TrimSpace(m.Origin.Method+" "+m.Origin.Source) + ")"}
}

// oneComment keeps text on its line.
func oneComment(s string) string { return strings.Join(strings.Fields(s), " ") }

// continuations names the continuations that are not the default, as in "Nc: linear".
func continuations(e perfmap.Extrap, sep string) (parts []string) {
	for _, a := range []struct {
		axis string
		how  perfmap.Continuation
	}{{"alpha", e.Alpha}, {"Nc", e.Nc}, {"X", e.X}} {
		if a.how != "" {
			parts = append(parts, a.axis+sep+string(a.how))
		}
	}
	return parts
}
