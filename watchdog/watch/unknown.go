package watch

// Files that are not taken, and why.

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// An UnknownError reports a file of unknown format, or a folder without a file of known format.
type UnknownError struct {
	Path   string
	kind   string  // of a file's contents
	looked refusal // of a folder: its files
}

func (e *UnknownError) Error() string {
	if e.looked != nil {
		return fmt.Sprintf("%s: no file is a known log or table: %s", e.Path, e.looked)
	}
	switch e.kind {
	case empty:
		return e.Path + ": the file is empty"
	case dictionary:
		return e.Path + ": no log, but a dictionary or field of OpenFOAM; give the log of the solver"
	}
	return fmt.Sprintf("%s: neither the log of a known solver nor a table over iterations or time: a column iteration "+
		"or time must increase, and the table must not be over a place, an angle or a temperature; "+
		"`peregrine watch new %s` describes the format of another log", e.Path, e.Path)
}

// Kinds of contents that are no solver's file.
const (
	empty      = "empty"
	binary     = "binary"
	dictionary = "dictionaries or fields of OpenFOAM"
	prose      = "text of no known format"
	unread     = "cannot be read"
)

func kindOf(head []byte) string {
	switch {
	case len(head) == 0:
		return empty
	case bytes.IndexByte(head, 0) >= 0:
		return binary
	case bytes.Contains(head, []byte("OpenFOAM: The Open Source CFD Toolbox")),
		bytes.Contains(head, []byte("FoamFile")):
		return dictionary
	}
	return prose
}

// refusal is the files that were not taken, by the kinds of their contents.
type refusal map[string][]string

func (r refusal) add(file string, err error) {
	kind := unread
	if unknown := (*UnknownError)(nil); errors.As(err, &unknown) {
		kind = unknown.kind
	}
	r[kind] = append(r[kind], file)
}

func (r refusal) String() string {
	if len(r) == 0 {
		return "it has no files besides OpenFOAM's fields and dictionaries"
	}
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(r)) {
		files := r[kind]
		names := files[:min(len(files), 3)]
		text := fmt.Sprintf("%d %s (%s", len(files), kind, strings.Join(names, ", "))
		if len(files) > len(names) {
			text += " and others"
		}
		list = append(list, text+")")
	}
	return strings.Join(list, "; ")
}

// ofFields reports whether a folder of an OpenFOAM case has fields, meshes and dictionaries, and no logs: constant,
// system, times, processors.
func ofFields(folder string) bool {
	name := filepath.Base(folder)
	_, err := strconv.ParseFloat(name, 64)
	processor, found := strings.CutPrefix(name, "processor")
	found = found && strings.ContainsAny(processor, "0123456789")
	if name != "constant" && name != "system" && err != nil && name[0] != '0' && !found {
		return false
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(folder), "system", "controlDict"))
	return err == nil
}
