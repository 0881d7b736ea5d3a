package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// soak is metal of one temperature T_m (blades, discs, cases, liners) that takes up heat from a stream in a transient
// and gives it back (lumped capacitance),
//
//	m c dT_m/dt = Q,  Q = W cp (1 - exp(-hA/(W cp))) (Tt - T_m)
//
// which for small hA is hA (Tt - T_m), and for large hA never takes the gas beyond the metal's temperature (Kays and
// London, Compact Heat Exchangers, 3rd ed., 1984, chapter 2, for a ratio of heat capacity rates of 0). The heat leaves
// the stream at the component's exit; Tt is the exit temperature before soaking (Walsh and Fletcher, Gas Turbine
// Performance, 2nd ed., chapter 8; Pilidis and Maccallum, "The Effect of Heat Transfer on Gas Turbine Transients", ASME
// 86-GT-275). Off design hA follows the flow as W^exponent, 0.8 of turbulent flow in passages. At rest the metal is at
// the gas's temperature and Q is 0.
type soak struct {
	mass, c, hA, exponent float64
	wDes                  float64 // kg/s
	temp, rate, q         float64 // K, K/s, W
	typical               float64
	out                   struct{ temp, q float64 } // for output: NaN without metal
	holding               Holding
}

func (s *soak) declare(d *Declaration) {
	d.Number("soak_mass", &s.mass, unit.Mass, "mass of the metal that soaks heat in a transient; 0: none").Default(
		0).Within(0, 1e5)
	d.Number("soak_c", &s.c, unit.SpecificEntropy, "specific heat of the metal that soaks heat").Default(0).Within(0,
		1e4)
	d.Number("soak_hA", &s.hA, unit.Conductance,
		"heat transfer coefficient times wetted area of the metal that soaks heat, at design").Default(0).Within(0, 1e7)
	d.Number("soak_exponent", &s.exponent, unit.None, "exponent of the flow in soak_hA off design").Default(
		0.8).Within(0, 1)
	d.Fix(&s.wDes)
	s.typical = 100
	d.State(State{Name: "T_metal", At: &s.temp, Rate: &s.rate, Typical: &s.typical, Dim: unit.Temperature, On: s.there})
	d.Output("T_metal", &s.out.temp, unit.Temperature, "temperature of the metal that soaks heat")
	d.Output("Q_soak", &s.out.q, unit.Power, "heat that the metal takes from the stream")
	d.Store(Metal, &s.holding)
}

func (s *soak) there() bool { return s.mass > 0 }

func (s *soak) check() error {
	given := 0
	for _, v := range [...]float64{s.mass, s.c, s.hA} {
		if v > 0 {
			given++
		}
	}
	if given%3 != 0 {
		return fmt.Errorf("metal that soaks heat needs soak_mass, soak_c and soak_hA above 0: they are %.4g kg, %.4g "+
			"J/(kg K) and %.4g W/K", s.mass, s.c, s.hA)
	}
	return nil
}

// take moves heat between the metal and the stream that leaves the component.
func (s *soak) take(x *Context, out *flow.Station) error {
	if !s.there() {
		s.out.temp, s.out.q = math.NaN(), math.NaN()
		return nil
	}
	if x.Mode == Design {
		s.wDes = out.W
	}
	s.q, s.rate = 0, 0
	if x.Stores {
		if err := s.exchange(x.Gas, out); err != nil {
			return err
		}
	} else {
		s.temp = out.T
	}
	s.out.temp, s.out.q = s.temp, s.q
	s.holding = Holding{Power: s.q, Energy: s.mass * s.c * s.temp}
	return nil
}

func (s *soak) exchange(g gas.Model, out *flow.Station) error {
	capacity := out.W * out.Cp
	hA := s.hA * math.Pow(out.W/s.wDes, s.exponent)
	s.q = -capacity * math.Expm1(-hA/capacity) * (out.T - s.temp)
	s.rate = s.q / (s.mass * s.c)
	if err := out.SetHP(g, out.H-s.q/out.W, out.P); err != nil {
		return fmt.Errorf("soaking %.4g kW into metal at %.5g K: %w", s.q/1e3, s.temp, err)
	}
	return nil
}
