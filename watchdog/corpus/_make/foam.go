package main

// OpenFOAM's dictionaries as text: header, fields, schemes, solvers, the control of a run.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// dictionary returns the content of a file of a case.
func dictionary(class, object, body string) string {
	return fmt.Sprintf("FoamFile { version 2.0; format ascii; class %s; object %s; }\n%s", class, object, body)
}

// dimensions of fields: kg m s K mol A cd.
const (
	dimVelocity  = "[0 1 -1 0 0 0 0]"
	dimKinematic = "[0 2 -2 0 0 0 0]" // pressure over density, and k
	dimPressure  = "[1 -1 -2 0 0 0 0]"
	dimTemp      = "[0 0 0 1 0 0 0]"
	dimNut       = "[0 2 -1 0 0 0 0]"
	dimAlphat    = "[1 -1 -1 0 0 0 0]"
	dimEpsilon   = "[0 2 -3 0 0 0 0]"
	dimOmega     = "[0 0 -1 0 0 0 0]"
)

// field returns a file of folder 0: the value inside, and each patch's condition. Every mesh here is one cell thick, so
// the sides are empty.
func field(name, dims, inside string, patches map[string]string) string {
	class := "volScalarField"
	if dims == dimVelocity {
		class = "volVectorField"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "dimensions %s;\ninternalField uniform %s;\nboundaryField {\n", dims, inside)
	for _, p := range slices.Sorted(maps.Keys(patches)) {
		fmt.Fprintf(&b, "    %s { %s }\n", p, patches[p])
	}
	b.WriteString("    sides { type empty; }\n}\n")
	return dictionary(class, name, b.String())
}

func fixed(v string) string      { return "type fixedValue; value uniform " + v + ";" }
func vector(x, y float64) string { return fmt.Sprintf("(%g %g 0)", x, y) }
func number(v float64) string    { return fmt.Sprintf("%g", v) }

const (
	noGradient = "type zeroGradient;"
	noSlip     = "type noSlip;"
	slip       = "type slip;"
	calculated = "type calculated; value uniform 0;"
)

// numerics is how the equations of a case are discretised and solved.
type numerics struct {
	convection         string  // of the velocity, such as "bounded Gauss upwind"
	others             string  // of turbulence and energy
	correction         string  // of non-orthogonal gradients: "corrected", "limited 0.5"
	relaxP, relaxU     float64 // 1: none
	relaxOther         float64
	relaxRho           float64 // compressible alone
	consistent         bool    // SIMPLEC
	transonic          bool
	target             float64 // residualControl of every equation; 0: none
	targetP            float64 // of the pressure, where it is another
	relTol             float64 // of the linear solvers
	extra              string  // further entries of SIMPLE
	pressure, energy   string  // names of fields: p or p_rgh, e or h or T
	turbulence         string  // "", kEpsilon, kOmegaSST
	compressible, time bool    // time: marching in time
}

// schemes returns system/fvSchemes.
func (n *numerics) schemes() string {
	ddt := "steadyState"
	if n.time {
		ddt = "Euler"
	}
	var div strings.Builder
	for _, f := range []string{"k", "epsilon", "omega", "e", "h", "T", "K", "Ekp"} {
		fmt.Fprintf(&div, "    div(phi,%s) %s;\n", f, n.others)
	}
	return dictionary("dictionary", "fvSchemes", fmt.Sprintf(`ddtSchemes { default %s; }
gradSchemes { default cellLimited Gauss linear 1; }
divSchemes {
    default none;
    div(phi,U) %s;
%s    div(phid,p) Gauss upwind;
    div(phiv,p) Gauss upwind;
    div((phi|interpolate(rho)),p) Gauss upwind;
    div((nuEff*dev2(T(grad(U))))) Gauss linear;
    div(((rho*nuEff)*dev2(T(grad(U))))) Gauss linear;
}
laplacianSchemes { default Gauss linear %s; }
interpolationSchemes { default linear; }
snGradSchemes { default %s; }
wallDist { method meshWave; }
`, ddt, n.convection, div.String(), n.correction, n.correction))
}

// solution returns system/fvSolution of a SIMPLE solver.
func (n *numerics) solution() string {
	control := ""
	if n.target > 0 {
		targetP := n.targetP
		if targetP == 0 {
			targetP = n.target
		}
		control = fmt.Sprintf("residualControl { %s %g; \"(U|%s|k|epsilon|omega)\" %g; }", n.pressure, targetP,
			n.energy, n.target)
	}
	return dictionary("dictionary", "fvSolution", fmt.Sprintf(`solvers {
    "(p|p_rgh)" { solver GAMG; smoother GaussSeidel; tolerance 1e-10; relTol %g; nCellsInCoarsestLevel 20; }
    "(U|e|h|T|k|epsilon|omega)" { solver PBiCGStab; preconditioner DILU; tolerance 1e-11; relTol %g; }
}
SIMPLE {
    nNonOrthogonalCorrectors 0; consistent %s; transonic %s; pRefCell 0; pRefValue 0;
    %s
    %s
}
relaxationFactors { fields { "(p|p_rgh)" %g; rho %g; } equations { U %g; "(e|h|T|k|epsilon|omega)" %g; } }
`, n.relTol, n.relTol, yes(n.consistent), yes(n.transonic), n.extra, control, n.relaxP, max(n.relaxRho, 0.01),
		n.relaxU, n.relaxOther))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// turbulenceProperties returns the file for a model, "" for a laminar flow.
func turbulenceProperties(model string) string {
	if model == "" {
		return dictionary("dictionary", "turbulenceProperties", "simulationType laminar;\n")
	}
	return dictionary("dictionary", "turbulenceProperties",
		"simulationType RAS;\nRAS { RASModel "+model+"; turbulence on; printCoeffs off; }\n")
}

// A monitor is a function object that measures on a patch: the words are its kind, its name, the patch (of a volume:
// the field), and the field, or the reference area of a drag.
type monitor struct{ kind, name, patch, field string }

// watch reads monitors.
func watch(texts ...string) (list []monitor) {
	for _, text := range texts {
		var m monitor
		if err := m.UnmarshalText([]byte(text)); err != nil {
			panic(err)
		}
		list = append(list, m)
	}
	return list
}

// UnmarshalText reads a monitor.
func (m *monitor) UnmarshalText(text []byte) error {
	words := append(strings.Fields(string(text)), "")
	if _, known := measures[words[0]]; !known || len(words) < 4 {
		return fmt.Errorf("%q is no monitor", text)
	}
	*m = monitor{words[0], words[1], words[2], strings.Join(words[3:len(words)-1], " ")}
	return nil
}

// measures are the kinds of monitors: forces on a wall in a flow of constant density (force, drag) or of a gas, and
// means and sums of a field.
var measures = map[string]string{
	"force":    "forces); patches (%[3]s); CofR (0 0 0); p p; rho rhoInf; rhoInf 1; pRef 0; ",
	"gasForce": "forces); patches (%[3]s); CofR (0 0 0); p p; U U; rho rho; pRef 1e5; ",
	"forces":   "forces); patches (%[3]s); CofR (0 0 0);  ",
	"drag": "forces); patches (%[3]s); CofR (0 0 0); p p; rho rhoInf; rhoInf 1; liftDir (0 1 0); dragDir (1 0 0); " +
		"pitchAxis (0 0 1); magUInf 1; lRef 1; Aref %[4]s; ",
	"average": "fieldFunctionObjects); regionType patch; name %[3]s; operation areaAverage; fields (%[4]s); " +
		"writeFields false; ",
	"sum":    "fieldFunctionObjects); regionType patch; name %[3]s; operation sum; fields (%[4]s); writeFields false; ",
	"volume": "fieldFunctionObjects); regionType all; operation volAverage; fields (%[3]s); writeFields false; ",
}

// text returns the function object; log is whether it prints into the log.
func (m monitor) text(log bool, every int) string {
	kind := map[string]string{"drag": "forceCoeffs", "average": "surfaceFieldValue", "sum": "surfaceFieldValue",
		"volume": "volFieldValue"}[m.kind]
	return fmt.Sprintf("    %[2]s { type %[1]s; libs ("+measures[m.kind]+"executeControl timeStep; "+
		"executeInterval %[5]d; writeControl timeStep; writeInterval %[5]d; log %[6]s; }\n", cmp.Or(kind, "forces"),
		m.name, m.patch, m.field, every, yes(log))
}
