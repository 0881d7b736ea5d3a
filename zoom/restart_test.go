package zoom

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// hasty is the known fan whose runs end before they have settled: efficiency lacks 1e-3 at 4 orders, and a tenth with
// each more. Its answers, and so its solutions, have a trace of the neighbour's efficiency.
type hasty struct{}

func (hasty) Describe() plugin.Description {
	list := func(shape plugin.Shape, names ...string) (out []plugin.Quantity) {
		for _, name := range names {
			out = append(out, plugin.Quantity{Name: name, Shape: shape})
		}
		return out
	}
	four := 4.0
	return plugin.Description{
		Name: "hasty", Version: "1", Fidelity: "known",
		Inputs: slices.Concat(
			list(plugin.Text, machine.InGeometry),
			list(plugin.Scalar, machine.InSpeed, machine.InGamma, machine.InR, machine.InThrottle),
			list(
				plugin.Profile,
				machine.InSpan,
				machine.InPt,
				machine.InTt,
				machine.InAlpha,
			),
			list(plugin.FileName, plugin.InNeighbour),
		),
		Settings: []plugin.Quantity{{Name: run.Orders, Shape: plugin.Scalar, Default: &four}},
		Outputs: slices.Concat(
			list(plugin.Scalar, machine.OutW, machine.OutMass, machine.OutEnergy, machine.OutEffError),
			list(plugin.Profile, machine.OutExitW, machine.OutExitPt, machine.OutExitTt),
		),
		Files: []history.File{{Pattern: "solution.txt", Format: plugin.SolutionFormat}},
	}
}

func (hasty) Run(_ context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	n, k := r.Numbers[machine.InSpeed]/4000, r.Numbers[machine.InThrottle]*600*600/101325
	lacks := 1e-3 * math.Pow(10, 4-r.Numbers[run.Orders])
	eff := (0.9 - 0.3*(n-0.95)*(n-0.95)) * (1 - lacks)
	if path := r.Texts[plugin.InNeighbour]; path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return plugin.Result{}, err
		}
		var other float64
		if _, err := fmt.Sscan(string(text), &other); err != nil {
			return plugin.Result{}, err
		}
		eff += 1e-7 * other
	}
	if err := os.WriteFile(filepath.Join(r.Folder, "solution.txt"), fmt.Append(nil, eff), 0o600); err != nil {
		return plugin.Result{}, err
	}
	w := 600 * n * (1 - 0.2*(k-1.16)*(k-1.16) - 0.3*(k-1.16))
	pr := k * w * w / (0.72 * 600 * 600)
	tr := 1 + (math.Pow(pr, 0.4/1.4)-1)/eff
	return plugin.Result{
		Class: event.Converged,
		Numbers: map[string]float64{
			machine.OutW:        w,
			machine.OutMass:     1e-6,
			machine.OutEnergy:   1e-6,
			machine.OutEffError: 2 * lacks,
		},
		Arrays: map[string][]float64{
			machine.OutExitW: {
				w / 2,
				w / 2,
			}, machine.OutExitPt: {101325 * pr, 101325 * pr}, machine.OutExitTt: {288.15 * tr, 288.15 * tr},
		},
	}, nil
}

// StudyOf makes a machine's runs in this process.
func StudyOf(tb testing.TB, make func() plugin.Solver) *study.Study {
	fake := &launchtest.Fake{Solver: make}
	host := must.Value(attempt.NewHost(tb.TempDir(), fake.Registry(), launchtest.Name))(tb)
	tb.Cleanup(func() {
		if err := host.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &study.Study{Pool: &pool.Pool{
		Runner: attempt.Runner{
			Host: host, Program: launch.Program{Command: []string{"test"}}, Study: "test",
		},
	}}
}

// hastyRounds are rounds of that solver, so many runs at a time.
func hastyRounds(t *testing.T, workers int) *Rounds {
	t.Helper()
	m := knownFan()
	m.Split = 0
	study := StudyOf(t, func() plugin.Solver { return hasty{} })
	study.Description, study.Pool.Program.Code, study.Pool.Workers = hasty{}.Describe(), "1", workers
	return NewRounds(m, study, MethodMap)
}

// order makes a round.
func (r *Rounds) order(t *testing.T, orders ...Planned) []*run.Outcome {
	t.Helper()
	return must.Value(r.Make(context.Background(), orders))(t)
}

// Runs start from the nearest run of an earlier round, also where a nearer one of the same round has ended; runs that
// go on keep the neighbour that they had; and a plan that is made anew, by rounds that know it all at once, makes the
// same answers.
func TestRunsFromOthers(t *testing.T) {
	r := hastyRounds(t, 1)
	at := func(nu float64) machine.RunPoint {
		p := r.Machine.PointOf(machine.Target{Nc: 4000, Wc: 600, PR: 1.6})
		p.Nu = nu
		return p
	}
	r.order(t, Planned{At: at(1)}, Planned{At: at(0.95)})
	r.order(t, Planned{At: at(0.98)}, Planned{At: at(0.981)}, Planned{At: at(0.8)})
	first := r.Unsettled(at(0.98))
	if len(first) != 5 || first[0].Convergence[1] <= 0 {
		t.Fatalf("unsettled: %+v", first)
	}
	var near string
	for _, w := range r.wanted() {
		if w.From != "" {
			near = w.Run()
			break
		}
	}
	if !r.CanSettle(near, 100) || r.CanSettle(near, 1) {
		t.Error("a run of 4 orders can settle by two more, and not by none")
	}
	r.order(t, Planned{GoOn: near}, Planned{At: at(0.97)})
	var froms []string
	for _, w := range r.wanted() {
		froms = append(froms, fmt.Sprintf("%.3f %g from %q after %q", w.Inputs[machine.InSpeed]/4000, w.Orders, w.From,
			w.After))
	}
	one := r.wanted()[0].Name
	want := []string{
		`1.000 0 from "" after ""`, `0.950 0 from "" after ""`,
		fmt.Sprintf(`0.980 0 from %q after ""`, one), fmt.Sprintf(`0.981 0 from %q after ""`, one),
		`0.800 0 from "" after ""`,
		fmt.Sprintf(`0.980 6 from %q after %q`, one, near), fmt.Sprintf(`0.970 6 from %q after ""`, near),
	}
	must.Equal(t, want, froms)
	if n := len(r.counted()); n != 6 {
		t.Errorf("%d answers; the run that went on takes the place of its first", n)
	}
	other := hastyRounds(t, 3)
	must.OK(t, other.Redo(context.Background(), r.Requests()))
	if diff := cmp.Diff(r.counted(), other.counted()); diff != "" {
		t.Errorf("made anew: %s", diff)
	}
	if other.orders != r.orders {
		t.Errorf("made anew, later runs have %g orders, not %g", other.orders, r.orders)
	}
}

// Where a run has its answer there is no other, but for one again: beside it, so often as there are places.
func TestRunBesideAnAnswer(t *testing.T) {
	r := hastyRounds(t, 1)
	r.order(t, Planned{At: r.Machine.DesignPoint()})
	p := machine.PointAt(r.counted()[0].X)
	if q, ok := r.New(p, false); ok || !r.Known(p) {
		t.Fatalf("a new run at %v, where there is one: %v", p, q)
	}
	if q, ok := r.Free(p); ok {
		t.Errorf("a run is planned at %v, where there is one", q)
	}
	n := 0
	for q, ok := r.New(p, true); ok; q, ok = r.New(p, true) {
		if q == p || math.Abs(q.Nu-p.Nu) > 0.01 || math.Abs(q.Kappa-p.Kappa) > 0.05 {
			t.Errorf("a run at %v is to be beside one at %v", q, p)
		}
		if r.order(t, Planned{At: q})[0] == nil {
			t.Fatalf("no run at %v", q)
		}
		n++
	}
	if n != 2*len(besides) {
		t.Errorf("%d runs beside one, for %d places", n, 2*len(besides))
	}
}

// What a run lacks in settling counts in each stream of a fan, by itself, and reaches the causes of the error where
// the engine works.
func TestUnsettledStreams(t *testing.T) {
	m := knownFan()
	b := NewGrid(m, nil, 6)
	o := knownAnswer(b, gridPoint{200, 2})
	stated := map[string]float64{machine.OutWError: 2e-4, machine.OutPRError: 4e-4, machine.OutEffError: 6e-4}
	for name, e := range stated {
		o.Result.Numbers[name] = e
	}
	r := NewRounds(m, nil, MethodMap)
	r.take(machine.Wanted{Name: o.Job.Name}, &o)
	response := must.Value(r.Response())(t)
	a := r.counted()[0]
	by := response.Causes(machine.PointAt(a.X)).Convergence
	for i, k := range response.machine.Seen() {
		least := map[int]float64{machine.OutputWc: 2e-4,
			machine.OutputEff: 6e-4 * a.Y[machine.OutputEff], machine.OutputPRCore: 4e-4,
			machine.OutputEffCore: 6e-4 * a.Y[machine.OutputEffCore]}[k]
		if !(least > 0) || by[i] < 0.99*least || by[i] > 10*least {
			t.Errorf("quantity %d is stated to be %.2g off for unfinished runs, at least %.2g", k, by[i], least)
		}
	}
	if n := len(by); n != 4 {
		t.Errorf("%d quantities, want flow and efficiency, and pressure ratio and efficiency of the core stream", n)
	}
}
