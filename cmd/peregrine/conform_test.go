package main

import (
	"maps"
	"os"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// coarseSettings make a run of the built-in solvers a matter of tenths of a second.
var coarseSettings = map[string]plugin.Request{
	"throughflow": {Numbers: map[string]float64{"cells_z": 64, "cells_r": 16}},
	"bladerow":    {Numbers: map[string]float64{"refine": 0.25}, Texts: map[string]string{"model": "euler"}},
}

// solvers are the built-in ones.
func solvers(t *testing.T) *solver.Registry {
	t.Helper()
	return must.Value(executive.Solvers(settings.Settings{Launcher: "local"}))(t)
}

// e3Point asks for a point of the E3's fan near its design.
func e3Point(t *testing.T, coarse plugin.Request, orders, iterations float64) plugin.Request {
	t.Helper()
	geometry := must.Value(os.ReadFile("../../config/examples/geometry/e3-fan.yaml"))(t)
	r := plugin.Request{
		Numbers: map[string]float64{
			machine.InSpeed: 3727.7, machine.InGamma: 1.4, machine.InR: 287.05, machine.InThrottle: 0.29,
			"orders":         orders,
			"max_iterations": iterations,
		},
		Arrays: map[string][]float64{
			machine.InSpan: {
				0,
				1,
			}, machine.InPt: {101325, 101325}, machine.InTt: {288.15, 288.15}, machine.InAlpha: {0, 0},
		},
		Texts: map[string]string{machine.InGeometry: string(geometry)},
	}
	maps.Copy(r.Numbers, coarse.Numbers)
	maps.Copy(r.Texts, coarse.Texts)
	return r
}

// The built-in solvers do all that is asked of a plugin, with the same blades and the
// same boundary conditions.
func TestBuiltInSolversConform(t *testing.T) {
	testenv.Long(t, "runs each solver a dozen times")
	t.Parallel()
	orders := map[string]float64{"throughflow": 4, "bladerow": 2}
	for name, coarse := range coarseSettings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := must.Value(solvers(t).Program(t.Context(), name))(t)
			mock.Conform(t, mock.Subject{
				Program: program,
				Quick:   e3Point(t, coarse, orders[name], 4000),
				Long:    e3Point(t, coarse, 14, 1e7),
				Grace:   5 * time.Second, Whole: true,
			})
		})
	}
}
