package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// `peregrine zoom` ends with the warnings, as `peregrine run` does, with a map and without.
func TestZoomPrintsWarnings(t *testing.T) {
	w := newWorkshop(t)
	w.edit("runs: 5,", "runs: 3,")
	w.edit("\nrules:\n", "\nrules:\n  - {name: compresses, when: fan.PR > 1, severity: warning, message: it compresses}\n")
	for _, c := range []struct {
		set, want string
		code      int
	}{
		{"ambient.mach=0.8", "\n  warning: max_cruise: it compresses (rule compresses)\n", 0},
		{"hpc.eff=0.05", "\n1 warning\n  error: max_climb: ", exitNotConverged},
	} {
		cmd := exec.Command(w.path("peregrine"), "zoom", w.path("examples", "e3.yaml"), "fan", "--set", c.set, "--cache", w.path("cache"), "--work", w.path("runs"))
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: exit code %d, want %d, and %q in\n%s", c.set, code, c.code, c.want, out)
			if exit != nil {
				t.Logf("%s", exit.Stderr)
			}
		}
	}
}
