package components

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Bus adds up electric power. What its machines do not balance a battery does:
//
//	P_battery = (sum P_taken + offtake) - (1 - loss) sum P_given     from the battery
//	P_battery is charging where it is negative
//
// The loss is that of distribution. The battery has no limit of its own; to do
// without one, vary a machine's power until bus.battery = 0 W. Battery energy is
// no fuel: TSFC counts fuel alone.
type Bus struct {
	loss, offtake         float64
	clients               []*Coupling
	given, taken, battery float64
}

var busType = config.Type{
	Name: "bus", Doc: "Electric bus: adds up the power of generators, motors, offtake and battery.",
	Params: []config.Param{
		number("loss", unit.None, 0.0, 0, 0.99, "share of the power given to it that is lost in distribution"),
		number("offtake", unit.Power, 0.0, 0, 1e9, "power that leaves the engine, for the aircraft's systems"),
	},
	Outputs: []config.Output{
		{Name: "battery", Dim: unit.Power, Doc: "power that a battery must give; negative: charging"},
		{Name: "given", Dim: unit.Power, Doc: "power that generators give"},
		{Name: "taken", Dim: unit.Power, Doc: "power that motors take"},
	},
}

// NewBus makes the bus of a checked file entry for its clients.
func NewBus(values config.Values, clients []*Coupling) (*Bus, *Declaration, error) {
	b := &Bus{clients: clients}
	for _, c := range clients {
		c.Joined = true
	}
	d, err := Declare(b, values)
	return b, d, err
}

// Declare implements Component.
func (b *Bus) Declare(d *Declaration) {
	d.Number("loss", &b.loss)
	d.Number("offtake", &b.offtake)
	d.Output("battery", &b.battery)
	d.Output("given", &b.given)
	d.Output("taken", &b.taken)
	d.Load = &b.offtake
}

// Eval implements Component.
func (b *Bus) Eval(*Context) error {
	b.given, b.taken = 0, 0
	for _, c := range b.clients {
		b.given += math.Max(c.Power, 0)
		b.taken += math.Max(-c.Power, 0)
	}
	b.battery = b.taken + b.offtake - (1-b.loss)*b.given
	return nil
}

// BusType describes an entry of `buses`.
func BusType() *config.Type { return &busType }
