package graph

import (
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
)

// auditLimit is the largest error of a balance, relative to the flow through the component.
const auditLimit = 1e-9

// entropyLimit is the largest loss of entropy, relative to W Cp, that rounding and the iteration of
// gas properties explain.
const entropyLimit = 1e-8

// Audit checks a solution against physics, independently of the residuals: every component conserves mass and energy,
// every stream has a positive temperature and pressure, and no stream is supersonic where it must be subsonic. A case
// that fails the audit is not converged.
//
//	sum W_in + Wf = sum W_out + dm/dt
//	sum W_in ht_in + Wf h_fuel + Q = sum W_out ht_out + P + dE/dt
//
// A component without added heat or burnt fuel must not destroy entropy:
//
//	sum W_in s_in <= sum W_out s_out
//
// Bleeds are among the flows. P is the power given to shafts. dm/dt and dE/dt are the mass and energy stored in volumes
// and metal in a transient. The energy error is relative to W Cp T, because the zero of enthalpy is arbitrary.
func (m *Model) Audit() error {
	var errs []error
	for _, p := range m.Parts {
		if err := m.auditPart(p); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (m *Model) auditPart(p *Part) error {
	for _, o := range p.Declaration.Outlets {
		s := o.At
		if s.W == 0 && s.T == 0 {
			continue // a stream that this engine does not have
		}
		if !(s.W >= 0) || !(s.T > 0) || !(s.P > 0) {
			return fmt.Errorf("%s: flow %.6g kg/s at %.6g K and %.6g Pa", o.Port, s.W, s.T, s.P)
		}
		if !o.Internal && s.A > 0 && s.MN > 1 {
			return fmt.Errorf("%s: the flow is supersonic, MN %.4g", o.Port, s.MN)
		}
	}
	return m.auditBalances(p)
}

// auditBalances checks mass and energy of a component with inlets and outlets.
func (m *Model) auditBalances(p *Part) error {
	d := p.Declaration
	var w, h, through, scale float64
	var entropy, entropyScale float64 // gained; W/K
	outlets := 0
	add := func(sign float64, s *flow.Station) {
		w += sign * s.W
		h += sign * s.W * s.H
		entropy -= sign * s.W * s.S
		through += s.W
		scale += s.W * s.Cp * s.T
		entropyScale += s.W * s.Cp
	}
	for _, in := range d.Inlets {
		add(1, *in.At)
	}
	for _, ins := range d.BleedIns {
		for _, b := range *ins.At {
			add(1, b.Flow())
		}
	}
	for _, o := range d.Outlets {
		if !o.Internal {
			outlets++
			add(-1, o.At)
		}
	}
	for _, outs := range d.BleedOuts {
		for _, b := range *outs.At {
			add(-1, b.Flow())
		}
	}
	if len(d.Inlets) == 0 || outlets == 0 {
		return nil // where streams begin or end
	}
	if d.Fuel != nil {
		w += *d.Fuel
		h += *d.Fuel * m.Context.Gas.Fuel().Enthalpy
	}
	if d.Heat != nil {
		h += *d.Heat
	}
	for _, c := range d.Couplings {
		h -= c.At.Power
	}
	for _, s := range d.Stores {
		w -= s.Held.Mass
		h -= s.Held.Power
	}
	if math.Abs(w) > auditLimit*through {
		return fmt.Errorf("mass is off by %.3g kg/s", w)
	}
	if math.Abs(h) > auditLimit*scale {
		return fmt.Errorf("energy is off by %.3g W", h)
	}
	stores := m.Context.Stores && len(d.Stores) > 0
	if d.Fuel == nil && d.Heat == nil && !stores && entropy < -entropyLimit*entropyScale {
		return fmt.Errorf("entropy is destroyed, %.3g W/K of it: its efficiency or its pressure ratio is not possible",
			-entropy)
	}
	return nil
}
