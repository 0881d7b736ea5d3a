package components

import (
	"github.com/peregrine-sim/peregrine/components/control"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// kind joins a type's description to its maker.
type kind struct {
	typ  config.Type
	make func() Component
}

// kinds in the order of the documentation.
var kinds = []kind{
	ambientKind, inletKind, splitterKind, fanKind, compressorKind, ductKind,
	burnerKind, turbineKind, mixerKind, nozzleKind,
	volumeKind, gearboxKind, loadKind, generatorKind, motorKind, propellerKind, exchangerKind,
}

// Catalogue describes every component, for reading engine files. It names no flow solvers:
// whoever knows some adds their names.
func Catalogue() *config.Catalogue {
	c := &config.Catalogue{
		Shaft:    &shaftType,
		Bus:      &busType,
		Bleed:    &bleedType,
		Controls: control.Types(),
		Station: []config.Output{
			{Name: "W", Dim: unit.MassFlow, Doc: "mass flow"},
			{Name: "Pt", Dim: unit.Pressure, Doc: "total pressure"},
			{Name: "Tt", Dim: unit.Temperature, Doc: "total temperature"},
			{Name: "ht", Dim: unit.SpecificEnergy, Doc: "total enthalpy, absolute"},
			{Name: "FAR", Dim: unit.None, Doc: "fuel-air ratio"},
			{Name: "Wc", Dim: unit.MassFlow, Doc: "corrected flow"},
			{Name: "Ps", Dim: unit.Pressure, Doc: "static pressure"},
			{Name: "Ts", Dim: unit.Temperature, Doc: "static temperature"},
			{Name: "MN", Dim: unit.None, Doc: "Mach number"},
			{Name: "A", Dim: unit.Area, Doc: "flow area"},
		},
		Performance: []config.Output{
			{Name: "Fn", Dim: unit.Force, Doc: "net thrust"},
			{Name: "Fg", Dim: unit.Force, Doc: "gross thrust"},
			{Name: "Fram", Dim: unit.Force, Doc: "ram drag"},
			{Name: "TSFC", Dim: unit.TSFC, Doc: "thrust-specific fuel consumption"},
			{Name: "Wf", Dim: unit.MassFlow, Doc: "fuel flow"},
			{Name: "OPR", Dim: unit.None, Doc: "overall pressure ratio, burner inlet to inlet exit"},
			{Name: "BPR", Dim: unit.None, Doc: "bypass ratio: flow that passes no burner to flow that does, at the engine face and the core compressor"},
			{Name: "power", Dim: unit.Power, Doc: "shaft power that leaves the engine"},
			{Name: "PSFC", Dim: unit.PSFC, Doc: "power-specific fuel consumption"},
		},
	}
	for i := range kinds {
		c.Types = append(c.Types, &kinds[i].typ)
	}
	return c
}

// Parts of descriptions that several components share.
var (
	flowIn  = config.Port{Name: "in", Kind: config.Flow, Dir: config.In, Doc: "flow in"}
	flowOut = config.Port{Name: "out", Kind: config.Flow, Dir: config.Out, Doc: "flow out"}

	drivenShaft  = config.Port{Name: "shaft", Kind: config.Shaft, Dir: config.In, Doc: "the shaft that drives it"}
	drivingShaft = config.Port{Name: "shaft", Kind: config.Shaft, Dir: config.Out, Doc: "the shaft that it drives"}

	exitMN = config.Param{Name: "MN", Dim: unit.None, Max: 1, Doc: "Mach number at the exit at design, from which its area and all statics follow"}
)

func number(name string, dim unit.Dimension, def any, min, max float64, doc string) config.Param {
	return config.Param{Name: name, Kind: config.Number, Dim: dim, Default: def, Min: min, Max: max, Doc: doc}
}

func required(p config.Param) config.Param {
	p.Required = true
	return p
}
