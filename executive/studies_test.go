package executive_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// TestMain is the main function of a program that zooms: it begins with Serve.
func TestMain(m *testing.M) {
	if os.Getenv(deadEnv) != "" && len(os.Args) > 1 && os.Args[1] == "serve" {
		os.Exit(3)
	}
	executive.Serve()
	os.Exit(m.Run())
}

// deadEnv lets whatever studies start die at once. Its name begins as those of the locale, which
// plugins get.
const deadEnv = "LC_PEREGRINE_TEST_DEAD"

// A watchdog that cannot be had is a fault of the machine, not of the engine.
func TestNoWatchdog(t *testing.T) {
	t.Setenv(deadEnv, "1")
	settings := settings.Settings{Cache: t.TempDir(), Work: t.TempDir(), Launcher: "local", Workers: 1}
	studies := must.Value(executive.NewStudies(settings))(t)
	engine, err := config.Load("testdata/zoomed.yaml", executive.Catalogue(studies.Solvers), nil)
	must.OK(t, err)
	_, err = executive.Run(t.Context(), engine, []string{"cruise"}, executive.Options{Zoomer: studies})
	if !fault.Is(err) || !strings.Contains(err.Error(), "watchdog") {
		t.Errorf("%v", err)
	}
	must.OK(t, studies.Close())
}

// A program that has been replaced by another version does not serve the studies of the former one: its answers would
// be cached as those of the former solver.
func TestReplacedProgram(t *testing.T) {
	host := must.Value(attempt.NewHost(t.TempDir(), executive.Launchers(), local.Name))(t)
	solvers := must.Value(executive.Solvers(settings.Settings{}))(t)
	program := must.Value(solvers.Program(t.Context(), "throughflow"))(t)
	program.Command[len(program.Command)-1] += " of another version"
	p, err := host.Start(t.Context(), program, host.Folder(), plugin.Terms{}, attempt.Limits{})
	if err == nil {
		p.Stop(0)
	}
	if err == nil || !strings.Contains(err.Error(), "has been replaced since the study began") {
		t.Errorf("it serves a study of another version: %v", err)
	}
	must.OK(t, host.Close())
}

// A described solver is served only where the files that it names have the contents of where the study began.
func TestDescribedFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"solvers.yaml": "mine: {external: mine.yaml}",
		"mine.yaml": `{name: mine, version: "1", inputs: {N: {unit: rpm}}, steps: [{name: solve, command: [sh, solve.sh]}],
 files: [{to: in, template: in.tmpl}, {to: case, copy: case}], success: [{regexp: ok}], outputs: {W: {file: out, regexp: 'W = (\S+)'}}}`,
		"solve.sh": "echo ok", "in.tmpl": "N = {{ N }}", "brought": "N = {{ N }}",
		"case/mesh": "1 2 3",
	} {
		must.OK(t, os.MkdirAll(filepath.Join(dir, "case"), 0o700))
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	host := must.Value(attempt.NewHost(t.TempDir(), executive.Launchers(), local.Name))(t)
	solvers := must.Value(executive.Solvers(settings.Settings{Solvers: filepath.Join(dir, "solvers.yaml")}))(t)
	program := must.Value(solvers.Program(t.Context(), "mine"))(t)
	must.Equal(t, []string{filepath.Join(dir, "in.tmpl"), filepath.Join(dir, "solve.sh")},
		program.Command[len(program.Command)-2:])
	for _, want := range []string{"", "want these with the same content", "a folder that it names"} {
		switch want {
		case "want these with the same content":
			program.Command[len(program.Command)-2] = filepath.Join(dir, "brought")
		case "a folder that it names":
			must.OK(t, os.WriteFile(filepath.Join(dir, "case", "mesh"), []byte("4 5 6"), 0o600))
		}
		p, err := host.Start(t.Context(), program, host.Folder(), plugin.Terms{}, attempt.Limits{})
		if err == nil {
			p.Stop(0)
		}
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	must.OK(t, host.Close())
}

// A zoom that ends without a map warns of its runs also when they come from the cache.
func TestCachedRunsWithoutMap(t *testing.T) {
	testenv.Long(t, "runs a solver")
	settings := settings.Settings{Cache: t.TempDir(), Work: t.TempDir(), Launcher: "local", Workers: 2}
	var warnings [2][]string
	for i := range warnings {
		studies := must.Value(executive.NewStudies(settings))(t)
		engine := must.Value(config.Load("testdata/zoomed.yaml", executive.Catalogue(studies.Solvers), nil))(t)
		engine.Zooms[0].Runs = 4
		engine.Zooms[0].Settings = config.Values{"refine": {Num: 0.25, Text: "0.25", Set: true},
			"max_iterations": {Num: 20, Text: "20", Set: true}}
		r, err := executive.Run(t.Context(), engine, []string{"cruise"}, executive.Options{Zoomer: studies})
		var none *executive.NoZoomError
		if !errors.As(err, &none) {
			t.Fatalf("%v", err)
		}
		for _, w := range r.Warnings {
			warnings[i] = append(warnings[i], w.Rule+" "+w.Run+": "+w.Message)
		}
		slices.Sort(warnings[i])
		must.OK(t, studies.Close())
		must.OK(t, os.RemoveAll(settings.Work)) // the verdicts lie in the cache
		must.OK(t, os.Mkdir(settings.Work, 0o700))
	}
	if d := cmp.Diff(warnings[0], warnings[1]); d != "" || len(warnings[0]) < 4 {
		t.Errorf("made (-), cached (+):\n%s", d)
	}
}
