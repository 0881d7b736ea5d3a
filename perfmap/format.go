package perfmap

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// Format is a file format of maps. Files are recognised by their content, not
// by their names.
type Format struct {
	Name  string
	Match func(data []byte) bool          // does this look like a file of the format?
	Read  func(data []byte) (*Map, error) // errors with a place are of type *FileError
	Write func(w io.Writer, m *Map) error // nil: the format can only be read
}

// Formats are the formats that [Read] knows, in the order in which they are tried.
func Formats() []Format { return []Format{nativeFormat} }

// FileError is what is wrong with a map file, and where. Line and Column count
// from 1; 0 is unknown.
type FileError struct {
	Path         string
	Line, Column int
	Err          error
}

func (e *FileError) Error() string {
	place := e.Path
	if e.Line > 0 {
		place += fmt.Sprintf(":%d:%d", e.Line, e.Column)
	}
	return place + ": " + e.Err.Error()
}

func (e *FileError) Unwrap() error { return e.Err }

// Read reads a map file of any known format. Errors are of type [*FileError].
func Read(path string) (*Map, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: plainPathError(err)}
	}
	return Parse(data, path)
}

// maxFile is far above any map and keeps a wrong file from being read for minutes.
const maxFile = 16 << 20

// Parse is [Read] for the content of a file; path only names it in errors.
func Parse(data []byte, path string) (*Map, error) {
	if len(data) > maxFile {
		return nil, &FileError{Path: path, Err: fmt.Errorf("the file has %d MB; a map has at most %d", len(data)>>20, maxFile>>20)}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &FileError{Path: path, Err: fmt.Errorf("the file is empty")}
	}
	for _, f := range Formats() {
		if !f.Match(data) {
			continue
		}
		m, err := f.Read(data)
		if err == nil {
			return m, nil
		}
		if fe, ok := err.(*FileError); ok {
			fe.Path = path
			return nil, fe
		}
		return nil, &FileError{Path: path, Err: err}
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return nil, &FileError{Path: path, Line: 1, Column: 1,
		Err: fmt.Errorf("this is no map file of a known format (%s)", strings.Join(names, ", "))}
}

// Write writes the map to path in the native format, whole or not at all: a
// reader never sees half a file. What is read back equals what was written to
// the last bit.
func (m *Map) Write(path string) error {
	var b bytes.Buffer
	if err := nativeFormat.Write(&b, m); err != nil {
		return err
	}
	if err := writeFile(path, b.Bytes(), 0o644); err != nil {
		return &FileError{Path: path, Err: plainPathError(err)}
	}
	return nil
}

// plainPathError drops the path from an error that will be shown with it.
func plainPathError(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return fmt.Errorf("%s: %w", pe.Op, pe.Err)
	}
	return err
}
