package config_test

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// catalogue is a small one, enough for a turbofan with mixed flow, cooling and two spools.
func catalogue() *config.Catalogue {
	in := config.Port{Name: "in", Kind: config.Flow, Dir: config.In, Doc: "inlet"}
	out := config.Port{Name: "out", Kind: config.Flow, Dir: config.Out, Doc: "outlet"}
	port := func(name string, dir config.Direction) config.Port {
		return config.Port{Name: name, Kind: config.Flow, Dir: dir}
	}
	bleedOut := config.Port{Name: "bleed", Kind: config.Flow, Dir: config.Out, Optional: true, Bleed: true}
	cooling := config.Port{Name: "cooling", Kind: config.Flow, Dir: config.In, Optional: true, Bleed: true}
	rotor := config.Port{Name: "rotor", Kind: config.Flow, Dir: config.Out, Internal: true,
		Doc: "rotor inlet, station 41"}
	takes := config.Port{Name: "shaft", Kind: config.Shaft, Dir: config.In}
	gives := config.Port{Name: "shaft", Kind: config.Shaft, Dir: config.Out}
	eff := config.Param{Name: "eff", Dim: unit.None, Required: true, Max: 1, Doc: "adiabatic efficiency"}
	pr := config.Param{Name: "PR", Dim: unit.None, Default: 2.0, Min: 0.5, Max: 100, Doc: "pressure ratio"}
	file := config.Param{Name: "map", Kind: config.File, Doc: "performance map"}
	loss := config.Param{
		Name: "dPqP", Dim: unit.None, Default: 0.0, Max: 1, Doc: "pressure loss, fraction of the inlet total pressure",
	}
	prOut := config.Output{Name: "PR", Dim: unit.None}
	smn := config.Output{Name: "SMN", Dim: unit.None}
	return &config.Catalogue{
		Types: []*config.Type{
			{Name: "ambient", Doc: "Ambient is the standard atmosphere.", Ports: []config.Port{out},
				Params: []config.Param{
					{Name: "altitude", Dim: unit.Length, Default: 0.0, Min: -2000, Max: 30000,
						Doc: "geopotential altitude"},
					{Name: "mach", Dim: unit.None, Default: 0.0, Max: 5, Doc: "flight Mach number"},
					{Name: "dTs", Dim: unit.TemperatureDiff, Default: 0.0, Doc: "difference from the standard day"},
					{Name: "W", Dim: unit.MassFlow, Default: 100.0, Max: math.Inf(1), Doc: "mass flow"},
					{Name: "Ps", Dim: unit.Pressure, Max: math.Inf(1), Doc: "static pressure"},
				}},
			{Name: "inlet", Ports: []config.Port{in, out}, Params: []config.Param{
				{Name: "ram_recovery", Dim: unit.None, Default: 1.0, Max: 1},
			}, Outputs: []config.Output{{Name: "Fram", Dim: unit.Force}}},
			{
				Name: "fan", Ports: []config.Port{in, port("core", config.Out), port("bypass", config.Out), takes,
					bleedOut},
				Params:  []config.Param{pr, eff, file, {Name: "BPR", Dim: unit.None, Default: 5.0, Max: 30}},
				Outputs: []config.Output{prOut, smn}},
			{Name: "compressor", Ports: []config.Port{in, out, takes, bleedOut}, Params: []config.Param{pr, eff, file},
				Outputs: []config.Output{prOut, smn}},
			{Name: "duct", Ports: []config.Port{in, out}, Params: []config.Param{loss}},
			{Name: "burner", Ports: []config.Port{in, out}, Params: []config.Param{loss,
				{Name: "FAR", Dim: unit.None, Default: 0.02, Max: 0.2, Doc: "fuel-air ratio"},
				{Name: "eff", Dim: unit.None, Default: 1.0, Min: 0.5, Max: 1}},
				Outputs: []config.Output{{Name: "Wf", Dim: unit.MassFlow, By: "FAR", Max: 1e3}}},
			{Name: "turbine", Ports: []config.Port{in, out, gives, cooling, rotor}, Params: []config.Param{eff, file,
				{Name: "PR", Dim: unit.None, Default: 3.0, Min: 1, Max: 50}}, Outputs: []config.Output{prOut}},
			{Name: "mixer", Ports: []config.Port{port("core", config.In), port("bypass", config.In), out}},
			{Name: "nozzle", Ports: []config.Port{in}, Params: []config.Param{
				{Name: "kind", Kind: config.Word, Words: []string{"convergent", "convergent-divergent"},
					Default: "convergent"},
				{Name: "Cv", Dim: unit.None, Default: 1.0, Min: 0.5, Max: 1},
				{Name: "vented", Kind: config.Flag, Default: false},
			}, Outputs: []config.Output{{Name: "Fg", Dim: unit.Force}}},
		},
		Shaft: &config.Type{Name: "shaft", Params: []config.Param{
			{Name: "N", Dim: unit.Speed, Required: true, Max: 1e6, Doc: "speed"},
			{Name: "inertia", Dim: unit.Inertia, Default: 1.0, Max: 1e6},
		}, Outputs: []config.Output{{Name: "power", Dim: unit.Power}}},
		Bleed: &config.Type{Name: "bleed", Params: []config.Param{
			{Name: "W", Dim: unit.None, Required: true, Max: 0.5, Doc: "fraction of the inlet flow"},
			{Name: "at", Kind: config.Word, Words: []string{"exit", "stage"}, Default: "exit"},
		}},
		Station: []config.Output{{Name: "W", Dim: unit.MassFlow}, {Name: "Pt", Dim: unit.Pressure},
			{Name: "Tt", Dim: unit.Temperature}},
		Performance: []config.Output{{Name: "Fn", Dim: unit.Force}, {Name: "TSFC", Dim: unit.TSFC},
			{Name: "OPR", Dim: unit.None}},
		Solvers:   []string{"throughflow", "bladerow"},
		Launchers: []string{"local", "cluster", "desks"},
		Builtin:   []string{"throughflow", "bladerow"},
		Controls:  controls(),
	}
}

// controls are some kinds of control.
func controls() []*config.ControlType {
	number := func(name string, dim unit.Dimension) config.Param {
		return config.Param{Name: name, Kind: config.Number, Dim: dim}
	}
	lag := config.Param{Name: "lag", Dim: unit.Time, Required: true, Min: 1e-6, Max: 1e6}
	of := config.ControlInput{Name: "of", Required: true}
	return []*config.ControlType{
		{Type: config.Type{Name: "input", Params: []config.Param{number("value", config.LikeOutput)}}, Unit: true},
		{Type: config.Type{Name: "sensor", Params: []config.Param{number("bias", config.LikeInput)}},
			Inputs: []config.ControlInput{of}, Same: true},
		{
			Type: config.Type{
				Name: "actuator",
				Params: []config.Param{lag, number("min", config.LikeOutput), number("max", config.LikeOutput),
					number("rate", config.LikeChange)},
			},
			Inputs: []config.ControlInput{of}, Same: true, Check: moves("rate")},
		{
			Type: config.Type{
				Name: "pi", Params: []config.Param{number("gain", unit.None), number("integral", unit.None),
					number("tracking", unit.Time),
					{Name: "windup", Kind: config.Word, Words: []string{"back-calculation", "clamping"}}}},
			Inputs: []config.ControlInput{of, {Name: "demand", Required: true}}, Alike: true, Unit: true,
			Check: controlsSomething},
		{Type: config.Type{Name: "table"}, Inputs: []config.ControlInput{of, {Name: "by"}}, Table: true, Unit: true},
		{Type: config.Type{Name: "min"}, Inputs: []config.ControlInput{{Name: "of", Required: true, Many: true}},
			Same: true},
		{Type: config.Type{Name: "formula"}, Formula: true, Unit: true},
	}
}

// moves refuses a number that is there and not above 0.
func moves(name string) func(config.Values) []config.Fault {
	return func(v config.Values) []config.Fault {
		if p := v[name]; p.Set && !(p.Num > 0) {
			return []config.Fault{{Param: name, Message: "must be above 0"}}
		}
		return nil
	}
}

func controlsSomething(v config.Values) []config.Fault {
	if v["gain"].Num == 0 && v["integral"].Num == 0 {
		return []config.Fault{{Message: "gain and integral are both zero"}}
	}
	return nil
}
