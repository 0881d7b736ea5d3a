package model

import (
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// streams are what crosses an engine's boundary, and what it holds inside.
type streams struct {
	m         *Model
	ambient   []*components.Ambient
	in, out   []*flow.Station // streams that enter from outside and that leave
	nozzles   []*components.Nozzle
	heat      []*float64
	shafts    []*components.Shaft
	moving    []*components.Shaft // whose speed is a state
	gearboxes []*components.Gearbox
	machines  [][]*components.Coupling // of what is no part of the gas path
	volumes   []*components.Store
	metal     []*components.Store
	powers    [5]struct{}
	formation [3]float64 // enthalpy at 25 degC of air, of fuel that is burnt, of vapour, J/kg
}

// newStreams finds them. Speeds of moving shafts are states.
func (m *Model) newStreams(states []state) *streams {
	s := &streams{m: m}
	s.formation[1] = m.ctx.Gas.Fuel().Enthalpy - m.ctx.Gas.Fuel().LHV
	const cold, water = 298.15, 0.01
	dry, errDry := m.ctx.Gas.TP(gas.Composition{}, cold, flow.Pref)
	wet, errWet := m.ctx.Gas.TP(gas.Composition{WAR: water}, cold, flow.Pref)
	if errDry == nil && errWet == nil { // else it is the zero of the tables that counts
		s.formation[0], s.formation[2] = dry.H, (wet.H*(1+water)-dry.H)/water
	}
	for _, p := range m.Parts {
		d := p.Declaration
		if d.Heat != nil {
			s.heat = append(s.heat, d.Heat)
		}
		switch c := p.Component.(type) {
		case *components.Ambient:
			s.ambient = append(s.ambient, c)
			s.in = append(s.in, d.Outlets[0].At)
		case *components.Nozzle:
			s.nozzles = append(s.nozzles, c)
			s.out = append(s.out, *d.Inlets[0].At)
		case *components.Shaft:
			s.shafts = append(s.shafts, c)
		case *components.Gearbox:
			s.gearboxes = append(s.gearboxes, c)
		case *components.Volume:
			s.volumes = append(s.volumes, d.Store)
		default:
			if d.Store != nil {
				s.metal = append(s.metal, d.Store)
			}
			if len(d.Inlets) == 0 && len(d.Couplings) > 0 {
				var list []*components.Coupling
				for _, at := range d.Couplings {
					list = append(list, at.At)
				}
				s.machines = append(s.machines, list)
			}
		}
	}
	for _, b := range m.Engine.Bleeds {
		if b.To == "" {
			s.out = append(s.out, m.Index[b.Name].Component.(*components.Bleed).Flow())
		}
	}
	for _, st := range states {
		if st.part != nil {
			if shaft, ok := st.part.Component.(*components.Shaft); ok {
				s.moving = append(s.moving, shaft)
			}
		}
	}
	return s
}

// flows sets powers over the boundary, W, in the order of Ledger, of the last evaluation.
func (s *streams) flows(p []float64) {
	p[0] = s.m.perf.Wf * s.m.ctx.Gas.Fuel().LHV
	kinetic, heat := 0.0, 0.0
	for i, a := range s.ambient {
		v := a.Free().V
		moving := s.in[i].W * v * v / 2
		kinetic -= moving
		heat -= s.sensible(s.in[i]) - moving
	}
	for _, n := range s.nozzles {
		kinetic += n.Jet()
		heat -= n.Jet()
	}
	for _, o := range s.out {
		heat += s.sensible(o)
	}
	for _, q := range s.heat {
		heat -= *q
	}
	p[1], p[2] = kinetic, heat
	shaft, losses := 0.0, 0.0
	for _, c := range s.shafts {
		shaft += c.Offtake()
		losses += c.Lost()
	}
	for _, c := range s.gearboxes {
		losses += c.Lost()
	}
	for _, m := range s.machines {
		for _, at := range m {
			if at.N != nil { // not the electric side
				shaft -= at.Power
			}
		}
	}
	p[3], p[4] = shaft, losses
}

// sensible is the flow of a stream's enthalpy, W.
func (s *streams) sensible(at *flow.Station) float64 {
	return at.W * (at.H - s.cold(at.Comp))
}

// cold is the enthalpy of a composition at 25 degC, J/kg.
func (s *streams) cold(c gas.Composition) float64 {
	return (s.formation[0] + c.FAR*s.formation[1] + c.WAR*s.formation[2]) / c.Total()
}

// held is what rotors, volumes and metal hold, J, of the last evaluation.
func (s *streams) held() [3]float64 {
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

// ledger makes up the account from the integrals of the powers, J, and what was held at
// the start, where the engine is at the end.
func (s *streams) ledger(integrals []float64, start [3]float64) *result.Ledger {
	end := s.held()
	l := &result.Ledger{Fuel: integrals[0], Kinetic: integrals[1], Heat: integrals[2], Shaft: integrals[3], Losses: integrals[4],
		Rotors: end[0] - start[0], Volumes: end[1] - start[1], Metal: end[2] - start[2]}
	if l.Fuel != 0 {
		l.Missing = (l.Fuel - l.Kinetic - l.Heat - l.Shaft - l.Losses - l.Rotors - l.Volumes - l.Metal) / l.Fuel
	}
	return l
}
