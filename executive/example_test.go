package executive_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// An engine file is opened, and two of its cases are solved.
func Example() {
	engine, err := config.Load("../config/examples/turbofan.yaml", components.Catalogue(), nil)
	check(err)
	results, err := executive.Run(context.Background(), engine, []string{"cruise", "takeoff"}, executive.Options{})
	check(err)
	for _, c := range results.Cases {
		fmt.Printf("%s: converged %t, Fn %.1f kN, TSFC %.1f g/(kN s), T41 %.0f K\n", c.Name, c.Converged,
			c.Performance.Fn/1e3, 1e6*c.Performance.TSFC, c.Stations["hpt.rotor"].Tt)
	}
	// Output:
	// cruise: converged true, Fn 22.2 kN, TSFC 18.7 g/(kN s), T41 1450 K
	// takeoff: converged true, Fn 90.8 kN, TSFC 11.0 g/(kN s), T41 1600 K
}

// A throttle sweep that the engine file describes, over fewer points.
func Example_sweep() {
	engine, err := config.Load("../config/examples/turbofan.yaml", components.Catalogue(), nil)
	check(err)
	opened, err := session.Open(context.Background(), engine)
	check(err)
	throttle := engine.Sweep("throttle")
	throttle.Over[0].Values, throttle.Over[1].Values = []float64{0.8}, []float64{20e3, 15e3, 10e3} // Mach number, N
	result, err := sweep.Solve(context.Background(), opened, throttle, sweep.Options{})
	check(err)
	for _, row := range result.Rows {
		fmt.Printf("Fn %.0f kN: converged %t, TSFC %.1f g/(kN s)\n", row.Values[1]/1e3, row.Converged,
			1e6*row.Values[2])
	}
	// Output:
	// Fn 20 kN: converged true, TSFC 18.5 g/(kN s)
	// Fn 15 kN: converged true, TSFC 18.4 g/(kN s)
	// Fn 10 kN: converged true, TSFC 19.3 g/(kN s)
}

// A throttle slam: the file has an inertia, an operating point to start from, and fuel flow over time.
func Example_transient() {
	engine, err := config.Load("../config/examples/turbojet-slam.yaml", components.Catalogue(), nil)
	check(err)
	results, err := executive.Run(context.Background(), engine, []string{"slam"}, executive.Options{})
	check(err)
	h := results.Cases[0].History
	n, wf, smn := h.Column("shafts.spool.N"), h.Column("performance.Wf"), h.Column("compressor.SMN")
	for i, t := range h.T {
		if math.Mod(t, 5) == 0 {
			fmt.Printf("%g s: Wf %.2f kg/s, N %.0f rpm, SMN %.0f %%\n", t, wf[i], n[i], smn[i])
		}
	}
	// Output:
	// 0 s: Wf 0.25 kg/s, N 6400 rpm, SMN 100 %
	// 0 s: Wf 0.25 kg/s, N 6400 rpm, SMN 100 %
	// 5 s: Wf 1.26 kg/s, N 8054 rpm, SMN 20 %
	// 10 s: Wf 1.26 kg/s, N 8070 rpm, SMN 20 %
	// 15 s: Wf 0.32 kg/s, N 6966 rpm, SMN 74 %
	// 20 s: Wf 0.25 kg/s, N 6457 rpm, SMN 99 %
	// 25 s: Wf 0.25 kg/s, N 6407 rpm, SMN 100 %
}

// newStudies returns studies whose cache and run folders are in a folder that the caller removes; usually they are the
// user's.
func newStudies() (studies *executive.Studies, folder string) {
	folder, err := os.MkdirTemp("", "example")
	check(err)
	settings, err := settings.Load(nil)
	check(err)
	settings.Cache, settings.Work = filepath.Join(folder, "cache"), filepath.Join(folder, "runs")
	studies, err = executive.NewStudies(settings)
	check(err)
	return studies, folder
}

// A turbofan whose fan is zoomed by the built-in throughflow solver, on a coarse mesh. The main function of a program
// that does this begins with executive.Serve().
func ExampleNewStudies() {
	studies, folder := newStudies()
	defer func() { check(os.RemoveAll(folder)) }()
	defer func() { check(studies.Close()) }()
	engine, err := config.Load("testdata/zoomed.yaml", executive.Catalogue(studies.Solvers), nil)
	check(err)
	results, err := executive.Run(context.Background(), engine, []string{"cruise"}, executive.Options{Zoomer: studies})
	check(err)
	for _, c := range results.Cases {
		fan := c.Zoom["fan"]
		fmt.Printf("%s: converged %t, fan by %s\n", c.Name, c.Converged, fan.Fidelity)
		fmt.Printf("%d runs, of which %d failed; thrust %.1f kN, %.1f kN without zoom\n", fan.Runs, fan.Failed,
			c.Performance.Fn/1000, c.Unzoomed.Performance.Fn/1000)
	}
	// Output:
	// cruise: converged true, fan by throughflow 2, axisymmetric Euler with blade forces
	// 3 runs, of which 0 failed; thrust 41.0 kN, 41.0 kN without zoom
}

// The events of a study while it runs: a run ends, a map is made, a case is solved on it. Runs end in any order.
func Example_follow() {
	studies, folder := newStudies()
	defer func() { check(os.RemoveAll(folder)) }()
	defer func() { check(studies.Close()) }()
	studies.Log = studylog.New(nil, func(e event.Event) {
		switch e.Kind {
		case event.Ended:
			fmt.Println("run", e.Run, e.Class)
		case event.Map:
			fmt.Printf("map %s of %.0f runs\n", e.Name, e.Values["runs"])
		case event.Engine:
			fmt.Println("case", e.Case, e.Class)
		}
	})
	engine, err := config.Load("testdata/zoomed.yaml", executive.Catalogue(studies.Solvers), nil)
	check(err)
	_, err = executive.Run(context.Background(), engine, []string{"cruise"}, executive.Options{Zoomer: studies})
	check(err)
	// Unordered output:
	// run fan-n100.0-k+01 converged
	// run fan-n100.0-k+02 converged
	// run fan-n100.0-k+03 converged
	// map fan of 3 runs
	// case cruise converged
}
