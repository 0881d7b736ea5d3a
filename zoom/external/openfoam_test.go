//go:build unix

package external

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// The example of a cascade by OpenFOAM is told apart by its signs, whatever its exit status is: one that converges, one that is cut
// off by its limit of iterations, which ends with status 0, one that blows up, and one that does not start.
func TestOpenFOAMEndings(t *testing.T) {
	if _, err := exec.LookPath("rhoSimpleFoam"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	d, err := Load("../../config/examples/openfoam/cascade.yaml")
	if err != nil {
		t.Fatal(err)
	}
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
			if log, _ := os.ReadFile(filepath.Join(r.Folder, "solve.log")); c.class == event.NotConverged && !strings.HasSuffix(strings.TrimSpace(string(log)), "End") {
				t.Error("it did not end in order")
			}
		})
	}
}
