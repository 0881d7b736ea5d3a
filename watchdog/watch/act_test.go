package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
)

const (
	controls  = "startAt x; stopAt endTime; // the end\nrunTimeModifiable %s;\n"
	solution  = "relaxationFactors { equations { U 0.7; k 0.7; } }\n"
	actsRules = `
rules:
  - {name: relax, when: iteration >= 20, act: true, most: 1, action: {set: {relaxationFactors.equations.U: 0.5}}}
  - {name: halt, when: iteration >= 50, act: true, action: stop}
  - {name: keep, when: iteration >= 50, act: true, action: {checkpoint: x}}
`
)

// foamCase is a case of OpenFOAM whose log has iterations up to a number.
func foamCase(t *testing.T, modifiable string, to int) (dir, path, rest string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "system", "controlDict"), fmt.Sprintf(controls, modifiable))
	write(t, filepath.Join(dir, "system", "fvSolution"), solution)
	text := log(100, 0.01, "1e-4", "End\n\n")
	head, rest, _ := strings.Cut(text, fmt.Sprintf("Time = %d\n", to+1))
	return dir, write(t, filepath.Join(dir, "log.simpleFoam"), head), fmt.Sprintf("Time = %d\n", to+1) + rest
}

// acted follows a log that grows and ends while during is called, and returns what rules have done, by rule.
func acted(t *testing.T, path string, o Options, during func(ticks int)) map[string]string {
	t.Helper()
	o.Rules, o.Act = ruled(t, actsRules), true
	if o.Written == nil {
		o.Written = func() map[process.File][]process.ID { return nil }
	}
	done := map[string]string{}
	must.OK(t, follow(t, []string{path}, o, func(l Line) {
		for _, f := range l.Findings {
			done[f.Rule] += f.Done
		}
	}, during))
	return done
}

func holds(t *testing.T, dir, name, want string) {
	t.Helper()
	if text := must.Value(os.ReadFile(filepath.Join(dir, "system", name)))(t); !strings.Contains(string(text), want) {
		t.Errorf("%s: %s; want %q", name, text, want)
	}
}

// Rules set values of a run of OpenFOAM and stop it by the files that it reads while it runs. The stop is undone when
// the run has ended.
func TestRulesActByFiles(t *testing.T) {
	dir, path, rest := foamCase(t, "true", 10)
	done := acted(t, path, Options{}, func(ticks int) {
		switch ticks {
		case 5:
			grow(t, path, strings.Split(rest, "Time = 61\n")[0])
		case 10:
			holds(t, dir, "controlDict", "stopAt writeNow; // the end")
			holds(t, dir, "fvSolution", "U 0.5; k 0.7;")
			grow(t, path, "Time = 61\n"+strings.Split(rest, "Time = 61\n")[1])
		}
	})
	must.Equal(t, map[string]string{
		"relax": "system/fvSolution: relaxationFactors.equations.U 0.7 -> 0.5",
		"halt":  "system/controlDict: stopAt endTime -> writeNow, until the run has ended",
		"keep":  "", "not_converged": "",
	}, done)
	holds(t, dir, "controlDict", "stopAt endTime; // the end")
	holds(t, dir, "fvSolution", "U 0.5; k 0.7;")
}

// A run that has ended before the watch began is not acted on; one that continues is, for what its log showed before.
func TestRulesActOnRunsThatGoOn(t *testing.T) {
	dir, path, rest := foamCase(t, "true", 90)
	halted := acted(t, path, Options{}, func(ticks int) {
		if ticks == 20 {
			holds(t, dir, "controlDict", "stopAt endTime")
			grow(t, path, strings.Split(rest, "Time = 95\n")[0])
		} else if ticks == 40 {
			holds(t, dir, "controlDict", "stopAt writeNow")
			grow(t, path, "Time = 95\n"+strings.Split(rest, "Time = 95\n")[1])
		}
	})["halt"]
	must.Equal(t, "waits until "+dir+" goes on"+
		"system/controlDict: stopAt endTime -> writeNow, until the run has ended", halted)

	dir, path, rest = foamCase(t, "true", 90)
	grow(t, path, rest)
	must.Equal(t, "", acted(t, path, Options{}, func(int) {})["halt"])
	holds(t, dir, "fvSolution", "U 0.7")
}

// What cannot be done is said with its reason, and changes nothing.
func TestRulesThatCannotAct(t *testing.T) {
	outside := write(t, filepath.Join(t.TempDir(), "fvSolution"), solution)
	for _, c := range []struct {
		name, modifiable string
		damage           func(dir string) error
		relax, halt      string
	}{
		{
			"not read", "false", func(string) error { return nil }, "runTimeModifiable is false",
			"no process of this machine holds its files open\nsystem/controlDict: runTimeModifiable is false",
		},
		{
			"a link", "true", func(dir string) error {
				file := filepath.Join(dir, "system", "fvSolution")
				return errors.Join(os.Remove(file), os.Symlink(outside, file))
			}, "it is no regular file", "stopAt endTime -> writeNow",
		},
		{
			"no entry", "true", func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "system", "fvSolution"), []byte("relax { U 1; }\n"), 0o644)
			}, "it has no entry relaxationFactors.equations.U", "stopAt endTime -> writeNow",
		},
		{
			"no dictionary", "true", func(dir string) error { return os.RemoveAll(filepath.Join(dir, "system")) },
			"no such file", "no process of this machine holds its files open",
		},
	} {
		dir, path, rest := foamCase(t, c.modifiable, 10)
		must.OK(t, c.damage(dir))
		done := acted(t, path, Options{}, func(ticks int) {
			if ticks == 5 {
				grow(t, path, strings.TrimSuffix(rest, "End\n\n"))
			} else if ticks == 10 {
				grow(t, path, "End\n\n")
			}
		})
		if !strings.Contains(done["relax"], "not done: ") || !strings.Contains(done["relax"], c.relax) ||
			!strings.Contains(done["halt"], c.halt) {
			t.Errorf("%s: %q", c.name, done)
		}
	}
	must.Equal(t, solution, string(must.Value(os.ReadFile(outside))(t)))
}
