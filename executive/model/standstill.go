package model

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// stillShare is the share of a shaft's speed at the start at which it counts as standing
// still. A load that takes its power at any speed stops a shaft in finite time, with ever
// more torque; the equations have no solution beyond, and no step ends there.
const stillShare = 0.01

// stops are the events that shafts come to a standstill.
func (d *dynamics) stops() []ode.Event {
	var list []ode.Event
	for i, s := range d.states {
		if s.dim != unit.Speed || s.part == nil {
			continue
		}
		least := stillShare * *s.at
		list = append(list, ode.Event{Name: s.part.Name, Direction: ode.Falling, Terminal: true,
			G: func(_ float64, y []float64) float64 { return y[i] - least }})
	}
	return list
}

// standstill ends a transient in which a shaft stands still.
func standstill(c *ode.Crossing) (*result.Ended, error) {
	return &result.Ended{T: c.T, Why: "standstill"}, fmt.Errorf("shaft %s has slowed down to %.0f %% of the speed that it started with: what it drives takes more power than is given to it; lower the load, or let it fall with the speed (exponent)", c.Name, 100*stillShare)
}
