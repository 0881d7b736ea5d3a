package main

// Tutorials of other solvers and other flows than the held ones, so that tuning covers more kinds of runs.

// patchMean is the mean of a field on a patch.
func patchMean(name, patch, field string) monitor {
	return monitor{name: name, kind: "average", patch: patch, field: field}
}

// flows are the mass flows in and out, and the pressure in front.
func flows() []monitor {
	return []monitor{
		{name: "inflow", kind: "sum", patch: "inlet", field: "phi"},
		{name: "outflow", kind: "sum", patch: "outlet", field: "phi"},
		patchMean("inletPressure", "inlet", "p")}
}

// wide returns the changes of cases of SIMPLE besides bySIMPLE: criteria that are met late, early or never, and
// relaxation from timid to bold.
func wide(u string) []variant {
	slowly := swap("system/fvSolution", `(?m)^(\s*)consistent\s+yes`, "${1}consistent no")
	return []variant{
		{
			how:   "criterion 1e-4, relaxed to 0.05 and 0.2",
			edits: []edit{strict(1e-4), relaxed(0.05, 0.2, 0.2, 0.03), slowly},
		},
		{
			how:   "criterion 1e-8, relaxed to 0.5 and 0.9",
			edits: []edit{strict(1e-8), relaxed(0.5, 0.9, 0.8, 0.5), slowly},
		},
		{
			how:   "criterion 1e-6, relaxed to 0.3 and 0.7, coarse",
			edits: []edit{strict(1e-6), relaxed(0.3, 0.7, 0.6, 0.1), slowly}, scale: 0.6,
		},
		{how: "not relaxed", edits: []edit{strict(1e-6), relaxed(1, 1, 1, 1), slowly}},
		{
			how:   "central differences, relaxed to 0.7 and 0.9",
			edits: []edit{strict(1e-5), central(u), relaxed(0.7, 0.9, 0.9, 0.5), slowly},
		},
	}
}

// simple joins the changes of both, without those of SIMPLEC if consistent is false.
func simple(u, nu string, consistent bool) []variant {
	if consistent {
		return append(bySIMPLE(u, nu), wide(u)...)
	}
	more := wide(u)
	for i := range more {
		more[i].edits = more[i].edits[:len(more[i].edits)-1]
	}
	return append(plain(u, nu), more...)
}

// wider are the tutorials.
var wider = []tutorial{
	{name: "waterbend", path: "incompressible/simpleFoam/squareBend", app: "simpleFoam", scale: 0.25, limit: 600,
		fields:   "p U k epsilon",
		watch:    []monitor{patchMean("inletPressure", "inlet", "p"), force("defaultPatch")},
		variants: simple("U", "", true)},
	{name: "car", path: "incompressible/simpleFoam/simpleCar", app: "simpleFoam", scale: 0.4, limit: 900,
		fields:  "p U k epsilon",
		prepare: []string{"topoSet", "createPatch -overwrite"},
		watch:   []monitor{force("body"), patchMean("inletPressure", "inlet", "p")}, variants: simple("U", "", false)},
	{name: "exptinlet", path: "incompressible/simpleFoam/pitzDailyExptInlet", app: "simpleFoam", scale: 0.4,
		limit: 900, fields: "p U k epsilon",
		watch:    []monitor{patchMean("inletPressure", "inlet", "p"), force("lowerWall")},
		variants: simple("U", "5e-4", false)},
	{name: "transition", path: "incompressible/simpleFoam/T3A", app: "simpleFoam", scale: 0.3, limit: 900,
		fields:   "p U k omega",
		watch:    []monitor{force("plate"), patchMean("inletPressure", "inlet", "p")},
		variants: without(simple("U", "", true), 4)},
	{name: "sudden", path: "incompressible/simpleFoam/backwardFacingStep2D", app: "simpleFoam", scale: 0.22,
		limit: 900, fields: "p U k omega",
		watch:    []monitor{patchMean("inletPressure", "inlet", "p"), force("lowerWall")},
		variants: simple("U", "", true)},
	{
		name: "porous", path: "incompressible/porousSimpleFoam/angledDuct/implicit",
		shares: "incompressible/porousSimpleFoam/angledDuct/common", app: "porousSimpleFoam",
		scale: 0.6, limit: 600, fields: "p U k epsilon", watch: flows(), variants: simple("U", "", false)},
	{name: "resisting", path: "incompressible/porousSimpleFoam/angledDuct/explicit",
		shares: "incompressible/porousSimpleFoam/angledDuct/common", app: "porousSimpleFoam",
		scale: 0.6, limit: 600, fields: "p U k epsilon", watch: flows(), variants: plain("U", "")},
	{name: "catalyst", path: "compressible/rhoPorousSimpleFoam/angledDuct/implicit",
		shares: "compressible/rhoPorousSimpleFoam/angledDuct/common", app: "rhoPorousSimpleFoam",
		scale: 0.5, limit: 600, fields: "p U e k epsilon", watch: flows(), variants: simple("U", "", false)},
	{name: "liquid", path: "compressible/rhoSimpleFoam/squareBendLiq", app: "rhoSimpleFoam", scale: 0.25, limit: 500,
		fields: "p U e k epsilon",
		watch:  flows(), variants: plain("U", "")},
	{name: "plate", path: "stressAnalysis/solidDisplacementFoam/plateHole", app: "solidDisplacementFoam", limit: 400,
		variants: []variant{
			{how: "as it is"}, {how: "twice as fine", scale: 2},
			{how: "coarse, to 1e-10", scale: 0.6, edits: []edit{swap("system/fvSolution", `1e-06;`, "1e-10;")}},
			{how: "for longer, to 1e-12", limit: 1500, edits: []edit{swap("system/fvSolution", `1e-06;`, "1e-12;")}}}},
	{name: "spinning", path: "incompressible/pisoFoam/RAS/cavity", app: "pisoFoam", limit: 2500, step: 0.005,
		fields: "p U k epsilon",
		watch:  []monitor{force("movingWall"), patchMean("wallPressure", "fixedWalls", "p")},
		variants: byTime(40, 2500, variant{how: "coarse", scale: 0.6},
			variant{
				how: "laminar", fields: "p U",
				edits: []edit{swap("constant/turbulenceProperties", `simulationType\s+\w+`, "simulationType laminar"),
					viscosity("1e-3")},
			})},
	{name: "blockage", path: "incompressible/pisoFoam/laminar/porousBlockage", app: "pisoFoam", scale: 0.7,
		limit: 1500, step: 0.05, fields: "p U", prepare: []string{"topoSet"},
		watch: []monitor{patchMean("inletPressure", "inlet", "p"), patchMean("topPressure", "top", "p")},
		variants: byTime(10, 1500, variant{how: "five times the viscosity", edits: []edit{viscosity("0.05")}},
			variant{how: "twenty times the viscosity", edits: []edit{viscosity("0.2")}},
			variant{
				how:   "upwind",
				edits: []edit{swap("system/fvSchemes", `div\(phi,U\)[^;]*;`, "div(phi,U) Gauss upwind;")},
			})},
	{name: "junction", path: "incompressible/pimpleFoam/RAS/TJunction", app: "pimpleFoam", scale: 0.8, limit: 1200,
		step: 0.001, fields: "p U k epsilon",
		watch: []monitor{
			patchMean("outletPressure", "outlet1", "p"),
			{name: "outflow1", kind: "sum", patch: "outlet1", field: "phi"},
			{name: "outflow2", kind: "sum", patch: "outlet2", field: "phi"},
		},
		variants: byTime(30, 1200)},
	{name: "oblique", path: "compressible/rhoCentralFoam/obliqueShock", app: "rhoCentralFoam", scale: 0.5, limit: 4000,
		step: 0.004, mute: true, fields: "U e",
		watch: []monitor{{name: "outflow", kind: "sum", patch: "outlet", field: "phi"},
			patchMean("outletPressure", "outlet", "p"), patchMean("floorPressure", "bottom", "p")},
		variants: byTime(12, 4000, variant{how: "fine", scale: 1.6, limit: 3000})},
	{name: "wedge", path: "compressible/rhoCentralFoam/wedge15Ma5", app: "rhoCentralFoam", scale: 0.4, limit: 3000,
		step: 2e-4, mute: true, fields: "U e",
		watch: []monitor{{name: "outflow", kind: "sum", patch: "outlet", field: "phi"},
			patchMean("wallPressure", "obstacle", "p")},
		variants: byTime(12, 3000)},
	{name: "prism", path: "compressible/sonicFoam/RAS/prism", app: "sonicFoam", scale: 0.5, limit: 1200, step: 1e-6,
		fields:   "p U e k epsilon",
		watch:    []monitor{gasForce("prismWall"), patchMean("outletPressure", "outlet", "p")},
		variants: byTime(10, 1200)},
	{name: "magnet", path: "electromagnetics/mhdFoam/hartmann", app: "mhdFoam", scale: 0.4, limit: 1000, step: 0.005,
		fields: "p U",
		watch: []monitor{
			patchMean("inletPressure", "inlet", "p"), {name: "outflow", kind: "sum", patch: "outlet", field: "phi"},
		},
		variants: byTime(30, 1000)},
	{name: "flame", path: "combustion/reactingFoam/laminar/counterFlowFlame2DLTS", app: "reactingFoam", scale: 0.3,
		limit: 900, step: 1, fields: "p U h",
		watch: []monitor{
			patchMean("outletTemperature", "outlet", "T"),
			{name: "outflow", kind: "sum", patch: "outlet", field: "phi"},
		},
		variants: []variant{
			{how: "as it is"},
			{how: "Courant number 3", edits: []edit{swap("system/fvSolution", `maxCo\s+1`, "maxCo 3")}},
			{how: "coarse, for longer", scale: 0.7, limit: 2500},
		}},
	{name: "gascavity", path: "compressible/rhoPimpleFoam/RAS/cavity", app: "rhoPimpleFoam", limit: 1500, step: 0.01,
		fields:   "p U h k omega",
		watch:    []monitor{gasForce("movingWall"), patchMean("wallPressure", "fixedWalls", "p")},
		variants: byTime(20, 1500, variant{how: "coarse", scale: 0.6})},
	{name: "shallow", path: "incompressible/shallowWaterFoam/squareBump", app: "shallowWaterFoam", limit: 1500,
		step: 0.1, fields: "h hU", prepare: []string{"setFields"},
		watch:    []monitor{patchMean("inletDepth", "inlet", "h"), patchMean("outletDepth", "outlet", "h")},
		variants: byTime(20, 1500, variant{how: "fine", scale: 1.6})},
	{name: "tank", path: "compressible/sonicLiquidFoam/decompressionTank", app: "sonicLiquidFoam", scale: 0.5,
		limit: 1200, step: 1e-6, fields: "p U",
		watch: []monitor{
			patchMean("wallPressure", "outerWall", "p"), {name: "outflow", kind: "sum", patch: "nozzle", field: "phi"},
		},
		variants: byTime(20, 1200)},
}
