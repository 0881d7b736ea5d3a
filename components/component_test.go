package components

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// tb holds the common methods of *testing.T and *rapid.T.
type tb interface {
	must.T
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func design(t tb) *Context {
	t.Helper()
	lhv := 42.8e6
	f := must.Value(gas.NewFuel("Jet-A", "", &lhv, nil))(t)
	return &Context{Gas: gas.NewFrozen(f, gas.Standard), Mode: Design}
}

// build makes a component with the catalogue's defaults and the values given.
func build(t tb, typ string, given map[string]any) (Component, *Declaration) {
	t.Helper()
	ct := Catalogue().Type(typ)
	values := config.Values{}
	for _, p := range ct.Params {
		v, ok := given[p.Name]
		if !ok {
			v = p.Default
		}
		switch v := v.(type) {
		case float64:
			values[p.Name] = config.Value{Num: v}
		case string:
			values[p.Name] = config.Value{Text: v}
		case bool:
			values[p.Name] = config.Value{Flag: v}
		}
	}
	for name := range given {
		if ct.Param(name) == nil {
			t.Fatalf("%s has no parameter %q", typ, name)
		}
	}
	c, d, err := New(&config.Component{Name: typ, Type: ct, Values: values})
	must.OK(t, err)
	return c, d
}

func inflow(t tb, x *Context, w, tt, pt, far float64) *flow.Station {
	t.Helper()
	s := &flow.Station{W: w, Comp: gas.Composition{FAR: far}}
	must.OK(t, s.SetTP(x.Gas, tt, pt))
	return s
}

// port is the element of a list that has a name.
func port[T any](t tb, list []T, name string, of func(T) string) T {
	t.Helper()
	i := slices.IndexFunc(list, func(x T) bool { return of(x) == name })
	if i < 0 {
		t.Fatalf("there is no %q", name)
	}
	return list[i]
}

func feed(t tb, d *Declaration, name string, s *flow.Station) {
	t.Helper()
	*port(t, d.Inlets, name, func(p InPort) string { return p.Port }).At = s
}

// turning is a component with its inflow, on a shaft of a speed.
func turning(t tb, typ string, given map[string]any, in *flow.Station, n *float64) (Component, *Declaration) {
	t.Helper()
	c, d := build(t, typ, given)
	feed(t, d, "in", in)
	d.Couplings[0].At.N = n
	return c, d
}

func outlet(t tb, d *Declaration, name string) *flow.Station {
	t.Helper()
	return port(t, d.Outlets, name, func(p OutPort) string { return p.Port }).At
}

func value(t tb, d *Declaration, name string) float64 {
	t.Helper()
	return *port(t, d.Outputs, name, func(v Value) string { return v.Name }).At
}

func eval(t tb, c Component, x *Context) {
	t.Helper()
	must.OK(t, c.Eval(x))
}

func near(t tb, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1e-300, math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// The published tables of the standard atmosphere, and NPSS's flight conditions.
func TestAtmosphere(t *testing.T) {
	for _, c := range []struct{ h, p, t float64 }{ // US Standard Atmosphere 1976, table I, geopotential
		{0, 101325, 288.15}, {11000, 22632.1, 216.65}, {20000, 5474.89, 216.65},
		{32000, 868.019, 228.65}, {47000, 110.906, 270.65}, {51000, 66.9389, 270.65}, {71000, 3.95642, 214.65},
		{84852, 0.37338, 186.946},
	} {
		p, T, err := Atmosphere(c.h)
		must.OK(t, err)
		near(t, "P at "+strconv.Itoa(int(c.h)), p, c.p, 2e-5)
		near(t, "T at "+strconv.Itoa(int(c.h)), T, c.t, 1e-6)
	}
	if _, _, err := Atmosphere(90000); err == nil {
		t.Error("90 km passed")
	}
}

func TestAmbientAgainstNPSS(t *testing.T) {
	rows := table(t, "npss_verification", "ambient.csv")
	x := design(t)
	for _, row := range rows {
		c, d := build(t, "ambient", map[string]any{"altitude": row["alt"] * 0.3048, "mach": row["MN"],
			"dTs": row["dTs"] / 1.8})
		eval(t, c, x)
		out := outlet(t, d, "out")
		near(t, "Pt", out.P, row["Pt"]*6894.757293168, 1e-4)
		near(t, "Tt", out.T, row["Tt"]/1.8, 1e-4)
		near(t, "Ps", value(t, d, "Ps"), row["Ps"]*6894.757293168, 1e-4)
		near(t, "Ts", value(t, d, "Ts"), row["Ts"]/1.8, 1e-4)
	}
}

// table reads a reference CSV by its header; the name before a blank or bracket counts.
func table(t *testing.T, parts ...string) []map[string]float64 {
	t.Helper()
	f := must.Value(os.Open(testenv.Reference(t, parts...)))(t)
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	all := must.Value(r.ReadAll())(t)
	var rows []map[string]float64
	for _, rec := range all[1:] {
		row := map[string]float64{}
		for i, cell := range rec {
			if v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err == nil && i < len(all[0]) {
				row[strings.TrimSpace(all[0][i])] = v
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatal("the reference has no rows")
	}
	return rows
}

// The power that a compressor takes from the shaft is in its streams, bleeds included.
func TestCompressorConservesEnergy(t *testing.T) {
	x := design(t)
	testenv.Check(t, func(t *rapid.T) {
		n := 5000.0
		in := inflow(t, x, 50, rapid.Float64Range(220, 500).Draw(t, "Tt"), 8e4, 0)
		pr, eff := rapid.Float64Range(1.05, 40).Draw(t, "PR"), rapid.Float64Range(0.6, 1).Draw(t, "eff")
		c, d := turning(t, "compressor", map[string]any{"PR": pr, "eff": eff}, in, &n)
		a, b := &Bleed{share: 0.1, work: 0.5, pressure: 0.4}, &Bleed{share: 0.03, work: 1, pressure: 1}
		*d.BleedOuts[0].At = []*Bleed{a, b}
		eval(t, c, x)
		out := outlet(t, d, "out")
		near(t, "flow out", out.W+a.flow.W+b.flow.W, in.W, 1e-14)
		leaves := out.W*out.H + a.flow.W*a.flow.H + b.flow.W*b.flow.H
		near(t, "power", -d.Couplings[0].At.Power, leaves-in.W*in.H, 1e-9)
		ideal := must.Value(x.Gas.SP(in.Comp, in.S, out.P, 0))(t)
		near(t, "efficiency", (ideal.H-in.H)/(out.H-in.H), value(t, d, "eff"), 1e-9)
	})
}

// The computed polytropic efficiency equals the given one, and the limit of a small compression.
func TestPolytropicEfficiency(t *testing.T) {
	x := design(t)
	n := 5000.0
	for _, pr := range []float64{1.001, 2, 30} {
		c, d := turning(t, "compressor", map[string]any{"PR": pr, "effPoly": 0.9}, inflow(t, x, 1, 300, 1e5, 0), &n)
		eval(t, c, x)
		near(t, "effPoly", value(t, d, "effPoly"), 0.9, 1e-9)
		if pr == 1.001 {
			near(t, "eff of a small compression", value(t, d, "eff"), 0.9, 1e-4)
		}
	}
}

// An ideal turbine returns the work of an ideal compressor.
func TestIdealTurbineUndoesCompression(t *testing.T) {
	x := design(t)
	n := 5000.0
	in := inflow(t, x, 20, 300, 1e5, 0)
	c, dc := turning(t, "compressor", map[string]any{"PR": 8.0, "eff": 1.0}, in, &n)
	eval(t, c, x)
	tu, dt := turning(t, "turbine", map[string]any{"PR": 8.0, "eff": 1.0}, outlet(t, dc, "out"), &n)
	eval(t, tu, x)
	out := outlet(t, dt, "out")
	near(t, "Tt", out.T, in.T, 1e-10)
	near(t, "Pt", out.P, in.P, 1e-14)
	near(t, "power", dt.Couplings[0].At.Power, -dc.Couplings[0].At.Power, 1e-10)
}

// Energy closes over a cooled turbine, whichever way the cooling enters.
func TestCooledTurbineConservesEnergy(t *testing.T) {
	x := design(t)
	testenv.Check(t, func(t *rapid.T) {
		n := 9000.0
		in := inflow(t, x, 30, rapid.Float64Range(1000, 1900).Draw(t, "Tt"), 1.5e6, 0.025)
		pr, eff := rapid.Float64Range(1.2, 8).Draw(t, "PR"), rapid.Float64Range(0.7, 1).Draw(t, "eff")
		c, d := turning(t, "turbine", map[string]any{"PR": pr, "eff": eff}, in, &n)
		cool := inflow(t, x, 2, 800, 1.6e6, 0)
		ahead := &Bleed{flow: *cool, nonchargeable: true}
		along := &Bleed{flow: *cool, enters: rapid.Float64Range(0.01, 1).Draw(t, "enters")}
		behind := &Bleed{flow: *cool}
		*d.BleedIns[0].At = []*Bleed{ahead, along, behind}
		eval(t, c, x)
		out := outlet(t, d, "out")
		near(t, "flow out", out.W, in.W+3*cool.W, 1e-14)
		near(t, "power", d.Couplings[0].At.Power, in.W*in.H+3*cool.W*cool.H-out.W*out.H, 1e-9)
		air := in.W / in.Comp.Total()
		near(t, "FAR", out.Comp.FAR, in.Comp.FAR*air/(air+3*cool.W), 1e-12)
		if out.S*out.W < in.S*in.W {
			t.Errorf("entropy falls")
		}
	})
}

// More work from the cooling air the higher it enters; none at the exit.
func TestCoolingWork(t *testing.T) {
	x := design(t)
	n := 9000.0
	power := func(enters float64) float64 {
		c, d := turning(t, "turbine", map[string]any{"PR": 4.0, "eff": 0.9}, inflow(t, x, 30, 1600, 1.5e6, 0.025), &n)
		*d.BleedIns[0].At = []*Bleed{{flow: *inflow(t, x, 3, 800, 1.6e6, 0), enters: enters}}
		eval(t, c, x)
		return d.Couplings[0].At.Power
	}
	none, half, full := power(0), power(0.5), power(1)
	if !(none < half && half < full) {
		t.Errorf("power %g, %g, %g W for cooling that enters at 0, 0.5, 1", none, half, full)
	}
}

// Cooling flows back where its pressure is below that where it enters: at the exit
// any will do, ahead of the rotor it must have the inlet's.
func TestCoolingMargin(t *testing.T) {
	x := design(t)
	n := 9000.0
	margin := func(b ...*Bleed) float64 {
		c, d := turning(t, "turbine", map[string]any{"PR": 3.0, "eff": 0.9}, inflow(t, x, 30, 1600, 1.5e6, 0.025), &n)
		*d.BleedIns[0].At = b
		eval(t, c, x)
		return value(t, d, "cooling_margin")
	}
	weak := *inflow(t, x, 1, 700, 1e6, 0)
	strong := *inflow(t, x, 1, 800, 1.8e6, 0)
	near(t, "ahead", margin(&Bleed{flow: weak, nonchargeable: true}), 1e6/1.5e6-1, 1e-12)
	near(t, "half way", 1+margin(&Bleed{flow: weak, enters: 0.5}), 1, 1e-12)
	near(t, "at the exit", margin(&Bleed{flow: weak}), 1, 1e-12)
	near(t, "the least", margin(&Bleed{flow: weak}, &Bleed{flow: strong, nonchargeable: true}), 0.2, 1e-12)
	if v := margin(); !math.IsNaN(v) {
		t.Errorf("%g without cooling", v)
	}
}

func TestBurnerConservesEnergy(t *testing.T) {
	x := design(t)
	c, d := build(t, "burner", map[string]any{"FAR": 0.025, "dPqP": 0.05, "eff": 0.98})
	in := inflow(t, x, 40, 800, 2e6, 0)
	feed(t, d, "in", in)
	eval(t, c, x)
	out := outlet(t, d, "out")
	near(t, "Wf", value(t, d, "Wf"), 1, 1e-14)
	near(t, "Pt", out.P, 0.95*2e6, 1e-14)
	// Heat released at 298.15 K: cool air and products there.
	cold, _ := x.Gas.TP(in.Comp, 298.15, 2e6)
	coldOut, _ := x.Gas.TP(out.Comp, 298.15, 2e6)
	heat := out.W*(out.H-coldOut.H) - in.W*(in.H-cold.H)
	near(t, "heat", heat, 0.98*42.8e6, 1e-9)
}

func mixed(t tb, x *Context, core, byp *flow.Station, params map[string]any) (*flow.Station, *Declaration, Component) {
	t.Helper()
	c, d := build(t, "mixer", params)
	feed(t, d, "core", core)
	feed(t, d, "bypass", byp)
	eval(t, c, x)
	return outlet(t, d, "out"), d, c
}

// Equal streams mix to themselves; others conserve mass, energy and momentum
// and do not lower entropy.
func TestMixerConserves(t *testing.T) {
	x := design(t)
	a, b := inflow(t, x, 10, 400, 2e5, 0), inflow(t, x, 30, 400, 2e5, 0)
	out, _, _ := mixed(t, x, a, b, map[string]any{"MN_bypass": 0.4})
	near(t, "Pt of equal streams", out.P, 2e5, 1e-10)
	near(t, "MN of equal streams", out.MN, 0.4, 1e-8)
	testenv.Check(t, func(t *rapid.T) {
		core := inflow(t, x, rapid.Float64Range(5, 50).Draw(t, "Wc"), rapid.Float64Range(600, 1000).Draw(t, "Tc"),
			rapid.Float64Range(1.9e5, 2.2e5).Draw(t, "Pc"), 0.02)
		byp := inflow(t, x, 60, 320, 2e5, 0)
		out, d, c := mixed(t, x, core, byp, map[string]any{"MN_bypass": 0.45})
		m := c.(*Mixer)
		near(t, "W", out.W, core.W+byp.W, 1e-14)
		near(t, "energy", out.W*out.H, core.W*core.H+byp.W*byp.H, 1e-10)
		near(t, "momentum", out.Ps*out.A+out.W*out.V, m.c.Impulse()+m.b.Impulse(), 1e-9)
		near(t, "area", out.A, m.areaC+m.areaB, 1e-14)
		near(t, "continuity", out.Rhos*out.V*out.A, out.W, 1e-9)
		if out.W*out.S < core.W*core.S+byp.W*byp.S-1e-6 {
			t.Errorf("mixing lowers entropy")
		}
		// Off design with the same areas the streams still agree.
		eval(t, c, off(x))
		must.Within(t, "residual at the design point", *d.Residuals[0].At, 0, 1e-9)
	})
}

// Thrust is linear in the mixer's effectiveness, from that of separate streams to that of the mixed stream.
func TestMixerEffectiveness(t *testing.T) {
	x := design(t)
	thrust := func(eff float64) (fg, area float64) {
		out, _, _ := mixed(t, x, inflow(t, x, 30, 750, 1.05e5, 0.02), inflow(t, x, 200, 300, 1.05e5, 0),
			map[string]any{"MN_bypass": 0.45, "effectiveness": eff})
		n, d := build(t, "nozzle", nil)
		feed(t, d, "in", out)
		*d.Free = &Freestream{Ps: 5e4}
		eval(t, n, x)
		return value(t, d, "Fg"), value(t, d, "A")
	}
	none, aNone := thrust(0)
	some, aSome := thrust(0.6)
	full, aFull := thrust(1)
	near(t, "thrust at 60 %", some, none+0.6*(full-none), 1e-10)
	near(t, "area at 60 %", aSome, aNone+0.6*(aFull-aNone), 1e-10)
	if full <= none {
		t.Errorf("mixing lowers thrust from %g to %g N", none, full)
	}
}

// A nozzle passes the flow its area asks for; its thrust is the momentum of an
// isentropic expansion, choked or not.
func TestNozzle(t *testing.T) {
	x := design(t)
	for _, c := range []struct {
		pt     float64
		choked float64
	}{{1.5e5, 0}, {4e5, 1}} {
		n, d := build(t, "nozzle", nil)
		in := inflow(t, x, 100, 700, c.pt, 0)
		feed(t, d, "in", in)
		*d.Free = &Freestream{Ps: 101325}
		eval(t, n, x)
		near(t, "choked", value(t, d, "choked"), c.choked, 0)
		th := outlet(t, d, "throat")
		near(t, "continuity", th.Rhos*th.V*value(t, d, "A"), in.W, 1e-9)
		near(t, "thrust", value(t, d, "Fg"), in.W*th.V+(th.Ps-101325)*th.A, 1e-12)
		in.W *= 1.1
		eval(t, n, off(x))
		flux := in.W / value(t, d, "A")
		near(t, "residual at 10 % more flow", *d.Residuals[0].At, (1.21-1)*flux*flux/(in.Density()*in.P), 1e-9)
	}
	n, d := build(t, "nozzle", map[string]any{"Cfg": 0.98, "Cfg_reference": "ideal"})
	in := inflow(t, x, 100, 700, 4e5, 0)
	feed(t, d, "in", in)
	*d.Free = &Freestream{Ps: 101325}
	eval(t, n, x)
	ideal := *in
	must.OK(t, ideal.StaticPs(x.Gas, 101325))
	near(t, "thrust against ideal expansion", value(t, d, "Fg"), 0.98*100*ideal.V, 1e-12)
}

func TestNozzleWithoutPressure(t *testing.T) {
	x := design(t)
	n, d := build(t, "nozzle", nil)
	feed(t, d, "in", inflow(t, x, 100, 700, 9e4, 0))
	*d.Free = &Freestream{Ps: 101325}
	must.Fail(t, n.Eval(x), "no outflow")
	// Off design the residual has no root there, but continues with its slope above the ambient pressure.
	in := inflow(t, x, 100, 700, 1.3e5, 0)
	feed(t, d, "in", in)
	eval(t, n, x)
	at := func(p float64) float64 {
		*in = *inflow(t, x, 100, 700, p, 0)
		eval(t, n, off(x))
		return *d.Residuals[0].At
	}
	flux := 100 / value(t, d, "A")
	near(t, "residual at ambient pressure", at(101325), flux*flux/(in.Density()*in.P), 1e-12)
	const dp = 20.0
	above, below := (at(101325)-at(101325+dp))/dp, (at(101325-dp)-at(101325))/dp
	near(t, "slope below ambient pressure", below, above, 1e-3)
	if *d.Thrust != 0 {
		t.Errorf("thrust without flow is %g N", *d.Thrust)
	}
}

// Both laws of loss are the design's at the design point; the quadratic one is a
// quarter of it at half the corrected flow.
func TestDuct(t *testing.T) {
	x := design(t)
	c, d := build(t, "duct", map[string]any{"dPqP": 0.04, "loss": "quadratic"})
	in := inflow(t, x, 100, 300, 2e5, 0)
	feed(t, d, "in", in)
	eval(t, c, x)
	near(t, "Pt", outlet(t, d, "out").P, 0.96*2e5, 1e-14)
	in.W = 50
	eval(t, c, off(x))
	near(t, "Pt at half flow", outlet(t, d, "out").P, 0.99*2e5, 1e-12)
	c, d = build(t, "duct", map[string]any{"Q": 1e6})
	in.W = 100
	feed(t, d, "in", in)
	eval(t, c, x)
	near(t, "ht with heat", outlet(t, d, "out").H, in.H+1e4, 1e-10)
}

func TestInletAndSplitter(t *testing.T) {
	x := design(t)
	c, d := build(t, "inlet", map[string]any{"ram_recovery": 0.98, "MN": 0.6})
	in := inflow(t, x, 100, 260, 4e4, 0)
	feed(t, d, "in", in)
	*d.Free = &Freestream{V: 200}
	eval(t, c, x)
	near(t, "Fram", value(t, d, "Fram"), 2e4, 1e-14)
	near(t, "Pt", outlet(t, d, "out").P, 0.98*4e4, 1e-14)
	near(t, "Tt", outlet(t, d, "out").T, 260, 1e-12)
	s, ds := build(t, "splitter", map[string]any{"BPR": 4.0})
	feed(t, ds, "in", outlet(t, d, "out"))
	eval(t, s, x)
	near(t, "core", outlet(t, ds, "core").W, 20, 1e-14)
	near(t, "bypass", outlet(t, ds, "bypass").W, 80, 1e-14)
}

// A shaft's residual is zero if the power given, less losses, equals the power taken.
func TestShaftBalance(t *testing.T) {
	turbine, compressor := &Coupling{Power: 1000}, &Coupling{Power: -930}
	s, d, err := NewShaft(config.Values{"N": {Num: 3000}, "loss": {Num: 0.02}, "offtake": {Num: 50}},
		[]*Coupling{turbine, compressor})
	must.OK(t, err)
	eval(t, s, nil)
	near(t, "residual", *d.Residuals[0].At, 0, 0)
	if *turbine.N != 3000 || turbine.N != compressor.N {
		t.Error("the clients do not turn with the shaft")
	}
	turbine.Power = -1
	if err := s.Eval(nil); err == nil {
		t.Error("a shaft that nothing drives passed")
	}
}

// A fan's bleeds come out of its core stream, and its energy closes.
func TestFanBleeds(t *testing.T) {
	x := design(t)
	n := 4000.0
	in := inflow(t, x, 100, 288, 1e5, 0)
	c, d := turning(t, "fan", map[string]any{"PR": 1.7, "eff": 0.9, "PR_core": 1.5, "eff_core": 0.88, "BPR": 4.0}, in,
		&n)
	b := &Bleed{share: 0.1, work: 0.5, pressure: 0.5}
	*d.BleedOuts[0].At = []*Bleed{b}
	eval(t, c, x)
	core, byp := outlet(t, d, "core"), outlet(t, d, "bypass")
	near(t, "bleed", b.flow.W, 2, 1e-12)
	near(t, "core", core.W, 18, 1e-12)
	near(t, "power", -d.Couplings[0].At.Power, core.W*core.H+byp.W*byp.H+b.flow.W*b.flow.H-in.W*in.H, 1e-9)
}
