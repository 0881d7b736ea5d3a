package main

// The list of runs in time.

import "time"

// marchTime is how long a run in time may take.
const marchTime = 100 * time.Second

func inTime(name, path, app string, scale, step, end, co, bolder float64, fields, patch string, prepare ...string) timed {
	return timed{tutorial{name: name, path: path, app: app, scale: scale, step: step, fields: fields, prepare: prepare},
		end, co, bolder, patch}
}

// marches are the tutorials: name, path, solver, cells, step, end time, Courant number, a bolder factor, fields, patch,
// and the commands that prepare it.
var marches = []timed{
	inTime("tdam", "multiphase/interFoam/laminar/damBreak/damBreak", "interFoam",
		1, 0.001, 1, 1, 30, "U p_rgh", "", "setFields"),
	inTime("trasdam", "multiphase/interFoam/RAS/damBreak/damBreak", "interFoam",
		1, 0.001, 1, 1, 30, "U p_rgh", "", "setFields"),
	inTime("tcapillary", "multiphase/interFoam/laminar/capillaryRise", "interFoam",
		1, 1e-5, 0.02, 0.3, 30, "U p_rgh", "", "setFields"),
	inTime("tweir", "multiphase/interFoam/RAS/weirOverflow", "interFoam",
		0.5, 0.001, 20, 0.5, 40, "U p_rgh", "", "setFields"),
	inTime("tstep", "compressible/rhoCentralFoam/forwardStep", "rhoCentralFoam",
		0.35, 0.002, 4, 0.2, 8, "U p", "obstacle"),
	inTime("toblique", "compressible/rhoCentralFoam/obliqueShock", "rhoCentralFoam",
		0.8, 0.0025, 6, 0.2, 8, "U p", ""),
	inTime("ttube", "compressible/rhoCentralFoam/shockTube", "rhoCentralFoam",
		1, 1e-6, 0.007, 0.2, 10, "U p", "", "setFields"),
	inTime("twedge", "compressible/rhoCentralFoam/wedge15Ma5", "rhoCentralFoam", 0.5, 0.0002, 0.2, 0, 30, "U p", ""),
	inTime("tsonictube", "compressible/sonicFoam/laminar/shockTube", "sonicFoam",
		1, 1e-5, 0.007, 0, 20, "U p", "", "setFields"),
	inTime("tsonicstep", "compressible/sonicFoam/laminar/forwardStep", "sonicFoam",
		0.6, 0.004, 6, 0, 6, "U p", "obstacle"),
	inTime("tprism", "compressible/sonicFoam/RAS/prism", "sonicFoam", 0.25, 1e-6, 0.0004, 0, 8, "U p", "prismWall"),
	inTime("tcavity", "incompressible/icoFoam/cavity/cavity", "icoFoam", 1, 0.005, 0.5, 0, 6, "U", "movingWall"),
	inTime("tgrade", "incompressible/icoFoam/cavity/cavityGrade", "icoFoam", 1, 0.0025, 0.7, 0, 8, "U", "movingWall"),
	inTime("tpiso", "incompressible/pisoFoam/RAS/cavity", "pisoFoam", 1, 0.005, 4, 0, 10, "U", "movingWall"),
	inTime("tporous", "incompressible/pisoFoam/laminar/porousBlockage", "pisoFoam",
		1, 0.05, 100, 0, 12, "U p", "", "topoSet"),
	inTime("tpitz", "incompressible/pisoFoam/LES/pitzDaily", "pisoFoam", 0.3, 4e-5, 0.06, 0, 8, "U p", "lowerWall"),
	inTime("tcontraction", "incompressible/pimpleFoam/laminar/planarContraction", "pimpleFoam",
		0.6, 2e-4, 0.1, 0, 20, "U p", ""),
	inTime("tcylinder", "incompressible/nonNewtonianIcoFoam/offsetCylinder", "nonNewtonianIcoFoam",
		0.8, 0.0025, 2, 0, 30, "U p", "cylinder"),
	inTime("thartmann", "electromagnetics/mhdFoam/hartmann", "mhdFoam", 0.4, 0.005, 2, 0, 60, "U p", ""),
	inTime("trhocavity", "compressible/rhoPimpleFoam/RAS/cavity", "rhoPimpleFoam",
		1, 0.01, 5, 0, 30, "U", "movingWall"),
	inTime("ttjunction", "compressible/rhoPimpleFoam/RAS/TJunction", "rhoPimpleFoam",
		0.4, 0.002, 0.5, 3, 30, "U p", ""),
	inTime("troom", "heatTransfer/buoyantPimpleFoam/hotRoom", "buoyantPimpleFoam",
		0.5, 2, 1000, 0, 30, "U T", "", "setFields"),
	inTime("tbenard", "heatTransfer/buoyantBoussinesqPimpleFoam/BenardCells", "buoyantBoussinesqPimpleFoam",
		1, 1, 1000, 0, 40, "U T", ""),
	inTime("tbubble", "multiphase/twoPhaseEulerFoam/RAS/bubbleColumn", "twoPhaseEulerFoam",
		1, 0.005, 2, 0, 20, "U.air U.water p", ""),
	inTime("tbed", "multiphase/twoPhaseEulerFoam/laminar/fluidisedBed", "twoPhaseEulerFoam",
		1, 4e-4, 0.12, 0, 20, "U.air U.particles p", ""),
	inTime("tiso", "multiphase/interIsoFoam/damBreak", "interIsoFoam",
		0.5, 0.001, 1, 0.5, 20, "U p_rgh", "", "setFields"),
	inTime("tfour", "multiphase/multiphaseInterFoam/laminar/damBreak4phase", "multiphaseInterFoam",
		0.5, 0.001, 2, 0.5, 30, "U p_rgh", "", "setFields"),
	inTime("tcharge", "multiphase/compressibleInterFoam/laminar/depthCharge2D", "compressibleInterFoam",
		0.3, 0.0001, 0.3, 0.5, 20, "U p_rgh", "", "setFields"),
	inTime("tdahl", "multiphase/driftFluxFoam/RAS/dahl", "driftFluxFoam", 0.3, 0.1, 600, 5, 30, "U p_rgh", ""),
	inTime("tflame", "combustion/XiFoam/RAS/moriyoshiHomogeneous", "XiFoam", 0.4, 1e-5, 0.005, 0, 20, "U p", ""),
	inTime("tbump", "incompressible/shallowWaterFoam/squareBump", "shallowWaterFoam", 1, 0.2, 100, 0, 30, "U h", ""),
	inTime("tdns", "DNS/dnsFoam/boxTurb16", "dnsFoam", 1, 0.025, 5, 0, 60, "U", "", "boxTurb"),
	inTime("tthrottle", "multiphase/cavitatingFoam/RAS/throttle", "cavitatingFoam",
		0.3, 1e-8, 1e-4, 0.5, 20, "U p", ""),
}
