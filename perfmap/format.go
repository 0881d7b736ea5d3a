package perfmap

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/atomic"
)

// Format is a file format of maps. Files are recognised by their content, not
// by their names.
type Format struct {
	Name  string                                       // what users ask for it by: "npss"
	Title string                                       // what they read: "NPSS .map"
	Match func(data []byte) bool                       // does this look like a file of the format?
	Read  func(data []byte, name string) (*Map, error) // name is the map's if the file gives none; errors with a place are of type *FileError
	Write func(w io.Writer, m *Map) error              // nil: the format can only be read

	// Loss says, a sentence each, what of m a file of the format does not hold.
	// nil: nothing is lost.
	Loss func(m *Map) []string
}

// Formats are the formats that [Read] knows, in the order in which they are tried.
func Formats() []Format {
	return []Format{nativeFormat, jsonFormat, npssFormat, gasTurbFormat, csvFormat}
}

// FindFormat returns the format of a name. The error of an unknown name lists those that there are.
func FindFormat(name string) (Format, error) {
	all := Formats()
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("no map format is called %q; there are %s", name, strings.Join(names, ", "))
}

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
		place += fmt.Sprintf(":%d:%d", e.Line, max(e.Column, 1))
	}
	return place + ": " + e.Err.Error()
}

func (e *FileError) Unwrap() error { return e.Err }

// Read reads a map file of any known format. Errors are of type [*FileError].
func Read(path string) (*Map, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(data, path)
}

// ReadAs is [Read] for a file whose format is known.
func ReadAs(path string, f Format) (*Map, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if err := plausible(data, path); err != nil {
		return nil, err
	}
	return f.parse(bytes.TrimPrefix(data, byteOrderMark), path)
}

// byteOrderMark begins the files of some editors.
var byteOrderMark = []byte("\ufeff")

func readFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: plainPathError(err)}
	}
	return data, nil
}

// maxFile is far above any map and keeps a wrong file from being read for minutes.
const maxFile = 16 << 20

// Parse is [Read] for the content of a file; path names it in errors, and the
// map too if the file does not.
func Parse(data []byte, path string) (*Map, error) {
	if err := plausible(data, path); err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	var titles []string
	for _, f := range Formats() {
		if f.Match(data) {
			return f.parse(data, path)
		}
		titles = append(titles, f.Title)
	}
	return nil, &FileError{Path: path, Line: 1, Column: 1,
		Err: fmt.Errorf("this is no map file of a known format (%s)", strings.Join(titles, ", "))}
}

func plausible(data []byte, path string) error {
	if len(data) > maxFile {
		return &FileError{Path: path, Err: fmt.Errorf("the file has %d MB; a map has at most %d", len(data)>>20, maxFile>>20)}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &FileError{Path: path, Err: fmt.Errorf("the file is empty")}
	}
	return nil
}

func (f Format) parse(data []byte, path string) (*Map, error) {
	base := filepath.Base(path)
	m, err := f.Read(data, strings.TrimSuffix(base, filepath.Ext(base)))
	if err == nil {
		return m, nil
	}
	if fe, ok := err.(*FileError); ok {
		fe.Path = path
		return nil, fe
	}
	return nil, &FileError{Path: path, Err: err}
}

// Write writes the map to path in the native format, whole or not at all: a
// reader never sees half a file. What is read back equals what was written to
// the last bit.
func (m *Map) Write(path string) error { return m.WriteAs(path, nativeFormat) }

// WriteAs is [Map.Write] in another format. What the format cannot hold is
// lost; its Loss says what that is.
func (m *Map) WriteAs(path string, f Format) error {
	if f.Write == nil {
		return fmt.Errorf("%s: maps cannot be written as %s, only read", path, f.Title)
	}
	var b bytes.Buffer
	if err := f.Write(&b, m); err != nil {
		return err
	}
	if err := atomic.WriteFile(path, b.Bytes(), atomic.Sync); err != nil {
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
