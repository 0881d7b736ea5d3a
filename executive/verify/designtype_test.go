package verify

// The engines whose designs are drawn at random.

// span is where a parameter is drawn: evenly between two values. A path that is an output
// (asked for while `by` is varied) is a target of the drawn design.
type span struct {
	path   string
	lo, hi float64
	by     string
}

// wish is a user's request for a value of a drawn design: the parameter is not given but varied until an output has its
// value, or, if no parameter is varied, another parameter is given.
type wish struct {
	leave string // parameter that is left out
	until string // output that the drawn design has
	give  string // parameter that takes the output's value; otherwise leave is varied
}

// designType is a type of engine.
type designType struct {
	name   string
	text   string // with a user's text for the parameters that a wish leaves out
	drawn  []span
	wishes [][]wish
}

const byThrust = "performance.Fn"

// fuel varies fuel and flow as most designs do.
func fuel(thrust, t4 string, more ...wish) []wish {
	return append([]wish{{leave: "ambient.W", until: thrust}, {leave: "burner.FAR", until: t4}}, more...)
}

var flight = []span{{"ambient.altitude", 0, 12000, ""}, {"ambient.mach", 0, 0.9, ""}, {"ambient.dTs", -20, 30, ""}}

func spans(more ...span) []span { return append(append([]span(nil), flight...), more...) }

// designTypes are the twelve.
var designTypes = []designType{
	{
		name: "turbojet",
		text: turbojetText("", "turbine -> nozzle"),
		drawn: spans(span{"ambient.W", 5, 150, ""}, span{"compressor.PR", 3, 25, ""},
			span{"compressor.eff", 0.75, 0.9, ""},
			span{"burner.FAR", 0.012, 0.035, ""}, span{"turbine.eff", 0.8, 0.92, ""}, span{"cooling.W", 0, 0.1, ""},
			span{"spool.offtake", 0, 50e3, ""}),
		wishes: [][]wish{
			fuel(byThrust, "burner.out.Tt"),
			fuel(byThrust, "turbine.rotor.Tt"),
			fuel(byThrust, "turbine.rotor.Tt", wish{leave: "compressor.PR", until: "performance.OPR"}),
			fuel(byThrust, "turbine.rotor.Tt", wish{leave: "compressor.PR", until: "turbine.PR"}),
			{{leave: "burner.FAR", until: byThrust}},
			{{leave: "ambient.W", until: "burner.Wf"}, {leave: "burner.FAR", until: "nozzle.PR"}},
		},
	},
	{
		name: "turbojet with afterburner",
		text: turbojetText("  afterburner: {type: burner, dPqP: 5 %, eff: 92 %}\n", "turbine -> afterburner -> nozzle"),
		drawn: []span{{"ambient.altitude", 0, 15000, ""}, {"ambient.mach", 0, 2, ""}, {"ambient.W", 5, 150, ""},
			{"compressor.PR", 3, 20, ""},
			{"compressor.eff", 0.75, 0.9, ""}, {"burner.FAR", 0.012, 0.03, ""}, {"turbine.eff", 0.8, 0.92, ""},
			{"cooling.W", 0, 0.1, ""}, {"afterburner.FAR", 0.005, 0.03, ""}},
		wishes: [][]wish{
			fuel(byThrust, "turbine.rotor.Tt", wish{leave: "afterburner.FAR", until: "afterburner.out.Tt"}),
			fuel(byThrust, "burner.out.Tt", wish{leave: "afterburner.FAR", until: "nozzle.throat.Tt"},
				wish{leave: "compressor.PR", until: "performance.OPR"}),
			{{leave: "burner.FAR", until: "turbine.rotor.Tt"}, {leave: "afterburner.FAR", until: byThrust}},
			fuel("compressor.Wc", "burner.out.Tt", wish{leave: "afterburner.FAR", until: byThrust}),
		},
	},
	{
		name: "turbofan, separate nozzles",
		text: turbofanText("", twoSpools),
		drawn: spans(span{"ambient.W", 50, 900, ""}, span{"fan.BPR", 2, 9, ""}, span{"fan.PR", 1.3, 1.85, ""},
			span{"fan.PR_core", 1.2, 1.8, ""}, span{"booster.PR", 1.1, 2.5, ""},
			span{"hpc.PR", 6, 18, ""}, span{"hpc.eff", 0.82, 0.9, ""}, span{"burner.FAR", 0.018, 0.032, ""},
			span{"vane.W", 0, 0.1, ""}, span{"lpt.eff", 0.86, 0.93, ""}, span{"hp.offtake", 0, 150e3, ""}),
		wishes: [][]wish{
			fuel(byThrust, "hpt.rotor.Tt"),
			fuel("fan.Wc", "hpt.rotor.Tt", wish{leave: "hpc.PR", until: "performance.OPR"}),
			fuel(byThrust, "hpt.rotor.Tt", wish{leave: "fan.BPR", until: "core_nozzle.PR"}),
			fuel(byThrust, "hpt.rotor.Tt", wish{leave: "fan.BPR", until: "lpt.PR"},
				wish{leave: "hpc.PR", until: "hpt.PR"}),
			{{leave: "burner.FAR", until: byThrust}},
			fuel(byThrust, "burner.out.Tt", wish{leave: "fan.BPR", until: "core_nozzle.V"}),
		},
	},
	{
		name: "turbofan, mixed",
		text: mixedText,
		drawn: spans(span{"ambient.W", 50, 900, ""}, span{"fan.BPR", 0.5, 7, ""},
			span{"mixer.ER", 0.92, 1.1, "fan.PR"}, span{"mixer.MN_bypass", 0.3, 0.55, ""},
			span{"fan.PR_core", 1.3, 2.2, ""},
			span{"hpc.PR", 6, 18, ""}, span{"hpc.eff", 0.82, 0.9, ""}, span{"burner.FAR", 0.018, 0.032, ""},
			span{"vane.W", 0, 0.1, ""}, span{"mixer.effectiveness", 0.6, 1, ""}),
		wishes: mixedWishes,
	},
	{
		name: "turbofan, mixed, with afterburner",
		text: f404Text,
		drawn: []span{{"ambient.altitude", 0, 12000, ""}, {"ambient.mach", 0, 1.6, ""}, {"ambient.W", 20, 150, ""},
			{"splitter.BPR", 0.15, 1, ""}, {"mixer.ER", 0.92, 1.1, "fan.PR"}, {"mixer.MN_bypass", 0.3, 0.55, ""},
			{"hpc.PR", 4, 9, ""}, {"hpc.eff", 0.8, 0.88, ""}, {"burner.FAR", 0.02, 0.035, ""}, {"vane.W", 0, 0.1, ""},
			{"afterburner.FAR", 0, 0.025, ""}},
		wishes: afterburningWishes,
	},
	{
		name: "turbofan, geared",
		text: turbofanText(gearbox, gearedSpools),
		drawn: spans(span{"ambient.W", 50, 900, ""}, span{"fan.BPR", 8, 16, ""}, span{"fan.PR", 1.25, 1.5, ""},
			span{"fan.PR_core", 1.2, 1.45, ""}, span{"booster.PR", 1.4, 3, ""},
			span{"hpc.PR", 8, 18, ""}, span{"hpc.eff", 0.84, 0.9, ""}, span{"burner.FAR", 0.022, 0.034, ""},
			span{"vane.W", 0, 0.1, ""}, span{"lpt.eff", 0.88, 0.93, ""}),
		wishes: [][]wish{
			fuel(byThrust, "hpt.rotor.Tt"),
			fuel(byThrust, "hpt.rotor.Tt", wish{leave: "hpc.PR", until: "performance.OPR"}),
			fuel(byThrust, "hpt.rotor.Tt", wish{leave: "fan.BPR", until: "core_nozzle.PR"}),
			fuel("gearbox.power", "hpt.rotor.Tt"),
		},
	},
	{
		name: "turboprop",
		text: turbopropText,
		drawn: []span{{"ambient.altitude", 0, 9000, ""}, {"ambient.mach", 0.1, 0.6, ""}, {"ambient.W", 5, 12, ""},
			{"lpc.PR", 2.5, 5, ""}, {"hpc.PR", 2, 4, ""}, {"hpc.eff", 0.77, 0.85, ""},
			{"burner.FAR", 0.016, 0.028, ""}, {"vane.W", 0, 0.06, ""}, {"power_turbine.PR", 1.8, 4, ""},
			{"propeller.diameter", 3.5, 5, ""}},
		wishes: [][]wish{
			fuel("nozzle.PR", "hpt.rotor.Tt",
				wish{leave: "power_turbine.PR", until: "propeller.P", give: "propeller.power"}),
			fuel(byThrust, "hpt.rotor.Tt"),
			fuel("propeller.P", "hpt.rotor.Tt"),
			{
				{leave: "burner.FAR", until: "nozzle.PR"},
				{leave: "power_turbine.PR", until: "propeller.P", give: "propeller.power"},
			},
			fuel("propeller.P", "hpt.rotor.Tt", wish{leave: "power_turbine.PR", until: "nozzle.PR"}),
		},
	},
	{
		name: "turboshaft, one spool",
		text: turboshaftText,
		drawn: spans(span{"ambient.W", 2, 30, ""}, span{"compressor.PR", 6, 20, ""},
			span{"compressor.eff", 0.76, 0.86, ""}, span{"burner.FAR", 0.016, 0.03, ""}, span{"vane.W", 0, 0.08, ""},
			span{"hpt.eff", 0.82, 0.9, ""}, span{"power_turbine.PR", 1.8, 4.5, ""}),
		wishes: shaftWishes("hpt.rotor.Tt", "load"),
	},
	{
		name: "turboshaft, two spools",
		text: turboshaft2Text,
		drawn: []span{{"ambient.altitude", 0, 2000, ""}, {"ambient.dTs", -30, 30, ""}, {"ambient.W", 20, 200, ""},
			{"lpc.PR", 2.5, 6, ""}, {"hpc.PR", 2.5, 6, ""}, {"hpc.eff", 0.82, 0.9, ""}, {"burner.FAR", 0.016, 0.03, ""},
			{"vane.W", 0, 0.08, ""}, {"lpt.eff", 0.84, 0.92, ""}, {"power_turbine.PR", 2, 4.5, ""}},
		wishes: shaftWishes("hpt.rotor.Tt", "generator"),
	},
	{
		name: "turboshaft, recuperated",
		text: recuperatedText,
		drawn: []span{{"ambient.altitude", 0, 2000, ""}, {"ambient.dTs", -30, 30, ""}, {"ambient.W", 1, 40, ""},
			{"compressor.PR", 4, 12, ""}, {"compressor.eff", 0.78, 0.88, ""}, {"burner.FAR", 0.01, 0.022, ""},
			{"recuperator.effectiveness", 0.6, 0.92, ""}, {"vane.W", 0, 0.05, ""}, {"power_turbine.PR", 1.6, 3, ""}},
		wishes: shaftWishes("turbine.rotor.Tt", "load"),
	},
	{
		name: "turbofan, three spools",
		text: threeSpoolText,
		drawn: spans(span{"ambient.W", 100, 1200, ""}, span{"fan.BPR", 3, 10, ""}, span{"fan.PR", 1.35, 1.8, ""},
			span{"ipc.PR", 3, 8, ""}, span{"hpc.PR", 3, 6, ""}, span{"hpc.eff", 0.84, 0.9, ""},
			span{"burner.FAR", 0.018, 0.032, ""}, span{"vane.W", 0, 0.1, ""}, span{"ipt.eff", 0.86, 0.93, ""},
			span{"hp.offtake", 0, 150e3, ""}),
		wishes: [][]wish{
			fuel(byThrust, "hpt.rotor.Tt"),
			fuel(byThrust, "burner.out.Tt", wish{leave: "ipc.PR", until: "performance.OPR"}),
			fuel(byThrust, "hpt.rotor.Tt", wish{leave: "fan.BPR", until: "core_nozzle.PR"}),
			fuel(byThrust, "hpt.rotor.Tt", wish{leave: "hpc.PR", until: "performance.OPR"},
				wish{leave: "ipc.PR", until: "ipt.PR"}),
		},
	},
	{
		name: "ramjet",
		text: `
engine: Ramjet
components:
  ambient: {type: ambient, altitude: 15 km, mach: 2.5}
  inlet: {type: inlet, recovery: MIL-E-5008B}
  burner: {type: burner, dPqP: 8 %, eff: 95 %}
  nozzle: {type: nozzle, kind: convergent-divergent, Cv: 0.98}
flow:
  - ambient -> inlet -> burner -> nozzle
`,
		drawn: []span{{"ambient.altitude", 5000, 28000, ""}, {"ambient.mach", 1.5, 4.5, ""}, {"ambient.W", 5, 150, ""},
			{"burner.FAR", 0.01, 0.05, ""}, {"burner.dPqP", 0.03, 0.15, ""}, {"inlet.ram_recovery", 0.8, 1, ""}},
		wishes: [][]wish{
			fuel(byThrust, "burner.out.Tt"),
			{{leave: "burner.FAR", until: byThrust}},
			fuel(byThrust, "nozzle.V"),
			{{leave: "ambient.W", until: "burner.Wf"}, {leave: "burner.FAR", until: "burner.out.Tt"}},
		},
	},
}

// mixed returns ways to ask for a mixed engine, by where the bypass ratio is.
func mixed(bpr string) [][]wish {
	return [][]wish{
		fuel(byThrust, "hpt.rotor.Tt"),
		fuel(byThrust, "hpt.rotor.Tt", wish{leave: "mixer.MN_bypass", until: "mixer.MN_core", give: "mixer.MN_core"}),
		fuel(byThrust, "hpt.rotor.Tt", wish{leave: "fan.PR", until: "mixer.ER"}),
		fuel(byThrust, "hpt.rotor.Tt", wish{leave: bpr, until: "mixer.ER"}),
		fuel(byThrust, "hpt.rotor.Tt", wish{leave: "fan.PR", until: "mixer.MN_core"}),
		fuel(byThrust, "hpt.rotor.Tt", wish{leave: bpr, until: "mixer.MN_core"}),
		fuel(byThrust, "hpt.rotor.Tt", wish{leave: bpr, until: "mixer.MN_bypass"},
			wish{leave: "mixer.MN_bypass", until: "mixer.MN_core", give: "mixer.MN_core"}),
		fuel(byThrust, "hpt.rotor.Tt", wish{leave: "hpc.PR", until: "performance.OPR"},
			wish{leave: bpr, until: "mixer.ER"}),
		{{leave: "burner.FAR", until: byThrust}},
	}
}

var mixedWishes = mixed("fan.BPR")

// afterburningWishes are those of a mixed engine with the temperature or the thrust of the afterburner.
var afterburningWishes = func() (list [][]wish) {
	for _, w := range mixed("splitter.BPR")[:8] {
		list = append(list, append(w, wish{leave: "afterburner.FAR", until: "nozzle.throat.Tt"}))
	}
	return append(list,
		[]wish{{leave: "burner.FAR", until: "hpt.rotor.Tt"}, {leave: "afterburner.FAR", until: byThrust},
			{leave: "mixer.MN_bypass", until: "mixer.MN_core", give: "mixer.MN_core"}})
}()

// shaftWishes are those of an engine that gives shaft power to a load or generator.
func shaftWishes(t41, load string) [][]wish {
	power := load + ".power"
	out := power
	if load == "load" {
		out = "load.P"
	}
	return [][]wish{
		fuel("nozzle.PR", t41, wish{leave: "power_turbine.PR", until: out, give: power}),
		fuel("performance.power", t41),
		fuel("performance.power", t41, wish{leave: "power_turbine.PR", until: "nozzle.PR"}),
		{{leave: "burner.FAR", until: "nozzle.PR"}, {leave: "power_turbine.PR", until: out, give: power}},
		fuel("burner.Wf", t41, wish{leave: "power_turbine.PR", until: out, give: power}),
	}
}

func turbojetText(more, end string) string {
	return `
engine: Turbojet
components:
  ambient: {type: ambient}
  inlet: {type: inlet, recovery: MIL-E-5008B, ram_recovery: 98 %}
  compressor: {type: compressor, PR: 10, eff: 83 %}
  burner: {type: burner, dPqP: 4 %, eff: 99 %}
  turbine: {type: turbine, eff: 86 %}
` + more + `  nozzle: {type: nozzle, kind: convergent-divergent, Cv: 0.98}
flow:
  - ambient -> inlet -> compressor -> burner -> ` + end + `
bleeds:
  - {name: cooling, from: compressor, to: turbine, W: 4 %}
shafts:
  spool: {N: 8000 rpm, drives: [compressor], driven_by: [turbine], loss: 0.5 %}
`
}

const (
	twoSpools = `
shafts:
  hp: {N: 14500 rpm, drives: [hpc], driven_by: [hpt], loss: 0.5 %}
  lp: {N: 4900 rpm, drives: [fan, booster], driven_by: [lpt], loss: 0.5 %}
`
	gearbox      = "  gearbox: {type: gearbox, eff: 99.3 %}"
	gearedSpools = `
shafts:
  hp:  {N: 21000 rpm, drives: [hpc], driven_by: [hpt], loss: 0.5 %}
  lp:  {N: 9000 rpm, drives: [booster, gearbox], driven_by: [lpt], loss: 0.5 %}
  fan_shaft: {N: 3000 rpm, drives: [fan], driven_by: [gearbox]}
`
)

func turbofanText(gear, shafts string) string {
	return `
engine: Turbofan
components:
  ambient: {type: ambient, altitude: 35000 ft, mach: 0.8}
  inlet: {type: inlet, ram_recovery: 99.5 %}
  fan: {type: fan, PR: 1.6, eff: 89 %, PR_core: 1.5, eff_core: 89 %, BPR: 6}
  booster: {type: compressor, PR: 1.6, eff: 88 %}
  gooseneck: {type: duct, dPqP: 1 %}
  hpc: {type: compressor, PR: 12, eff: 86 %}
  burner: {type: burner, dPqP: 4.5 %, eff: 99.8 %}
  hpt: {type: turbine, eff: 89 %}
  lpt: {type: turbine, eff: 90 %}
  core_nozzle: {type: nozzle, Cv: 0.99, dPqP: 1 %}
  bypass_duct: {type: duct, dPqP: 1.5 %}
  bypass_nozzle: {type: nozzle, Cv: 0.99}
` + gear + `
flow:
  - ambient -> inlet -> fan
  - fan.core -> booster -> gooseneck -> hpc -> burner -> hpt -> lpt -> core_nozzle
  - fan.bypass -> bypass_duct -> bypass_nozzle
bleeds:
  - {name: vane,  from: hpc, to: hpt, W: 6 %, nonchargeable: true}
  - {name: rotor, from: hpc, to: hpt, W: 4 %}
  - {name: lpt_cooling, from: hpc, to: lpt, W: 1.5 %, work: 50 %}
` + shafts
}

const mixedText = `
engine: Mixed turbofan
components:
  ambient: {type: ambient, altitude: 35000 ft, mach: 0.8}
  inlet: {type: inlet, ram_recovery: 99.5 %}
  fan: {type: fan, PR: 1.7, eff: 88 %, PR_core: 1.6, eff_core: 88 %, BPR: 4}
  hpc: {type: compressor, PR: 12, eff: 86 %}
  burner: {type: burner, dPqP: 4.5 %, eff: 99.8 %}
  hpt: {type: turbine, eff: 89 %}
  lpt: {type: turbine, eff: 90 %}
  core_duct: {type: duct, dPqP: 1.5 %}
  bypass_duct: {type: duct, dPqP: 1.5 %}
  mixer: {type: mixer}
  nozzle: {type: nozzle, Cv: 0.99}
flow:
  - ambient -> inlet -> fan
  - fan.core -> hpc -> burner -> hpt -> lpt -> core_duct -> mixer.core
  - fan.bypass -> bypass_duct -> mixer.bypass
  - mixer -> nozzle
bleeds:
  - {name: vane,  from: hpc, to: hpt, W: 6 %, nonchargeable: true}
  - {name: rotor, from: hpc, to: hpt, W: 4 %}
shafts:
  hp: {N: 14500 rpm, drives: [hpc], driven_by: [hpt]}
  lp: {N: 4900 rpm, drives: [fan], driven_by: [lpt]}
`

// f404Text is an engine of the F404's class.
const f404Text = `
engine: Mixed turbofan with afterburner
components:
  ambient: {type: ambient}
  inlet: {type: inlet, recovery: MIL-E-5008B, ram_recovery: 98 %}
  fan: {type: compressor, PR: 4, eff: 84 %}
  splitter: {type: splitter, BPR: 0.34}
  hpc: {type: compressor, PR: 6.5, eff: 84 %}
  burner: {type: burner, dPqP: 5 %, eff: 99.5 %}
  hpt: {type: turbine, eff: 87 %}
  lpt: {type: turbine, eff: 88 %}
  core_duct: {type: duct, dPqP: 1 %}
  bypass: {type: duct, dPqP: 2 %}
  mixer: {type: mixer}
  afterburner: {type: burner, FAR: 0, dPqP: 5 %, eff: 92 %}
  nozzle: {type: nozzle, kind: convergent-divergent, Cv: 0.98}
flow:
  - ambient -> inlet -> fan -> splitter
  - splitter.core -> hpc -> burner -> hpt -> lpt -> core_duct -> mixer.core
  - splitter.bypass -> bypass -> mixer.bypass
  - mixer -> afterburner -> nozzle
bleeds:
  - {name: vane, from: hpc, to: hpt, W: 6 %, nonchargeable: true}
  - {name: rotor, from: hpc, to: hpt, W: 4 %}
shafts:
  hp: {N: 16800 rpm, drives: [hpc], driven_by: [hpt]}
  lp: {N: 13270 rpm, drives: [fan], driven_by: [lpt]}
`

const turbopropText = `
engine: Turboprop
components:
  ambient: {type: ambient, altitude: 20000 ft, mach: 0.42}
  inlet: {type: inlet, ram_recovery: 98.5 %}
  lpc: {type: compressor, PR: 4, eff: 80 %}
  hpc: {type: compressor, PR: 3, eff: 80 %}
  burner: {type: burner, dPqP: 4 %, eff: 99.5 %}
  hpt: {type: turbine, eff: 86 %}
  lpt: {type: turbine, eff: 87 %}
  power_turbine: {type: turbine, eff: 88 %}
  nozzle: {type: nozzle, Cv: 0.98, dPqP: 1.5 %}
  gearbox: {type: gearbox, eff: 98.5 %}
  propeller: {type: propeller, diameter: 3.93 m}
flow:
  - ambient -> inlet -> lpc -> hpc -> burner -> hpt -> lpt -> power_turbine -> nozzle
bleeds:
  - {name: vane,  from: hpc, to: hpt, W: 3 %, nonchargeable: true}
shafts:
  hp: {N: 33000 rpm, drives: [hpc], driven_by: [hpt]}
  lp: {N: 27000 rpm, drives: [lpc], driven_by: [lpt]}
  power: {N: 16500 rpm, drives: [gearbox], driven_by: [power_turbine]}
  prop_shaft: {N: 1000 rpm, drives: [propeller], driven_by: [gearbox]}
`

const turboshaftText = `
engine: Turboshaft
components:
  ambient: {type: ambient}
  inlet: {type: inlet, ram_recovery: 98.5 %}
  compressor: {type: compressor, PR: 12, eff: 80 %}
  burner: {type: burner, dPqP: 4 %, eff: 99 %}
  hpt: {type: turbine, eff: 85 %}
  power_turbine: {type: turbine, eff: 87 %}
  nozzle: {type: nozzle, Cv: 0.97, dPqP: 2 %}
  load: {type: load}
flow:
  - ambient -> inlet -> compressor -> burner -> hpt -> power_turbine -> nozzle
bleeds:
  - {name: vane, from: compressor, to: hpt, W: 5 %, nonchargeable: true}
shafts:
  gas_generator: {N: 44700 rpm, drives: [compressor], driven_by: [hpt]}
  power: {N: 20900 rpm, drives: [load], driven_by: [power_turbine]}
`

const turboshaft2Text = `
engine: Turboshaft with two gas generator spools
components:
  ambient: {type: ambient}
  inlet: {type: inlet, ram_recovery: 99 %}
  lpc: {type: compressor, PR: 4.5, eff: 87 %}
  hpc: {type: compressor, PR: 4, eff: 86 %}
  burner: {type: burner, dPqP: 4 %, eff: 99.8 %}
  hpt: {type: turbine, eff: 88 %}
  lpt: {type: turbine, eff: 89 %}
  power_turbine: {type: turbine, eff: 89 %}
  exhaust: {type: duct, dPqP: 2 %}
  nozzle: {type: nozzle}
  generator: {type: generator, eff: 97.5 %}
flow:
  - ambient -> inlet -> lpc -> hpc -> burner -> hpt -> lpt -> power_turbine -> exhaust -> nozzle
bleeds:
  - {name: vane, from: hpc, to: hpt, W: 5 %, nonchargeable: true}
  - {name: lpt_cooling, from: hpc, to: lpt, W: 1 %, work: 50 %}
shafts:
  hp: {N: 9500 rpm, drives: [hpc], driven_by: [hpt]}
  lp: {N: 6500 rpm, drives: [lpc], driven_by: [lpt]}
  power: {N: 4800 rpm, drives: [generator], driven_by: [power_turbine]}
`

const recuperatedText = `
engine: Recuperated turboshaft
components:
  ambient: {type: ambient}
  inlet: {type: inlet, ram_recovery: 98 %}
  compressor: {type: compressor, PR: 8, eff: 82 %}
  recuperator: {type: heat_exchanger, effectiveness: 80 %, dPqP_cold: 3 %, dPqP_hot: 4 %}
  burner: {type: burner, dPqP: 4 %, eff: 99.5 %}
  turbine: {type: turbine, eff: 86 %}
  power_turbine: {type: turbine, eff: 88 %}
  nozzle: {type: nozzle}
  load: {type: load}
flow:
  - ambient -> inlet -> compressor -> recuperator.cold -> burner -> turbine -> power_turbine -> recuperator.hot -> nozzle
bleeds:
  - {name: vane, from: compressor, to: turbine, W: 3 %, nonchargeable: true}
shafts:
  gas_generator: {N: 34000 rpm, drives: [compressor], driven_by: [turbine]}
  power: {N: 22500 rpm, drives: [load], driven_by: [power_turbine]}
`

const threeSpoolText = `
engine: Three-spool turbofan
components:
  ambient: {type: ambient, altitude: 35000 ft, mach: 0.8}
  inlet: {type: inlet, ram_recovery: 99.5 %}
  fan: {type: fan, PR: 1.6, eff: 89 %, BPR: 6}
  ipc: {type: compressor, PR: 5, eff: 88 %}
  hpc: {type: compressor, PR: 4.5, eff: 87 %}
  burner: {type: burner, dPqP: 4.5 %, eff: 99.8 %}
  hpt: {type: turbine, eff: 88.5 %}
  ipt: {type: turbine, eff: 89.5 %}
  lpt: {type: turbine, eff: 90.5 %}
  core_nozzle: {type: nozzle, Cv: 0.99, dPqP: 1 %}
  bypass_duct: {type: duct, dPqP: 1.5 %}
  bypass_nozzle: {type: nozzle, Cv: 0.99}
flow:
  - ambient -> inlet -> fan
  - fan.core -> ipc -> hpc -> burner -> hpt -> ipt -> lpt -> core_nozzle
  - fan.bypass -> bypass_duct -> bypass_nozzle
bleeds:
  - {name: vane,  from: hpc, to: hpt, W: 6 %, nonchargeable: true}
  - {name: rotor, from: hpc, to: hpt, W: 4 %}
shafts:
  hp: {N: 12000 rpm, drives: [hpc], driven_by: [hpt], loss: 0.5 %}
  ip: {N: 8000 rpm, drives: [ipc], driven_by: [ipt], loss: 0.5 %}
  lp: {N: 3500 rpm, drives: [fan], driven_by: [lpt], loss: 0.5 %}
`
