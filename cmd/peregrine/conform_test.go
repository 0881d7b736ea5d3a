package main

import (
	"os"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugintest"
)

// The built-in solver does all that is asked of a plugin.
func TestThroughflowConforms(t *testing.T) {
	geometry, err := os.ReadFile("../../config/examples/geometry/e3-fan.yaml")
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	point := func(orders, iterations float64) plugin.Request {
		return plugin.Request{
			Numbers: map[string]float64{
				zoom.InSpeed: 3727.7, zoom.InGamma: 1.4, zoom.InR: 287.05, zoom.InThrottle: 0.29,
				"cells_z": 64, "cells_r": 16, "orders": orders, "max_iterations": iterations,
			},
			Arrays: map[string][]float64{
				zoom.InSpan: {0, 1}, zoom.InPt: {101325, 101325}, zoom.InTt: {288.15, 288.15}, zoom.InAlpha: {0, 0},
			},
			Texts: map[string]string{zoom.InGeometry: string(geometry)},
		}
	}
	plugintest.Conform(t, plugintest.Subject{
		Launcher: zoom.Launcher{Command: []string{exe, "serve", "solver", "throughflow"}},
		Quick:    point(4, 4000),
		Long:     point(14, 1e7),
		Grace:    5 * time.Second,
	})
}
