package session

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1e-300, math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// converged ends a test whose results did not converge.
func converged(t testing.TB, results ...*result.Result) {
	t.Helper()
	for _, r := range results {
		if !r.Converged {
			t.Fatalf("%s: %s", r.Name, r.Message)
		}
	}
}

// shipped runs a shipped engine and returns its results by case.
func shipped(t *testing.T, name string, set ...string) map[string]*result.Result {
	t.Helper()
	cfg := must.Value(config.Load(enginetest.Example(name+".yaml"), components.Catalogue(), set))(t)
	return byCase(t, cfg)
}

func byCase(t *testing.T, cfg *config.Engine) map[string]*result.Result {
	t.Helper()
	res := must.Value(runCases(context.Background(), cfg, CaseNames(cfg), transient.Options{}))(t)
	out := map[string]*result.Result{}
	for _, r := range res.Cases {
		converged(t, r)
		out[r.Name] = r
	}
	return out
}

func num(t *testing.T, r *result.Result, component, field string) float64 {
	t.Helper()
	v, ok := r.Components[component].Outputs[field]
	if !ok {
		t.Fatalf("case %s: no %s.%s", r.Name, component, field)
	}
	return v
}

// Off design the gear keeps its ratio, and the turbine's power equals the power of fan, booster, gear and bearings.
func TestGearedEngine(t *testing.T) {
	for name, r := range shipped(t, "geared") {
		near(t, name+": ratio", r.Shafts["fan_shaft"]["N"]/r.Shafts["lp"]["N"], 1.0/3, 1e-9)
		taken := num(t, r, "fan", "power") + num(t, r, "booster", "power") + num(t, r, "gearbox", "loss")
		near(t, name+": power", 0.995*num(t, r, "lpt", "power"), taken, 1e-8)
	}
}

// With the power moved over the bus no energy is stored; the motor's power is the generator's less the losses of both
// machines and the bus.
func TestHybridEngine(t *testing.T) {
	cases := shipped(t, "hybrid")
	r := cases["shifted"]
	near(t, "motor's power", num(t, r, "motor", "electric_power"), 0.99*300e3, 1e-9)
	near(t, "generator's shaft power", num(t, r, "generator", "shaft_power"), 300e3/0.95, 1e-9)
	for name, r := range cases {
		turbine, motor := num(t, r, "lpt", "power"), 0.95*num(t, r, "motor", "electric_power")
		near(t, name+": LP shaft", turbine+motor, num(t, r, "fan", "power")+num(t, r, "booster", "power"), 1e-8)
		near(t, name+": HP shaft", num(t, r, "hpt", "power"),
			num(t, r, "hpc", "power")+num(t, r, "generator", "shaft_power"), 1e-8)
	}
}

// Thrust is that of propeller and jet; the propeller turns at its set speed and takes the gear's power.
func TestTurbopropEngine(t *testing.T) {
	for name, speed := range map[string]float64{"cruise": 1000, "part_power": 1000, "climb": 1080, "takeoff": 1200} {
		r := shipped(t, "turboprop")[name]
		near(t, name+": speed", r.Shafts["prop_shaft"]["N"], speed, 1e-9)
		near(t, name+": thrust", r.Performance.Fg, num(t, r, "propeller", "thrust")+num(t, r, "nozzle", "Fg"), 1e-12)
		near(t, name+": power", num(t, r, "propeller", "P"), 0.985*num(t, r, "power_turbine", "power"), 1e-8)
	}
}

// At fixed pitch the speed follows from the power.
func TestFixedPitchTurboprop(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pitch.csv")
	must.OK(t, os.WriteFile(file, []byte("J,CP,CT\n1,0.6,0.35\n2,0.41,0.175\n2.5,0.25,0.09\n3,0,0\n"), 0o644))
	text, _, _ := strings.Cut(read(t, enginetest.Example("turboprop.yaml")), "\ncases:")
	text = strings.Replace(text, "diameter: 3.93 m, power: 1150 kW, eff: 86 %", "diameter: 3.93 m, fixed_pitch: "+file,
		1) + `
cases:
  part_power: {solve: [{vary: burner.FAR, until: propeller.P = 800 kW}]}
`
	cases := byCase(t, enginetest.Parse(t, text))
	full, part := cases["cruise"], cases["part_power"]
	near(t, "power at the design speed", num(t, full, "propeller", "P"), 0.985*num(t, full, "power_turbine", "power"),
		1e-8)
	slow := part.Shafts["prop_shaft"]["N"]
	if !(slow < 990 && slow > 800) {
		t.Errorf("at 800 kW instead of %.0f kW it turns at %g instead of 1000 rpm",
			num(t, full, "propeller", "P")/1000, slow)
	}
}

// Dry, an afterburner is a duct with its loss: the engine with a duct in its place has
// the same results. Lit with the throat opened, the turbine does not notice.
func TestAfterburner(t *testing.T) {
	cases := shipped(t, "turbojet-ab")
	dry, wet := cases["design"], cases["wet"]
	text := strings.NewReplacer("afterburner: {type: burner, FAR: 0, dPqP: 6 %, eff: 92 %",
		"afterburner: {type: duct, dPqP: 6 %").Replace(read(t, enginetest.Example("turbojet-ab.yaml")))
	text, _, _ = strings.Cut(text, "\ncases:")
	duct := byCase(t, enginetest.Parse(t, text))["design"]
	near(t, "thrust with a duct", duct.Performance.Fn, dry.Performance.Fn, 1e-12)
	near(t, "fuel with a duct", duct.Performance.Wf, dry.Performance.Wf, 1e-10)
	near(t, "flow of the duct", duct.Stations["ambient.out"].W, dry.Stations["ambient.out"].W, 1e-10)
	for _, s := range []string{"compressor.out", "turbine.out"} {
		near(t, s+" wet", wet.Stations[s].Pt, dry.Stations[s].Pt, 1e-8)
	}
	in, out := wet.Stations["turbine.out"], wet.Stations["afterburner.out"]
	fuel := out.W - in.W
	near(t, "FAR relative to the flow that enters", num(t, wet, "afterburner", "FAR"), fuel/in.W, 1e-9)
	air := in.W / (1 + in.FAR)
	near(t, "FAR of the gas", out.FAR, in.FAR+fuel/air, 1e-9)
}

// A load without a given power takes the shaft's surplus at design. The same engine, with
// that power given, has the same results.
func TestLoadFromTheShaftsBalance(t *testing.T) {
	text, _, _ := strings.Cut(read(t, enginetest.Example("turboshaft.yaml")), "\ncases:")
	given := byCase(t, enginetest.Parse(t, text))["takeoff"]
	text = strings.NewReplacer("load, power: 1210 kW", "load", "turbine, eff: 87 %", "turbine, PR: 2, eff: 87 %",
		"until: nozzle.PR = 1.06}",
		"until: load.P = 1210 kW}\n  - {vary: power_turbine.PR, until: nozzle.PR = 1.06}").Replace(text)
	found := byCase(t, enginetest.Parse(t, text))["takeoff"]
	near(t, "fuel", found.Performance.Wf, given.Performance.Wf, 1e-9)
	near(t, "flow", found.Stations["ambient.out"].W, given.Stations["ambient.out"].W, 1e-9)
	near(t, "pressure ratio", num(t, found, "power_turbine", "PR"), num(t, given, "power_turbine", "PR"), 1e-9)
}

// The generator's power, less losses, equals the power of the fan at the other end.
func TestTurboelectricEngine(t *testing.T) {
	for name, r := range shipped(t, "turboelectric") {
		near(t, name+": fan", num(t, r, "efan", "power"), 0.95*0.99*0.95*num(t, r, "power_turbine", "power"), 1e-8)
		near(t, name+": flow", r.Stations["air.core"].W+r.Stations["air.bypass"].W, r.Stations["ambient.out"].W, 1e-12)
	}
}

// Bleed and power that leave the engine cost as much fuel as the energy that they carry.
func TestCustomerBleedAndOfftake(t *testing.T) {
	const cabin = "  - {name: cabin, from: compressor, W: 2 %, work: 50 %}\n"
	const thrust = "cases:\n  same: {solve: [{vary: burner.FAR, until: performance.Fn = 11800 lbf}]}\n"
	run := func(text string) *result.Result { return byCase(t, enginetest.Parse(t, text))["same"] }
	base := run(enginetest.Turbojet + thrust)
	bled := run(strings.Replace(enginetest.Turbojet, "bleeds:\n", "bleeds:\n"+cabin, 1) + thrust)
	loaded := run(strings.Replace(enginetest.Turbojet, "offtake: 100 kW", "offtake: 300 kW", 1) + thrust)
	if !(bled.Performance.TSFC > base.Performance.TSFC && loaded.Performance.TSFC > base.Performance.TSFC) {
		t.Errorf("TSFC %g, with bleed %g, with offtake %g", base.Performance.TSFC, bled.Performance.TSFC,
			loaded.Performance.TSFC)
	}
	near(t, "power that leaves", loaded.Performance.Power, 300e3, 1e-12)
	near(t, "power of the shaft", 0.99*loaded.Shafts["spool"]["power"], num(t, loaded, "compressor", "power")+300e3,
		1e-8)
	b, in, out := bled.Stations["cabin"], bled.Stations["inlet.out"], bled.Stations["compressor.out"]
	near(t, "bleed", b.W, 0.02*in.W, 1e-12)
	near(t, "enthalpy of the bleed", b.Ht, (in.Ht+out.Ht)/2, 1e-9)
}

// A recuperator saves the fuel that its heat replaces: without it the same cycle
// needs about that much more.
func TestRecuperatedEngine(t *testing.T) {
	with := shipped(t, "recuperated")["rated"]
	without := shipped(t, "recuperated", "recuperator.effectiveness=0")["rated"]
	cold, heated := with.Stations["compressor.out"], with.Stations["recuperator.cold_out"]
	hot, cooled := with.Stations["power_turbine.out"], with.Stations["recuperator.hot_out"]
	near(t, "heat into the air", heated.W*(heated.Ht-cold.Ht), num(t, with, "recuperator", "Q"), 1e-9)
	near(t, "heat out of the exhaust", cooled.W*(hot.Ht-cooled.Ht), num(t, with, "recuperator", "Q"), 1e-9)
	must.Equal(t, 0.0, num(t, without, "recuperator", "Q"))
	saved := without.Performance.Wf - with.Performance.Wf
	lhv := 43.0e6
	if saved*lhv < 0.8*num(t, with, "recuperator", "Q") || saved*lhv > 1.2*num(t, with, "recuperator", "Q") {
		t.Errorf("%g W of heat save fuel of %g W", num(t, with, "recuperator", "Q"), saved*lhv)
	}
}

// A fan on two maps of its own, and stators that a case sets and another varies.
func TestMapsOfFansAndStators(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, s perfmap.CompressorShape) {
		m := must.Value(perfmap.MakeCompressor(s))(t)
		if name == "hpc" { // closed by 10: a tenth less flow
			two := *m
			two.Alpha = []float64{0, 10}
			two.Tables = append([]perfmap.Table(nil), m.Tables...)
			for i := range two.Tables {
				f := map[bool]float64{true: 0.9, false: 1}[two.Tables[i].Name == "Wc"]
				v := append([]float64(nil), two.Tables[i].V...)
				for _, y := range two.Tables[i].V {
					v = append(v, f*y)
				}
				two.Tables[i].V = v
			}
			m = must.Value(perfmap.New(two))(t)
		}
		must.OK(t, format.Write(filepath.Join(dir, name+".map"), m))
	}
	write("outer", perfmap.CompressorShape{Name: "outer", PR: 1.68, Eff: 0.89})
	write("inner", perfmap.CompressorShape{Name: "inner", PR: 1.55, Eff: 0.89})
	write("hpc", perfmap.CompressorShape{Name: "hpc", PR: 11.5, Eff: 0.86})
	text := read(t, enginetest.Example("turbofan.yaml"))
	text, _, _ = strings.Cut(text, "\ncases:")
	text = strings.Replace(text, "{type: fan,", "{type: fan, map: "+dir+"/outer.map, map_core: "+dir+"/inner.map,", 1)
	text = strings.Replace(text, "PR: 11.5,", "PR: 11.5, map: "+dir+"/hpc.map,", 1)
	text += `
cases:
  part_power: {solve: [{vary: burner.FAR, until: performance.Fn = 4000 lbf}]}
  closed: {from: part_power, set: {hpc.alpha: 3}}
  scheduled:
    from: part_power
    solve:
      - {vary: burner.FAR, until: performance.Fn = 4000 lbf}
      - {vary: hpc.alpha, until: hp.N = 14200 rpm}
`
	cases := byCase(t, enginetest.Parse(t, text))
	part, closed := cases["part_power"], cases["closed"]
	if a, b := part.Shafts["hp"]["N"], closed.Shafts["hp"]["N"]; b <= a {
		t.Errorf("with stators closed the HP shaft turns at %g instead of %g rpm: less flow asks for more speed", b, a)
	}
	near(t, "speed that the stators keep", cases["scheduled"].Shafts["hp"]["N"], 14200, 1e-9)
	near(t, "thrust", closed.Performance.Fn, part.Performance.Fn, 1e-9)
	if pr := num(t, part, "fan", "PR_core"); !(pr > 1.3 && pr < 1.55) {
		t.Errorf("PR_core is %g", pr)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data := must.Value(os.ReadFile(file))(t)
	return string(data)
}
