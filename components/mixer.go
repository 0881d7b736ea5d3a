package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Mixer joins a core and a bypass stream in a duct of constant area.
//
//	W = W1 + W2,  W ht = W1 ht1 + W2 ht2
//	Ps A + W V = (Ps1 A1 + W1 V1) + (Ps2 A2 + W2 V2),  A = A1 + A2
//
// At design the Mach number of one stream is given; its static pressure is the other's, whose area follows. Off design
// both areas are given and the residual is the difference of the static pressures.
//
// A mixer of effectiveness E mixes the share E of each stream; the rest continues unmixed beside it (flow.Layers). A
// nozzle's thrust is then at the share E between the thrust of separate streams and that of the mixed stream, as
// effectiveness is defined (Frost, "Practical bypass mixing systems for fan jet aero engines", Aeronautical Quarterly
// 17, 1966).
type Mixer struct {
	effectiveness float64
	mnC, mnB      float64
	areaC, areaB  float64
	core, byp     *flow.Station
	c, b          flow.Station // the streams with their statics
	out           flow.Station
	layers        flow.Layers
	errPs         float64
	ratio         float64
	// results of the last iterations: static pressures over the streams' total pressures, static and total pressure of
	// the mixed stream over the bypass's total pressure
	near struct{ c, b, ps, pt float64 }
}

// Declare implements Component.
func (m *Mixer) Declare(d *Declaration) {
	d.Describe("mixer", "Mixer of two streams at constant area.")
	d.Number("MN_bypass", &m.mnB, unit.None, "Mach number of the bypass stream where they meet, at design").Within(
		0.01, 0.99).DesignOnly()
	d.Number("MN_core", &m.mnC, unit.None,
		"Mach number of the core stream where they meet, at design; one of the two is given").Within(0.01,
		0.99).DesignOnly()
	d.Number("effectiveness", &m.effectiveness, unit.None,
		"share of full mixing's gain of thrust that is achieved").Default(1).Within(0, 1)
	d.In("core", &m.core, "first stream")
	d.In("bypass", &m.byp, "second stream")
	d.Out("out", &m.out, "flow out")
	d.Residual("Ps", OffDesign, &m.errPs, "the static pressures of the streams differ where they meet")
	d.Fix(&m.areaC, &m.areaB)
	d.Output("ER", &m.ratio, unit.None, "extraction ratio: total pressure of the bypass over the core's")
	d.Output("MN_core", &m.c.MN, unit.None, "Mach number of the core stream where they meet")
	d.Output("MN_bypass", &m.b.MN, unit.None, "Mach number of the bypass stream where they meet")
	d.Guess(&m.near.c, &m.near.b, &m.near.ps, &m.near.pt)
}

// Check implements Checker.
func (m *Mixer) Check() error {
	if (m.mnB != 0) == (m.mnC != 0) {
		return fmt.Errorf("give one of MN_core and MN_bypass: the static pressure is common, so the other follows")
	}
	return nil
}

// Eval implements Component.
func (m *Mixer) Eval(x *Context) error {
	m.c, m.b = *m.core, *m.byp
	m.ratio = m.b.P / m.c.P
	if x.Mode == Design {
		given, other, mn := &m.b, &m.c, m.mnB
		if m.mnC != 0 {
			given, other, mn = &m.c, &m.b, m.mnC
		}
		if err := given.StaticMN(x.Gas, mn); err != nil {
			return err
		}
		if given.Ps >= other.P {
			return fmt.Errorf("the static pressure of one stream, %.6g Pa at MN %.3g, is above the total pressure of "+
				"the other, %.6g Pa; raise the Mach number or bring the pressures closer", given.Ps, mn, other.P)
		}
		if err := other.StaticPs(x.Gas, given.Ps); err != nil {
			return err
		}
		m.areaC, m.areaB = m.c.A, m.b.A
		m.errPs = 0
	} else {
		m.c.Ps, m.b.Ps = m.near.c*m.c.P, m.near.b*m.b.P
		if err := m.c.StaticA(x.Gas, m.areaC, flow.Subsonic); err != nil {
			return fmt.Errorf("core stream: %w", err)
		}
		if err := m.b.StaticA(x.Gas, m.areaB, flow.Subsonic); err != nil {
			return fmt.Errorf("bypass stream: %w", err)
		}
		m.errPs = m.b.Ps/m.c.Ps - 1
	}
	m.near.c, m.near.b = m.c.Ps/m.c.P, m.b.Ps/m.b.P
	if err := m.mix(x.Gas); err != nil {
		m.near.ps, m.near.pt = 0, 0
		return err
	}
	m.out.Layers = nil
	if m.effectiveness < 1 {
		m.layers = flow.Layers{Mixed: m.effectiveness, Core: *m.core, Byp: *m.byp}
		m.layers.Core.W *= 1 - m.effectiveness
		m.layers.Byp.W *= 1 - m.effectiveness
		m.out.Layers = &m.layers
	}
	return nil
}

// mix solves the momentum balance for the static pressure of the mixed stream
// on its subsonic branch.
func (m *Mixer) mix(g gas.Model) error {
	area := m.c.A + m.b.A
	impulse := m.c.Impulse() + m.b.Impulse()
	guess := m.out.T
	m.out.W = m.c.W + m.b.W
	m.out.Comp = gas.Mix(m.c.Comp, m.c.W, m.b.Comp, m.b.W)
	ht := (m.c.W*m.c.H + m.b.W*m.b.H) / m.out.W
	if guess == 0 {
		guess = (m.c.W*m.c.T + m.b.W*m.b.T) / m.out.W
	}
	total, err := g.HP(m.out.Comp, ht, m.b.P, guess)
	if err != nil {
		return err
	}
	flux := m.out.W / area
	// V = (impulse - Ps A)/W and rho V = W/A with rho from (h, Ps): one unknown, Ps.
	ps := (m.c.Ps*m.c.A + m.b.Ps*m.b.A) / area
	if m.near.ps > 0 {
		ps = m.near.ps * m.b.P
	}
	var st gas.State
	for i := range 60 {
		v := (impulse - ps*area) / m.out.W
		if !(v > 0) {
			return fmt.Errorf("mixing %.4g and %.4g kg/s leaves no forward momentum", m.c.W, m.b.W)
		}
		if st, err = g.HP(m.out.Comp, ht-v*v/2, ps, total.T); err != nil {
			return err
		}
		f := st.Density()*v - flux
		// d rho/dPs at h falling by V dV, dV = -A/W dPs: cp dT = V A/W dPs
		drho := st.Density()/ps - st.Density()/st.T*(v*area/m.out.W)/st.Cp
		slope := drho*v - st.Density()*area/m.out.W
		d := -f / slope
		d = max(-0.2*ps, min(0.2*ps, d))
		ps += d
		if math.Abs(d) < 1e-13*ps {
			break
		}
		if i == 59 {
			return fmt.Errorf(
				"the momentum balance has no subsonic solution for impulse %.6g N on %.6g m2; the streams are choked "+
					"together", impulse, area)
		}
	}
	v := (impulse - ps*area) / m.out.W
	if v > st.SoundSpeed() {
		return fmt.Errorf("the mixed stream would be supersonic, MN %.3g; the mixer is too small", v/st.SoundSpeed())
	}
	// Total pressure: from the static state up its entropy to ht.
	lnP := math.Log(m.b.P)
	if m.near.pt > 0 {
		lnP += math.Log(m.near.pt)
	}
	for range 30 {
		if total, err = g.HP(m.out.Comp, ht, math.Exp(lnP), total.T); err != nil {
			return err
		}
		d := (total.S - st.S) / total.R
		lnP += d
		if math.Abs(d) < 1e-13 {
			break
		}
	}
	m.near.ps, m.near.pt = ps/m.b.P, total.P/m.b.P
	m.out.State = total
	m.out.Ps, m.out.Ts, m.out.Rhos, m.out.V, m.out.A = ps, st.T, st.Density(), v, area
	m.out.MN = v / st.SoundSpeed()
	return nil
}
