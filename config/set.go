package config

import "strings"

// sets applies the --set options, "path=value", over the file, in their order:
// the last one for a path wins. A path is component.parameter, shaft.parameter
// or bleed.parameter, the bleed by its name. A case's own `set` still comes after.
func (r *reader) sets(sets []string) {
	if len(sets) == 0 {
		return
	}
	// Problems of an option name the option, not a place of the file.
	file, lines := r.file, r.lines
	r.file, r.lines = "--set", nil
	defer func() { r.file, r.lines = file, lines }()

	for _, s := range sets {
		r.set(s)
	}
}

func (r *reader) set(option string) {
	path, value, ok := strings.Cut(option, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	if !ok || path == "" || value == "" {
		r.fail(Pos{}, "", option, "want path=value such as burner.FAR=0.02")
		return
	}
	n, p, ok := r.parameter(r.canonical(word{text: path}), "")
	if !ok {
		return
	}
	if v, ok := r.value(word{text: value}, path, p); ok {
		n.values[p.Name] = v
	}
}
