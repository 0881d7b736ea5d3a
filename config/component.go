package config

import (
	"errors"
	"regexp"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// stationShape is a station number of SAE AS755: 0, 2, 13, 25, 41, 4.5, 18a.
var stationShape = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,2})?[A-Za-z]?$`)

// components reads the `components` section.
func (r *reader) components(n ast.Node, path string) {
	fields := r.Fields(n, path, "a group of components: name: {type: ...}")
	for _, f := range fields {
		r.component(f, document.Join(path, f.Key))
	}
}

func (r *reader) component(f document.Field, path string) {
	c := Component{Name: f.Key, Pos: f.Pos}
	fields := r.Fields(f.Value, path, "a component such as {type: compressor, PR: 13.5}")
	if fields != nil {
		c.Type = r.componentType(f, fields, path)
	}
	if c.Type == nil {
		r.declare(f, "component", path, nil, nil)
		return
	}
	c.Values = r.values(fields, path, c.Type, "type", "stations")
	for _, sub := range fields {
		if sub.Key == "stations" {
			c.Stations = r.stations(sub.Value, document.Join(path, sub.Key), c.Type)
		}
	}
	if r.declare(f, "component", path, c.Type, c.Values) {
		r.engine.Components = append(r.engine.Components, c)
	}
}

// componentType returns the type that the fields name, or nil.
func (r *reader) componentType(f document.Field, fields []document.Field, path string) *Type {
	names := make([]string, len(r.cat.Types))
	for i, t := range r.cat.Types {
		names[i] = t.Name
	}
	for _, sub := range fields {
		if sub.Key != "type" {
			continue
		}
		w, ok := r.Word(sub.Value, document.Join(path, sub.Key), "a component type such as compressor")
		if !ok {
			return nil
		}
		t := r.cat.Type(w.Text)
		if t == nil {
			r.Fail(w.Pos, document.Join(path, sub.Key), w.Text, "unknown component type%s", r.Hint(w.Text, names))
		}
		return t
	}
	r.Fail(f.Pos, path, "", "no key type, which every component must have%s", r.Hint(f.Key, names))
	return nil
}

// stations reads the key `stations`: the SAE station number of ports.
func (r *reader) stations(n ast.Node, path string, t *Type) map[string]string {
	var ports []string
	for _, p := range t.Ports {
		if p.Kind == Flow {
			ports = append(ports, p.Name)
		}
	}
	m := make(map[string]string)
	for _, f := range r.Fields(n, path, "port names with station numbers such as {out: 3}") {
		if p := t.Port(f.Key); p == nil || p.Kind != Flow {
			r.Fail(f.Pos, path, f.Key, "%s has no such flow port%s", t.Article(), r.Hint(f.Key, ports))
			continue
		}
		w, ok := r.Word(f.Value, document.Join(path, f.Key), "a station number such as 3")
		if !ok {
			continue
		}
		if !stationShape.MatchString(w.Text) {
			r.Fail(w.Pos, document.Join(path, f.Key), w.Text, "want a station number such as 3, 25 or 4.5")
			continue
		}
		m[f.Key] = w.Text
	}
	return m
}

// complete reports what is missing after file and --set, and fills in defaults.
func (r *reader) complete() {
	e := r.engine
	for i := range e.Components {
		c := &e.Components[i]
		r.missing(c.Pos, "components."+c.Name, c.Type, c.Values)
		c.Type.defaults(c.Values)
	}
	for i := range e.Shafts {
		s := &e.Shafts[i]
		r.missing(s.Pos, "shafts."+s.Name, r.cat.shaft(), s.Values)
		r.cat.shaft().defaults(s.Values)
	}
	for i := range e.Buses {
		b := &e.Buses[i]
		r.missing(b.Pos, "buses."+b.Name, r.cat.bus(), b.Values)
		r.cat.bus().defaults(b.Values)
	}
	for i := range e.Controls {
		c := &e.Controls[i]
		r.missing(c.Pos, "controls."+c.Name, c.Type, c.Values)
		c.Type.defaults(c.Values)
	}
	for i := range e.Bleeds {
		b := &e.Bleeds[i]
		r.missing(b.Pos, document.Item("bleeds", i), r.cat.bleed(), b.Values)
		r.cat.bleed().defaults(b.Values)
	}
}

// files reports files that the engine names and that are not there.
func (r *reader) files() {
	e := r.engine
	look := func(at document.Pos, path, file string) {
		var kind *intake.KindError
		switch err := intake.Look(e.Path(file)); {
		case errors.As(err, &kind):
			r.Fail(at, path, file, "%s: %s", kind, e.Path(file))
		case err != nil:
			r.Fail(at, path, file, "no such file: %s", e.Path(file))
		}
	}
	for i := range e.Components {
		c := &e.Components[i]
		for j := range c.Type.Params {
			p := &c.Type.Params[j]
			if v := c.Values[p.Name]; p.Kind == File && v.Set && v.Text != "" {
				look(v.Pos, "components."+c.Name+"."+p.Name, v.Text)
			}
		}
	}
	for i := range e.Zooms {
		if z := &e.Zooms[i]; z.Geometry != "" {
			look(z.Pos, "zoom."+z.Component+".geometry", z.Geometry)
		}
	}
}
