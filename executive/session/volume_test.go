package session

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// perfect is a gas of constant properties, for exact solutions.
type perfect struct{ cp, r float64 }

func (g perfect) TP(_ gas.Composition, t, p float64) (gas.State, error) {
	return gas.State{T: t, P: p, H: g.cp * t, S: g.cp*math.Log(t) - g.r*math.Log(p), Cp: g.cp, R: g.r,
		Gamma: g.cp / (g.cp - g.r)}, nil
}
func (g perfect) HP(c gas.Composition, h, p, _ float64) (gas.State, error) { return g.TP(c, h/g.cp, p) }
func (g perfect) SP(c gas.Composition, s, p, _ float64) (gas.State, error) {
	return g.TP(c, math.Exp((s+g.r*math.Log(p))/g.cp), p)
}
func (g perfect) Fuel() gas.Fuel { return gas.Fuel{} }

// vessel is a volume by itself, between a given inflow and an outflow that is a
// function of its state.
type vessel struct {
	comp components.Component
	decl *components.Declaration
	x    components.Context
	in   flow.Station
	out  *flow.Station
	w    *float64
}

// newVessel fills a volume with gas at Tt, K, and Pt, Pa.
func newVessel(t testing.TB, g gas.Model, volume, tt, pt float64) *vessel {
	t.Helper()
	typ := components.Catalogue().Type("volume")
	comp, decl, err := components.New(&config.Component{
		Name: "vessel", Type: typ, Values: config.Values{"volume": {Num: volume, Set: true}},
	})
	must.OK(t, err)
	v := &vessel{comp: comp, decl: decl, x: components.Context{Gas: g, Mode: components.OffDesign},
		out: decl.Outlets[0].At, w: decl.Unknowns[0].At}
	*decl.Inlets[0].At = &v.in
	must.OK(t, v.in.SetTP(g, tt, pt))
	must.OK(t, comp.Eval(&v.x))
	v.x.Stores = true
	return v
}

// run integrates from 0 to end, s.
func (v *vessel) run(t testing.TB, end float64, outflow func() float64) {
	t.Helper()
	drift(t, v.decl.States, end, func() error {
		*v.w = 0
		if err := v.comp.Eval(&v.x); err != nil {
			return err
		}
		*v.w = outflow()
		return v.comp.Eval(&v.x)
	})
}

// drift integrates the states of a component by itself from 0 to end, s.
func drift(t testing.TB, states []components.State, end float64, eval func() error) {
	t.Helper()
	var y, atol []float64
	for _, s := range states {
		y, atol = append(y, *s.At), append(atol, 1e-12*math.Max(*s.Typical, 1e-6))
	}
	to := func(y []float64) error {
		for i, s := range states {
			*s.At = y[i]
		}
		return eval()
	}
	st, err := ode.NewDormandPrince(ode.Problem{N: len(y), F: func(_ float64, y, f []float64) error {
		if err := to(y); err != nil {
			return err
		}
		for i, s := range states {
			f[i] = *s.Rate
		}
		return nil
	}}, ode.Settings{RTol: 1e-11, ATol: atol}, 0, y)
	must.OK(t, err)
	for st.T() < end {
		must.OK(t, st.Step(end))
	}
	must.OK(t, to(st.Y()))
}

// A vessel that empties through a choked throat follows the exact solution of a
// perfect gas, which remains isentropic,
//
//	m/m0 = (1 + (gamma-1)/2 t W0/m0)^(-2/(gamma-1)), P/P0 = (m/m0)^gamma
func TestBlowDown(t *testing.T) {
	g := perfect{1005, 287}
	const t0, p0, volume, throat, end = 600.0, 20e5, 0.3, 1e-3, 1.5
	v := newVessel(t, g, volume, t0, p0)
	gamma := g.cp / (g.cp - g.r)
	choked := func() float64 {
		return throat * v.out.P * math.Sqrt(gamma/(g.r*v.out.T)) * math.Pow(2/(gamma+1), (gamma+1)/(2*(gamma-1)))
	}
	w0, m0 := choked(), p0*volume/(g.r*t0)
	v.run(t, end, choked)
	share := math.Pow(1+(gamma-1)/2*end*w0/m0, -2/(gamma-1))
	if share > 0.5 {
		t.Fatalf("%.3g of the gas is left", share)
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"mass", *v.decl.States[0].At, m0 * share},
		{"Pt", v.out.P, p0 * math.Pow(share, gamma)},
		{"Tt", v.out.T, t0 * math.Pow(share, gamma-1)},
	} {
		near(t, c.what, c.got, c.want, 1e-9)
	}
}

// A vessel filled from a stream warms as an open system does: for a perfect gas the pressure rises by gamma R Tt_in
// W/V; for the real gas mass and energy equal the inflow.
func TestFilling(t *testing.T) {
	const t0, p0, tin, w, volume, end = 400.0, 2e5, 700.0, 3.0, 0.4, 0.5
	run := func(g gas.Model) (*vessel, float64, float64) {
		v := newVessel(t, g, volume, t0, p0)
		m, u := *v.decl.States[0].At, *v.decl.States[3].At
		must.OK(t, v.in.SetTP(g, tin, p0))
		v.in.W = w
		v.run(t, end, func() float64 { return 0 })
		return v, m, u
	}
	g := perfect{1005, 287}
	v, _, _ := run(g)
	near(t, "Pt", v.out.P, p0+g.cp/(g.cp-g.r)*g.r*tin*w/volume*end, 1e-12)
	lhv := 42.8e6
	fuel := must.Value(gas.NewFuel("Jet-A", "", &lhv, nil))(t)
	real := gas.NewEquilibrium(fuel, gas.Standard)
	v, m, u := run(real)
	st := must.Value(real.TP(v.out.Comp, v.out.T, v.out.P))(t)
	m, u = m+w*end, u+w*v.in.H*end
	near(t, "mass", st.Density()*volume, m, 1e-12)
	if got := st.Density()*volume*st.H - st.P*volume; math.Abs(got-u) > 1e-10*st.P*volume {
		t.Errorf("energy is %.15g, %.15g came in", got, u)
	}
}

// Where as much leaves as enters, the fuel's share of the mass in a vessel follows
// that of the inflow in the time m/W.
func TestMixing(t *testing.T) {
	g := perfect{1005, 287}
	v := newVessel(t, g, 0.2, 500, 5e5)
	mass := *v.decl.States[0].At
	v.in.Comp, v.in.W = gas.Composition{FAR: 0.03, WAR: 0.01}, 4
	v.run(t, 0.1, func() float64 { return 4 })
	share := 1 - math.Exp(-0.1*4/mass)
	for i, want := range []float64{0.03 / 1.04, 0.01 / 1.04} {
		near(t, fmt.Sprintf("share of state %d", 1+i), *v.decl.States[1+i].At/mass, want*share, 1e-9)
	}
}

// performsAlike solves the cases of an engine and of the same with something that stores, and compares how they
// perform.
func performsAlike(t *testing.T, without, with *config.Engine, tol float64) *result.Results {
	t.Helper()
	want, got := solveAll(t, without), solveAll(t, with)
	for i, c := range want.Cases {
		for _, q := range quantity.Performance {
			want, _ := c.Performance.Value(q.Name)
			if got, _ := got.Cases[i].Performance.Value(q.Name); !c.Converged ||
				math.Abs(got-want) > tol*math.Abs(want) {
				t.Errorf("%s: %s is %.15g, without what stores %.15g", c.Name, q.Name, got, want)
			}
		}
	}
	return want
}

// Volumes change no steady point, at design or off design. A transient with them ends at the
// operating point, with every implicit method.
func TestVolumesAtRest(t *testing.T) {
	without := performsAlike(t, enginetest.Parse(t, enginetest.Volumes()),
		enginetest.Parse(t, enginetest.Volumes(0.2, 0.5)), 1e-12)
	low := without.Cases[1]
	for _, method := range []string{"rosenbrock", "gear"} {
		r := move(t, enginetest.Parse(t, enginetest.Volumes(0.2, 0.5)),
			config.Case{Transient: &config.Transient{Duration: 200, Integrator: method,
				Schedules: []config.Schedule{enginetest.Fuel(0, 0.7)}}})
		converged(t, r)
		near(t, method+": N at the end", r.Shafts["spool"]["N"], low.Shafts["spool"]["N"], 1e-8)
		for name, want := range low.Stations {
			if got := r.Stations[name]; math.Abs(got.Pt/want.Pt-1) > 1e-8 || math.Abs(got.Tt/want.Tt-1) > 1e-8 ||
				math.Abs(got.FAR-want.FAR) > 1e-8*0.02 || math.Abs(got.W/want.W-1) > 1e-8 {
				t.Errorf("%s: %s ends at %+v, at rest it is %+v", method, name, got, want)
			}
		}
	}
}

// All integrators agree on an engine with volumes, whose mass equals inflow less outflow.
func TestVolumesInTime(t *testing.T) {
	cfg := enginetest.Parse(t, enginetest.Volumes(0.2, 0.5))
	const every, end = 0.0005, 0.1
	var first float64
	for i, method := range methods(t) {
		tr := &config.Transient{Duration: end, RTol: 1e-9, ATol: 1e-7, Integrator: method, Every: every,
			Schedules: []config.Schedule{enginetest.Fuel(0, 1, 0.02, 0.7)}}
		for _, path := range []string{"cold.m", "jetpipe.m", "ambient.out.W", "nozzle.in.W"} {
			tr.Save = append(tr.Save, config.Quantity{Path: path})
		}
		r := move(t, cfg, config.Case{Transient: tr})
		converged(t, r)
		p := r.Stations["jetpipe.out"].Pt
		if i == 0 {
			first = p
		}
		near(t, method+": Pt in the jet pipe", p, first, 1e-6)
		if i > 0 {
			continue
		}
		h := r.History
		in, out, wf := h.Column("ambient.out.W"), h.Column("nozzle.in.W"), h.Column("performance.Wf")
		held := func(i int) float64 { return h.Column("cold.m")[i] + h.Column("jetpipe.m")[i] }
		came := 0.0
		from := len(h.T) - 1 - int(math.Round((end-0.02)/every)) // after the ramp's kink
		for k, n := from, len(h.T); k < n; k++ {                 // Simpson's rule
			w := 2.0
			switch {
			case k == from || k == n-1:
				w = 1
			case (k-from)%2 == 1:
				w = 4
			}
			came += w * every / 3 * (in[k] + wf[k] - out[k])
		}
		stored := held(len(h.T)-1) - held(from)
		t.Logf("%.9g kg came in, %.9g kg are stored", came, stored)
		if math.Abs(stored) < 1e-3 || math.Abs(came-stored) > 1e-6*math.Abs(stored) {
			t.Errorf("%.9g kg came in, %.9g kg are stored", came, stored)
		}
	}
}

// A volume whose pressure equation no unknown can meet ends a transient with a message.
func TestVolumeThatNothingFills(t *testing.T) {
	text := strings.Replace(enginetest.Volumes(0.2, 0.5), "ambient -> compressor -> cold",
		"ambient -> cold -> compressor", 1)
	r := move(t, enginetest.Parse(t, text),
		config.Case{Transient: &config.Transient{Duration: 1, Schedules: []config.Schedule{enginetest.Fuel(0, 0.7)}}})
	for _, want := range []string{"at t = 0 s: cold.Pt is not met", "a duct with loss: quadratic",
		"no unknown changes cold.Pt"} {
		if r.Converged || !strings.Contains(r.Message, want) {
			t.Errorf("%q, want %q", r.Message, want)
		}
	}
	text = strings.Replace(enginetest.Volumes(0.2, 0.5), "volume: 0.2 m3", "volume: 0 m3", 1)
	must.Refuse(config.Parse("bad.yaml", []byte(text), components.Catalogue(), nil))(t,
		`bad.yaml:9:32: components.cold.volume: "0 m3": too small`)
}

// Balancing by Runge-Kutta brings an engine with stores to the operating point that Newton's
// method finds. On the way volumes and metal are in equilibrium at every instant.
func TestVolumesBalancedByRungeKutta(t *testing.T) {
	cfg := storing(t)
	for _, steady := range []string{"newton", "rk4"} {
		cfg.Cases = append(cfg.Cases, config.Case{Name: steady, Kind: "transient", From: "low",
			Transient: &config.Transient{Duration: 0.1, RTol: 1e-8, ATol: 1e-6, Integrator: "rosenbrock",
				Steady: steady}})
	}
	all := must.Value(runCases(t.Context(), cfg, []string{"low", "newton", "rk4"}, transient.Options{}))(t)
	low := all.Cases[0]
	for _, r := range all.Cases[1:] {
		converged(t, r)
		for i, n := range r.History.Column("shafts.spool.N") {
			near(t, fmt.Sprintf("%s: N at %g s", r.Name, r.History.T[i]), n, low.Shafts["spool"]["N"], 1e-8)
		}
	}
}
