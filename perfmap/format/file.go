package format

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Read reads a map file of any known format. Errors are of type *[FileError].
func Read(path string) (*perfmap.Map, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(data, path)
}

// ReadAs is [Read] for a file whose format is known.
func ReadAs(path string, f Format) (*perfmap.Map, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if err := plausible(data, path); err != nil {
		return nil, err
	}
	return parseAs(f, bytes.TrimPrefix(data, byteOrderMark), path)
}

// byteOrderMark begins the files of some editors.
var byteOrderMark = []byte("\ufeff")

func readFile(path string) ([]byte, error) {
	data, err := intake.Read(path, intake.Limit{What: "a map", Bytes: maxFile})
	if err != nil {
		return nil, &FileError{Path: path, Err: plainPathError(err)}
	}
	return data, nil
}

// maxFile is far above any map and keeps a wrong file from being read for minutes.
const maxFile = 16 << 20

// Parse is [Read] for the content of a file; path names it in errors, and the
// map too if the file does not.
func Parse(data []byte, path string) (*perfmap.Map, error) {
	if err := plausible(data, path); err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	for _, f := range formats {
		if f.Match(data) {
			return parseAs(f, data, path)
		}
	}
	return nil, &FileError{Path: path, Line: 1, Column: 1,
		Err: fmt.Errorf("this is no map file of a known format (%s)", Titles(formats))}
}

func plausible(data []byte, path string) error {
	if len(data) > maxFile {
		return &FileError{
			Path: path, Err: fmt.Errorf("the file has %d MB; a map has at most %d", len(data)>>20, maxFile>>20),
		}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &FileError{Path: path, Err: fmt.Errorf("the file is empty")}
	}
	return nil
}

func parseAs(f Format, data []byte, path string) (*perfmap.Map, error) {
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

// Write writes a map to path in Peregrine's own format, which keeps every bit.
// The file is replaced in one step: a reader finds the old map or the new one.
func Write(path string, m *perfmap.Map) error { return WriteAs(path, m, native{}) }

// Text returns the content of a file of Write.
func Text(m *perfmap.Map) ([]byte, error) {
	var b bytes.Buffer
	err := native{}.Write(&b, m)
	return b.Bytes(), err
}

// WriteAs is [Write] in another format. It leaves out the parts that the format cannot hold; the format's Loss lists
// them.
func WriteAs(path string, m *perfmap.Map, f Writer) error {
	var b bytes.Buffer
	if err := f.Write(&b, m); err != nil {
		return err
	}
	if err := atomic.Output(path, func(w io.Writer) error { _, err := b.WriteTo(w); return err },
		atomic.Sync); err != nil {
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
