package report

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// machines writes the other machines: gears, propellers, loads, electric machines, buses and
// heat exchangers, each with all its values.
func (t *tables) machines(c *result.Result) {
	g := table.Indented("l")
	for _, name := range c.Order.Components {
		v := c.Components[name]
		typ := t.cat.Type(v.Type)
		if typ == nil && t.cat.Bus != nil && v.Type == t.cat.Bus.Name {
			typ = t.cat.Bus
		}
		if v.Map != nil || typ == nil || typ != t.cat.Bus && !machine(typ) {
			continue
		}
		var cells []string
		for _, o := range typ.Outputs {
			if v.Has(o.Name) && known(c, v.Value(o.Name)) {
				symbol, from := t.unit(o.Dim)
				cells = append(cells,
					strings.TrimRight(fmt.Sprintf("%s %s %s", o.Name, digits(from(v.Value(o.Name))), symbol), " "))
			}
		}
		g.Row(name, strings.Join(cells, ", "))
	}
	if text := g.String(); text != "" {
		t.b.WriteString("\n" + text)
	}
}

// machine reports whether a type handles power or heat and not just one stream: it has a shaft
// or electric port, or several streams that do not mix.
func machine(typ *config.Type) bool {
	for _, p := range typ.Ports {
		if p.Kind != config.Flow || p.Stream != 0 {
			return true
		}
	}
	return false
}
