package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/corpus"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Accounts judge as Once does, history by history.
func TestAccountsJudgeAsOnce(t *testing.T) {
	all := must.Value(corpus.Load())(t)
	root, step := t.TempDir(), 200
	if testenv.IsLong(t) {
		step = 40
	}
	for i := 0; i < len(all); i += step {
		must.OK(t, all[i].Unpack(root))
	}
	want := map[string]Line{}
	must.OK(t, Once([]string{root}, Options{}, func(l Line) {
		if l.Final {
			want[caseFolder(l.File)] = l
		}
	}))
	var got []string
	must.OK(t, Accounts([]string{root}, Options{}, func(a *Account) {
		got = append(got, a.Folder)
		w := want[a.Folder]
		if a.Final.State != w.State || a.Final.Iteration != w.Iteration || !slices.Equal(a.Final.Reasons, w.Reasons) ||
			a.Err != nil {
			t.Errorf("%s: %+v, %v; Once says %+v", a.Folder, a.Final, a.Err, w.Judgement)
		}
		if len(a.Summary.Curves()) == 0 && a.Final.Iteration > 1 {
			t.Errorf("%s has no curves", a.Folder)
		}
	}))
	if len(got) != len(want) || len(got) < len(all)/step*2/3 {
		t.Errorf("%d accounts of %d runs", len(got), len(want))
	}
}

// Warnings come with the numbers of their lines, and as they stand there.
func TestAccountQuotesLines(t *testing.T) {
	var log strings.Builder
	log.WriteString("Create time\n\nStarting time loop\n\n")
	for i := range 30 {
		fmt.Fprintf(&log,
			"Time = %d\n\nsmoothSolver:  Solving for k, Initial residual = %g, Final residual = 1e-9, No "+
				"Iterations 3\n", i+1, 1/float64(i+1))
		if i >= 10 {
			fmt.Fprintf(&log, "bounding k, min: -%d.5 max: 3 average: 2\n", i)
		}
	}
	log.WriteString("End\n")
	path := filepath.Join(t.TempDir(), "log.simpleFoam")
	must.OK(t, os.WriteFile(path, []byte(log.String()), 0o644))
	must.OK(t, Accounts([]string{path}, Options{}, func(a *Account) {
		notes, _ := a.Summary.Notes()
		if len(notes) != 2 || notes[0].Kind != event.Warning || notes[0].Line != 38 || notes[0].Last != 38+19*4 ||
			notes[0].Count != 20 ||
			notes[0].Quote != "bounding k, min: -10.5 max: 3 average: 2" || notes[1].Quote != "End" {
			t.Errorf("%+v", notes)
		}
	}))
}

// The fields, dictionaries and scripts of an OpenFOAM case begin as its logs do; they are none.
func TestCaseIsOneRun(t *testing.T) {
	const banner = "/*--------------------------------*- C++ -*----------------------------------*\\\n" +
		"| =========                 |\n" +
		"| \\\\      /  F ield         | OpenFOAM: The Open Source CFD Toolbox           |\n" +
		"\\*---------------------------------------------------------------------------*/\n"
	const comment = "# \\\\ / F ield | OpenFOAM: The Open Source CFD Toolbox\n"
	root := t.TempDir()
	for name, text := range map[string]string{
		"log.simpleFoam":           banner + "Build  : v1912\nExec   : simpleFoam\nTime = 1\n\nEnd\n",
		"100/U":                    banner + "FoamFile\n{\n    version 2.0;\n}\n",
		"validation/createGraphs":  "#!/bin/sh\n" + comment + "echo FOAM FATAL ERROR\n",
		"validation/createPlots":   comment + "if 'FOAM FATAL ERROR' in x: f()\n",
		"constant/polyMesh/points": banner + "FoamFile\n{\n    version 2.0;\n}\n",
	} {
		path := filepath.Join(root, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	var folders []string
	if err := Accounts([]string{root}, Options{},
		func(a *Account) { folders = append(folders, a.Folder) }); err != nil ||
		!slices.Equal(folders, []string{root}) {
		t.Errorf("%v, %v", folders, err)
	}
}
