package main

// The list of tutorials, and the changes of each.

// central differences for the velocity, which do not damp.
func central(u string) edit {
	return swap("system/fvSchemes", `div\(phi,`+u+`\)[^;]*;`, "div(phi,"+u+") bounded Gauss linear;")
}

func viscosity(nu string) edit {
	return swap("constant/transportProperties", `(?m)^nu\s+(\[.*\])?\s*[0-9.e+-]+;`, "nu "+nu+";")
}

func force(patch string) monitor {
	return monitor{name: "bodyForce", kind: "forces", patch: patch, extra: "p p; rho rhoInf; rhoInf 1; pRef 0;"}
}

func gasForce(patch string) monitor {
	return monitor{name: "bodyForce", kind: "forces", patch: patch, extra: "p p; U U; rho rho; pRef 1e5;"}
}

// bySIMPLE returns the changes of most cases of SIMPLE.
func bySIMPLE(u, nu string) []variant {
	list := []variant{
		{how: "as it is"},
		{how: "criterion 1e-7", edits: []edit{strict(1e-7)}},
		{
			how: "criterion 1e-5, relaxed to 0.1 and 0.3",
			edits: []edit{
				strict(1e-5), relaxed(0.1, 0.3, 0.3, 0.05),
				swap("system/fvSolution", `consistent\s+yes`, "consistent no"),
			},
		},
		{
			how: "hardly relaxed: 0.95 and 1",
			edits: []edit{
				strict(1e-5), relaxed(0.95, 1, 1, 1), swap("system/fvSolution", `consistent\s+yes`, "consistent no"),
			},
		},
		{how: "central differences, half the cells", edits: []edit{strict(1e-6), central(u)}, scale: 0.7},
		{how: "no criterion", edits: []edit{strict(0)}, scale: 0.8},
	}
	if nu != "" {
		list = append(list, variant{how: "central differences, laminar at viscosity " + nu, fields: "p " + u,
			edits: []edit{strict(1e-6), central(u), viscosity(nu),
				swap("constant/turbulenceProperties", `simulationType\s+\w+`, "simulationType laminar")}})
	}
	return list
}

// without leaves variants out.
func without(list []variant, i ...int) (rest []variant) {
	drop := map[int]bool{}
	for _, i := range i {
		drop[i] = true
	}
	for i, v := range list {
		if !drop[i] {
			rest = append(rest, v)
		}
	}
	return rest
}

// plain is bySIMPLE for a case that is not SIMPLEC.
func plain(u, nu string) []variant {
	list := bySIMPLE(u, nu)
	for i := range list {
		if i == 2 || i == 3 {
			list[i].edits = list[i].edits[:2]
		}
	}
	return list
}

// byTime returns the changes of cases that march in time: their time step and length.
func byTime(times float64, limit int, extra ...variant) []variant {
	return append([]variant{
		{how: "as it is"},
		{how: "for longer", limit: 3 * limit},
		{how: "for longer with double steps", limit: 2 * limit, steps: 2},
		{how: "steps too long", steps: times},
	}, extra...)
}

var tutorials = []tutorial{
	{name: "pitzdaily", path: "incompressible/simpleFoam/pitzDaily", app: "simpleFoam", scale: 0.4, limit: 900,
		fields:   "p U k epsilon",
		watch:    []monitor{{name: "inletPressure", kind: "average", patch: "inlet", field: "p"}, force("lowerWall")},
		variants: bySIMPLE("U", "2e-4")},
	{name: "mixer", path: "incompressible/simpleFoam/mixerVessel2D", app: "simpleFoam", scale: 0.7, limit: 900,
		fields:   "p U k epsilon",
		watch:    []monitor{{name: "rotorPressure", kind: "average", patch: "rotor", field: "p"}},
		variants: plain("U", "1e-3")},
	{name: "bend", path: "compressible/rhoSimpleFoam/squareBend", app: "rhoSimpleFoam", scale: 0.3, limit: 600,
		fields: "p U e k epsilon",
		watch: []monitor{{name: "inflow", kind: "sum", patch: "inlet", field: "phi"},
			{name: "outflow", kind: "sum", patch: "outlet", field: "phi"},
			{name: "inletPressure", kind: "average", patch: "inlet", field: "p"}},
		variants: without(bySIMPLE("U", ""))},
	{name: "scalar", path: "basic/scalarTransportFoam/pitzDaily", app: "scalarTransportFoam", limit: 500, step: 1e-4,
		fields:   "T",
		watch:    []monitor{{name: "outletT", kind: "average", patch: "outlet", field: "T"}},
		variants: byTime(10, 300)},
	{name: "forward", path: "compressible/sonicFoam/laminar/forwardStep", app: "sonicFoam", scale: 0.5, limit: 800,
		step: 0.004, fields: "p U e",
		watch: []monitor{{name: "outflow", kind: "sum", patch: "outlet", field: "phi"}, gasForce("obstacle")},
		variants: byTime(6, 800,
			variant{
				how:   "central differences",
				edits: []edit{swap("system/fvSchemes", `div\(phi,U\)[^;]*;`, "div(phi,U) Gauss linear;")},
			},
			variant{how: "Mach 8", edits: []edit{swap("0/U", `\(3 0 0\)`, "(8 0 0)")}})},
	{name: "cylinder", path: "incompressible/nonNewtonianIcoFoam/offsetCylinder", app: "nonNewtonianIcoFoam",
		scale: 0.6, limit: 500, step: 0.0025, fields: "p U",
		watch: []monitor{force("cylinder")},
		variants: byTime(30, 500,
			variant{how: "ten times the speed", edits: []edit{swap("0/U", `uniform \(1 0 0\)`, "uniform (10 0 0)")},
				steps: 0.2, limit: 1200})},
	{name: "duct", path: "compressible/rhoSimpleFoam/angledDuctExplicitFixedCoeff", app: "rhoSimpleFoam", scale: 0.4,
		limit: 900, fields: "p U e k epsilon",
		watch: []monitor{{name: "inflow", kind: "sum", patch: "inlet", field: "phi"},
			{name: "outflow", kind: "sum", patch: "outlet", field: "phi"},
			{name: "inletPressure", kind: "average", patch: "inlet", field: "p"}},
		variants: plain("U", "")},
	{name: "airfoil", path: "incompressible/simpleFoam/airFoil2D", app: "simpleFoam", limit: 450, fields: "p U nuTilda",
		watch:    []monitor{force("walls")},
		variants: without(plain("U", ""), 4, 5)},
	{name: "srf", path: "incompressible/SRFSimpleFoam/mixer", app: "SRFSimpleFoam", scale: 0.3, limit: 700,
		fields: "p Urel k omega",
		watch: []monitor{{name: "inletPressure", kind: "average", patch: "inlet", field: "p"},
			{name: "wallPressure", kind: "average", patch: "innerWall", field: "p"}},
		variants: bySIMPLE("Urel", "1e-3")},
	{name: "regions", path: "heatTransfer/chtMultiRegionSimpleFoam/multiRegionHeaterRadiation",
		app: "chtMultiRegionSimpleFoam", scale: 0.7, limit: 500,
		prepare: regionsOf("bottomAir", "topAir", "heater", "leftSolid", "rightSolid"),
		always: append(coupled("bottomAir", "topAir", "heater", "leftSolid", "rightSolid"),
			swap("constant/bottomAir/radiationProperties", `(?m)^radiation\s+on;|^radiationModel.*;`,
				"radiation off; radiationModel none;"),
			swap("constant/topAir/radiationProperties", `(?m)^radiation\s+on;|^radiationModel.*;`,
				"radiation off; radiationModel none;")),
		variants: []variant{{how: "as it is, without radiation"},
			{
				how: "without radiation, pressure relaxed to 0.3",
				edits: []edit{swap("system/bottomAir/fvSolution", `p_rgh\s+0.7`, "p_rgh 0.3"),
					swap("system/topAir/fvSolution", `p_rgh\s+0.7`, "p_rgh 0.3")},
			},
			{
				how: "without radiation, hardly relaxed",
				edits: []edit{swap("system/bottomAir/fvSolution", `(?m)^(\s+(U|h|p_rgh))\s+0\.[37];`, "$1 1;"),
					swap("system/topAir/fvSolution", `(?m)^(\s+(U|h|p_rgh))\s+0\.[37];`, "$1 1;")},
			},
			{how: "without radiation, coarse", scale: 0.6, limit: 1500}}},
	{name: "dam", path: "multiphase/interFoam/laminar/damBreak/damBreak", app: "interFoam", limit: 400, step: 0.001,
		fields: "p_rgh", restless: true, entries: "maxAlphaCo 1; maxCo 1;",
		prepare:  []string{"setFields"},
		watch:    []monitor{{name: "wallPressure", kind: "average", patch: "lowerWall", field: "p"}},
		variants: byTime(20, 400)},
	{name: "local", path: "compressible/rhoPimpleFoam/RAS/angledDuctLTS", app: "rhoPimpleFoam", scale: 0.4, limit: 900,
		fields: "p U h k epsilon",
		watch: []monitor{{name: "inflow", kind: "sum", patch: "inlet", field: "phi"},
			{name: "outflow", kind: "sum", patch: "outlet", field: "phi"},
			{name: "inletPressure", kind: "average", patch: "inlet", field: "p"}},
		variants: []variant{
			{how: "as it is"},
			{how: "Courant number 1", edits: []edit{swap("system/fvSolution", `maxCo\s+0.2`, "maxCo 1")}},
			{how: "Courant number 10", edits: []edit{swap("system/fvSolution", `maxCo\s+0.2`, "maxCo 10")}},
			{how: "for longer", limit: 2000, scale: 0.7}}},
	{name: "adjoint", path: "incompressible/adjointShapeOptimizationFoam/pitzDaily",
		app: "adjointShapeOptimizationFoam", scale: 0.35, limit: 800, fields: "p U pa Ua k epsilon",
		watch:    []monitor{{name: "inletPressure", kind: "average", patch: "inlet", field: "p"}},
		variants: without(plain("U", "2e-4"), 1, 5)},
}

// regionsOf are the commands that split a mesh into regions.
func regionsOf(regions ...string) []string {
	list := []string{"topoSet", "splitMeshRegions -cellZones -overwrite"}
	for _, r := range regions[2:] { // solid
		for _, f := range []string{"rho", "nut", "alphat", "epsilon", "k", "U", "p_rgh", "qr", "G", "IDefault"} {
			list = append(list, "rm -f 0/"+r+"/"+f)
		}
	}
	for _, r := range regions {
		list = append(list, "changeDictionary -region "+r)
	}
	return list
}

// coupled are the edits that couple the temperatures of regions without radiation.
func coupled(regions ...string) (list []edit) {
	for _, r := range regions {
		list = append(list, swap("system/"+r+"/changeDictionaryDict", "turbulentTemperatureRadCoupledMixed",
			"turbulentTemperatureCoupledBaffleMixed"))
	}
	return list
}
