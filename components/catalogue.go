package components

import (
	"github.com/peregrine-sim/peregrine/components/control"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
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
	}
	for _, f := range flow.Fields {
		c.Station = append(c.Station, output(f.Quantity))
	}
	for _, q := range quantity.Performance {
		c.Performance = append(c.Performance, output(q))
	}
	for i := range kinds {
		c.Types = append(c.Types, &kinds[i].typ)
	}
	return c
}

func output(q quantity.Quantity) config.Output {
	return config.Output{Name: q.Name, Dim: q.Dim, Doc: q.Doc}
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
