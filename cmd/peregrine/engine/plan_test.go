package engine

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A command says first what it will do, and last where that is.
func TestPlan(t *testing.T) {
	cfg := must.Value(config.Load("../../../config/examples/e3.yaml", components.Catalogue(), nil))(t)
	var b strings.Builder
	sayPlan(&b, cfg, []string{"max_climb", "takeoff"}, cfg.Zooms, &settings.Settings{Launcher: "local", Workers: 2})
	grid := config.Zoom{Component: "hpc", Solver: "bladerow", Runs: 6, Most: 20}
	sayPlan(&b, cfg, nil, []config.Zoom{grid}, &settings.Settings{Launcher: "cluster"})
	sayStudy(&b, "/home/user/my\nruns/e3-1", true)
	const names = "component, corrected speed in % of design (n), throttle\n" +
		"  (k: logarithm of its ratio to the open throttle) or flow (w: in kg/s), orders of magnitude by\n" +
		"  which the residual falls (o)\n"
	want := "e3.yaml: 2 cases: max_climb, takeoff\n" +
		"zoom of fan by throughflow: at least 1 run, then rounds of at most 4 until the estimated error is\n" +
		"  below 0.1 %; answers in the cache are not computed again; on this machine, 2 runs at a time\n" +
		"runs are named as fan-n092.771-k+00.7011-o6: " + names +
		"e3.yaml: 0 cases:\n" +
		"zoom of hpc by bladerow: at least 6 runs, as many on each speed line near a case, at most 20 in all;\n" +
		"  answers in the cache are not computed again; on launcher cluster\n" +
		"runs are named as hpc-n092.771-k+00.7011-o6: " + names +
		"study e3-1, with results, log and runs: /home/user/my\\x0aruns/e3-1\n" +
		"next: peregrine report e3-1 (its page), peregrine runs list e3-1 (how each run ended)\n"
	must.Equal(t, b.String(), want)
}
