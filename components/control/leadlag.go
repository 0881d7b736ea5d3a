package control

import (
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// LeadLag responds early to changes of its input, and passes steady input unchanged:
//
//	y/u = (1 + Lead s)/(1 + Lag s)
//
// with one state, Lag dz/dt = u - z and y = z + (Lead/Lag)(u - z). It compensates the lag of a sensor or actuator whose
// time is Lead.
type LeadLag struct {
	Lead, Lag float64 // s; Lag is above 0
}

// Declare implements Block.
func (b *LeadLag) Declare(d *Declaration) {
	d.Describe("lead_lag", "(1 + lead s)/(1 + lag s), which answers changes early.")
	d.Type.Inputs, d.Type.Same = []config.ControlInput{of}, true
	d.Number("lead", &b.Lead, unit.Time, "time constant of the lead").Default(0).Within(0, 1e6)
	d.Number("lag", &b.Lag, unit.Time, "time constant of the lag").Within(1e-6, 1e6).Required()
}

// States implements Block.
func (b *LeadLag) States() int { return 1 }

// Direct implements Block.
func (b *LeadLag) Direct() bool { return b.Lead != 0 }

// Output implements Block.
func (b *LeadLag) Output(z, u []float64) float64 {
	if b.Lead == 0 {
		return z[0]
	}
	return z[0] + b.Lead/b.Lag*(u[0]-z[0])
}

// Rates implements Block.
func (b *LeadLag) Rates(z, u, dz []float64) { dz[0] = (u[0] - z[0]) / b.Lag }

// Hold implements Block.
func (b *LeadLag) Hold(z, u []float64, h float64) { z[0] = relax(z[0], u[0], h/b.Lag) }

// Rest implements Block.
func (b *LeadLag) Rest(z, u []float64, _ float64) { z[0] = u[0] }
