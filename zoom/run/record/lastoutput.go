package record

// The last output of a plugin, for error messages.

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// LastOutput returns the end of a plugin's log file, as LogEnd does.
func LastOutput(folder string) string { return LogEnd(filepath.Join(folder, plugin.LogFile)) }

// LogEnd returns the end of a log file. If the log has an error trace of a runtime, the text begins with the trace.
func LogEnd(path string) string {
	f, err := private.OpenFile(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const readMost, textMost = 64 << 10, 600
	if info, err := f.Stat(); err == nil && info.Size() > readMost {
		_, _ = f.Seek(-readMost, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	text = bytes.TrimSpace(text)
	if at := traceBegin.FindIndex(text); at != nil {
		text = text[at[0]:min(len(text), at[0]+textMost)]
	} else if len(text) > textMost {
		text = text[len(text)-textMost:]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// traceBegin matches the first line of an error trace of Go, Python, C++ or Fortran.
var traceBegin = regexp.MustCompile(
	`(?m)^(panic: |fatal error: |SIG[A-Z]+: |Traceback |terminate called|Fortran runtime error|Program received signal)`)
