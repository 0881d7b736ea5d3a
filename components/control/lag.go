package control

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Lag follows its input as a sensor does, whose metal has to warm or whose line has to fill,
//
//	Time dz/dt = u - z, y = z + Bias
//
// Without a time it follows at once. The bias models a faulty sensor.
type Lag struct {
	Time float64 // s
	Bias float64

	sensor bool // a sensor: its bias may be given
}

// Declare implements Block.
func (b *Lag) Declare(d *Declaration) {
	d.Describe("lag", "A lag of the first order.")
	if b.sensor {
		d.Describe("sensor", "What is measured, behind a lag of the first order and with a bias.")
	}
	d.Type.Inputs, d.Type.Same = []config.ControlInput{of}, true
	d.Number("lag", &b.Time, unit.Time, "time constant").Default(0).Within(0, 1e6)
	if b.sensor {
		d.Number("bias", &b.Bias, config.LikeInput, "error added to its output, for faults").Default(0)
	}
}

// States implements Block.
func (b *Lag) States() int {
	if b.Time > 0 {
		return 1
	}
	return 0
}

// Direct implements Block.
func (b *Lag) Direct() bool { return b.Time <= 0 }

// Output implements Block.
func (b *Lag) Output(z, u []float64) float64 {
	if b.Direct() {
		return u[0] + b.Bias
	}
	return z[0] + b.Bias
}

// Invert implements Inverter.
func (b *Lag) Invert(_ int, _, _ []float64, y float64, _ bool) float64 { return y - b.Bias }

// Rates implements Block.
func (b *Lag) Rates(z, u, dz []float64) {
	if !b.Direct() {
		dz[0] = (u[0] - z[0]) / b.Time
	}
}

// Hold implements Block.
func (b *Lag) Hold(z, u []float64, h float64) {
	if !b.Direct() {
		z[0] = relax(z[0], u[0], h/b.Time)
	}
}

// Rest implements Block.
func (b *Lag) Rest(z, u []float64, _ float64) {
	if !b.Direct() {
		z[0] = u[0]
	}
}

// relax is x after n time constants of going to end.
func relax(x, end, n float64) float64 { return x - (end-x)*math.Expm1(-n) }
