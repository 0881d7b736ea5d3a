package config

import (
	"strings"

	"github.com/peregrine-sim/peregrine/config/document"
)

// sets applies the --set options, "path=value", over the file, in their order:
// the last one for a path wins. A path is component.parameter, shaft.parameter
// or bleed.parameter, the bleed by its name. A case's own `set` still comes after.
func (r *reader) sets(sets []string) {
	if len(sets) == 0 {
		return
	}
	// Problems of an option name the option, not a place of the file.
	file, lines := r.File, r.Lines
	r.File, r.Lines = "--set", nil
	defer func() { r.File, r.Lines = file, lines }()

	for _, s := range sets {
		r.set(s)
	}
}

func (r *reader) set(option string) {
	path, value, ok := strings.Cut(option, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	if !ok || path == "" || value == "" {
		r.Fail(document.Pos{}, "", option, "want path=value such as burner.FAR=0.02")
		return
	}
	n, p, ok := r.parameter(r.canonical(document.Word{Text: path}), "")
	if !ok {
		return
	}
	if v, ok := r.value(document.Word{Text: value}, path, p); ok {
		n.values[p.Name] = v
	}
}
