package executive_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/zoomsolve"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// ladderZoomer makes the runs of a known fan, and those of a cheaper solver of it by another fan.
type ladderZoomer struct {
	dear, cheap knownZoomer
	solver      string // the dear one
}

func (z ladderZoomer) Study(ctx context.Context, of *config.Zoom, judge *executive.Judge) (*study.Study, error) {
	if of.Solver == z.solver {
		return z.dear.Study(ctx, of, judge)
	}
	return z.cheap.Study(ctx, of, judge)
}

// zoomLadder runs the cases of an engine zoomed by a known fan, with another as prior.
func zoomLadder(t *testing.T, engine *config.Engine, dear, cheap knownFan, workers int) *result.Results {
	t.Helper()
	by := func(f knownFan) knownZoomer { return knownZoomer{t: t, solver: f, workers: workers} }
	engine.Zooms[0].Priors = []document.Word{{Text: "bladerow"}}
	return must.Value(zoomOn(t, engine, ladderZoomer{by(dear), by(cheap), engine.Zooms[0].Solver}))(t)
}

// Cheaper runs save expensive ones if they are similar. If they are not, or give no answer, the expensive runs are the
// same as without them, and the results as good. They do not depend on the number of workers.
func TestZoomWithPrior(t *testing.T) {
	testenv.Long(t, "ten studies")
	like := smooth
	like.flow = func(n, k float64) float64 { return 1.01 * smooth.flow(n, k) * (1 - 0.02*(k-1.2)) }
	like.eff = func(n, k float64) float64 { return smooth.eff(n, k) - 0.01 + 0.02*(n-1) }
	wrong := smooth
	wrong.flow = func(n, k float64) float64 { return smooth.flow(n, k) * (1 + 0.1*math.Sin(40*n+20*k)) }
	wrong.eff = func(n, k float64) float64 { return 0.8 + 0.08*math.Sin(50*n-30*k) }
	lost := smooth
	lost.lost = 1
	const to = 2e-4
	cases := []float64{1300, 1350, 1400, 1450, 1500}
	alone := zoomKnown(t, knownEngine(t, to, "absolute", cases...), smooth, 2).Cases[0].Zoom["fan"]
	for _, c := range []struct {
		name  string
		cheap knownFan
		most  int
		use   bool
	}{{"like", like, alone.Runs - 1, true}, {"wrong", wrong, alone.Runs + 2, false},
		{"lost", lost, alone.Runs, false}} {
		t.Run(c.name, func(t *testing.T) {
			engine := knownEngine(t, to, "absolute", cases...)
			exact := exactly(t, engine, smooth)
			r := zoomLadder(t, engine, smooth, c.cheap, 2)
			for i, at := range r.Cases {
				z, e := at.Zoom["fan"], trueError(at, exact[i])
				t.Logf("%s: %d runs in %d rounds, %d without, and %d cheap of which %d failed, %v corrected; true "+
					"error %.2g, estimate %.2g", at.Name, z.Runs, z.Rounds, alone.Runs, z.RunsPrior, z.FailedPrior,
					z.Priors, e, z.Error)
				if !at.Converged || e > to || e > z.Error || z.Error > to || z.Runs > c.most || z.RunsPrior < z.Runs ||
					c.use != slices.Contains(z.Priors, "bladerow") {
					t.Errorf("%s: converged %t, error %.2g, estimated %.2g, wanted %.2g, %d runs of %d and %d cheap, "+
						"%v corrected", at.Name, at.Converged, e, z.Error, to, z.Runs, c.most, z.RunsPrior, z.Priors)
				}
			}
			// the wrong ones contradict each other, which is reported
			warnings := slices.DeleteFunc(r.Warnings, func(w result.Warning) bool {
				return c.name == "wrong" && w.Rule == "neighbours_disagree" && strings.Contains(w.Message, "-bladerow")
			})
			if len(warnings) > 0 || c.name == "wrong" && len(warnings) == len(r.Warnings) {
				t.Errorf("warnings: %+v", warnings)
			}
			if !c.use {
				return
			}
			one := zoomLadder(t, engine, smooth, c.cheap, 1)
			for i := range r.Cases {
				if !reflect.DeepEqual(one.Cases[i].Performance, r.Cases[i].Performance) {
					t.Errorf("%s: %+v with one worker, %+v with two", r.Cases[i].Name, one.Cases[i].Performance,
						r.Cases[i].Performance)
				}
			}
		})
	}
}

// A prior that cannot be is refused by its place before anything is solved.
func TestPriorIsChecked(t *testing.T) {
	solvers := must.Value(executive.Solvers(settings.Settings{Launcher: "local"}))(t)
	for _, c := range []struct {
		prior, setting, value, want string
	}{
		{"coarse", "", "", ""},
		{"bladerow", "cells_r", "32", ""}, // a setting of the zoom's own solver alone
		{
			"coarse", "refine", "0.4",
			`zoom.fan.prior: "coarse": on the coarse mesh of throughflow refine is 0.2; it must be 0.25 to 8`,
		},
	} {
		engine := knownEngine(t, 1e-3, "absolute", 1400)
		z := &engine.Zooms[0]
		z.Priors = []document.Word{{Text: c.prior, Pos: document.Pos{Line: 70, Column: 9}}}
		if c.setting != "" {
			z.Settings = config.Values{
				c.setting: {Text: c.value, Num: map[string]float64{"32": 32, "0.4": 0.4}[c.value], Set: true},
			}
		}
		err := zoomsolve.Check(t.Context(), engine, solvers)
		var located *document.Problem
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.prior, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &located) ||
			located.Pos.Line != 70):
			t.Errorf("%s: %v; want %s", c.prior, err, c.want)
		}
	}
}
