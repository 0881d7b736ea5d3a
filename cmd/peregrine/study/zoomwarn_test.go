package study

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// `peregrine zoom` ends with the warnings, as `peregrine run` does, with a map and without.
func TestZoomPrintsWarnings(t *testing.T) {
	testenv.Long(t, "zooms at three speeds")
	t.Parallel()
	dir := e3With(t, "runs: 3, settings: {"+coarseFan+"}",
		"\nrules:\n", "\nrules:\n  - {name: compresses, when: fan.PR > 1, severity: warning, message: it compresses}\n")
	for _, c := range []struct {
		set, want string
		code      int
	}{
		{"ambient.mach=0.8", "\n  warning: max_cruise: it compresses (rule compresses)\n", 0},
		{"hpc.eff=0.05", "\n1 warning\n  error: max_climb: ", cli.NotConverged},
	} {
		out, err := verb(t, "zoom", filepath.Join(dir, "examples", "e3.yaml"), "fan", "--set", c.set,
			"--cache", filepath.Join(dir, "cache"), "--work", filepath.Join(dir, "runs"))
		f, _ := errors.AsType[*failure](err)
		if f == nil {
			f = &failure{}
		}
		if f.code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, want %d, and %q in\n%s%s", c.set, f.code, c.code, c.want, out, f.text)
		}
	}
}
