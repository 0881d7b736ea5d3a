package components

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
)

func made(t tb, s perfmap.CompressorShape) *perfmap.Map {
	t.Helper()
	return must.Value(perfmap.MakeCompressor(s))(t)
}

// designed evaluates a component at its design point and gives it a map there.
func designed(t tb, c Component, d *Declaration, x *Context, m *perfmap.Map) {
	t.Helper()
	eval(t, c, x)
	must.OK(t, d.Maps[0].User.SetMap(m, false))
	eval(t, c, x)
}

// closedStators is a map of two stator settings; the second passes 10 % less at every place.
func closedStators(t tb) *perfmap.Map {
	t.Helper()
	m := *made(t, perfmap.CompressorShape{Name: "variable", PR: 8, Eff: 0.85})
	m.Alpha = []float64{0, 10}
	for i := range m.Tables {
		v := m.Tables[i].V
		f := 1.0
		if m.Tables[i].Name == "Wc" {
			f = 0.9
		}
		all := append([]float64(nil), v...)
		for _, y := range v {
			all = append(all, f*y)
		}
		m.Tables[i].V = all
	}
	return must.Value(perfmap.New(m))(t)
}

// The map's flow falls as the stators close, and the design is that of the design's
// setting.
func TestStatorSetting(t *testing.T) {
	x := design(t)
	n := 10000.0
	c, d := turning(t, "compressor", map[string]any{"PR": 9.0, "eff": 0.84}, inflow(t, x, 50, 288.15, 101325, 0), &n)
	designed(t, c, d, x, closedStators(t))
	alpha := port(t, d.Numbers, "alpha", func(n parameter.Number) string { return n.Name })
	if alpha.DesignOnly {
		t.Error("a case cannot set alpha")
	}
	residual := func(a float64) float64 {
		*alpha.At = a
		eval(t, c, off(x))
		return *d.Residuals[0].At
	}
	near(t, "alpha that nobody gave", *alpha.At, 0, 0)
	near(t, "residual at the design's setting", 1+residual(0), 1, 1e-12)
	near(t, "flow of the map half closed", 1+residual(5), 0.95, 1e-12)
	near(t, "flow of the map closed", 1+residual(10), 0.9, 1e-12)
	residual(11)
	if e := d.Maps[0].User.Edge(); e != perfmap.AlphaHigh {
		t.Errorf("at alpha 11 the edge is %v", e)
	}
}

// Half the Reynolds number index is 2^n times the loss; the design's index, or missing exponents, change no value.
func TestReynoldsCorrection(t *testing.T) {
	x := design(t)
	at := func(params map[string]any, pt float64) (eff, flow, rni float64) {
		params["PR"], params["eff"] = 8.0, 0.85
		n := 10000.0
		in := inflow(t, x, 50, 288.15, 101325, 0)
		c, d := turning(t, "compressor", params, in, &n)
		designed(t, c, d, x, made(t, perfmap.CompressorShape{PR: 8, Eff: 0.85}))
		near(t, "RNI at sea level", value(t, d, "RNI"), 1, 1e-12)
		*in = *inflow(t, x, 50*pt/101325, 288.15, pt, 0)
		eval(t, c, off(x))
		return value(t, d, "eff"), 1 + *d.Residuals[0].At, value(t, d, "RNI")
	}
	eff, flow, rni := at(map[string]any{}, 101325/2.0)
	near(t, "RNI at half the pressure", rni, 0.5, 1e-12)
	near(t, "eff without correction", eff, 0.85, 1e-12)
	near(t, "flow without correction", flow, 1, 1e-12)
	eff, flow, _ = at(map[string]any{"Re_eff": 0.2, "Re_flow": 0.05}, 101325/2.0)
	near(t, "eff", eff, 1-0.15*math.Pow(2, 0.2), 1e-12)
	near(t, "flow", flow, math.Pow(0.5, 0.05), 1e-12)
	eff, flow, _ = at(map[string]any{"Re_eff": 0.2, "Re_flow": 0.05}, 101325)
	near(t, "eff at the design's Reynolds number", eff, 0.85, 1e-12)
	near(t, "flow at the design's Reynolds number", flow, 1, 1e-12)
	// US Standard Atmosphere 1976, table: 1.4216e-5 at 216.65 K over 1.7894e-5 at 288.15 K.
	near(t, "viscosity at 11 km", sutherland(216.65), 1.4216/1.7894, 1e-4)
}

// overWork is the turbine map given, with corrected work as its third axis: at each
// speed the ideal gas work of each pressure ratio, on a common axis.
func overWork(t tb, m *perfmap.Map, pr func(work, eff float64) float64) *perfmap.Map {
	t.Helper()
	w := *m
	w.XName, w.X = workAxis, nil
	for i := range 41 {
		w.X = append(w.X, 0.02+0.01*float64(i))
	}
	wp, eff := perfmap.Table{Name: "Wp"}, perfmap.Table{Name: "eff"}
	for _, nc := range m.Nc {
		for _, work := range w.X {
			e := 0.85
			for range 100 {
				v, _ := m.Value("eff", perfmap.Point{Nc: nc, X: pr(work, e)})
				e = v.V
			}
			v, _ := m.Value("Wp", perfmap.Point{Nc: nc, X: pr(work, e)})
			wp.V, eff.V = append(wp.V, v.V), append(eff.V, e)
		}
	}
	w.Tables = []perfmap.Table{wp, eff}
	w.Design.X = 0.3
	return must.Value(perfmap.New(w))(t)
}

// A turbine on a map over work finds the point of the map at which work and
// efficiency agree with its pressure ratio, and works as it does on the map over
// pressure ratio from which that was made.
func TestTurbineMapOverWork(t *testing.T) {
	x := design(t)
	const k = 0.24
	pr := func(work, eff float64) float64 { return math.Pow(1-min(0.9, work/1.25/eff), -1/k) }
	// The design's place: work 0.3 of the map.
	base := must.Value(perfmap.MakeTurbine(perfmap.TurbineShape{Name: "t", PR: 3.7, Eff: 0.9}))(t)
	work := overWork(t, base, pr)
	v, _ := work.Value("eff", work.Design)
	run := func(m *perfmap.Map, ratio, speed float64) (wp, eff, at, dhqT float64) {
		n := 9000.0
		in := inflow(t, x, 30, 1600, 1.5e6, 0.025)
		c, d := turning(t, "turbine", map[string]any{"PR": pr(0.3, v.V), "eff": v.V}, in, &n)
		designed(t, c, d, x, m)
		eval(t, c, off(x))
		near(t, "residual at design", 1+*d.Residuals[0].At, 1, 1e-9)
		n *= speed
		*d.Unknowns[0].At = ratio
		eval(t, c, off(x))
		return 1 + *d.Residuals[0].At, value(t, d, "eff"), value(t, d, "xMap"), value(t, d, "dhqT")
	}
	for _, p := range []struct{ ratio, speed float64 }{{2, 1}, {2.5, 0.9}, {3.5, 1.1}, {1.5, 0.7}} {
		wp, eff, at, dhqT := run(work, p.ratio, p.speed)
		e, _ := work.Value("eff", perfmap.Point{Nc: p.speed * work.Design.Nc, X: at})
		near(t, "efficiency on the map", eff, e.V, 1e-9)
		_, _, _, full := run(work, pr(0.3, v.V), 1)
		near(t, "work over that on the map", dhqT/at, full/0.3, 1e-9)
		placed := *base
		placed.Design.X = pr(0.3, v.V)
		same := must.Value(perfmap.New(placed))(t)
		// The map's gas of constant heat capacity is not the turbine's, so that both agree in the main.
		wp2, eff2, _, _ := run(same, p.ratio, p.speed)
		near(t, "flow against the map over PR", wp, wp2, 0.01)
		near(t, "efficiency against the map over PR", eff, eff2, 0.01)
	}
}

// With a map of its own the core stream works by itself: the same maps for both give the results of two single
// compressors, and the flows of both equal their maps' flows.
func TestFanWithItsOwnCoreMap(t *testing.T) {
	x := design(t)
	byp, core := made(t, perfmap.CompressorShape{Name: "outer", PR: 1.6, Eff: 0.89}), made(t,
		perfmap.CompressorShape{Name: "inner", PR: 1.4, Eff: 0.87})
	n := 4000.0
	in := inflow(t, x, 300, 288.15, 101325, 0)
	c, d := turning(t, "fan", map[string]any{"PR": 1.7, "eff": 0.88, "PR_core": 1.5, "eff_core": 0.86, "BPR": 5.0}, in,
		&n)
	must.OK(t, d.Maps[1].User.SetMap(core, false))
	designed(t, c, d, x, byp)
	eval(t, c, off(x))
	var on int
	for _, r := range d.Residuals {
		if r.In(OffDesign) {
			on++
			near(t, r.Name+" at design", 1+*r.At, 1, 1e-12)
		}
	}
	if on != 2 {
		t.Fatalf("%d residuals", on)
	}
	for name, v := range map[string]float64{"xMap_core": 1.5, "xMap": 2.2, "BPR": 5.5} {
		u := port(t, d.Unknowns, name, func(u Unknown) string { return u.Name })
		if *u.At = v; !u.In(OffDesign) {
			t.Errorf("%s is known off design", name)
		}
	}
	n = 3800
	eval(t, c, off(x))
	for _, s := range []struct {
		m            *perfmap.Map
		x, w, pr, wd float64
		got, res     float64
	}{
		{byp, 2.2, 300 * 5.5 / 6.5, 1.7, 250, value(t, d, "PR"), *d.Residuals[0].At},
		{core, 1.5, 300 / 6.5, 1.5, 50, value(t, d, "PR_core"), *d.Residuals[1].At},
	} {
		scale := must.Value(s.m.ScaleTo(4000, s.wd, s.pr, 0.8))(t)
		out := make([]perfmap.Value, len(s.m.Tables))
		s.m.AtScaled(scale, 0, 3800, s.x, out)
		near(t, "PR", s.got, out[s.m.Index("PR")].V, 1e-12)
		near(t, "flow", 1+s.res, out[s.m.Index("Wc")].V/s.w, 1e-12)
	}
	both := made(t, perfmap.CompressorShape{PR: 1.6, Eff: 0.89, Core: &perfmap.CoreShape{PR: 1.4, Eff: 0.87}})
	_, d = build(t, "fan", map[string]any{"PR": 1.7, "eff": 0.88, "BPR": 5.0})
	must.OK(t, d.Maps[0].User.SetMap(both, false))
	must.Fail(t, d.Maps[1].User.SetMap(core, false), "leave map_core out")
}
