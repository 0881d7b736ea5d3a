package solver

// A solver with configured faults, for demonstrations and tests of the handling of failed runs. Any other point is
// computed by throughflow. NASA's prototype of 1994 showed such a case: of 32 runs of a fan, spread over workstations,
// some were lost.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

var faultyEntry = builtin{
	name: "faulty", make: func() plugin.Solver { return &Faulty{} },
	files: []string{"faulty.go", "marching.go", "throughflow.go"}, packages: []string{"zoom/solver/throughflow"},
	version: "1", sources: "cddcbecc1e90bdb9",
}

// Faulty is throughflow with faults.
type Faulty struct{ Throughflow }

// faults is the setting that names the failing runs and their faults.
const faults = "faults"

// faultWords lists the faults, by the class of the failed run.
var faultWords = []event.Class{
	event.Killed, event.Crashed, event.Hung, event.Timeout, event.Diverged, event.Stalled, event.NotConverged,
	event.BadOutput,
}

// Describe implements plugin.Solver.
func (f *Faulty) Describe() plugin.Description {
	d := f.Throughflow.Describe()
	d.Name, d.Version = faultyEntry.name, faultyEntry.version
	d.Fidelity += ", with faults"
	d.Settings = append(d.Settings,
		plugin.Quantity{
			Name: faults, Shape: plugin.Text,
			Doc: "which runs fail, and how, such as n095.0-k+01 killed, n100.0-k-02 hung once: the end of the run's " +
				"name, " +
				spell.List(textsOf(faultWords), "or") + ", and once if the run succeeds when it is tried again"})
	return d
}

func textsOf(classes []event.Class) (texts []string) {
	return convert.All(classes, func(c event.Class) string { return string(c) })
}

// faultOf returns the fault of a run in a text; empty: none.
func faultOf(text, run string) (event.Class, error) {
	name, _, repeated := strings.Cut(run, "~")
	var found event.Class
	for _, part := range strings.Split(text, ",") {
		words := strings.Fields(part)
		switch {
		case len(words) == 0 && text == "":
			return "", nil
		case len(words) < 2 || len(words) > 3 || len(words) == 3 && words[2] != "once" ||
			!slices.Contains(faultWords, event.Class(words[1])):
			return "", fmt.Errorf(
				"%s: %q: want the end of a run's name and one of %s, as in n095.0-k+01 killed, and perhaps once",
				faults, strings.TrimSpace(part), spell.List(textsOf(faultWords), "or"))
		case (name == words[0] || strings.HasSuffix(name, "-"+words[0])) && !(repeated && len(words) == 3):
			found = event.Class(words[1])
		}
	}
	return found, nil
}

// textProblem reports a text of a setting that the solver does not understand.
func (*Faulty) textProblem(name, text string) error {
	if name != faults {
		return nil
	}
	_, err := faultOf(text, "")
	return err
}

// Run implements plugin.Solver.
func (f *Faulty) Run(ctx context.Context, req plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	fault, err := faultOf(req.Texts[faults], req.Run)
	if err != nil || fault == "" {
		if err != nil {
			return plugin.Result{}, err
		}
		return f.Throughflow.Run(ctx, req, emit)
	}
	residual := 1.0
	report := func(n int, factor float64) {
		residual *= factor
		emit(event.Event{
			Kind: event.Iteration, Values: map[string]float64{"iteration": float64(n), "residual": residual},
		})
	}
	for n := range 5 {
		report(20*n, 0.5)
	}
	return f.fail(ctx, fault, report)
}

// fail ends a run that has begun.
func (f *Faulty) fail(ctx context.Context, fault event.Class,
	report func(n int, factor float64)) (plugin.Result, error) {
	switch fault {
	case event.Killed:
		process.KillSelf()
	case event.Crashed:
		return plugin.Result{}, errors.New("floating-point exception in the fifth report")
	case event.Hung:
		select {} // not even the command to stop is heard
	case event.Timeout:
		for n := 5; ctx.Err() == nil; n++ {
			report(20*n, 1)
			_ = clock.Sleep(ctx, clock.Real, 100*time.Millisecond)
		}
		return plugin.Result{Class: event.Killed, Message: "stopped on command"}, nil
	case event.Diverged:
		for n := range 20 {
			report(100+20*n, 3)
		}
		return plugin.Result{
			Class: event.Diverged, Message: "the residual grew by nine orders of magnitude in 400 iterations",
		}, nil
	case event.Stalled:
		return plugin.Result{Class: event.Stalled, Message: "the flow reversed at the casing"}, nil
	case event.NotConverged:
		return plugin.Result{
			Class: event.NotConverged, Message: "the residual fell by 1.5 orders of magnitude in 100 iterations",
		}, nil
	}
	return plugin.Result{Class: event.Converged, Numbers: map[string]float64{machine.OutEff: math.NaN()}}, nil
}
