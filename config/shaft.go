package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// joint is the grammar of a section whose entries join ports that take power with ports that give it: shafts and
// electric buses.
type joint struct {
	kind        PortKind
	what        string // of an entry, as in "a shaft"
	takes       string // key of the ports that take power
	gives       string // key of the ports that give power
	member      string // joined parts, as documentation
	taking      string // parts that take power, as documentation
	giving      string // parts that give power, as documentation
	form        string // an entry, for messages
	unfed       string // message: no part gives power
	twice       string // reason why a port joins only one entry
	none        string // message: a component has no port of this kind
	wrongTaking string // message: under takes, but it gives
	wrongGiving string // message: under gives, but it takes
	missing     string // message: a component is in no entry; %s is the key
	mustBeFed   bool
}

var shaftJoint = joint{
	kind: Shaft, what: "shaft", takes: "drives", gives: "driven_by",
	member:      "A component, or a port of it such as gearbox.out.",
	taking:      "Components that take power from the shaft.",
	giving:      "Components that give power to it.",
	form:        "a shaft such as {drives: [fan], driven_by: [lpt]}",
	unfed:       "nothing drives the shaft; name its turbine: driven_by: [...]",
	twice:       "a component turns with one shaft",
	none:        "%s has no shaft",
	wrongTaking: "%s gives power and is not driven; move it to driven_by",
	wrongGiving: "%s takes power and drives no shaft; move it to drives",
	missing:     "on no shaft; add it to %s of a shaft in shafts",
	mustBeFed:   true,
}

var busJoint = joint{
	kind: Electric, what: "bus", takes: "feeds", gives: "fed_by",
	member:      "A machine, or a port of it such as generator.electric.",
	taking:      "Machines that take power from the bus.",
	giving:      "Machines that give power to it.",
	form:        "a bus such as {feeds: [motor], fed_by: [generator]}",
	twice:       "a machine is on one bus",
	none:        "%s has no electric terminal",
	wrongTaking: "%s gives electric power; move it to fed_by",
	wrongGiving: "%s takes electric power; move it to feeds",
	missing:     "on no bus; add it to %s of a bus in buses",
}

// joints is the section of shafts, or of buses. A component takes part by its ports of that kind. A port of direction
// In takes power (drives), and a port of direction Out gives power (driven_by). A name without a port is the
// component's only port of that direction.
func (r *reader) joints(j *joint, t *Type, dst *[]ShaftEntry) document.Value {
	schema := func() *jsonschema.Schema {
		return document.NamedSchema(nameShape(), t.schema(r.jointKeys(j, new(ShaftEntry))...))
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, "a group: name: {"+j.takes+": [...], "+j.gives+": [...]}") {
			at := document.Join(path, f.Key)
			fields := r.Fields(f.Value, at, j.form)
			s := ShaftEntry{Name: f.Key, Pos: f.Pos}
			s.Values = r.entry(fields, at, t, r.jointKeys(j, &s)...)
			if fields != nil && j.mustBeFed && !given(fields, j.gives) {
				r.undriven(f.Pos, at, f.Key)
			}
			if r.declare(f, j.what, at, t, s.Values) {
				*dst = append(*dst, s)
			}
		}
	}}
}

// jointKeys are the keys of a shaft or bus besides its parameters.
func (r *reader) jointKeys(j *joint, s *ShaftEntry) []document.Key {
	gives := r.Optional(j.gives, j.giving, r.members(j, Out, &s.DrivenBy))
	gives.Required = j.mustBeFed
	return []document.Key{r.Optional(j.takes, j.taking, r.members(j, In, &s.Drives)), gives}
}

// undriven reports a shaft without a turbine. A turbine that is on no shaft then
// is the same mistake.
func (r *reader) undriven(at document.Pos, path, text string) {
	r.Fail(at, path, text, "%s", shaftJoint.unfed)
	r.lostTurbine = true
}

func given(fields []document.Field, key string) bool {
	return slices.ContainsFunc(fields, func(f document.Field) bool { return f.Key == key })
}

// members are the ports at one side of a shaft or bus: one, or a list.
func (r *reader) members(j *joint, dir Direction, dst *[]Endpoint) document.Value {
	schema := func() *jsonschema.Schema {
		some := document.ListOf(document.TextSchema(j.member))
		if dir == Out && j.mustBeFed {
			some.MinItems = new(1)
		}
		return document.Either(document.TextSchema(j.member), some)
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		nodes := []ast.Node{n}
		if s, ok := n.(*ast.SequenceNode); ok {
			nodes = s.Values
			if len(nodes) == 0 && dir == Out && j.mustBeFed {
				r.undriven(document.Position(n), path, "")
			}
		}
		for _, it := range nodes {
			w, ok := r.Word(it, path, "a component")
			if !ok {
				continue
			}
			if e, ok := r.member(w, path, j, dir); ok {
				*dst = append(*dst, e)
			}
		}
	}}
}

// member finds the port of a component on one side of a shaft or bus.
func (r *reader) member(w document.Word, path string, j *joint, dir Direction) (Endpoint, bool) {
	first, port, dotted := strings.Cut(w.Text, ".")
	n, ok := r.names[first]
	if !ok || n.what != "component" {
		known := r.listNames("component")
		r.Fail(w.Pos, path, w.Text, "unknown component%s", r.Hint(first, known))
		near := spell.Nearest(first, slices.Values(known))
		for _, p := range r.names[near].ports(j.kind) {
			r.joined[Endpoint{near, p.Name}] = w
		}
		return Endpoint{}, false
	}
	if n.entry == nil {
		return Endpoint{}, false
	}
	all := n.ports(j.kind)
	if len(all) == 0 {
		r.Fail(w.Pos, path, w.Text, j.none, n.entry.Article())
		return Endpoint{}, false
	}
	var facing []string
	for _, p := range all {
		if p.Dir == dir && (!dotted || p.Name == port) {
			facing = append(facing, p.Name)
		}
	}
	if len(facing) != 1 {
		r.misfaced(w, path, j, dir, n.entry, all, facing)
		for _, p := range all { // one message for each error
			if e := (Endpoint{first, p.Name}); r.joined[e].Text == "" {
				r.joined[e] = w
			}
		}
		return Endpoint{}, false
	}
	e := Endpoint{first, facing[0]}
	if first, twice := r.joined[e]; twice {
		r.Fail(w.Pos, path, w.Text, "already on a %s at line %d, column %d; %s", j.what, first.Pos.Line,
			first.Pos.Column, j.twice)
		return e, false
	}
	r.joined[e] = w
	return e, true
}

// misfaced reports a name without a port on that side, or with several.
func (r *reader) misfaced(w document.Word, path string, j *joint, dir Direction, t *Type, all []*Port,
	facing []string) {
	component, port, dotted := strings.Cut(w.Text, ".")
	if len(facing) > 1 {
		r.Fail(w.Pos, path, w.Text, "%s has several such ports, name one: %s", component,
			spell.List(prefixed(component+".", facing), "or"))
		return
	}
	if dotted {
		var names []string
		known := false
		for _, p := range all {
			names = append(names, p.Name)
			known = known || p.Name == port
		}
		if !known {
			r.Fail(w.Pos, path, w.Text, "%s has no such port%s", t.Article(), r.Hint(port, names))
			return
		}
	}
	subject := t.Article()
	if dotted {
		subject = w.Text
	}
	if dir == Out {
		r.Fail(w.Pos, path, w.Text, j.wrongGiving, subject)
	} else {
		r.Fail(w.Pos, path, w.Text, j.wrongTaking, subject)
	}
}

// ports returns a component's ports of a kind.
func (n name) ports(kind PortKind) []*Port {
	var list []*Port
	if n.entry == nil {
		return nil
	}
	for i := range n.entry.Ports {
		if n.entry.Ports[i].Kind == kind {
			list = append(list, &n.entry.Ports[i])
		}
	}
	return list
}

// driven reports components with ports that must be on a shaft or bus and are on none.
func (r *reader) driven() {
	for i := range r.engine.Components {
		c := &r.engine.Components[i]
		for _, j := range []*joint{&shaftJoint, &busJoint} {
			ports := r.names[c.Name].ports(j.kind)
			for _, p := range ports {
				_, ok := r.joined[Endpoint{c.Name, p.Name}]
				if ok || p.Optional || p.Kind == Shaft && p.Dir == Out && r.lostTurbine {
					continue
				}
				key, what := j.takes, c.Name
				if p.Dir == Out {
					key = j.gives
				}
				if len(ports) > 1 {
					what += "." + p.Name
				}
				r.Fail(c.Pos, "components."+c.Name, what, j.missing, key)
			}
		}
	}
}
