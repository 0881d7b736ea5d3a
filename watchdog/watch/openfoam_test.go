package watch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// A fan cascade by Debian's OpenFOAM, which ends in four ways with status 0: converged, stalled above its criterion,
// diverged without NaN, and at its limit while it converges.
func TestOpenFOAM(t *testing.T) {
	testenv.Long(t, "runs OpenFOAM")
	testenv.Program(t, "openfoam", "rhoSimpleFoam")
	prototype := filepath.Join(filepath.Dir(testenv.Reference(t, "README.md")), "..", "prototypes", "openfoam-cascade", "gen.py")
	cases := []struct {
		name, axial string // velocity, m/s
		end         string
		relax       string // of pressure, velocity and energy
		want        state.State
	}{
		{"converges", "145", "1500", "", state.Converged},
		{"stands", "135", "400", "", state.Stalled},
		{"diverges", "145", "150", "0.9", state.Diverged},
		{"ends", "145", "100", "", state.Limit},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "case")
			do(t, ".", "python3", prototype, dir, "linear", "103000", "1", c.axial)
			edit(t, filepath.Join(dir, "system", "controlDict"), "endTime 1500", "endTime "+c.end)
			if c.relax != "" {
				edit(t, filepath.Join(dir, "system", "fvSolution"), "fields { p 0.3; rho 0.05; } equations { U 0.6; e 0.5;",
					"fields { p "+c.relax+"; rho 0.05; } equations { U "+c.relax+"; e "+c.relax+";")
			}
			do(t, dir, "blockMesh")
			file := write(t, filepath.Join(dir, "log.rhoSimpleFoam"), do(t, dir, "rhoSimpleFoam"))
			var last Line
			must.OK(t, Once([]string{file}, Options{Ending: state.Ending{Known: true}}, func(l Line) { last = l }))
			if last.State != c.want {
				t.Errorf("%+v, not %s", last.Judgement, c.want)
			}
		})
	}
}

// do runs a program in a folder and returns what it prints. It must end with status 0.
func do(t *testing.T, dir string, words ...string) string {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "WM_PROJECT_DIR=/usr/share/openfoam")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%s: %v\n%s%s", strings.Join(words, " "), err, out, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func edit(t *testing.T, path, old, text string) {
	t.Helper()
	data := must.Value(os.ReadFile(path))(t)
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q", path, old)
	}
	write(t, path, strings.Replace(string(data), old, text, 1))
}
