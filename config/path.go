package config

import (
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/regex"
)

// canonical removes the section from a path: messages and results use components.burner.FAR and shafts.hp.N, so users
// write them too.
func (r *reader) canonical(w document.Word) document.Word {
	section, rest, dotted := strings.Cut(w.Text, ".")
	if _, taken := r.names[section]; dotted && !taken && (section == "components" || section == "shafts" ||
		section == "buses" || section == "bleeds" || section == "controls") {
		w.Text = rest
	}
	return w
}

// path is a path of the engine, which use takes.
func (r *reader) path(want string, use func(w document.Word, path string)) document.Value {
	v := r.Scalar(want, func(w document.Word, path string) { use(r.canonical(w), path) })
	v.Schema = func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: pathPattern} }
	return v
}

// pathPattern matches a path with at least one dot.
const pathPattern = `^[^.]+\..+$`

// byPath is the schema of a group whose keys are paths.
func byPath(entry *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", PropertyNames: &jsonschema.Schema{Pattern: pathPattern},
		AdditionalProperties: entry}
}

// anyQuantity is the schema of a quantity whose dimension follows from a path beside it.
func anyQuantity(doc string) *jsonschema.Schema {
	s := document.Either(&jsonschema.Schema{Type: "number"}, document.Ref(document.QuantityName))
	s.Description = doc
	return s
}

// split cuts a path at its first dot and finds its component or shaft. The last result is false for an error that was
// reported, here or with the entry itself.
func (r *reader) split(w document.Word, path string) (n name, rest string, ok bool) {
	first, rest, dotted := strings.Cut(w.Text, ".")
	n, known := r.names[first]
	switch {
	case !known:
		if meant := r.stationPath(w.Text); meant != "" {
			r.Fail(w.Pos, path, w.Text, "unknown component or shaft; a value of a station is COMPONENT.PORT.FIELD, %s",
				meant)
			return n, "", false
		}
		r.Fail(w.Pos, path, w.Text, "unknown component or shaft%s", r.Hint(first, r.listNames("")))
		return n, "", false
	case !dotted || rest == "":
		r.Fail(w.Pos, path, w.Text, "want a path such as %s.%s", first, r.sample(n))
		return n, "", false
	}
	return n, rest, n.entry != nil
}

// stationName is a station as other programs write it: a number with a quantity (station4.Tt, FS4.Pt, S41.W), or a
// symbol with a number (T4, P25).
var stationName = regex.Lazy(`^(?i:station|stn|sta|fs|st|s)?_?(\d{1,3}[A-Za-z]?)\.(\w+)$|` +
	`^([TPW])[ts]?_?(\d{1,3}[A-Za-z]?)$`)

// stationPath continues a message about a path that names a station in the way of other programs. It gives the path of
// the value in Peregrine, by the port with that number, or an example. It is empty for other paths.
func (r *reader) stationPath(text string) string {
	m := stationName().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	number, field := m[1], m[2]
	if m[3] != "" {
		number, field = m[4], map[string]string{"T": "Tt", "P": "Pt", "W": "W"}[m[3]]
	}
	if findOutput(r.cat.Station, field) == nil {
		field = "Tt"
	}
	for _, c := range r.engine.Components {
		for port, n := range c.Stations {
			if n == number {
				return "did you mean " + c.Name + "." + port + "." + field + "?"
			}
		}
	}
	return "such as burner.out." + field
}

// sample returns some parameter of an entry, for a message.
func (r *reader) sample(n name) string {
	if n.entry != nil && len(n.entry.Params) > 0 {
		return n.entry.Params[0].Name
	}
	return "PR"
}

// parameter resolves a path to a parameter of a component or shaft.
func (r *reader) parameter(w document.Word, path string) (name, *Param, bool) {
	n, rest, ok := r.split(w, path)
	if !ok {
		return n, nil, false
	}
	p := n.entry.Param(rest)
	if p == nil {
		names := make([]string, len(n.entry.Params))
		for i := range n.entry.Params {
			names[i] = n.entry.Params[i].Name
		}
		what := "unknown parameter of "
		if n.entry.Output(rest) != nil {
			what = "an output, not a parameter, of "
		}
		hint := r.Hint(rest, names)
		if also := n.entry.also(rest); also != "" {
			hint = ", did you mean " + also + "?"
		}
		r.Fail(w.Pos, path, w.Text, "%s%s%s", what, n.entry.Article(), hint)
	}
	return n, p, p != nil
}

// observable resolves a path to something that has a value in a solution: an
// output, a field of a station, a number among the parameters, a figure of the
// engine's performance.
func (r *reader) observable(w document.Word, path string) (unit.Dimension, bool) {
	first, rest, _ := strings.Cut(w.Text, ".")
	if first == "performance" {
		return r.field(w, path, first, rest, r.cat.Performance)
	}
	if _, known := r.names[w.Text]; !known && findOutput(r.cat.Performance, w.Text) != nil {
		r.Fail(w.Pos, path, w.Text, "unknown component or shaft, did you mean performance.%s?", w.Text)
		return "", false
	}
	n, rest, ok := r.split(w, path)
	if !ok {
		return "", false
	}
	if o := n.entry.Output(rest); o != nil {
		return o.Dim, true
	}
	if p := n.entry.Param(rest); p != nil && p.Kind == Number {
		return p.Dim, true
	}
	port, quantity, dotted := strings.Cut(rest, ".")
	if p := n.entry.Port(port); p != nil && p.Kind == Flow {
		if !dotted {
			r.Fail(w.Pos, path, w.Text, "a port; want one of its quantities such as %s.Tt", w.Text)
			return "", false
		}
		return r.field(w, path, "a flow port", quantity, r.cat.Station)
	}
	r.unobservable(w, path, n.entry, rest)
	return "", false
}

// unobservable reports a path with an unknown output or port of an entry.
func (r *reader) unobservable(w document.Word, path string, t *Type, rest string) {
	var outputs, ports []string
	for _, o := range t.Outputs {
		outputs = append(outputs, o.Name)
	}
	for _, p := range t.Ports {
		if p.Kind == Flow {
			ports = append(ports, p.Name)
		}
	}
	if port, _, dotted := strings.Cut(rest, "."); dotted {
		r.Fail(w.Pos, path, w.Text, "%s has no flow port %q%s", t.Article(), port, r.Hint(port, ports))
		return
	}
	r.Fail(w.Pos, path, w.Text, "unknown output of %s%s", t.Article(), r.Hint(rest, append(outputs, ports...)))
}

// field finds an output by name.
func (r *reader) field(w document.Word, path, owner, name string, outputs []Output) (unit.Dimension, bool) {
	if o := findOutput(outputs, name); o != nil {
		return o.Dim, true
	}
	known := make([]string, len(outputs))
	for i := range outputs {
		known[i] = outputs[i].Name
	}
	r.Fail(w.Pos, path, w.Text, "no such quantity of %s%s", owner, r.Hint(name, known))
	return "", false
}
