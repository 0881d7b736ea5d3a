//go:build unix

package external

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// cascade returns the example of OpenFOAM, or skips the test where that is not installed.
func cascade(t *testing.T) *Description {
	t.Helper()
	testenv.Long(t, "runs OpenFOAM")
	testenv.Program(t, "openfoam", "rhoSimpleFoam")
	return must.Value(Load("../../../config/examples/openfoam/cascade.yaml"))(t)
}

// The example of a cascade by OpenFOAM is told apart by its signs, whatever its exit status is: one that converges,
// one that is cut off by its limit of iterations, which ends with status 0, one that blows up, and one that does not
// start.
func TestOpenFOAMEndings(t *testing.T) {
	d := cascade(t)
	for _, c := range []struct {
		name    string
		numbers map[string]float64
		class   event.Class
		message string
	}{
		{"converged", map[string]float64{"residual": 1e-3}, event.Converged, ""},
		{"ended early", map[string]float64{"iterations": 30}, event.NotConverged, "it ended without a line of success"},
		{"diverged", map[string]float64{"relax": 1, "throttle": 1e-3, "iterations": 200}, event.Diverged, "p min -"},
		{"no such flow", map[string]float64{"swirl": 0.2}, event.Crashed, "takes no swirl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := d.Requests()
			r.Numbers["refine"] = 0.5
			for name, v := range c.numbers {
				r.Numbers[name] = v
			}
			if v := r.Numbers["swirl"]; v > 0 {
				delete(r.Numbers, "swirl")
				r.Arrays["inlet_alpha"] = []float64{v, v}
			}
			p := d.Plugin()
			r = p.WithDefaults(r)
			r.Folder = t.TempDir()
			res, err := New(d).Run(t.Context(), r, func(event.Event) {})
			if err != nil || res.Class != c.class || !strings.Contains(res.Message, c.message) {
				log, _ := os.ReadFile(filepath.Join(r.Folder, "solve.log"))
				t.Errorf("%v, %s: %s; the log ends with %s", err, res.Class, res.Message, log[max(0, len(log)-600):])
			}
			if log, _ := os.ReadFile(filepath.Join(r.Folder, "solve.log")); c.class == event.NotConverged &&
				!strings.HasSuffix(strings.TrimSpace(string(log)), "End") {
				t.Error("it did not end in order")
			}
		})
	}
}

// openfoam begins a run of the example that swings: at a relaxation of pressure of 0.8 its residual stays near 1 for
// ever.
func openfoam(t *testing.T, d *Description, iterations float64) *sailing {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	s := &sailing{&bench{t, t.TempDir()}, t.TempDir(), "solve.log", steer.New(clock.Real), make(chan plugin.Result, 1),
		end}
	r, _ := d.Requests()
	maps.Copy(r.Numbers, map[string]float64{"refine": 0.5, "relax": 0.8, "iterations": iterations})
	s.launch(ctx, d, r)
	s.registry.Begun(t.Context())
	return s
}

// A case that swings converges once its relaxation is lowered while it runs; its twin, left alone, does not. The
// change is applied when the log shows that OpenFOAM has read it, and at that iteration.
func TestOpenFOAMSteered(t *testing.T) {
	d := cascade(t)
	const iterations = 500
	twin := openfoam(t, d, iterations)
	res := <-twin.ended
	// In its last iteration pressure may be below 0 somewhere.
	if log := twin.text("solve.log"); res.Class != event.NotConverged && res.Class != event.Diverged ||
		!strings.Contains(log, fmt.Sprintf("\nTime = %d\n", iterations)) {
		t.Fatalf("left alone it is %s: %s", res.Class, res.Message)
	}
	s := openfoam(t, d, iterations)
	s.until("\nTime = 100\n")
	if x, ok := s.value("residual_p"); !ok || x < 0.1 {
		t.Errorf("its residual of pressure is %g at iteration 100", x)
	}
	r := s.give(steer.Command{
		Verb: steer.Set,
		Changes: []steer.Change{{Object: "relax", Value: steer.FloatValue(0.3), Expect: steer.FloatValue(0.8)},
			{Object: "relax_U", Value: steer.FloatValue(0.5)}},
	})
	if r.State != event.Applied || r.Iteration < 100 || len(r.Effects) != 2 || r.Effects[0].Setting != "relax" ||
		r.Effects[0].Old.Number != 0.8 || r.Effects[1].Old.Number != 0.6 {
		t.Fatalf("%+v", r)
	}
	before, _, read := strings.Cut(s.text("solve.log"), "Re-reading object fvSolution ")
	if last := fmt.Sprintf("\nTime = %d\n", r.Iteration); !read ||
		strings.LastIndex(before, "\nTime = ") != strings.LastIndex(before, last) {
		t.Errorf("it is applied at iteration %d; it was read after %s", r.Iteration,
			before[max(0, strings.LastIndex(before, "\nTime = ")):])
	}
	if second := s.give(to("relax_U", 0.6)); second.State != event.Applied || second.Iteration < r.Iteration {
		t.Errorf("a second change: %+v", second)
	}
	if res = <-s.ended; res.Class != event.Converged {
		t.Errorf("with a lower relaxation it is %s: %s", res.Class, res.Message)
	}
	t.Logf("applied at iteration %d, converged: PR %.4f", r.Iteration, res.Numbers["PR"])
}

// value returns that of an object.
func (s *sailing) value(name string) (float64, bool) {
	s.Helper()
	r := s.give(steer.Command{Verb: steer.Get, Changes: []steer.Change{{Object: name}}})
	if r.State != event.Applied {
		return 0, false
	}
	return r.Effects[0].New.Number, true
}

// OpenFOAM ends in order on a stop, and writes what it has.
func TestOpenFOAMStop(t *testing.T) {
	s := openfoam(t, cascade(t), 100000)
	s.until("\nTime = 100\n")
	if r := s.give(steer.Command{Verb: steer.Stop}); r.State != event.Applied {
		t.Fatalf("%+v", r)
	}
	res := <-s.ended
	if times, _ := filepath.Glob(filepath.Join(s.folder, "[1-9]*", "U")); res.Class != event.Killed ||
		!strings.Contains(res.Message, "ended by itself") || len(times) != 1 {
		t.Errorf("%+v; it wrote %v", res, times)
	}
	if log := s.text("solve.log"); !strings.HasSuffix(strings.TrimSpace(log), "End") {
		t.Errorf("its log ends with %s", log[max(0, len(log)-300):])
	}
}
