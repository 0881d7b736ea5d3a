package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Shaft balances the power of its driving and driven components.
//
//	sum P_turbines (1 - loss) - sum P_compressors - offtake = 0
//
// in units of the larger of both sides. At design N is given; off design it is unknown. In a transient it is a state,
// which follows Newton's second law,
//
//	I omega d omega/dt = sum P_turbines (1 - loss) - sum P_compressors - offtake
//
// with omega = pi N/30 (Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section 8.11).
type Shaft struct {
	n, inertia, loss, offtake float64
	rate                      float64 // dN/dt, rpm/s
	clients                   []*Coupling
	err                       float64
	given, taken, lost        float64
}

// NewShaft makes the shaft of a checked file entry for its clients.
func NewShaft(values config.Values, clients []*Coupling) (*Shaft, *Declaration, error) {
	s := &Shaft{clients: clients}
	for _, c := range clients {
		c.N = &s.n
	}
	d, err := Declare(s, values)
	return s, d, err
}

// Declare implements Component.
func (s *Shaft) Declare(d *Declaration) {
	d.Describe("shaft", "Shaft: speed, inertia, losses and power offtake.")
	d.Number("N", &s.n, unit.Speed, "speed at design").Within(1e-3, 1e6).Required().Also("Nmech")
	d.Number("inertia", &s.inertia, unit.Inertia, "polar moment of inertia, for transients").Within(0, 1e6)
	d.Number("loss", &s.loss, unit.None, "share of the turbines' power lost in bearings and windage").Default(
		0).Within(0, 0.99)
	d.Number("offtake", &s.offtake, unit.Power, "power taken off by a gearbox or generator").Default(0).Also("HPX")
	d.Unknown(Unknown{Name: "N", Modes: OffDesign, At: &s.n, Min: &zero, Typical: 100, Scaling: AsSpeed})
	d.Residual("power", Design|OffDesign, &s.err, "turbines and compressors do not balance")
	d.State(State{Name: "N", At: &s.n, Rate: &s.rate, Dim: unit.Speed, Unknown: "N", Residual: "power",
		On: func() bool { return s.inertia > 0 }})
	d.Fix(&s.n)
	d.Output("N", &s.n, unit.Speed, "speed")
	d.Output("power", &s.given, unit.Power, "power that the turbines give")
	d.Load = &s.offtake
	d.Lost = &s.lost
}

// Eval implements Component.
func (s *Shaft) Eval(*Context) error {
	s.given, s.taken = 0, s.offtake
	for _, c := range s.clients {
		if c.Power > 0 {
			s.given += c.Power
		} else {
			s.taken -= c.Power
		}
	}
	s.lost = s.given * s.loss
	if s.given == 0 {
		return fmt.Errorf("no component gives power to the shaft")
	}
	given := s.given * (1 - s.loss)
	s.err = (given - s.taken) / max(given, s.taken)
	if s.inertia > 0 {
		const perOmega = 30 / math.Pi // rpm per rad/s
		s.rate = perOmega * perOmega * (given - s.taken) / (s.inertia * s.n)
	}
	return nil
}

// Explain implements Explainer.
func (s *Shaft) Explain() string {
	lost := ""
	if s.loss > 0 {
		lost = fmt.Sprintf(", %.4g kW are lost", s.given*s.loss/1000)
	}
	return fmt.Sprintf("the turbines give %.4g kW%s, the shaft takes %.4g kW", s.given/1000, lost, s.taken/1000)
}

// Inertia implements Rotor.
func (s *Shaft) Inertia() float64 { return s.inertia }

// Speed implements Rotor.
func (s *Shaft) Speed() *float64 { return &s.n }

// Driven implements Rotor.
func (s *Shaft) Driven() float64 { return s.given }
