package executive_test

import (
	"os"
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
