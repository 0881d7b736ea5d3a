package executive_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// TestMain is the main function of a program that zooms: it begins with Serve.
func TestMain(m *testing.M) {
	if os.Getenv(deadEnv) != "" && len(os.Args) > 1 && os.Args[1] == "serve" {
		os.Exit(3)
	}
	executive.Serve()
	os.Exit(m.Run())
}

// deadEnv lets whatever studies start die at once. Its name begins as those of the locale, which
// plugins get.
const deadEnv = "LC_PEREGRINE_TEST_DEAD"

// A watchdog that cannot be had is a fault of the machine, not of the engine.
func TestNoWatchdog(t *testing.T) {
	t.Setenv(deadEnv, "1")
	settings := settings.Settings{Cache: t.TempDir(), Work: t.TempDir(), Launcher: "local", Workers: 1}
	studies := must.Value(executive.NewStudies(settings))(t)
	engine, err := config.Load("testdata/zoomed.yaml", executive.Catalogue(studies.Solvers), nil)
	must.OK(t, err)
	_, err = executive.Run(t.Context(), engine, []string{"cruise"}, executive.Options{Zoomer: studies})
	if !fault.Is(err) || !strings.Contains(err.Error(), "watchdog") {
		t.Errorf("%v", err)
	}
	must.OK(t, studies.Close())
}

// A turbofan whose fan is zoomed by the built-in throughflow solver, on a coarse mesh. The
// main function of a program that does this begins with executive.Serve().
func ExampleNewStudies() {
	folder, err := os.MkdirTemp("", "example")
	check(err)
	defer func() { check(os.RemoveAll(folder)) }()
	settings, err := settings.Load(nil)
	check(err)
	settings.Cache, settings.Work = filepath.Join(folder, "cache"), filepath.Join(folder, "runs") // usually the user's

	studies, err := executive.NewStudies(settings)
	check(err)
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

func check(err error) {
	if err != nil {
		panic(err)
	}
}
