package graph

// How the values that paths such as burner.out.Tt name are read from a model.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Reading reads a value of the engine after an evaluation.
type Reading struct {
	Get     func() float64
	Statics bool // needs Model.statics first
	Margins bool // needs Model.margins first
}

// Read finds the output, station field or parameter that a path names:
// component.output, component.port.field, performance.field, shafts.shaft.output.
func (m *Model) Read(path string) (Reading, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "shafts."), ".")
	if name == "performance" {
		if at := m.Perf.At(rest); at != nil {
			return Reading{Get: func() float64 { return *at }}, nil
		}
		var names []string
		for _, q := range quantity.Performance {
			names = append(names, q.Name)
		}
		return Reading{}, fmt.Errorf("%s: performance has no %q%s", path, rest, spell.Hint(rest, names))
	}
	p := m.Index[name]
	if at := m.Controls.value(name, rest); at != nil {
		return Reading{Get: func() float64 { return *at }}, nil
	}
	if p == nil {
		return Reading{}, fmt.Errorf("%s: there is no component or shaft %q%s", path, name,
			spell.Hint(name, slices.Sorted(maps.Keys(m.Index))))
	}
	if port, field, ok := strings.Cut(rest, "."); ok {
		o := p.Outlet(port)
		var s *flow.Station
		if o != nil {
			s = o.At
		} else if in := p.Inlet(port); in != nil {
			s = *in.At
		}
		f := flow.FieldOf(field)
		if s == nil || f == nil {
			return Reading{}, fmt.Errorf("%s: %s has no port %q with a field %q", path, name, port, field)
		}
		return Reading{Get: func() float64 { return f.Of(s) }, Statics: f.Static}, nil
	}
	for _, o := range p.Declaration.Outputs {
		if o.Name == rest {
			return Reading{
				Get: func() float64 { return *o.At }, Margins: slices.Contains(p.Declaration.Margins, o.At),
			}, nil
		}
	}
	if n := p.Number(rest); n != nil {
		return Reading{Get: func() float64 { return *n.At }}, nil
	}
	var names []string
	for _, o := range p.Declaration.Outputs {
		names = append(names, o.Name)
	}
	return Reading{}, fmt.Errorf("%s: %s has no output or parameter %q%s", path, name, rest, spell.Hint(rest, names))
}

// Dimension returns the dimension of the value found by Read.
func (m *Model) Dimension(path string) unit.Dimension {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "shafts."), ".")
	if name == "performance" {
		for _, q := range quantity.Performance {
			if q.Name == rest {
				return q.Dim
			}
		}
	}
	if _, field, ok := strings.Cut(rest, "."); ok {
		if f := flow.FieldOf(field); f != nil {
			return f.Dim
		}
	}
	if p := m.Index[name]; p != nil && p.Type != nil {
		for _, o := range p.Type.Outputs {
			if o.Name == rest {
				return o.Dim
			}
		}
		if n := p.param(rest); n != nil {
			return n.Dim
		}
	}
	return unit.None
}

// Parameter finds a parameter by its path. It returns the part, nil for a control, the parameter's address, and whether
// it has an effect at the design point only.
func (m *Model) Parameter(path string) (*Part, *float64, bool, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "shafts."), ".")
	if p := m.Index[name]; p != nil {
		if n := p.Number(rest); n != nil {
			return p, n.At, n.DesignOnly, nil
		}
	}
	if at := m.Controls.number(name, rest); at != nil {
		return nil, at, false, nil
	}
	var names []string
	if p := m.Index[name]; p != nil {
		for _, n := range p.Declaration.Numbers {
			names = append(names, n.Name)
		}
		return nil, nil, false, fmt.Errorf("%s: no such parameter of %s%s", path, name, spell.Hint(rest, names))
	}
	return nil, nil, false, fmt.Errorf("%s: no such parameter: there is no component or shaft %q%s", path, name,
		spell.Hint(name, slices.Sorted(maps.Keys(m.Index))))
}

func (p *Part) param(name string) *config.Param {
	if p.Type == nil {
		return nil
	}
	return p.Type.Param(name)
}
