package executive_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// hastyFan is a known fan whose runs end before they have settled: flow and efficiency are short of it by lacks,
// relative, at 4 orders, and a tenth of that with each order more, but by no less than floor.
type hastyFan struct {
	knownFan
	lacks, floor float64
}

func (f hastyFan) Describe() plugin.Description {
	d := f.knownFan.Describe()
	four, most := 4.0, 14.0
	d.Settings = append(d.Settings, plugin.Quantity{Name: run.Orders, Shape: plugin.Scalar, Default: &four,
		Max: &most})
	for _, name := range []string{machine.OutWError, machine.OutPRError, machine.OutEffError} {
		d.Outputs = append(d.Outputs, plugin.Quantity{Name: name, Shape: plugin.Scalar})
	}
	return d
}

func (f hastyFan) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	lack := max(f.lacks*math.Pow(10, 4-r.Numbers[run.Orders]), f.floor)
	hasty := f.knownFan
	hasty.flow = func(n, k float64) float64 { return f.flow(n, k) * (1 - lack/4) }
	hasty.eff = func(n, k float64) float64 { return f.eff(n, k) * (1 - lack) }
	out, err := hasty.Run(ctx, r, emit)
	if err == nil && out.Class == event.Converged {
		out.Numbers[machine.OutWError], out.Numbers[machine.OutPRError] = 1.5*lack/4, 1.5*lack/2
		out.Numbers[machine.OutEffError] = 1.5 * lack
	}
	return out, err
}

// Unconverged runs are part of the error; if they are a large part, they continue until they are not. The true error
// stays within the estimate and within the wanted error.
func TestUnfinishedRunsGoOn(t *testing.T) {
	const to = 2e-4
	fan := hastyFan{smooth, 1e-3, 0}
	for _, scale := range []string{"absolute", "design"}[:enginetest.Trials(t, 1, 2, 2)] {
		engine := knownEngine(t, to, scale, 1350, 1400, 1450)
		exact := exactly(t, engine, smooth)
		r := zoomKnown(t, engine, fan, 2)
		for i, at := range r.Cases {
			z, e := at.Zoom["fan"], trueError(at, exact[i])
			t.Logf("%s, %s: %d runs in %d rounds, true error %.2g, estimate %.2g by %+v", scale, at.Name, z.Runs,
				z.Rounds, e, z.Error, *z.Causes)
			if e > z.Error || z.Error > to {
				t.Errorf("%s, %s: true error %.2g, estimated %.2g, wanted %.2g", scale, at.Name, e, z.Error, to)
			}
			if z.Causes.Convergence == 0 || z.Causes.Convergence > to {
				t.Errorf("%s, %s: %.2g of it by convergence", scale, at.Name, z.Causes.Convergence)
			}
		}
		other := zoomKnown(t, engine, fan, 1)
		for i, at := range r.Cases {
			if a, b := at.Performance.Fn, other.Cases[i].Performance.Fn; a != b {
				t.Errorf("%s, %s: %v N by two runs at a time, %v by one", scale, at.Name, a, b)
			}
		}
	}
}

// Without an error that is wanted, the error is stated, and its greatest cause.
func TestUnfinishedRunsAreStated(t *testing.T) {
	testenv.Long(t, "two studies and a grid")
	fan := hastyFan{smooth, 1e-3, 0}
	engine := knownEngine(t, 1e-2, "absolute", 1350, 1400, 1450)
	exact := exactly(t, engine, smooth)
	r := zoomKnown(t, engine, fan, 2)
	for i, at := range r.Cases {
		if z, e := at.Zoom["fan"], trueError(at, exact[i]); e > z.Error || z.Causes.Convergence < 3e-4 {
			t.Errorf("%s: true error %.2g, estimated %.2g by %+v", at.Name, e, z.Error, *z.Causes)
		}
	}
	engine = knownEngine(t, 0, "absolute", 1350, 1400, 1450)
	engine.Zooms[0].Runs = 8
	fan.lacks = 4e-3 // more than lies between the lines
	for _, at := range zoomKnown(t, engine, fan, 2).Cases {
		if z := at.Zoom["fan"]; z.Error < 6e-3 || z.Causes.Convergence != z.Error ||
			z.Causes.Greatest() != "incomplete convergence of runs" {
			t.Errorf("%s: estimated %.2g by %+v", at.Name, z.Error, *z.Causes)
		}
	}
}

// A solver that cannot converge to the wanted error is reported, with its limit; so is a solver whose runs do not
// balance.
func TestRunsThatSettleNoFurther(t *testing.T) {
	testenv.Long(t, "two studies of sixteen runs")
	noisy := smooth
	noisy.noise = 3e-4
	for _, c := range []struct {
		fan  plugin.Solver
		to   float64
		said func(*result.ErrorCauses) string
	}{
		{
			hastyFan{smooth, 1e-3, 4e-4}, 1e-4,
			func(*result.ErrorCauses) string { return "the solver's runs settle to 0.1 % of it and no further" },
		},
		{noisy, 1e-5, func(by *result.ErrorCauses) string {
			return fmt.Sprintf("mass and energy of the solver's runs balance to %.2g %% of it and no better",
				100*by.Balance)
		}},
	} {
		engine := knownEngine(t, c.to, "absolute", 1350, 1450)
		exact := exactly(t, engine, smooth)
		r := zoomKnown(t, engine, c.fan, 2)
		for i, at := range r.Cases {
			z, e := at.Zoom["fan"], trueError(at, exact[i])
			t.Logf("%s: %d runs, true error %.2g, estimated %.2g by %+v: %s", at.Name, z.Runs, e, z.Error, *z.Causes,
				z.Message)
			if e > z.Error || z.Error < 1e-4 || !strings.Contains(z.Message, c.said(z.Causes)) || z.Runs > 16 {
				t.Errorf("%s: %d runs, true error %.2g, estimated %.2g: %q", at.Name, z.Runs, e, z.Error, z.Message)
			}
		}
		if len(r.Warnings) != 2 || r.Warnings[0].Rule != "zoom_error_large" {
			t.Errorf("warnings: %v", r.Warnings)
		}
	}
}
