package control

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// PI is a proportional and integral controller of the error e = demand - measured,
//
//	w = Gain e + I, dI/dt = Integral e, y = w within Min and Max
//
// If a later element does not use w - its bounds, a selection, an actuator's stop - its integral must not wind up
// (Åström and Hägglund, section 3.5):
//
//	back-calculation: dI/dt = Integral e + (v - w)/Tracking
//	clamping:         dI/dt = 0 while Integral e would move w further away from v
//
// with v, the value used in place of w. With back-calculation an integral that is not in charge waits at w = v +
// Integral Tracking e, so that it takes over without a bump.
//
// Inputs are measured, demand and v. When sampled, it follows their section 3.6: I is moved after the output was given,
// and tracks by 1 - exp(-h/Tracking).
type PI struct {
	Gain, Integral float64 // per unit of error; and s
	Min, Max       float64
	Tracking       float64 // s
	Windup         Windup

	tracks bool // the file gives Tracking
}

// Windup is the anti-windup method of a PI controller.
type Windup int

// Anti-windup methods. Windups has the words in an engine file.
const (
	BackCalculation Windup = iota
	Clamping
	None // integral continues
)

// Windups are the words for Windup, in its order.
var Windups = []string{"back-calculation", "clamping", "none"}

// Inputs of a PI.
const (
	measured = iota
	demanded
	used
)

// Declare implements Block.
func (b *PI) Declare(d *Declaration) {
	d.Describe("pi", "Proportional and integral controller that does not wind up.")
	d.Type.Inputs = []config.ControlInput{of, {Name: "demand", Required: true, Doc: "the demanded value"}}
	d.Type.Alike, d.Type.Unit = true, true
	d.Number("gain", &b.Gain, unit.None,
		"output per unit of demand - of, in SI and rpm; below 0 if more output reduces the measured value").
		Default(0)
	d.Number("integral", &b.Integral, unit.None,
		"output per unit of demand - of and second; 0: the output has its level from where the engine starts").Default(
		0)
	d.Number("min", &b.Min, config.LikeOutput, "least output; default: none")
	d.Number("max", &b.Max, config.LikeOutput, "largest output; default: none")
	d.Number("tracking", &b.Tracking, unit.Time,
		"time in which the integral follows the value used in its place; default: gain/integral").Within(1e-6,
		1e6).Given(&b.tracks)
	d.Word("windup", (*int)(&b.Windup), "how the integral is stopped while another signal is used", Windups...)
	d.Type.Check = checkPI
}

func checkPI(v config.Values) []config.Fault {
	faults := checkStops(v)
	gain, integral := v["gain"].Num, v["integral"].Num
	switch windup := v["windup"].Text; {
	case gain*integral < 0:
		return append(faults,
			config.Fault{Param: "integral", Message: "of another sign than gain: it would work against it"})
	case gain == 0 && integral == 0:
		return append(faults, config.Fault{Message: "gain and integral are both zero: it has no effect"})
	case gain == 0 && !v["tracking"].Set && (windup == "" || windup == Windups[BackCalculation]):
		return append(faults,
			config.Fault{
				Message: "no key tracking, which a controller without gain needs against windup: a time such as 0.5 s",
			})
	}
	return faults
}

// complete implements completer.
func (b *PI) complete(*config.Control) error {
	if !b.tracks {
		b.Tracking = 1
		if b.Gain*b.Integral != 0 {
			b.Tracking = b.Gain / b.Integral
		}
	}
	return nil
}

// States implements Block.
func (b *PI) States() int { return 1 }

// Direct implements Block.
func (b *PI) Direct() bool { return true }

// Output implements Block.
func (b *PI) Output(z, u []float64) float64 { return clamp(b.wants(z, u), b.Min, b.Max) }

// wants is w.
func (b *PI) wants(z, u []float64) float64 { return b.Gain*(u[demanded]-u[measured]) + z[0] }

// Rates implements Block.
func (b *PI) Rates(z, u, dz []float64) {
	dz[0] = b.drive(z, u)
	if b.Windup == BackCalculation {
		dz[0] += (u[used] - b.wants(z, u)) / b.Tracking
	}
}

// drive is the rate at which the error moves the integral, 1/s.
func (b *PI) drive(z, u []float64) float64 {
	drive := b.Integral * (u[demanded] - u[measured])
	if away := b.wants(z, u) - u[used]; b.Windup == Clamping && drive*away > 0 {
		return 0
	}
	return drive
}

// Hold implements Block.
func (b *PI) Hold(z, u []float64, h float64) {
	step := h * b.drive(z, u)
	if b.Windup == BackCalculation {
		step -= (u[used] - b.wants(z, u)) * math.Expm1(-h/b.Tracking)
	}
	z[0] += step
}

// Rest implements Block.
func (b *PI) Rest(z, u []float64, y float64) {
	z[0] = clamp(y, b.Min, b.Max) - b.Gain*(u[demanded]-u[measured])
}

// Invert implements Inverter: no error, no motion.
func (b *PI) Invert(k int, _, u []float64, _ float64, _ bool) float64 {
	if k == demanded {
		return u[measured]
	}
	return math.NaN()
}

// Wait implements Integrator. Only with back-calculation the integral can be stationary.
func (b *PI) Wait(z, u []float64, period float64) bool {
	e := u[demanded] - u[measured]
	if b.Windup != BackCalculation || !(math.Abs(e) > 1e-9*max(math.Abs(u[demanded]), math.Abs(u[measured]))) {
		return false
	}
	within := b.Tracking
	if period > 0 {
		within = -period / math.Expm1(-period/b.Tracking)
	}
	z[0] = u[used] + (b.Integral*within-b.Gain)*e
	return true
}
