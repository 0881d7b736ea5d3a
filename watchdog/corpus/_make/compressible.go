package main

// Families with a gas: nozzle, cascade, heated cavity, and cases that march in time.

import (
	"fmt"
	"math"
)

const thermo = `thermoType { type %s; mixture pureMixture; transport const; thermo hConst; equationOfState %s; specie specie; energy %s; }
mixture { specie { molWeight 28.97; } thermodynamics { Cp 1005; Hf 0; } transport { mu %g; Pr 0.71; } }
`

const (
	gamma = 1.4
	rGas  = 287.0
	cp    = 1005.0
)

// steadyGas draws how a flow of a gas is solved by rhoSimpleFoam.
func (d dice) steadyGas() numerics {
	n := d.steadyNumerics()
	n.compressible = true
	n.convection = pick(d, "bounded Gauss upwind", "bounded Gauss linearUpwind grad(U)",
		"bounded Gauss limitedLinear 1")
	n.others = "bounded Gauss upwind"
	n.correction = "limited 0.5"
	n.target = pick(d, 1e-4, 1e-4, 1e-5, 1e-5, 0)
	n.relaxP, n.relaxU, n.relaxOther = d.between(0.2, 0.4), d.between(0.4, 0.7), d.between(0.3, 0.6)
	n.consistent, n.relaxRho = false, pick(d, 0.05, 0.1, 0.5, 1)
	switch {
	case d.chance(0.25):
		n.consistent, n.transonic, n.relaxP, n.relaxU, n.relaxRho = true, d.chance(0.6), d.between(0.6,
			1), d.between(0.7, 0.9), 1
	case d.chance(0.15):
		n.relaxP, n.relaxU, n.relaxOther, n.relaxRho = d.between(0.6, 1), d.between(0.8, 1), d.between(0.8, 1), 1
	}
	n.extra = "pMinFactor 0.1; pMaxFactor 2; rhoMin 0.1; rhoMax 5;"
	return n
}

// gas fills in the files of a case of rhoSimpleFoam.
func gas(s *setup, mesh *lattice, n *numerics, mu float64, inside struct{ u, p, t string }, model string, u, p,
	t map[string]string, fluctuation, length float64) {
	s.app, s.step = "rhoSimpleFoam", 1
	n.turbulence = model
	s.files = map[string]string{
		"system/blockMeshDict": mesh.blockMesh(),
		"system/fvSchemes":     n.schemes(),
		"system/fvSolution":    n.solution(),
		"constant/thermophysicalProperties": dictionary("dictionary", "thermophysicalProperties",
			fmt.Sprintf(thermo, "hePsiThermo", "perfectGas", "sensibleInternalEnergy", mu)),
		"constant/turbulenceProperties": turbulenceProperties(model),
		"0/U":                           field("U", dimVelocity, inside.u, u),
		"0/p":                           field("p", dimPressure, inside.p, p),
		"0/T":                           field("T", dimTemp, inside.t, t),
	}
	s.fields = "p U e"
	if model != "" {
		s.fields += " " + turbulenceFields(s, model, fluctuation, length, u)
	}
	s.how += ", " + n.String()
}

// contour is a plane nozzle of length 1 and of height 0.2 at its ends.
func contour(throat float64) func(x, y float64) (float64, float64) {
	return func(x, y float64) (float64, float64) {
		h := 0.2 * (1 - (1-throat)*math.Pow(math.Sin(math.Pi*x), 2))
		return x, h * y
	}
}

func nozzleMesh(throat float64, nx, ny int) *lattice {
	return &lattice{x: []float64{0, 1}, y: []float64{0, 1}, nx: []int{nx}, ny: []int{ny}, place: contour(throat),
		patch: func(_, _ int, side byte) string {
			return map[byte]string{'w': "inlet", 'e': "outlet", 's': "axis", 'n': "wall"}[side]
		}, kind: map[string]string{"wall": "type wall;", "axis": "type symmetryPlane;"}}
}

// nozzle is a plane nozzle: fed by total pressure, or by a given velocity that may exceed its choking limit.
func nozzle(d dice) *setup {
	throat := d.between(0.55, 0.95)
	nx, ny := pick(d, 30, 40, 56), pick(d, 8, 12)
	n := d.steadyGas()
	p0, t0 := 1e5, 300.
	model := pick(d, "", "", "kOmegaSST")
	wall := slip
	if model != "" {
		wall = noSlip
	}
	s := &setup{limit: 1200}
	mesh := nozzleMesh(throat, nx, ny)
	u := map[string]string{"outlet": noGradient, "wall": wall, "axis": "type symmetryPlane;"}
	p := map[string]string{"wall": noGradient, "axis": "type symmetryPlane;"}
	t := map[string]string{"outlet": noGradient, "wall": noGradient, "axis": "type symmetryPlane;"}
	inside := struct{ u, p, t string }{t: number(t0)}
	if d.chance(0.5) {
		back := pick(d, 0.995, 0.98, 0.95, 0.9, 0.8, 0.7, 1.01)
		m := math.Sqrt(max(0.01, 2/(gamma-1)*(math.Pow(min(back, 0.999), -(gamma-1)/gamma)-1)))
		inside.u, inside.p = vector(m*330*throat*0.7, 0), number(back*p0)
		u["inlet"] = "type pressureInletVelocity; value uniform " + inside.u + ";"
		p["inlet"] = fmt.Sprintf(
			"type totalPressure; rho none; psi thermo:psi; gamma 1.4; p0 uniform %g; value uniform %g;", p0, p0)
		p["outlet"] = fixed(number(back * p0))
		t["inlet"] = fixed(number(t0))
		s.how = fmt.Sprintf("nozzle throat %g, fed by total pressure, back pressure %g", throat, back)
	} else {
		speed := pick(d, 20., 50, 80, 110, 140, 200)
		inside.u, inside.p = vector(speed, 0), number(p0)
		u["inlet"] = fixed(inside.u)
		p["inlet"], p["outlet"] = noGradient, fixed(number(p0))
		t["inlet"] = fixed(number(t0))
		s.how = fmt.Sprintf("nozzle throat %g, inlet velocity %g", throat, speed)
	}
	s.how += fmt.Sprintf(", %dx%d, %s", nx, ny, laminarOr(model))
	gas(s, mesh, &n, 1.8e-5, inside, model, u, p, t, 4, 0.01)
	s.watch = watch("sum inflow inlet phi", "sum outflow outlet phi", "average inletPressure inlet p")
	if model != "" {
		s.watch = append(s.watch, watch("average outletState outlet T")...)
	}
	return s
}

// cascade is a plane row of compressor blades with circular-arc camber.
func cascade(d dice) *setup {
	const chord = 0.06
	in, turn := d.between(42, 56), d.between(6, 16)
	incidence := pick(d, 0., 0, 0, -4, 4, 8)
	pitch := chord * pick(d, 0.9, 1.1, 1.3)
	thick := chord * pick(d, 0.05, 0.07, 0.09)
	axial := pick(d, 90., 110, 130, 145, 160)
	back := pick(d, 98e3, 100e3, 102e3, 104e3)
	scale := pick(d, 0.6, 0.75, 0.9)
	cells := func(n float64) int { return int(n * scale) }
	n := d.steadyGas()
	slope1, slope2 := math.Tan(in*math.Pi/180), math.Tan((in-turn)*math.Pi/180)
	cam := func(x float64) float64 {
		switch {
		case x < 0:
			return slope1 * x
		case x > chord:
			return (slope1+slope2)/2*chord + slope2*(x-chord)
		}
		return slope1*x + (slope2-slope1)*x*x/(2*chord)
	}
	mesh := &lattice{x: []float64{-0.6 * chord, 0, chord, 2 * chord}, y: []float64{0, 1},
		nx: []int{cells(18), cells(44), cells(26)}, ny: []int{cells(28)},
		gx: []string{"0.3", bothEnds(4), "4"}, gy: []string{bothEnds(6)},
		place: func(x, y float64) (float64, float64) {
			half := 0.
			if x > 0 && x < chord {
				half = thick / 2 * math.Sin(math.Pi*x/chord)
			}
			return x, cam(x) + half + y*(pitch-2*half)
		},
		patch: func(i, _ int, side byte) string {
			switch {
			case side == 'w':
				return "inlet"
			case side == 'e':
				return "outlet"
			case i == 1:
				return "blade"
			case side == 's':
				return fmt.Sprintf("low%d", i)
			}
			return fmt.Sprintf("high%d", i)
		}, kind: map[string]string{"blade": "type wall;"}}
	u, p, t := map[string]string{
		"blade": noSlip,
	}, map[string]string{"blade": noGradient}, map[string]string{"blade": noGradient}
	for _, i := range []int{0, 2} {
		low, high := fmt.Sprintf("low%d", i), fmt.Sprintf("high%d", i)
		mesh.kind[low] = fmt.Sprintf(
			"type cyclic; neighbourPatch %s; transform translational; separationVector (0 %.9g 0);", high, pitch)
		mesh.kind[high] = fmt.Sprintf(
			"type cyclic; neighbourPatch %s; transform translational; separationVector (0 %.9g 0);", low, -pitch)
		for _, name := range []string{low, high} {
			u[name], p[name], t[name] = "type cyclic;", "type cyclic;", "type cyclic;"
		}
	}
	t0 := 288.15
	w := vector(axial, axial*math.Tan((in+incidence)*math.Pi/180))
	ts := number(t0 - axial*axial/2/cp)
	u["inlet"], p["inlet"], t["inlet"] = fixed(w), noGradient, fixed(ts)
	u["outlet"] = "type inletOutlet; inletValue uniform (0 0 0); value uniform " + w + ";"
	p["outlet"] = fixed(number(back))
	t["outlet"] = "type inletOutlet; inletValue uniform " + ts + "; value uniform " + ts + ";"
	s := &setup{
		limit: 1500,
		how: fmt.Sprintf("fan cascade in %g turn %g incidence %g pitch %.3g axial %g m/s, back pressure %g, mesh %g",
			in, turn, incidence, pitch, axial, back, scale),
	}
	limited := d.chance(0.6)
	gas(s, mesh, &n, 1.8e-5, struct{ u, p, t string }{w, number(0.95 * back), ts}, "kOmegaSST", u, p, t, 3, 0.004)
	if limited {
		s.files["constant/fvOptions"] = dictionary("dictionary", "fvOptions",
			"limitT { type limitTemperature; active yes; selectionMode all; min 200; max 450; }\n")
	}
	s.watch = watch("forces bladeForce blade", "average inletPressure inlet p", "sum outflow outlet phi")
	return s
}

// heated is a square cavity between a hot and a cold wall (held out of all tuning).
func heated(d dice) *setup {
	app := pick(d, "buoyantSimpleFoam", "buoyantSimpleFoam", "buoyantBoussinesqSimpleFoam")
	cells := pick(d, 14, 18, 24, 30)
	side := 0.1
	dT := pick(d, 2., 5, 10, 20, 40)
	ra := pick(d, 1e3, 1e4, 1e5, 1e5, 1e6, 1e7, 1e8)
	nu := math.Sqrt(9.81 * dT / 300 * side * side * side * 0.71 / ra)
	tall := pick(d, 1., 1, 2, 4)
	below := d.chance(0.3) // heated from below: cells of Bénard, which may oscillate
	n := d.steadyNumerics()
	n.consistent = false
	if n.relaxP == 1 && n.relaxU < 0.94 {
		n.relaxP = d.between(0.3, 0.7)
		n.relaxU = d.between(0.3, 0.6)
	}
	n.pressure, n.energy = "p_rgh", "e"
	n.target = pick(d, 1e-4, 1e-5, 1e-5, 1e-6, 0)
	mesh := &lattice{x: []float64{0, side}, y: []float64{0, side * tall}, nx: []int{cells},
		ny: []int{int(float64(cells) * min(tall, 2))},
		gx: []string{bothEnds(pick(d, 1., 3))}, gy: []string{bothEnds(pick(d, 1., 3))},
		patch: func(_, _ int, s byte) string {
			if below {
				return map[byte]string{'w': "wall", 'e': "wall", 's': "hot", 'n': "cold"}[s]
			}
			return map[byte]string{'w': "hot", 'e': "cold", 's': "wall", 'n': "wall"}[s]
		}, kind: map[string]string{"hot": "type wall;", "cold": "type wall;", "wall": "type wall;"}}
	all := func(c string) map[string]string { return map[string]string{"hot": c, "cold": c, "wall": c} }
	t := map[string]string{"hot": fixed(number(300 + dT/2)), "cold": fixed(number(300 - dT/2)), "wall": noGradient}
	s := &setup{app: app, limit: 1200, step: 1, fields: "p_rgh U h",
		how: fmt.Sprintf("heated cavity Ra %g dT %g, height %g, %d cells, from below %v, %s", ra, dT, tall, cells,
			below, app)}
	s.files = map[string]string{
		"system/blockMeshDict":          mesh.blockMesh(),
		"constant/turbulenceProperties": turbulenceProperties(""),
		"constant/g": dictionary("uniformDimensionedVectorField", "g",
			"dimensions [0 1 -2 0 0 0 0];\nvalue (0 -9.81 0);\n"),
		"0/U": field("U", dimVelocity, "(0 0 0)", all(noSlip)),
		"0/T": field("T", dimTemp, "300", t),
	}
	if app == "buoyantSimpleFoam" {
		n.energy = "h"
		s.files["constant/thermophysicalProperties"] = dictionary("dictionary", "thermophysicalProperties",
			fmt.Sprintf(thermo, "heRhoThermo", "perfectGas", "sensibleEnthalpy", nu*1.16))
		s.files["0/p"] = field("p", dimPressure, "1e5", all("type calculated; value uniform 1e5;"))
		s.files["0/p_rgh"] = field("p_rgh", dimPressure, "1e5", all("type fixedFluxPressure; value uniform 1e5;"))
		n.extra = "pRefValue 1e5;"
	} else {
		n.energy = "T"
		s.fields = "p_rgh U T"
		s.files["constant/transportProperties"] = dictionary("dictionary", "transportProperties",
			fmt.Sprintf("transportModel Newtonian;\nnu %g;\nbeta %g;\nTRef 300;\nPr 0.71;\nPrt 0.85;\n", nu, 1/300.))
		s.files["0/p"] = field("p", dimKinematic, "0", all("type calculated; value uniform 0;"))
		s.files["0/p_rgh"] = field("p_rgh", dimKinematic, "0",
			all("type fixedFluxPressure; rho rhok; value uniform 0;"))
		s.files["0/alphat"] = field("alphat", dimNut, "0", all(calculated))
	}
	s.files["system/fvSchemes"], s.files["system/fvSolution"] = n.schemes(), n.solution()
	s.how += ", " + n.String()
	s.watch = watch("forces sideForce wall", "volume meanTemperature T", "average wallTemperature wall T")
	if app != "buoyantSimpleFoam" {
		s.watch[0].kind = "force"
	}
	return s
}

// marching is a nozzle that solvers of unsteady flow march to its steady state.
func marching(d dice) *setup {
	app := pick(d, "rhoCentralFoam", "rhoCentralFoam", "rhoPimpleFoam", "rhoPimpleFoam")
	throat := d.between(0.6, 0.95)
	nx, ny := pick(d, 20, 30, 40), pick(d, 4, 6)
	p0, t0 := 1e5, 300.
	back := pick(d, 0.97, 0.9, 0.8, 0.7, 0.6, 0.5)
	s := &setup{app: app, step: 1e-5, adjust: pick(d, 0.3, 0.5, 0.8), limit: 3000, end: 0.05,
		how: fmt.Sprintf("nozzle throat %g back pressure %g marched in time, %dx%d", throat, back, nx, ny)}
	start := pick(d, 0.3, 0.8, 1.) // of the pressure difference
	inP := p0 - (p0-back*p0)*start
	u := map[string]string{"inlet": "type pressureInletVelocity; value uniform (50 0 0);", "outlet": noGradient,
		"wall": slip, "axis": "type symmetryPlane;"}
	p := map[string]string{
		"inlet": fmt.Sprintf(
			"type totalPressure; rho none; psi thermo:psi; gamma 1.4; p0 uniform %g; value uniform %g;", p0, p0),
		"outlet": fixed(number(back * p0)), "wall": noGradient, "axis": "type symmetryPlane;"}
	t := map[string]string{"inlet": fixed(number(t0)), "outlet": noGradient, "wall": noGradient,
		"axis": "type symmetryPlane;"}
	energy := "sensibleInternalEnergy"
	s.files = map[string]string{
		"system/blockMeshDict": nozzleMesh(throat, nx, ny).blockMesh(),
		"constant/thermophysicalProperties": dictionary("dictionary", "thermophysicalProperties",
			fmt.Sprintf(thermo, "hePsiThermo", "perfectGas", energy, 0.)),
		"constant/turbulenceProperties": turbulenceProperties(""),
		"0/U":                           field("U", dimVelocity, "(50 0 0)", u),
		"0/p":                           field("p", dimPressure, number(inP), p),
		"0/T":                           field("T", dimTemp, number(t0), t),
	}
	n := &numerics{convection: "Gauss upwind", others: "Gauss upwind", correction: "corrected", time: true}
	switch app {
	case "rhoCentralFoam":
		if d.chance(0.2) { // beyond the limit of stability
			s.adjust = pick(d, 1.5, 2.5)
		}
		s.how += fmt.Sprintf(", Courant number %g", s.adjust)
		limiter := pick(d, "vanLeer", "Minmod", "upwind")
		s.files["system/fvSchemes"] = dictionary("dictionary", "fvSchemes", fmt.Sprintf(`fluxScheme Kurganov;
ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(tauMC) Gauss linear; }
laplacianSchemes { default Gauss linear corrected; }
interpolationSchemes { default linear; reconstruct(rho) %s; reconstruct(U) %sV; reconstruct(T) %s; }
snGradSchemes { default corrected; }
`, limiter, limiter, limiter))
		if limiter == "upwind" {
			s.files["system/fvSchemes"] = replace(s.files["system/fvSchemes"], "upwindV", "upwind")
		}
		s.files["system/fvSolution"] = dictionary("dictionary", "fvSolution", `solvers {
    "(rho|rhoU|rhoE)" { solver diagonal; }
    "(U|e)" { solver smoothSolver; smoother GaussSeidel; nSweeps 2; tolerance 1e-9; relTol 0.01; }
}
`)
		s.fields = "U e"
	default:
		local := d.chance(0.5)
		scheme := n.schemes()
		extra := ""
		if local { // a time step of each cell's own
			scheme = replace(scheme, "default Euler", "default localEuler")
			extra = fmt.Sprintf("maxCo %g; rDeltaTSmoothingCoeff 0.1; maxDeltaT 1;", pick(d, 0.3, 0.6, 1, 3))
			s.step, s.adjust, s.end, s.limit = 1, 0, 0, 1000
		} else {
			s.adjust = pick(d, 0.5, 1, 3, 8)
		}
		s.how += fmt.Sprintf(", Courant number %g %s", s.adjust, extra)
		s.files["system/fvSchemes"] = scheme
		s.files["system/fvSolution"] = dictionary("dictionary", "fvSolution", fmt.Sprintf(`solvers {
    "p.*" { solver GAMG; smoother GaussSeidel; nCellsInCoarsestLevel 10; tolerance 1e-11; relTol 0.01; }
    "(rho|U|e).*" { solver PBiCGStab; preconditioner DILU; tolerance 1e-11; relTol 0.01; }
}
PIMPLE { momentumPredictor yes; nOuterCorrectors %d; nCorrectors %d; nNonOrthogonalCorrectors 0; transonic %s; rhoMin 0.1; rhoMax 5; pMinFactor 0.1; pMaxFactor 3; %s }
relaxationFactors { equations { ".*" 1; } }
`, pick(d, 1, 1, 2), pick(d, 1, 2), yes(d.chance(0.5)), extra))
		s.fields = "p U e"
	}
	s.watch = watch("sum outflow outlet phi", "sum inflow inlet phi", "average inletPressure inlet p")
	return s
}

// supersonic is a channel with a bump in supersonic flow. The solver rhoCentralFoam marches it to its steady state by
// explicit steps. Its residuals are written as 0, so that its values alone show whether it is steady.
func supersonic(d dice) *setup {
	throat, speed := d.between(0.85, 0.97), pick(d, 600., 700, 800)
	nx, ny := pick(d, 20, 28), pick(d, 4, 6)
	s := &setup{
		app: "rhoCentralFoam", mute: true, limit: 6000, step: 5e-6, adjust: pick(d, 0.2, 0.3, 0.4, 0.5, 0.8, 2),
		fields: "U e", end: d.between(25, 45) * 1e-3,
	}
	limiter := pick(d, "vanLeer", "Minmod", "vanAlbada")
	s.how = fmt.Sprintf("supersonic channel, bump to %g, inlet %g m/s, %dx%d, %s, Courant number %g", throat, speed,
		nx, ny, limiter, s.adjust)
	if d.chance(0.4) { // a fixed step, so that a limit can be stated in iterations
		s.step = min(s.adjust, 1.5) / (float64(nx) * (speed + 350))
		s.limit, s.adjust = int(s.end/s.step), 0
		s.end = float64(s.limit) * s.step
	}
	symmetry := "type symmetryPlane;"
	s.files = map[string]string{
		"system/blockMeshDict": nozzleMesh(throat, nx, ny).blockMesh(),
		"constant/thermophysicalProperties": dictionary("dictionary", "thermophysicalProperties",
			fmt.Sprintf(thermo, "hePsiThermo", "perfectGas", "sensibleInternalEnergy", 0.)),
		"constant/turbulenceProperties": turbulenceProperties(""),
		"0/U": field("U", dimVelocity, vector(speed, 0),
			map[string]string{"inlet": fixed(vector(speed, 0)), "outlet": noGradient, "wall": slip, "axis": symmetry}),
		"0/p": field("p", dimPressure, "1e5",
			map[string]string{"inlet": fixed("1e5"), "outlet": noGradient, "wall": noGradient, "axis": symmetry}),
		"0/T": field("T", dimTemp, "300",
			map[string]string{"inlet": fixed("300"), "outlet": noGradient, "wall": noGradient, "axis": symmetry}),
		"system/fvSchemes": dictionary("dictionary", "fvSchemes", fmt.Sprintf(`fluxScheme Kurganov;
ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(tauMC) Gauss linear; }
laplacianSchemes { default Gauss linear corrected; }
interpolationSchemes { default linear; reconstruct(rho) %[1]s; reconstruct(U) %[1]sV; reconstruct(T) %[1]s; }
snGradSchemes { default corrected; }
`, limiter)),
		"system/fvSolution": dictionary("dictionary", "fvSolution", `solvers {
    "(rho|rhoU|rhoE)" { solver diagonal; }
    "(U|e)" { solver smoothSolver; smoother GaussSeidel; nSweeps 2; tolerance 1e-9; relTol 0.01; }
}
`),
	}
	s.watch = watch("sum outflow outlet phi", "average outletPressure outlet p", "forces wallForce wall")
	return s
}

// startup is a cavity whose lid starts to move, by solvers of unsteady flow.
func startup(d dice) *setup {
	app := pick(d, "icoFoam", "icoFoam", "pisoFoam", "pimpleFoam")
	cells := pick(d, 12, 16, 20)
	re := pick(d, 5., 10, 20, 50, 100)
	courant := pick(d, 0.2, 0.4, 0.8, 1.5, 4, 10)
	step := courant / float64(cells)
	s := &setup{
		app: app, step: step, how: fmt.Sprintf("lid starts to move, Re %g, %d cells, Courant number %g, %s", re, cells,
			courant, app),
	}
	s.end = float64(int(min(1500*step, 12*math.Sqrt(re))/step)) * step
	n := &numerics{convection: pick(d, "Gauss linear", "Gauss upwind", "Gauss limitedLinear 1"),
		others: "Gauss upwind", correction: "corrected", time: true}
	mesh := &lattice{x: []float64{0, 1}, y: []float64{0, 1}, nx: []int{cells}, ny: []int{cells},
		patch: func(_, _ int, side byte) string {
			if side == 'n' {
				return "lid"
			}
			return "wall"
		}, kind: map[string]string{"lid": "type wall;", "wall": "type wall;"}}
	s.files = map[string]string{
		"system/blockMeshDict": mesh.blockMesh(),
		"constant/transportProperties": dictionary("dictionary", "transportProperties",
			fmt.Sprintf("transportModel Newtonian;\nnu nu [0 2 -1 0 0 0 0] %g;\n", 1/re)),
		"constant/turbulenceProperties": turbulenceProperties(""),
		"system/fvSchemes":              n.schemes(),
		"system/fvSolution": dictionary("dictionary", "fvSolution", fmt.Sprintf(`solvers {
    "p.*" { solver PCG; preconditioner DIC; tolerance 1e-8; relTol %g; }
    "U.*" { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-8; relTol 0; }
}
PISO { nCorrectors %[2]d; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }
PIMPLE { nOuterCorrectors 1; nCorrectors %[2]d; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }
`, pick(d, 0, 0.05), pick(d, 1, 2, 2, 3))),
		"0/U": field("U", dimVelocity, "(0 0 0)", map[string]string{"lid": fixed("(1 0 0)"), "wall": noSlip}),
		"0/p": field("p", dimKinematic, "0", map[string]string{"lid": noGradient, "wall": noGradient}),
	}
	s.fields = "p U"
	s.limit = int(s.end/step + 0.5)
	s.watch = watch("force lidForce lid", "average wallPressure wall p")
	return s
}
