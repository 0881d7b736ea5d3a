package watch

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// Tutorials of OpenFOAM are followed while their Allrun runs, as they are shipped: each log has the verdict of its
// program, and the folder that of the case. A rule stops one by stopAt.
func TestTutorialsAreFollowed(t *testing.T) {
	testenv.Long(t, "runs tutorials of OpenFOAM")
	testenv.Program(t, "openfoam openfoam-examples", "blockMesh")
	const examples, etc = "/usr/share/doc/openfoam-examples/examples", "/usr/share/openfoam/etc"
	if _, err := os.Stat(examples); err != nil {
		testenv.Missing(t, "the tutorials of OpenFOAM (openfoam-examples)")
	}
	project := t.TempDir()
	must.OK(t, os.MkdirAll(filepath.Join(project, "bin", "tools"), 0o755))
	must.OK(t, os.Symlink(etc, filepath.Join(project, "etc")))
	must.OK(t, os.Symlink(must.Value(filepath.Abs("testdata/foam/RunFunctions"))(t),
		filepath.Join(project, "bin", "tools", "RunFunctions")))
	for _, c := range []struct {
		tutorial string
		solver   string // its log
		states   []state.State
		rules    string
	}{
		{"basic/laplacianFoam/flange", "log.laplacianFoam", []state.State{state.Complete}, ""},
		{"compressible/rhoCentralFoam/shockTube", "log.rhoCentralFoam", []state.State{state.Complete}, ""},
		{"compressible/sonicFoam/laminar/shockTube", "log.sonicFoam", []state.State{state.Complete}, ""},
		{"incompressible/icoFoam/cavity", "cavity/log.icoFoam", []state.State{state.Settled}, ""},
		{"incompressible/icoFoam/cavityMappingTest", "log.icoFoam", []state.State{state.Complete}, ""},
		{"incompressible/icoFoam/elbow", "log.icoFoam", []state.State{state.Complete}, ""},
		{"incompressible/pisoFoam/laminar/porousBlockage", "log.pisoFoam",
			[]state.State{state.Complete, state.Periodic}, ""},
		{"incompressible/simpleFoam/airFoil2D", "log.simpleFoam", []state.State{state.Converged}, ""},
		{"multiphase/interFoam/laminar/damBreak/damBreak", "log.interFoam", []state.State{state.Complete}, ""},
		{"incompressible/simpleFoam/airFoil2D", "log.simpleFoam", []state.State{state.EndedEarly},
			"rules: [{name: halt, when: iteration >= 20, act: true, action: stop}]"},
		{"stressAnalysis/solidDisplacementFoam/plateHole", "log.solidDisplacementFoam",
			[]state.State{state.Converged}, ""},
	} {
		t.Run(c.tutorial, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "case")
			copyCase(t, filepath.Join(examples, c.tutorial), dir)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			run := exec.CommandContext(ctx, "sh", "./Allrun")
			run.Dir, run.Env = dir, append(os.Environ(), "WM_PROJECT_DIR="+project)
			must.OK(t, run.Start())
			ended, verdicts := map[string]state.State{}, Verdicts{}
			waker := tail.NewWaker(nil, func(text string) { t.Log(text) })
			o, done := Options{Leave: true, Waker: waker, Act: c.rules != ""}, ""
			if o.Act {
				o.Rules = ruled(t, c.rules)
			}
			err := Follow(ctx, []string{dir}, o, func(l Line) {
				verdicts.Add(l)
				for _, f := range l.Findings {
					done += f.Done
				}
				name := filepath.ToSlash(must.Value(filepath.Rel(dir, l.File))(t))
				if was, again := ended[name]; again && l.Final {
					t.Errorf("%s ended twice: %s, %s", name, was, l.State)
				}
				if l.Final {
					ended[name] = l.State
				}
			})
			must.OK(t, waker.Close())
			must.OK(t, err)
			if err := run.Wait(); err != nil {
				t.Fatal(err)
			}
			right := false
			for _, s := range c.states {
				right = right || ended[c.solver] == s
			}
			for name, s := range ended {
				if log := filepath.Base(name); strings.HasPrefix(log, "log.") && name != c.solver && !s.Usable() {
					t.Errorf("%s: %s", name, s)
				}
			}
			if !right || verdicts.Usable() == o.Act || strings.Contains(done, "stopAt endTime -> writeNow") != o.Act {
				t.Errorf("usable %v: %v, %q", verdicts.Usable(), ended, done)
			}
		})
	}
}

// copyCase copies a tutorial; some of its files are compressed by Debian.
func copyCase(t *testing.T, from, to string) {
	t.Helper()
	must.OK(t, os.CopyFS(to, os.DirFS(from)))
	must.OK(t, filepath.WalkDir(to, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".gz") {
			err = exec.Command("gunzip", path).Run()
		}
		return err
	}))
}
