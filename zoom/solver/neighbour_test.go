package solver

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// fanPoint is a request for throughflow on the E3's fan, on a coarse mesh, with a folder to run in.
func fanPoint(t testing.TB, speed, throttle float64) plugin.Request {
	t.Helper()
	geometry := must.Value(os.ReadFile("../../config/examples/geometry/e3-fan.yaml"))(t)
	d := (&Throughflow{}).Describe()
	return d.WithDefaults(plugin.Request{
		Folder: t.TempDir(),
		Numbers: map[string]float64{machine.InSpeed: speed * 3727.7, machine.InGamma: 1.4, machine.InR: 287.05,
			machine.InThrottle: throttle * 0.2973, "cells_z": 64, "cells_r": 16, "refine": 0.5},
		Arrays: map[string][]float64{
			machine.InSpan:  {0, 1},
			machine.InPt:    {101325, 101325},
			machine.InTt:    {288.15, 288.15},
			machine.InAlpha: {0, 0},
		},
		Texts: map[string]string{machine.InGeometry: string(geometry)},
	})
}

// answer runs throughflow to an end of some class, and returns also what it says beside its iterations.
func answer(t *testing.T, r plugin.Request, class event.Class) (res plugin.Result, said []string) {
	t.Helper()
	res, err := (&Throughflow{}).Run(t.Context(), r, func(e event.Event) {
		if e.Kind == event.Message {
			said = append(said, e.Text)
		}
	})
	if err != nil || res.Class != class {
		t.Fatalf("%s: %s, %v; want %s", res.Class, res.Message, err, class)
	}
	return res, said
}

// with is a request with a file of another's folder as input.
func with(r plugin.Request, input string, other plugin.Request) plugin.Request {
	r.Texts = maps.Clone(r.Texts)
	r.Texts[input] = filepath.Join(other.Folder, march.SolutionFile)
	return r
}

// From a neighbour's solution a run gives the answer that it has without, within what both state, in fewer
// iterations. With a residual that is measured as if there were no neighbour, it does not end at once with the
// neighbour's answer.
func TestNeighbourOfAPoint(t *testing.T) {
	from := fanPoint(t, 1, 1)
	start, _ := answer(t, from, event.Converged)
	point := fanPoint(t, 0.97, 1)
	cold, _ := answer(t, point, event.Converged)
	warm, said := answer(t, with(fanPoint(t, 0.97, 1), plugin.InNeighbour, from), event.Converged)
	if len(said) > 0 {
		t.Error(said)
	}
	t.Logf("%g iterations, %g cold", warm.Numbers["iterations"], cold.Numbers["iterations"])
	if n := warm.Numbers["iterations"]; n < march.WindowLength || n > 0.6*cold.Numbers["iterations"] {
		t.Errorf("%g iterations, %g cold", n, cold.Numbers["iterations"])
	}
	for name, stated := range map[string]string{machine.OutW: machine.OutWError, machine.OutPR: machine.OutPRError,
		machine.OutEff: machine.OutEffError} {
		e, may := math.Abs(warm.Numbers[name]/cold.Numbers[name]-1), warm.Numbers[stated]+cold.Numbers[stated]
		if far := math.Abs(start.Numbers[name]/cold.Numbers[name] - 1); e > may || far < 10*may {
			t.Errorf("%s: %.6g from a neighbour %.2g away, %.6g cold: off by %.2g, stated %.2g", name,
				warm.Numbers[name], far, cold.Numbers[name], e, may)
		}
	}
	// A checkpoint counts more than a neighbour: the run that left it had begun with that.
	on := with(with(fanPoint(t, 0.97, 1), plugin.InNeighbour, from), plugin.InRestart, point)
	on.Numbers["orders"] = 5
	gone, _ := answer(t, on, event.Converged)
	whole := fanPoint(t, 0.97, 1)
	whole.Numbers["orders"] = 5
	want, _ := answer(t, whole, event.Converged)
	if diff := cmp.Diff(want, gone); diff != "" {
		t.Errorf("gone on: differs:\n%s", diff)
	}
}

// A solution of another mesh is refused. Where there is no flow to be found from a neighbour's, the run begins anew
// and ends as one without.
func TestNeighbourThatDoesNotServe(t *testing.T) {
	from := fanPoint(t, 1, 1)
	answer(t, from, event.Converged)
	other := with(fanPoint(t, 1, 1), plugin.InNeighbour, from)
	other.Numbers["cells_r"] = 24
	if _, err := (&Throughflow{}).Run(t.Context(), other, func(event.Event) {}); err == nil ||
		!strings.Contains(err.Error(), "neighbour: ") || !strings.Contains(err.Error(), "32 x 8 cells") {
		t.Errorf("another mesh: %v", err)
	}
	stalled := fanPoint(t, 1, 2.5)
	cold, _ := answer(t, stalled, event.Stalled)
	warm, said := answer(t, with(stalled, plugin.InNeighbour, from), event.Stalled)
	if len(said) != 1 ||
		!strings.HasPrefix(said[0], "begins anew, as it did not settle from its neighbour's flow: stalled: ") {
		t.Fatal(said)
	}
	if diff := cmp.Diff(cold, warm); diff != "" {
		t.Errorf("begun anew: differs:\n%s", diff)
	}
}
