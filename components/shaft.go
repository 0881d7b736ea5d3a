package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Shaft balances power between what drives it and what it drives.
//
//	sum P_turbines (1 - loss) - sum P_compressors - offtake = 0
//
// in units of the larger of both sides. At design N is given; off design it is unknown.
// In a transient it is a state, which follows Newton's second law,
//
//	I omega d omega/dt = sum P_turbines (1 - loss) - sum P_compressors - offtake
//
// with omega = pi N/30 (Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section 8.11).
type Shaft struct {
	n, inertia, loss, offtake float64
	rate                      float64 // dN/dt, rpm/s
	clients                   []*Coupling
	err                       float64
	given, taken              float64
}

var shaftType = config.Type{
	Name: "shaft", Doc: "Shaft: speed, inertia, losses and power offtake.",
	Params: []config.Param{
		required(number("N", unit.Speed, nil, 1e-3, 1e6, "speed at design")),
		number("inertia", unit.Inertia, nil, 0, 1e6, "polar moment of inertia, for transients"),
		number("loss", unit.None, 0.0, 0, 0.99, "share of the turbines' power lost in bearings and windage"),
		number("offtake", unit.Power, 0.0, 0, 0, "power taken off by a gearbox or generator"),
	},
	Outputs: []config.Output{
		{Name: "N", Dim: unit.Speed, Doc: "speed"},
		{Name: "power", Dim: unit.Power, Doc: "power that the turbines give"},
	},
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
	d.Number("N", &s.n)
	d.Number("inertia", &s.inertia)
	d.Number("loss", &s.loss)
	d.Number("offtake", &s.offtake)
	d.Unknown(Unknown{Name: "N", Modes: OffDesign, At: &s.n, Min: &zero, Typical: 100})
	d.Residual("power", Design|OffDesign, &s.err, "turbines and compressors do not balance")
	d.State(State{Name: "N", At: &s.n, Rate: &s.rate, Dim: config.Speed, Unknown: "N", Residual: "power",
		On: func() bool { return s.inertia > 0 }})
	d.Fix(&s.n)
	d.Output("N", &s.n)
	d.Output("power", &s.given)
	d.Load = &s.offtake
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
	if s.given == 0 {
		return fmt.Errorf("nothing gives power to the shaft")
	}
	given := s.given * (1 - s.loss)
	s.err = (given - s.taken) / max(given, s.taken)
	if s.inertia > 0 {
		const perOmega = 30 / math.Pi // rpm per rad/s
		s.rate = perOmega * perOmega * (given - s.taken) / (s.inertia * s.n)
	}
	return nil
}

// Tell gives the values behind the residual.
func (s *Shaft) Tell() string {
	lost := ""
	if s.loss > 0 {
		lost = fmt.Sprintf(", %.4g kW are lost", s.given*s.loss/1000)
	}
	return fmt.Sprintf("the turbines give %.4g kW%s, the shaft takes %.4g kW", s.given/1000, lost, s.taken/1000)
}

// Lost is the power lost in bearings and windage in the last evaluation, W.
func (s *Shaft) Lost() float64 { return s.given * s.loss }

// Offtake is the power that leaves the engine from the shaft itself, W.
func (s *Shaft) Offtake() float64 { return s.offtake }

// Inertia is the polar moment of inertia of all that turns with the shaft, kg m2; 0: not given.
func (s *Shaft) Inertia() float64 { return s.inertia }

// Speed is where the shaft's speed stands, rpm.
func (s *Shaft) Speed() *float64 { return &s.n }

// Driven is the power that turbines and motors give, of the last evaluation, W.
func (s *Shaft) Driven() float64 { return s.given }

// ShaftType describes an entry of `shafts`.
func ShaftType() *config.Type { return &shaftType }
