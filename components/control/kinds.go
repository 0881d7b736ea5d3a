package control

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
)

// kinds are all blocks with their defaults, in the order of the documentation.
var kinds = []func() Block{
	func() Block { return &Input{} },
	func() Block { return &Lag{sensor: true} },
	func() Block { return &Lag{} },
	func() Block { return &LeadLag{} },
	func() Block { return &Actuator{Rate: inf, Min: -inf, Max: inf} },
	func() Block { return &PI{Min: -inf, Max: inf} },
	func() Block { return &Table{} },
	func() Block { return &Least{} },
	func() Block { return &Greatest{} },
	func() Block { return &Formula{} },
}

// Types describe the kinds of control, in the order of the documentation.
func Types() []*config.ControlType {
	var list []*config.ControlType
	for _, blank := range kinds {
		d := &Declaration{}
		blank().Declare(d)
		list = append(list, &d.Type)
	}
	return list
}

// completer is a block that is made of more than its numbers and words.
type completer interface {
	// complete sets the rest, once these are set.
	complete(c *config.Control) error
}

// New makes the block of a checked entry.
func New(c *config.Control) (Block, *Declaration, error) {
	for _, blank := range kinds {
		block, d := blank(), &Declaration{}
		block.Declare(d)
		if d.Type.Name != c.Kind {
			continue
		}
		parameter.Set(d.Numbers, c.Values)
		for _, w := range d.Words {
			if i := slices.Index(w.Words, c.Values[w.Name].Text); i >= 0 {
				*w.At = i
			}
		}
		if b, ok := block.(completer); ok {
			if err := b.complete(c); err != nil {
				return nil, nil, err
			}
		}
		return block, d, nil
	}
	return nil, nil, fmt.Errorf("%s: there is no kind of control %q", c.Name, c.Kind)
}
