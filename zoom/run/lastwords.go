package run

// What a plugin printed before it ended, for error messages.

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// tail returns what a plugin printed last, for an error message: from the line
// on in which a runtime says why it gave up, if there is one.
func tail(folder string) string {
	f, err := os.Open(filepath.Join(folder, plugin.LogFile))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const read, most = 64 << 10, 600
	if info, err := f.Stat(); err == nil && info.Size() > read {
		_, _ = f.Seek(-read, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	text = bytes.TrimSpace(text)
	if at := lastWords.FindIndex(text); at != nil {
		text = text[at[0]:min(len(text), at[0]+most)]
	} else if len(text) > most {
		text = text[len(text)-most:]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// lastWords begin the traces of Go, Python, C++ and Fortran.
var lastWords = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG[A-Z]+: |Traceback |terminate called|Fortran runtime error|Program received signal)`)
