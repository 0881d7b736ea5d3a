// Package quantity is the table of the common quantities of all solutions: at each station and of the engine as a
// whole. Catalogue, paths, limits, rules, tables, CSV heads, JSON and help pages take names, dimensions and sentences
// from it. The declarations of the components have the quantities that only they compute.
package quantity

import "github.com/peregrine-sim/peregrine/config/unit"

// Quantity is a column of a solution.
type Quantity struct {
	Name string         // as in files and paths (SAE AS6502)
	Dim  unit.Dimension // its SI unit is that of bare numbers
	Doc  string         // a sentence without full stop
}

// At a flow station.
var (
	W   = Quantity{"W", unit.MassFlow, "mass flow"}
	Pt  = Quantity{"Pt", unit.Pressure, "total pressure"}
	Tt  = Quantity{"Tt", unit.Temperature, "total temperature"}
	Ht  = Quantity{"ht", unit.SpecificEnergy, "total enthalpy, absolute"}
	FAR = Quantity{"FAR", unit.None, "fuel-air ratio"}
	WAR = Quantity{"WAR", unit.None, "water-air ratio"}
	Wc  = Quantity{"Wc", unit.MassFlow, "corrected flow"}
	Ps  = Quantity{"Ps", unit.Pressure, "static pressure"}
	Ts  = Quantity{"Ts", unit.Temperature, "static temperature"}
	MN  = Quantity{"MN", unit.None, "Mach number"}
	A   = Quantity{"A", unit.Area, "flow area"}
	V   = Quantity{"V", unit.Velocity, "velocity"}
)

// Of the engine as a whole.
var (
	Fn   = Quantity{"Fn", unit.Force, "net thrust"}
	Fg   = Quantity{"Fg", unit.Force, "gross thrust"}
	Fram = Quantity{"Fram", unit.Force, "ram drag"}
	TSFC = Quantity{"TSFC", unit.TSFC, "thrust-specific fuel consumption"}
	Wf   = Quantity{"Wf", unit.MassFlow, "fuel flow"}
	OPR  = Quantity{"OPR", unit.None, "overall pressure ratio, burner inlet to inlet exit"}
	BPR  = Quantity{
		"BPR", unit.None,
		"bypass ratio: flow that passes no burner to flow that does, at the engine face and the core compressor",
	}
	Power = Quantity{"power", unit.Power, "shaft power that leaves the engine"}
	PSFC  = Quantity{"PSFC", unit.PSFC, "power-specific fuel consumption"}
)

// Performance are the quantities of the engine as a whole, in the order of tables. Those of a station are flow.Fields
// of package components/flow, which can read them.
var Performance = []Quantity{Fn, Fg, Fram, TSFC, Wf, OPR, BPR, Power, PSFC}
