package components

import (
	"fmt"
	"io"
	"math"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// Propeller turns shaft power into thrust. A constant-speed propeller keeps its speed: its blades take the pitch at
// which it absorbs the turbine's power.
//
//	J = V/(n D),  CP = P/(rho n^3 D^5),  CT = T/(rho n^2 D^4),  eff = T V/P = J CT/CP
//
// Thrust follows from power by blade-element momentum theory with one element at the radius r = 0.75 R (Adkins and
// Liebeck, "Design of optimum propellers", J. Propulsion and Power 10, 1994, equations 1 to 8; tip loss 1):
//
//	T         = 2 rho A w (V + w)                            momentum, A = pi D^2/4
//	T (V + w) = P (1 - a') (1 - e tan phi)/(1 + e/tan phi)   drag and swirl
//	a'        = P/(2 rho A (V + w) (omega r)^2)              angular momentum
//	tan phi   = (V + w)/(omega r (1 - a'))
//
// w is the velocity induced at the disc and e the ratio of drag to lift, given, or found from the efficiency given at
// design; off design it is constant. So the efficiency falls at low J by its induced losses and at high J by its drag
// losses, and the static thrust is finite. Stall and Mach number are not modelled: it is valid to a blade loading
// CP/J^3 as at take-off and a helical tip Mach number of about 0.9.
//
// With a `table` of CT over J and CP (a measured propeller) thrust comes from the table instead. With a `fixed_pitch`
// table of CP and CT over J alone the pitch is fixed: power follows from speed, and the speed from the shaft's balance.
type Propeller struct {
	diameter, power, speed float64
	dragLift, eff          float64
	given, fixed           bool // efficiency, power
	table                  *Surface
	pitch                  *fixedPitch
	governed               bool
	shaft                  Coupling
	free                   *Freestream

	n, errN             float64
	thrust, j, cp, ct   float64
	effOut, mTip, angle float64
	beyond              float64
}

// elementRadius is the radius of the one blade element, as a fraction of the tip radius.
const elementRadius = 0.75

func newPropeller() Component { return &Propeller{power: startPower, governed: true} }

// Declare implements Component.
func (c *Propeller) Declare(d *Declaration) {
	d.Describe("propeller", "Propeller at constant speed: thrust from shaft power.")
	d.Also("prop", "propfan")
	d.Number("diameter", &c.diameter, unit.Length, "diameter").Within(0.05, 20).Required().DesignOnly()
	d.Number("power", &c.power, unit.Power,
		"shaft power that it takes at design, default: from the balance of the shaft; off design it follows from "+
			"the engine").
		Within(1, 1e9).DesignOnly().Given(&c.fixed)
	d.Number("speed", &c.speed, unit.None,
		"speed over the design's, which the pitch control keeps off design").Default(1).Within(0.1, 1.5)
	d.Number("drag_lift", &c.dragLift, unit.None, "drag over lift of the blades").Default(0.03).Within(0,
		0.5).DesignOnly()
	d.Number("eff", &c.eff, unit.None, "efficiency T V/P at design, from which drag_lift follows").Within(0.01,
		1).DesignOnly().Given(&c.given)
	d.File("table", readSurface("J", "CP", "CT"), func(v any) { c.table = v.(*Surface) },
		"CSV of CT with the columns J, CP, CT, on a grid of J and CP; without it, momentum theory")
	d.File("fixed_pitch", readFixedPitch, func(v any) { c.pitch, c.governed = v.(*fixedPitch), false },
		"CSV of CP and CT over J, with the columns J, CP, CT, of a propeller of fixed pitch")
	d.DrivenBy("shaft", &c.shaft)
	d.Unknown(Unknown{Name: "power", Modes: OffDesign, At: &c.power, Min: &zero, Typical: 1e4, On: &c.governed})
	d.SwitchedResidual(&c.governed, "N", OffDesign, &c.errN, "the propeller does not turn at its set speed")
	d.Fix(&c.n, &c.power, &c.dragLift)
	d.Output("thrust", &c.thrust, unit.Force, "thrust")
	d.Output("P", &c.power, unit.Power, "shaft power that it takes")
	d.Output("J", &c.j, unit.None, "advance ratio V/(n D)")
	d.Output("CP", &c.cp, unit.None, "power coefficient P/(rho n^3 D^5)")
	d.Output("CT", &c.ct, unit.None, "thrust coefficient T/(rho n^2 D^4)")
	d.Output("efficiency", &c.effOut, unit.None, "T V/P")
	d.Output("MN_tip", &c.mTip, unit.None, "helical Mach number of the tip")
	d.Output("phi", &c.angle, unit.Angle, "flow angle at 75 % radius from the plane of rotation; 0 with a table")
	d.Output("dragLift", &c.dragLift, unit.None, "drag over lift of the blades at this point")
	d.Output("extrapolated", &c.beyond, unit.None, "1 if J or CP is beyond the table; the value at its edge is used")
	d.Free = &c.free
	d.Thrust = &c.thrust
	d.Load = &c.power
}

// Governs implements Governor: the pitch control keeps the set speed.
func (c *Propeller) Governs() bool { return c.governed }

// BalancedByShaft implements ShaftBalancer.
func (c *Propeller) BalancedByShaft() (Unknown, bool) {
	return balancedPower(&c.power), !c.fixed && c.governed
}

// fixedPitch is a propeller whose coefficients depend on J alone.
type fixedPitch struct{ cp, ct Curve }

func readFixedPitch(r io.Reader) (any, error) {
	rows, err := readColumns(r, "J", "CP", "CT")
	if err != nil {
		return nil, err
	}
	p := &fixedPitch{}
	if p.cp, err = newCurve("J", rows, 1); err != nil {
		return nil, err
	}
	p.ct, err = newCurve("J", rows, 2)
	return p, err
}

// Eval implements Component.
func (c *Propeller) Eval(x *Context) error {
	n := *c.shaft.N
	if x.Mode == Design {
		c.n = n
	}
	c.errN = n/(c.n*c.speed) - 1
	rho := c.free.Ps / (rAir * c.free.Ts)
	tip := math.Pi * n / 60 * c.diameter
	c.mTip = math.Hypot(tip, c.free.V) / math.Sqrt(1.4*rAir*c.free.Ts)
	rev, d2 := n/60, c.diameter*c.diameter
	force := rho * rev * rev * d2 * d2
	c.j = c.free.V / (rev * c.diameter)
	if err := c.pull(x.Mode, rho, tip, force, rev); err != nil {
		return err
	}
	c.shaft.Power = -c.power
	c.ct = c.thrust / force
	c.effOut = 0
	if c.power > 0 {
		c.effOut = c.thrust * c.free.V / c.power
	}
	return nil
}

// pull sets the thrust, and at fixed pitch the power, from tables or theory. Force is
// rho n^2 D^4, rev the revolutions per second.
func (c *Propeller) pull(mode Mode, rho, tip, force, rev float64) error {
	inside := true
	watt := force * rev * c.diameter
	switch {
	case c.pitch != nil:
		c.cp, inside = c.pitch.cp.At(c.j)
		c.ct, _ = c.pitch.ct.At(c.j)
		c.power, c.thrust = c.cp*watt, c.ct*force
	case c.table != nil:
		c.cp = c.power / watt
		c.ct, inside = c.table.At(c.j, c.cp)
		c.thrust = c.ct * force
	default:
		c.cp = c.power / watt
		return c.theory(mode, blade{q: 2 * rho * math.Pi / 4 * c.diameter * c.diameter, v: c.free.V,
			u: elementRadius * tip, e: c.dragLift})
	}
	c.beyond = 1
	if inside {
		c.beyond = 0
	}
	return nil
}

// theory sets the thrust by blade-element momentum theory.
func (c *Propeller) theory(mode Mode, b blade) error {
	if mode == Design && c.given {
		if err := b.fit(c.power, c.eff); err != nil {
			return err
		}
		c.dragLift = b.e
	}
	w, err := b.induced(c.power)
	if err != nil {
		return err
	}
	c.thrust = b.q * w * (b.v + w)
	_, tan := b.share(w, c.power)
	c.angle = math.Atan(tan)
	return nil
}

// Explain implements Explainer.
func (c *Propeller) Explain() string {
	return fmt.Sprintf("it turns at %.5g rpm where %.5g rpm are set, taking %.4g kW", *c.shaft.N, c.n*c.speed,
		c.power/1000)
}

// blade is the one blade element: q = 2 rho A [kg/m], flight speed v and rotational speed u at the element [m/s], drag
// over lift e.
type blade struct{ q, v, u, e float64 }

// share returns the part of the power in T (V + w), and tan phi.
func (b *blade) share(w, power float64) (share, tan float64) {
	swirl := power / (b.q * (b.v + w) * b.u * b.u)
	tan = (b.v + w) / (b.u * (1 - swirl))
	return (1 - swirl) * (1 - b.e*tan) / (1 + b.e/tan), tan
}

// ideal solves q w (v + w)^2 = power: convex and rising, so that Newton's method
// comes down from the static solution without overshooting.
func (b *blade) ideal(power float64) float64 {
	w := math.Cbrt(power / b.q)
	for range 60 {
		s := b.v + w
		d := (b.q*w*s*s - power) / (b.q * s * (s + 2*w))
		w -= d
		if math.Abs(d) <= 1e-15*w {
			break
		}
	}
	return w
}

// induced returns the velocity induced at the disc, m/s: the fixed point of
// w = ideal(share(w) P), by the secant method; the share changes little with w.
func (b *blade) induced(power float64) (float64, error) {
	if power <= 0 {
		return 0, nil
	}
	fixed := func(w float64) (float64, bool) {
		share, tan := b.share(w, power)
		return b.ideal(share * power), share > 0 && tan > 0
	}
	w0 := b.ideal(power)
	w1, ok := fixed(w0)
	f0 := w1 - w0
	for range 50 {
		if !ok {
			return 0, fmt.Errorf(
				"%.4g W are too much for the propeller at %.4g m/s and %.4g m/s at 75 %% of its radius: blade drag "+
					"and swirl take all of it; raise diameter or speed", power, b.v, b.u)
		}
		var next float64
		if next, ok = fixed(w1); !ok {
			continue
		}
		f1 := next - w1
		if math.Abs(f1) <= 1e-14*w1 || f1 == f0 {
			return next, nil
		}
		w0, w1, f0 = w1, w1-f1*(w1-w0)/(f1-f0), f1
		if !(w1 > 0) {
			w1 = next
		}
	}
	return w1, nil
}

// fit finds the e that gives the efficiency T V/P.
func (b *blade) fit(power, eff float64) error {
	if b.v == 0 {
		return fmt.Errorf("at rest a propeller has no efficiency; give drag_lift instead of eff")
	}
	at := func(e float64) float64 {
		b.e = e
		w, err := b.induced(power)
		if err != nil {
			return 0
		}
		return b.q * w * (b.v + w) * b.v / power
	}
	best, lo, hi := at(0), 0.0, 0.5
	if eff > best {
		return fmt.Errorf("efficiency %.4g is above the %.4g that momentum theory allows with blades without drag; "+
			"lower eff or the power, or raise the diameter", eff, best)
	}
	for range 100 {
		mid := (lo + hi) / 2
		if at(mid) > eff {
			lo = mid
		} else {
			hi = mid
		}
	}
	b.e = (lo + hi) / 2
	return nil
}
