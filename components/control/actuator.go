package control

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Actuator is a fuel metering valve, a vane's ram or a bleed valve. It follows its demand between its stops, with a lag
// and a limited rate,
//
//	dz/dt = (c - z)/Lag, within -Rate and Rate; c = u within Min and Max
//
// A stuck actuator keeps its position.
type Actuator struct {
	Lag      float64 // s, above 0
	Rate     float64 // per s; infinite: no limit
	Min, Max float64 // stops
	Stuck    float64 // 0: moves, 1: stuck
}

// Declare implements Block.
func (b *Actuator) Declare(d *Declaration) {
	d.Describe("actuator", "Follows its demand, with a lag, a limited rate and stops.")
	d.Type.Inputs, d.Type.Same = []config.ControlInput{of}, true
	d.Number("lag", &b.Lag, unit.Time, "time constant").Within(1e-6, 1e6).Required()
	d.Number("rate", &b.Rate, config.LikeChange, "most change per second; default: no limit").Within(0, inf)
	d.Number("min", &b.Min, config.LikeOutput, "lower stop; default: none")
	d.Number("max", &b.Max, config.LikeOutput, "upper stop; default: none")
	d.Number("stuck", &b.Stuck, unit.None, "1: it stays where it is, for faults").Default(0).Within(0, 1)
	d.Type.Check = checkActuator
}

func checkActuator(v config.Values) []config.Fault {
	faults := checkStops(v)
	if rate := v["rate"]; rate.Set && !(rate.Num > 0) {
		faults = append(faults,
			config.Fault{Param: "rate", Message: "must be above 0; an actuator that does not move has stuck: 1"})
	}
	return faults
}

// checkStops reports stops min and max without room between them.
func checkStops(v config.Values) []config.Fault {
	if least, most := v["min"], v["max"]; least.Set && most.Set && !(least.Num < most.Num) {
		return []config.Fault{{Param: "max", Message: "not above min"}}
	}
	return nil
}

// States implements Block.
func (b *Actuator) States() int { return 1 }

// Direct implements Block.
func (b *Actuator) Direct() bool { return false }

// Output implements Block.
func (b *Actuator) Output(z, _ []float64) float64 { return z[0] }

// Accepts implements Acceptor.
func (b *Actuator) Accepts(z, u []float64) float64 {
	if b.stuck() {
		return z[0]
	}
	return clamp(u[0], b.Min, b.Max)
}

func (b *Actuator) stuck() bool { return b.Stuck >= 0.5 }

// Rates implements Block.
func (b *Actuator) Rates(z, u, dz []float64) {
	if dz[0] = 0; !b.stuck() {
		dz[0] = clamp((b.Accepts(z, u)-z[0])/b.Lag, -b.Rate, b.Rate)
	}
}

// Hold implements Block: at its rate as long as that binds, then by the lag.
func (b *Actuator) Hold(z, u []float64, h float64) {
	if b.stuck() {
		return
	}
	c := b.Accepts(z, u)
	if far := math.Abs(c-z[0]) - b.Rate*b.Lag; far > 0 {
		bound := min(h, far/b.Rate)
		z[0] += math.Copysign(b.Rate*bound, c-z[0])
		h -= bound
	}
	z[0] = relax(z[0], c, h/b.Lag)
}

// Rest implements Block.
func (b *Actuator) Rest(z, _ []float64, y float64) { z[0] = clamp(y, b.Min, b.Max) }

func clamp(x, least, most float64) float64 { return min(max(x, least), most) }
