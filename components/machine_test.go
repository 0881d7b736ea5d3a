package components

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func coupling(t tb, d *Declaration, name string) *Coupling {
	t.Helper()
	return port(t, d.Couplings, name, func(p CouplingPort) string { return p.Port }).At
}

func off(x *Context) *Context { return &Context{Gas: x.Gas, Mode: OffDesign} }

// The difference between a gearbox's input and output power is its loss, in both directions of power; its residual is
// the departure from the design's ratio.
func TestGearbox(t *testing.T) {
	x := design(t)
	testenv.Check(t, func(t *rapid.T) {
		c, d := build(t, "gearbox", map[string]any{"eff": rapid.Float64Range(0.5, 1).Draw(t, "eff")})
		fast, slow := 9000.0, 3000.0
		in, out := coupling(t, d, "in"), coupling(t, d, "out")
		in.N, out.N = &fast, &slow
		p := rapid.Float64Range(-1e7, 1e7).Draw(t, "power")
		*d.Unknowns[0].At = p
		eval(t, c, x)
		near(t, "loss", value(t, d, "loss"), -(in.Power + out.Power), 1e-12)
		if value(t, d, "loss") < -1e-9*math.Abs(p) {
			t.Errorf("a gearbox makes %g W", -value(t, d, "loss"))
		}
		if p > 0 && out.Power > -in.Power || p < 0 && in.Power > -out.Power {
			t.Errorf("in %g W, out %g W", in.Power, out.Power)
		}
		slow = 3030
		eval(t, c, off(x))
		near(t, "residual at 1 % more speed", *d.Residuals[0].At, 0.01, 1e-12)
		near(t, "ratio", value(t, d, "ratio"), 1.0/3, 1e-15)
	})
}

func TestLoadFollowsItsLaw(t *testing.T) {
	x := design(t)
	n := 6000.0
	for exponent, want := range map[float64]float64{0: 1e5, 1: 5e4, 3: 1.25e4} {
		n = 6000
		c, d := build(t, "load", map[string]any{"power": 1e5, "exponent": exponent})
		s := coupling(t, d, "shaft")
		s.N = &n
		eval(t, c, x)
		near(t, "power at design", s.Power, -1e5, 0)
		n = 3000
		eval(t, c, off(x))
		near(t, "power at half speed", s.Power, -want, 1e-14)
		near(t, "power that leaves the engine", *d.Load, want, 1e-14)
	}
}

// A generator that feeds a motor over a bus loses power by the efficiencies; the battery closes the balance, and no
// power leaves the engine.
func TestElectricBalance(t *testing.T) {
	x := design(t)
	g, dg := build(t, "generator", map[string]any{"power": 1e6, "eff": 0.96})
	m, dm := build(t, "motor", map[string]any{"power": 8e5, "eff": 0.95})
	eval(t, g, x)
	near(t, "power that leaves without a bus", *dg.Load, 1e6, 0)
	b, db, err := NewBus(config.Values{"loss": {Num: 0.02}, "offtake": {Num: 5e4}},
		[]*Coupling{coupling(t, dm, "electric"), coupling(t, dg, "electric")})
	must.OK(t, err)
	eval(t, g, x)
	eval(t, m, x)
	eval(t, b, x)
	near(t, "shaft power taken", coupling(t, dg, "shaft").Power, -1e6/0.96, 1e-14)
	near(t, "shaft power given", coupling(t, dm, "shaft").Power, 8e5, 0)
	near(t, "battery", value(t, db, "battery"), 8e5/0.95+5e4-0.98e6, 1e-9)
	near(t, "power that leaves", *dg.Load+*db.Load, 5e4, 0)
}

func propeller(t tb, params map[string]any) (Component, *Declaration, *Freestream, *float64) {
	t.Helper()
	params["diameter"] = 4.0
	c, d := build(t, "propeller", params)
	n := 1000.0
	coupling(t, d, "shaft").N = &n
	free := &Freestream{Ps: 101325, Ts: 288.15, V: 150}
	*d.Free = free
	return c, d, free, &n
}

// Blades without drag at no end of speed are an actuator disc: at rest
// T = (2 rho A P^2)^(1/3), in flight T (V + w) = P with T = 2 rho A w (V + w).
func TestPropellerIsAnActuatorDisc(t *testing.T) {
	x := design(t)
	c, d, free, n := propeller(t, map[string]any{"power": 1e6, "drag_lift": 0.0})
	*n = 1e7 // no swirl
	const rho = 101325 / (rAir * 288.15)
	area := math.Pi / 4 * 16
	free.V = 0
	eval(t, c, x)
	near(t, "static thrust", value(t, d, "thrust"), math.Cbrt(2*rho*area*1e12), 1e-9)
	free.V = 120
	eval(t, c, x)
	thrust := value(t, d, "thrust")
	w := 1e6/thrust - 120
	near(t, "thrust in flight", thrust, 2*rho*area*w*(120+w), 1e-7)
	near(t, "efficiency", value(t, d, "efficiency"), 120/(120+w), 1e-9)
}

// The efficiency is below that of the ideal disc; all power that is not thrust power, wake or swirl is drag.
func TestPropellerEfficiency(t *testing.T) {
	x := design(t)
	testenv.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(1e4, 3e6).Draw(t, "power")
		c, d, free, _ := propeller(t,
			map[string]any{"power": p, "drag_lift": rapid.Float64Range(0, 0.06).Draw(t, "drag_lift")})
		free.V = rapid.Float64Range(0, 200).Draw(t, "V")
		eval(t, c, x)
		ideal := (&blade{q: 2 * 101325 / (rAir * 288.15) * math.Pi * 4, v: free.V}).ideal(p)
		if eff := value(t, d, "efficiency"); !(eff <= free.V/(free.V+ideal)*(1+1e-12)) {
			t.Errorf("efficiency %g, the ideal disc has %g", eff, free.V/(free.V+ideal))
		}
		near(t, "J CT/CP", value(t, d, "J")*value(t, d, "CT")/value(t, d, "CP"), value(t, d, "efficiency"), 1e-12)
		near(t, "CP", value(t, d, "CP"), p/(101325/(rAir*288.15)*math.Pow(1000.0/60, 3)*math.Pow(4, 5)), 1e-12)
	})
}

// The efficiency asked for at design comes out there, and the blades keep their drag.
func TestPropellerMeetsItsDesign(t *testing.T) {
	x := design(t)
	c, d, free, n := propeller(t, map[string]any{"power": 1e6, "eff": 0.85})
	eval(t, c, x)
	near(t, "efficiency", value(t, d, "efficiency"), 0.85, 1e-12)
	e := value(t, d, "dragLift")
	*n, free.V = 1010, 100
	*d.Unknowns[0].At = 7e5
	eval(t, c, off(x))
	near(t, "drag over lift off design", value(t, d, "dragLift"), e, 0)
	near(t, "residual at 1 % more speed", *d.Residuals[0].At, 0.01, 1e-12)
	c, _, free, _ = propeller(t, map[string]any{"power": 1e6, "eff": 0.99})
	must.Fail(t, c.Eval(x), "momentum theory allows")
	free.V = 0
	must.Fail(t, c.Eval(x), "drag_lift")
	c, _, _, n = propeller(t, map[string]any{"power": 5e7})
	*n = 200
	must.Fail(t, c.Eval(x), "too much for the propeller")
}

// A table of CT that is bilinear comes back exactly; beyond it the edge counts, and
// is reported.
func TestPropellerTable(t *testing.T) {
	const text = "# CT = 0.1 + 0.5 CP - 0.05 J\nJ, CP, CT\n0,0,0.1\n0,1,0.6\n4,1,0.4\n4,0,-0.1\n"
	x := design(t)
	c, d, free, _ := propeller(t, map[string]any{"power": 1e6})
	table := must.Value(d.Files[0].Read(strings.NewReader(text)))(t)
	d.Files[0].Set(table)
	eval(t, c, x)
	near(t, "CT", value(t, d, "CT"), 0.1+0.5*value(t, d, "CP")-0.05*value(t, d, "J"), 1e-12)
	near(t, "extrapolated", value(t, d, "extrapolated"), 0, 0)
	free.V = 400
	eval(t, c, x)
	near(t, "CT beyond the table", value(t, d, "CT"), 0.1+0.5*value(t, d, "CP")-0.05*4, 1e-12)
	near(t, "extrapolated", value(t, d, "extrapolated"), 1, 0)
}

// At fixed pitch the power is proportional to the cube of the speed at constant J, and no unknown remains.
func TestPropellerOfFixedPitch(t *testing.T) {
	x := design(t)
	c, d, free, n := propeller(t, map[string]any{})
	table := must.Value(readFixedPitch(strings.NewReader("J,CP,CT\n0,0.1,0.12\n1,0.08,0.06\n2,-0.02,-0.02\n")))(t)
	d.Files[1].Set(table)
	*n, free.V = 1200, 40 // J = 0.5
	eval(t, c, x)
	near(t, "CP", value(t, d, "CP"), 0.09, 1e-12)
	near(t, "CT", value(t, d, "CT"), 0.09, 1e-12)
	p := coupling(t, d, "shaft").Power
	near(t, "power", -p, 0.09*101325/(rAir*288.15)*math.Pow(20, 3)*math.Pow(4, 5), 1e-12)
	*n, free.V = 600, 20
	eval(t, c, off(x))
	near(t, "power at half speed", coupling(t, d, "shaft").Power, p/8, 1e-12)
	for _, u := range d.Unknowns {
		if u.In(OffDesign) {
			t.Errorf("%s is unknown", u.Name)
		}
	}
	for _, r := range d.Residuals {
		if r.In(OffDesign) {
			t.Errorf("%s is a residual", r.Name)
		}
	}
	if _, free := c.(ShaftBalancer).BalancedByShaft(); free {
		t.Error("the shaft finds a power that follows from the speed")
	}
	*n = 100
	eval(t, c, off(x))
	near(t, "extrapolated", value(t, d, "extrapolated"), 1, 0)
}

func TestBadTables(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"J,CP\n1,2\n", "no column CT; there are J, CP"},
		{"J,CP,CT\n0,0,0\n0,1,x\n", `row 2: CT is "x"`},
		{"J,CP,CT\n0,0,0\n0,1,NaN\n", `row 2: CT is "NaN"`},
		{"J,CP,CT\n0,0,0\n0,1,1\n1,0,1\n", "J 1 with CP 1 is missing"},
		{"J,CP,CT\n0,0,0\n0,0,1\n1,0,1\n1,1,1\n0,1,1\n", "row 2: J 0 with CP 0 is there twice"},
		{"J,CP,CT\n0,0,0\n0,1,0\n", "1 values of J"},
	} {
		must.Refuse(readSurface("J", "CP", "CT")(strings.NewReader(c.text)))(t, c.want)
	}
	must.Refuse(readCurve("MN", "recovery")(strings.NewReader("MN,recovery\n1,1\n0.5,1\n")))(t, "must rise")
}
