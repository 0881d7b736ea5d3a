package components

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Bus adds up electric power. A battery covers the difference between its machines:
//
//	P_battery = (sum P_taken + offtake) - (1 - loss) sum P_given     from the battery
//	P_battery is charging where it is negative
//
// The loss is that of distribution. The battery has no limit; for a bus without a battery, vary a machine's power until
// bus.battery = 0 W. Battery energy is not fuel: TSFC counts fuel alone.
type Bus struct {
	loss, offtake         float64
	clients               []*Coupling
	given, taken, battery float64
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
	d.Describe("bus", "Electric bus: adds up the power of generators, motors, offtake and battery.")
	d.Number("loss", &b.loss, unit.None, "share of its power that is lost in distribution").Default(
		0).Within(0, 0.99)
	d.Number("offtake", &b.offtake, unit.Power, "power that leaves the engine, for the aircraft's systems").Default(
		0).Within(0, 1e9)
	d.Output("battery", &b.battery, unit.Power, "power that a battery must give; negative: charging")
	d.Output("given", &b.given, unit.Power, "power that generators give")
	d.Output("taken", &b.taken, unit.Power, "power that motors take")
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
