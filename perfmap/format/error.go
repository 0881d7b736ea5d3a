package format

import "fmt"

// FileError is a fault of a map file, with its place. Line and Column count
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

// place is a line and a column of a file, from 1.
type place struct{ line, col int }

func (p place) fault(format string, args ...any) error {
	return &FileError{Line: p.line, Column: p.col, Err: fmt.Errorf(format, args...)}
}
