package model

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// standstillShare is the fraction of its starting speed at which a shaft counts as standing
// still. A load of constant power stops a shaft in finite time, with a torque that goes to
// infinity. The equations have no solution beyond that time, and the integrator's steps
// would go to zero before it.
const standstillShare = 0.01

// standstillEvents returns the events that shafts come to a standstill.
func (d *dynamics) standstillEvents() []ode.Event {
	var list []ode.Event
	for i, s := range d.states {
		if s.dim != unit.Speed || s.part == nil {
			continue
		}
		least := standstillShare * *s.at
		list = append(list, ode.Event{Name: s.part.Name, Direction: ode.Falling, Terminal: true,
			G: func(_ float64, y []float64) float64 { return y[i] - least }})
	}
	return list
}

// standstill returns the ending of a transient in which a shaft comes to a standstill.
func standstill(c *ode.Crossing) (*result.Ended, error) {
	return &result.Ended{
			T: c.T, Reason: "standstill",
		}, fmt.Errorf("shaft %s has slowed down to %.0f %% of the speed that it started with: what it drives takes "+
			"more "+
			"power than is given to it; lower the load, or let it fall with the speed (exponent)", c.Name,
			100*standstillShare)
}
