package report

import (
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// machines writes the other machines: gears, propellers, loads, electric machines, buses and
// heat exchangers, each with all its values.
func (t *tables) machines(c *result.Result) {
	var types []*config.Type
	of := map[*config.Type][]string{}
	for _, name := range c.Order.Components {
		v := c.Components[name]
		typ := t.cat.Type(v.Type)
		if typ == nil && t.cat.Bus != nil && v.Type == t.cat.Bus.Name {
			typ = t.cat.Bus
		}
		if v.Map != nil || typ == nil || typ != t.cat.Bus && !machine(typ) {
			continue
		}
		if of[typ] == nil {
			types = append(types, typ)
		}
		of[typ] = append(of[typ], name)
	}
	for _, typ := range types {
		t.ofType(c, typ, of[typ])
	}
}

// ofType writes the machines of a type, with each output that at least one of them has.
func (t *tables) ofType(c *result.Result, typ *config.Type, names []string) {
	head, units := []string{typ.Name}, []string{""}
	rows := make([][]string, len(names))
	for i, name := range names {
		rows[i] = []string{name}
	}
	for _, o := range typ.Outputs {
		has := func(name string) bool {
			return c.Components[name].Has(o.Name) && known(c, c.Components[name].Value(o.Name))
		}
		if !slices.ContainsFunc(names, has) || o.Name == "efficiency" && atRest(c, names) {
			continue
		}
		symbol, from := t.unit(o.Dim)
		head, units = append(head, o.Name), append(units, symbol)
		for i, name := range names {
			ok := has(name)
			v := 0.0
			if ok {
				v = c.Components[name].Value(o.Name)
			}
			rows[i] = append(rows[i], cell(ok, from(v)))
		}
	}
	if len(head) == 1 {
		return
	}
	g := grid(head...)
	g.Head(units...)
	for _, row := range rows {
		g.Row(row...)
	}
	t.b.WriteByte('\n')
	t.put(g)
	for _, name := range names {
		if v := c.Components[name]; typ.Name == "propeller" && v.Has("dragLift") && v.Value("dragLift") > 0 &&
			v.Value("J") < slowPropeller {
			t.b.WriteString(table.Wrap("  ", "    ", name+": the thrust near rest is optimistic (by about a quarter "+
				"at rest): blades that stall are not in the model; give a table of CT over J and CP if that matters"))
		}
	}
}

// slowPropeller is the advance ratio below which blades of a propeller may stall.
const slowPropeller = 0.2

// atRest reports whether propellers do not move, where their efficiency has no meaning.
func atRest(c *result.Result, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		v := c.Components[name]
		return !v.Has("J") || v.Value("J") > 0
	})
}

// machine reports whether a type handles power or heat as well as a stream: it has a shaft or electric port, or several
// streams that do not mix.
func machine(typ *config.Type) bool {
	for _, p := range typ.Ports {
		if p.Kind != config.Flow || p.Stream != 0 {
			return true
		}
	}
	return false
}
