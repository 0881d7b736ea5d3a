package components

import (
	"fmt"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/components/control"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/internal/convert"
)

// kinds are all components, in the order of the documentation.
var kinds = []func() Component{
	func() Component { return &Ambient{} },
	func() Component { return &Inlet{} },
	func() Component { return &Splitter{} },
	newFan,
	newCompressor,
	func() Component { return &Duct{} },
	newBurner,
	newTurbine,
	func() Component { return &Mixer{} },
	func() Component { return &Nozzle{} },
	func() Component { return &Volume{} },
	newGearbox,
	newLoad,
	newGenerator,
	newMotor,
	newPropeller,
	func() Component { return &Exchanger{} },
}

// types describes the kinds, in their order.
var types = sync.OnceValue(func() []*config.Type {
	return convert.All(kinds, func(blank func() Component) *config.Type { return TypeOf(blank()) })
})

// New makes the component of a checked file entry. Numbers, words and flags are
// set; maps, ports and unknowns are the executive's.
func New(c *config.Component) (Component, *Declaration, error) {
	for i, typ := range types() {
		if typ.Name == c.Type.Name {
			part := kinds[i]()
			d, err := Declare(part, c.Values)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			return part, d, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: there is no component type %q", c.Name, c.Type.Name)
}

// Catalogue describes every component, for reading engine files. It names no flow solvers: a caller that knows some
// adds their names.
func Catalogue() *config.Catalogue {
	c := &config.Catalogue{
		Types:    slices.Clone(types()),
		Shaft:    TypeOf(&Shaft{}),
		Bus:      TypeOf(&Bus{}),
		Bleed:    TypeOf(&Bleed{}),
		Controls: control.Types(),
	}
	for _, f := range flow.Fields {
		c.Station = append(c.Station, output(f.Quantity))
	}
	for _, q := range quantity.Performance {
		c.Performance = append(c.Performance, output(q))
	}
	return c
}

func output(q quantity.Quantity) config.Output {
	return config.Output{Name: q.Name, Dim: q.Dim, Doc: q.Doc}
}
