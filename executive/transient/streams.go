package transient

import (
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// streams are the flows of energy over an engine's boundary, and the stores of energy inside
// it. They give the energy account of a transient; see result.Ledger.
type streams struct {
	m         *graph.Model
	ambient   []*components.Freestream
	in, out   []*flow.Station // streams that enter from outside and that leave
	jets      []*float64
	heat      []*float64
	offtakes  []*float64                // loads of shafts
	lost      []*float64                // losses of shafts, then of others
	moving    []components.Rotor        // shafts whose speed is a state
	machines  []*components.Declaration // on shafts, outside the gas path
	volumes   []*components.Holding
	metal     []*components.Holding
	formation [3]float64 // enthalpy at 25 degC of air, of burnt fuel, of vapour, J/kg
}

// powerCount is the number of powers over the boundary; see result.Ledger.
const powerCount = 5

// newStreams lists the streams of a model. A shaft stores energy if its speed is a state.
func newStreams(m *graph.Model, states []state) *streams {
	s := &streams{m: m}
	s.formation[1] = m.Context.Gas.Fuel().Enthalpy - m.Context.Gas.Fuel().LHV
	const cold, water = 298.15, 0.01
	dry, errDry := m.Context.Gas.TP(gas.Composition{}, cold, flow.Pref)
	wet, errWet := m.Context.Gas.TP(gas.Composition{WAR: water}, cold, flow.Pref)
	if errDry == nil && errWet == nil { // if the gas has no state at 25 degC, its tables' zero counts
		s.formation[0], s.formation[2] = dry.H, (wet.H*(1+water)-dry.H)/water
	}
	for _, p := range m.Parts {
		d := p.Declaration
		if d.Heat != nil {
			s.heat = append(s.heat, d.Heat)
		}
		if graph.IsAmbient(p) {
			s.ambient = append(s.ambient, d.Ambient)
			s.in = append(s.in, d.Outlets[0].At)
		}
		if d.Jet != nil {
			s.jets = append(s.jets, d.Jet)
			for _, in := range d.Inlets {
				s.out = append(s.out, *in.At)
			}
		}
		if p.Section == graph.OfShafts {
			s.offtakes, s.lost = append(s.offtakes, d.Load), append(s.lost, d.Lost)
		}
		for _, st := range d.Stores {
			switch st.In {
			case components.Gas:
				s.volumes = append(s.volumes, st.Held)
			case components.Metal:
				s.metal = append(s.metal, st.Held)
			}
		}
		if len(d.Inlets) == 0 && len(d.Couplings) > 0 {
			s.machines = append(s.machines, d)
		}
	}
	for _, p := range m.Parts {
		if p.Section != graph.OfShafts && p.Declaration.Lost != nil {
			s.lost = append(s.lost, p.Declaration.Lost)
		}
	}
	for _, b := range m.Engine.Bleeds {
		if b.To == "" {
			s.out = append(s.out, m.Index[b.Name].Declaration.Outlets[0].At)
		}
	}
	for _, st := range states {
		if st.part != nil {
			if r, ok := st.part.Component.(components.Rotor); ok {
				s.moving = append(s.moving, r)
			}
		}
	}
	return s
}

// boundaryPowers sets p to the powers over the boundary at the last evaluation, W, in the
// order of result.Ledger.
func (s *streams) boundaryPowers(p []float64) {
	p[0] = s.m.Perf.Wf * s.m.Context.Gas.Fuel().LHV
	kinetic, heat := 0.0, 0.0
	for i, a := range s.ambient {
		v := a.V
		moving := s.in[i].W * v * v / 2
		kinetic -= moving
		heat -= s.sensible(s.in[i]) - moving
	}
	for _, jet := range s.jets {
		kinetic += *jet
		heat -= *jet
	}
	for _, o := range s.out {
		heat += s.sensible(o)
	}
	for _, q := range s.heat {
		heat -= *q
	}
	p[1], p[2] = kinetic, heat
	shaft, losses := 0.0, 0.0
	for _, w := range s.offtakes {
		shaft += *w
	}
	for _, w := range s.lost {
		losses += *w
	}
	for _, m := range s.machines {
		shaft += machineLoad(m)
	}
	p[3], p[4] = shaft, losses
}

// machineLoad is the power that a machine takes from shafts and gives to the outside, without
// its losses, W.
func machineLoad(d *components.Declaration) float64 {
	w := 0.0
	for _, c := range d.Couplings {
		if c.At.N != nil { // not the electric side
			w -= c.At.Power
		}
	}
	if d.Lost != nil {
		w -= *d.Lost
	}
	return w
}

// sensible is a stream's enthalpy flow above 25 degC, W.
func (s *streams) sensible(at *flow.Station) float64 {
	return at.W * (at.H - s.cold(at.Comp))
}

// cold is the enthalpy of a composition at 25 degC, J/kg.
func (s *streams) cold(c gas.Composition) float64 {
	return (s.formation[0] + c.FAR*s.formation[1] + c.WAR*s.formation[2]) / c.Total()
}

// stored returns the energy of rotors, volumes and metal at the last evaluation, J.
func (s *streams) stored() [3]float64 {
	var e [3]float64
	for _, c := range s.moving {
		omega := *c.Speed() * math.Pi / 30
		e[0] += c.Inertia() * omega * omega / 2
	}
	for _, v := range s.volumes {
		e[1] += v.Energy - v.Air*s.formation[0] - v.Fuel*s.formation[1] - v.Water*s.formation[2]
	}
	for _, v := range s.metal {
		e[2] += v.Energy
	}
	return e
}

// ledger returns the energy account from the integrals of the powers, J, and the energy
// stored at the start, J. The engine must be at the end of the transient.
func (s *streams) ledger(integrals []float64, start [3]float64) *result.Ledger {
	end := s.stored()
	l := &result.Ledger{Fuel: integrals[0], Kinetic: integrals[1], Heat: integrals[2], Shaft: integrals[3],
		Losses: integrals[4], Rotors: end[0] - start[0], Volumes: end[1] - start[1], Metal: end[2] - start[2]}
	if l.Fuel != 0 {
		l.Missing = (l.Fuel - l.Kinetic - l.Heat - l.Shaft - l.Losses - l.Rotors - l.Volumes - l.Metal) / l.Fuel
	}
	return l
}
