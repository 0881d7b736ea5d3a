package watch

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

const banner = "/*---------------------------------------------------------------------------*\\\n" +
	"| \\\\      /  F ield         | OpenFOAM: The Open Source CFD Toolbox           |\n" +
	"\\*---------------------------------------------------------------------------*/\n"

const begins = "Case   : /home/me/case\nCreate time"

const fatal = "--> FOAM FATAL ERROR :\nFOAM exiting\n"

// tool is the log of a program that solves nothing.
func tool(program, ending string) string {
	return banner + "Build  : 1912\nExec   : " + program + " -dict a\n" + begins + "\n\nTime = 0\n\n" + ending
}

// writeAt writes a file that was changed in a minute of 2020: files written at once may have the same time.
func writeAt(t *testing.T, path, text string, minute int) string {
	t.Helper()
	write(t, path, text)
	at := time.Date(2020, 1, 1, 0, minute, 0, 0, time.UTC)
	must.OK(t, os.Chtimes(path, at, at))
	return path
}

// solver is a log whose iterations are numbered from a number on.
func solver(from, to int, ending string) string {
	all := strings.SplitAfter(log(to, 0.01, "1e-4", ending), "Time = ")
	return banner + strings.Replace(strings.TrimSuffix(all[0], "Time = "), "Create time", begins, 1) +
		"Time = " + strings.Join(all[from:], "")
}

// startedAt is a log whose header names an hour.
func startedAt(log, hour string) string {
	return strings.Replace(log, "\nCase ", "\nDate   : Nov 28 2026\nTime   : "+hour+":00:00\nCase ", 1)
}

// follow follows paths in a bubble, in which time passes when the follower waits, and calls during after each of its
// ticks. It returns when the following ends.
func follow(t *testing.T, paths []string, o Options, say func(Line), during func(ticks int)) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		done := make(chan error, 1)
		go func() { done <- Follow(t.Context(), paths, o, say) }()
		for n := range 10000 {
			synctest.Wait()
			select {
			case err = <-done:
				return
			default:
				during(n)
			}
			time.Sleep(pollTime)
		}
		t.Error("it does not end")
	})
	return err
}

// verdictsOn follows or reads a folder to its end, and returns each file's final state and the verdict on the folder.
// during is called after each tick of a follower.
func verdictsOn(t *testing.T, live bool, folder string, during func(ticks int)) (ended []string, usable bool) {
	t.Helper()
	verdicts := Verdicts{}
	say := func(l Line) {
		verdicts.Add(l)
		if l.Final {
			name := must.Value(filepath.Rel(folder, l.File))(t)
			ended = append(ended, fmt.Sprintf("%s %s %g", filepath.ToSlash(name), l.State, l.Iteration))
		}
	}
	if live {
		must.OK(t, follow(t, []string{folder}, Options{Leave: true}, say, during))
	} else {
		must.OK(t, Once([]string{folder}, Options{}, say))
	}
	return ended, verdicts.Usable()
}

// Each log of a folder has a verdict of its own, dictionaries and fields are no logs, a restart continues its run, and
// the last solver decides on the case.
func TestFoldersAsTheyAre(t *testing.T) {
	t.Parallel()
	potential := strings.Replace(tool("potentialFoam", ""), "\nTime = 0\n", "", 1) +
		strings.Repeat("GAMG:  Solving for Phi, Initial residual = 1, Final residual = 0.05, No Iterations 9\n", 9) +
		"ExecutionTime = 0.1 s  ClockTime = 0 s\n\nEnd\n\n"
	for _, c := range []struct {
		name   string
		files  []string // name and text, in the order of their changes
		ended  []string
		usable bool
	}{
		{"mesher and utilities", []string{
			"log.blockMesh", tool("blockMesh", "End\n\n"),
			"log.potentialFoam", potential,
			"log.simpleFoam", solver(1, 400, endsWell),
			"log.foamToVTK", tool("foamToVTK", "End: 1.5 s, 145192 kB (peak)\n"),
			"system/controlDict", banner + "FoamFile { class dictionary; }\n",
			"system/streamlines", banner + "\nnLines 10;\nfields (p U);\n",
			"0.orig/log", tool("simpleFoam", ""), "processor0/0/log", tool("simpleFoam", ""),
			"EnSight/a.case", "TIME\ntime set: 1\nnumber of steps: 3\ntime values:\n 0.1 0.2 0.3\n",
		}, []string{
			"log.blockMesh complete 0", "log.foamToVTK complete 0", "log.potentialFoam complete 0",
			"log.simpleFoam converged 400",
		}, true},
		{"a mesher failed", []string{
			"log.blockMesh", tool("blockMesh", fatal),
		}, []string{"log.blockMesh dead 0"}, false},
		{"and then did not", []string{
			"log.blockMesh", tool("blockMesh", fatal), "log.blockMesh.2", tool("blockMesh", "End\n"),
			"log.simpleFoam", solver(1, 400, endsWell),
		}, []string{
			"log.blockMesh dead 0", "log.blockMesh.2 complete 0", "log.simpleFoam converged 400",
		}, true},
		{"a utility failed at last", []string{
			"log.simpleFoam", solver(1, 400, endsWell), "log.reconstructPar", tool("reconstructPar", fatal),
		}, []string{"log.reconstructPar dead 0", "log.simpleFoam converged 400"}, false},
		{"a utility does not mend a solver", []string{
			"log.simpleFoam", solver(1, 50, fatal), "log.reconstructPar", tool("reconstructPar", "End\n"),
		}, []string{"log.reconstructPar complete 0", "log.simpleFoam dead 50"}, false},
		{"a restart", []string{
			"log.simpleFoam", solver(1, 250, fatal), "log.continued", solver(251, 400, endsWell),
		}, []string{"log.continued converged 400", "log.simpleFoam converged 400"}, true},
		{"a second attempt", []string{
			"log.first", solver(1, 250, fatal), "log.second", solver(1, 400, endsWell),
		}, []string{"log.first dead 250", "log.second converged 400"}, true},
		{"a second attempt that fails", []string{
			"log.first", solver(1, 400, endsWell), "log.second", solver(1, 250, fatal),
		}, []string{"log.first converged 400", "log.second dead 250"}, false},
		{"a solver that has not begun", []string{
			"log.blockMesh", tool("blockMesh", "End\n"), "history.dat", table(300, 0),
			"log.simpleFoam", tool("simpleFoam", fatal),
		}, []string{"history.dat converged_by_value 300", "log.blockMesh complete 0", "log.simpleFoam dead 0"}, false},
		{"data beside the solver", []string{
			"validation/measured.csv", "time,T\n0,300\n200,310\n900,330\n",
			"constant.dat", "# time velocity\n0 0\n1000 10\n9000 10\n",
			"chemkin/probes.out", "#  Probe  0\n#  Time\n",
			"results/short.dat", "step load\n1 5.0\n2 6.0\n",
			"results/polar.csv", "alpha,CL,iter\n0,0.1,250\n2,0.2,300\n4,0.3,360\n",
			"log.simpleFoam", solver(1, 400, endsWell),
		}, []string{"log.simpleFoam converged 400"}, true},
		{"data beside a solver that fails", []string{
			"measured.csv", "time,T\n0,300\n200,310\n900,330\n", "log.simpleFoam", solver(1, 50, fatal),
		}, []string{"log.simpleFoam dead 50"}, false},
		{"tables belong to the solver", []string{
			"log.checkMesh", tool("checkMesh", "End\n"), "postProcessing/forces/0/coefficient.dat", table(300, 0),
			"log.solver", strings.Replace(solver(1, 300, ends), "tolerance 1e-4", "tolerance 1e-9", 2),
		}, []string{
			"log.checkMesh complete 0", "log.solver converged_by_value 300",
			"postProcessing/forces/0/coefficient.dat converged_by_value 300",
		}, true},
	} {
		for _, live := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, live %v", c.name, live), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "case")
				for i := 0; i < len(c.files); i += 2 {
					writeAt(t, filepath.Join(dir, c.files[i]), c.files[i+1], i)
				}
				ended, usable := verdictsOn(t, live, dir, func(int) {})
				slices.Sort(ended)
				want := c.ended
				if live { // tables do not show that they have ended
					want = slices.DeleteFunc(slices.Clone(want),
						func(s string) bool { return strings.HasPrefix(s, "history") })
				}
				if !slices.Equal(ended, want) || usable != c.usable {
					t.Errorf("%v, %q", usable, ended)
				}
			})
		}
	}
}

// A table beside a log is judged if it grows, or if it is named: its solver may write no log that is known.
func TestTablesThatGrow(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "case")
	log := write(t, filepath.Join(dir, "log.simpleFoam"), solver(1, 400, endsWell))
	other := write(t, filepath.Join(dir, "other", "history.dat"), "step residual\n1 1\n2 0.5\n")
	said, final := 0, 0
	count := func(l Line) {
		if l.File == other {
			said++
		}
		if l.Final {
			final++
		}
	}
	_, step := newFollower(t, dir, count)
	step()
	step()
	if said > 0 {
		t.Errorf("%d lines of a table at rest", said)
	}
	grow(t, other, "3 NaN\n4 0.1\n")
	step()
	if said == 0 {
		t.Error("a table that grows is not judged")
	}
	write(t, other, "step residual\n1 1\n2 0.5\n")
	said, final = 0, 0
	must.OK(t, Once([]string{log, other}, Options{}, count))
	if said == 0 || final != 2 {
		t.Errorf("a table that is named: %d lines, %d final", said, final)
	}
	var warnings []string
	said = 0
	must.OK(t, Once([]string{dir}, Options{Warn: func(text string) { warnings = append(warnings, text) }}, count))
	if said > 0 || len(warnings) != 1 || !strings.HasPrefix(warnings[0], other) {
		t.Errorf("a folder's: %d lines, warned %q", said, warnings)
	}
}

// A table beyond the end of its log is of its run if both were written last at once, or it has values that are not
// finite: a log lags behind, or counts other iterations.
func TestTablesBeyondTheirLog(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, text, log string
		minute                int // of the table; the log's is 2
		ended                 []string
	}{
		{"inner iterations", "inner.csv", strings.Repeat("%d,1e-3,1\n", 900) + strings.Repeat("%d,nan,nan\n", 300),
			solver(1, 400, endsWell), 2, []string{"inner.csv non_finite", "log.simpleFoam non_finite"}},
		{"inner iterations, copied", "inner.csv", strings.Repeat("%d,1e-3,1\n", 900) + "%d,nan,nan\n",
			solver(1, 400, endsWell), 1, []string{"inner.csv non_finite", "log.simpleFoam non_finite"}},
		{"its last value alone", "postProcessing/probes/0/p", strings.Repeat("%d,1e-3,1\n", 399) + "%d,1e-3,-inf\n",
			solver(1, 400, endsWell), 2, []string{"log.simpleFoam non_finite", "postProcessing/probes/0/p non_finite"}},
		{"a buffered log", "postProcessing/forces/0/coefficient.dat", strings.Repeat("%d,1e-3,1\n", 110),
			solver(1, 100, ""), 2, []string{"log.simpleFoam dead", "postProcessing/forces/0/coefficient.dat dead"}},
		{"below, with a fault", "run2/history.csv", strings.Repeat("%d,1e-3,1\n", 9) + "%d,nan,nan\n",
			solver(1, 400, endsWell), 1, []string{"log.simpleFoam converged", "run2/history.csv non_finite"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text := "iter,res_k,tau\n"
			for i, row := range slices.Collect(strings.Lines(c.text)) {
				text += fmt.Sprintf(row, i+1)
			}
			writeAt(t, filepath.Join(dir, filepath.FromSlash(c.file)), text, c.minute)
			writeAt(t, filepath.Join(dir, "log.simpleFoam"), c.log, 2)
			ended, usable := verdictsOn(t, false, dir, nil)
			for i, s := range ended {
				ended[i] = s[:strings.LastIndex(s, " ")]
			}
			if slices.Sort(ended); !slices.Equal(ended, c.ended) || usable {
				t.Errorf("%v, usable %v", ended, usable)
			}
		})
	}
}

// A table that was written a moment ago is waited for, beside a log that has ended long ago; it has ended when it is
// silent after numbers that are not finite.
func TestTableJustWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "case")
	writeAt(t, filepath.Join(dir, "log.simpleFoam"), solver(1, 400, endsWell), 1)
	other := write(t, filepath.Join(dir, "run2", "history.dat"), "step residual\n1 1\n2 0.5\n3 0.4\n")
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // the bubble's
	must.OK(t, os.Chtimes(other, at, at))
	ended, verdicts := map[string]state.State{}, Verdicts{}
	say := func(l Line) {
		verdicts.Add(l)
		if l.Final {
			ended[filepath.Base(l.File)] = l.State
		}
	}
	must.OK(t, follow(t, []string{dir}, Options{Leave: true}, say, func(ticks int) {
		if ticks > 0 && ticks%100 == 0 && ticks <= 800 { // a row each 10 s
			grow(t, other, fmt.Sprintf("%d %s\n", 3+ticks/100, []string{"0.3", "nan"}[ticks/600]))
		}
	}))
	if ended["history.dat"] != state.NonFinite || ended["log.simpleFoam"] != state.Converged || verdicts.Usable() {
		t.Errorf("ended: %v", ended)
	}
}

// A table beside a log that has ended is data if it does not grow, though it was copied a moment ago: it is not hung.
func TestTableJustCopied(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "case")
	writeAt(t, filepath.Join(dir, "log.simpleFoam"), solver(1, 400, endsWell), 1)
	other := write(t, filepath.Join(dir, "validation", "measured"), "time T\n0.1 1\n0.2 2\n0.3 3\n0.4 4\n")
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // the bubble's
	must.OK(t, os.Chtimes(other, at, at))
	say := func(l Line) {
		if l.State == state.Hung || l.File == other && l.Final {
			t.Errorf("%s: %s, %q", l.File, l.State, l.Reasons)
		}
	}
	must.OK(t, follow(t, []string{dir}, Options{Leave: true}, say, func(int) {}))
}

// The last values of a table may come after the end of its log, and count.
func TestTableAfterItsLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "case")
	log := write(t, filepath.Join(dir, "log"), solver(1, 300, ""))
	forces := write(t, filepath.Join(dir, "postProcessing", "forces", "0", "coefficient.dat"), table(300, 0))
	ended, usable := verdictsOn(t, true, dir, func(ticks int) {
		switch ticks {
		case 5:
			grow(t, log, endsWell)
		case 10:
			grow(t, forces, "301\tnan\t1\n302\tnan\t1\n")
		}
	})
	if len(ended) != 4 || ended[0] != "log converged 300" || ended[2] != "log non_finite 302" || usable {
		t.Errorf("%q, usable %v", ended, usable)
	}
}

// A solver that was killed leaves a silent log: it is hung while its process lives, and dead when this has ended, if it
// had held the log open all the time; so is one that wrote all that it did at once.
func TestKilledSolver(t *testing.T) {
	t.Parallel()
	lives, ended := []process.ID{process.Self()}, []process.ID{{}}
	goesOn := []state.State{state.Hung, state.Converged}
	for name, c := range map[string]struct {
		holders [][]process.ID // at the looks while it grows, in turn
		silent  []process.ID   // later
		want    []state.State
	}{
		"killed at once":         {[][]process.ID{ended}, nil, []state.State{state.Dead}},
		"killed":                 {[][]process.ID{ended, ended, ended}, nil, []state.State{state.Dead}},
		"holds it still":         {[][]process.ID{ended, ended, ended}, ended, goesOn},
		"another holds it":       {[][]process.ID{ended, ended, ended}, lives, goesOn},
		"has closed it":          {[][]process.ID{lives, lives, lives}, nil, goesOn},
		"opens it for each line": {[][]process.ID{ended, ended, nil}, nil, goesOn},
		"is copied three times":  {[][]process.ID{{{PID: -1}}, {{PID: -2}}, {{PID: -3}}}, nil, goesOn},
	} {
		path, states, scans := write(t, filepath.Join(t.TempDir(), "log"), solver(1, 100, "")), []state.State{}, 0
		var silent atomic.Bool
		must.OK(t, follow(t, []string{path}, Options{Written: func() map[process.File][]process.ID {
			holders := c.silent
			if !silent.Load() {
				holders = c.holders[scans%len(c.holders)]
			}
			scans++
			return map[process.File][]process.ID{process.FileOf(must.Value(os.Stat(path))(t)): holders}
		}}, func(l Line) {
			if l.State == state.Hung || l.Final {
				states = append(states, l.State)
			}
		}, func(ticks int) {
			switch {
			case ticks == 401:
				silent.Store(true)
			case name != "killed at once" && ticks > 0 && ticks%40 == 0 && ticks <= 400:
				grow(t, path, strings.TrimPrefix(solver(61+ticks, 100+ticks, ""), banner))
			case ticks == 9000:
				grow(t, path, endsWell)
			}
		}))
		if !slices.Equal(states, c.want) {
			t.Errorf("%s: %v, not %v", name, states, c.want)
		}
	}
}

// A utility that gives up without a word, before anyone sees that it writes, does not keep the watch of its folder: its
// log names its process.
func TestLogNamesItsProcess(t *testing.T) {
	t.Parallel()
	here, dir := must.Value(os.Hostname())(t), filepath.Join(t.TempDir(), "case")
	for pid, want := range map[int]bool{os.Getpid(): false, math.MaxInt32: true} {
		log := strings.Replace(tool("reconstructPar", "No times selected\n"), "\nCase ",
			fmt.Sprintf("\nHost   : \"%s\"\nPID    : %d\nCase ", here, pid), 1)
		solver, utility := write(t, filepath.Join(dir, "log.simpleFoam"), solver(1, 400, "")), ""
		ended := false
		none := func() map[process.File][]process.ID { return nil }
		must.OK(t, follow(t, []string{dir}, Options{Leave: true, Written: none}, func(l Line) {
			ended = ended || l.Final && l.State == state.Dead
		}, func(ticks int) {
			switch ticks {
			case 20:
				utility = write(t, filepath.Join(dir, "log.reconstructPar"), log)
			case 30:
				grow(t, solver, endsWell)
			case 5000:
				grow(t, utility, "End\n")
			}
		}))
		must.OK(t, os.Remove(utility))
		if ended != want {
			t.Errorf("process %d: %v, not %v", pid, ended, want)
		}
	}
}

// A folder beside a case is not below it, and postProcessing is, however their paths are given.
func TestFolderBesideTheCase(t *testing.T) {
	dir := t.TempDir()
	writeAt(t, filepath.Join(dir, "a", "log.simpleFoam"), solver(1, 400, endsWell), 1)
	writeAt(t, filepath.Join(dir, "a", "postProcessing", "forces", "0", "coefficient.dat"), table(300, 0), 1)
	writeAt(t, filepath.Join(dir, "b", "history.dat"), "step residual\n1 1\n2 0.5\n3 2\n", 1)
	t.Chdir(filepath.Join(dir, "a"))
	ends := map[string]float64{}
	must.OK(t, Once([]string{".", filepath.Join("..", "b")}, Options{}, func(l Line) { ends[l.File] = l.Iteration }))
	if len(ends) != 3 || ends[filepath.Join("postProcessing", "forces", "0", "coefficient.dat")] != 400 {
		t.Errorf("judged: %v", ends)
	}
}

// Of logs that were changed at once no failure is lost, whatever their names are: that of the solver with the later
// iterations, or of a tool.
func TestLogsOfOneTime(t *testing.T) {
	t.Parallel()
	for name, logs := range map[string][]string{
		"solver": {"a", solver(401, 450, fatal), "b", solver(1, 400, endsWell), "c", tool("blockMesh", "End\n")},
		"tool":   {"a", tool("checkMesh", fatal), "b", solver(1, 400, endsWell)},
	} {
		dir := t.TempDir()
		for i := 0; i < len(logs); i += 2 {
			text := logs[i+1]
			if i == 0 {
				text = strings.Replace(text, "simpleFoam", "pimpleFoam", 1)
			}
			writeAt(t, filepath.Join(dir, "log."+logs[i]), text, 1)
		}
		if ended, usable := verdictsOn(t, false, dir, nil); usable {
			t.Errorf("%s: %v", name, ended)
		}
	}
}

// Of logs that were changed at once the last one to start decides, whatever their names are.
func TestLogsNameTheirStart(t *testing.T) {
	t.Parallel()
	for _, failed := range []string{"09", "11"} {
		for _, live := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "case")
			writeAt(t, filepath.Join(dir, "log.a"), startedAt(solver(1, 400, endsWell), "10"), 1)
			writeAt(t, filepath.Join(dir, "log.b"), startedAt(solver(1, 50, fatal), failed), 1)
			ended, usable := verdictsOn(t, live, dir, func(int) {})
			if usable != (failed == "09") || len(ended) != 2 {
				t.Errorf("failed at %s, live %v: %v", failed, live, ended)
			}
		}
	}
}

// A solver that is started again and appends to its log has started last, wherever in the log this stands.
func TestRestartInTheSameLog(t *testing.T) {
	t.Parallel()
	for _, filled := range []int{0, 2 * measureLength} { // bytes on both sides of the second header
		for _, last := range []string{"10", "12"} {
			dir, fill := filepath.Join(t.TempDir(), "case"), strings.Repeat("as the solver says\n", filled/19)
			again := startedAt(solver(201, 400, fill+endsWell), last)
			writeAt(t, filepath.Join(dir, "log.a"), startedAt(solver(1, 200, fill), "09")+again, 2)
			writeAt(t, filepath.Join(dir, "log.b"), startedAt(solver(1, 50, fatal), "11"), 1)
			if ended, usable := verdictsOn(t, false, dir, nil); usable != (last == "12") || len(ended) != 2 {
				t.Errorf("again at %s, filled by %d: %v", last, filled, ended)
			}
		}
	}
}

// A solver is followed that begins long after its mesher has ended, and that overwrites the log of an earlier failure.
func TestFolderThatGoesOn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "case")
	writeAt(t, filepath.Join(dir, "log.blockMesh"), tool("blockMesh", "End\n"), 1)
	path := writeAt(t, filepath.Join(dir, "log.simpleFoam"), solver(1, 100, fatal), 2)
	ended, usable := verdictsOn(t, true, dir, func(ticks int) {
		switch {
		case ticks < 100 && ticks%5 == 0: // its mesher writes
			write(t, filepath.Join(dir, fmt.Sprint("mesh", ticks)), "1 2 3\n")
			must.OK(t, os.Chtimes(dir, time.Now(), time.Now())) // the bubble is faster than a file system's clock
		case ticks == 100:
			write(t, path, solver(1, 200, ""))
		case ticks == 110:
			grow(t, path, strings.TrimPrefix(solver(201, 400, endsWell), banner))
		}
	})
	want := []string{"log.blockMesh complete 0", "log.simpleFoam converged 400"}
	if !slices.Equal(ended, want) || !usable {
		t.Errorf("%v, %q", usable, ended)
	}
}

// A solver that follows its mesher by more than a moment is waited for, also beside cases that have ended.
func TestFolderOfCases(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cases")
	write(t, filepath.Join(dir, "a", "log.simpleFoam"), solver(1, 400, endsWell))
	ended, _ := verdictsOn(t, true, dir, func(ticks int) {
		switch ticks {
		case 3:
			write(t, filepath.Join(dir, "b", "log.blockMesh"), tool("blockMesh", "End\n"))
		case 60:
			write(t, filepath.Join(dir, "b", "log.simpleFoam"), solver(1, 400, endsWell))
		}
	})
	if len(ended) != 3 {
		t.Errorf("%q", ended)
	}
}

// A folder without a log says what was looked at.
func TestFolderWithoutLogs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"system/controlDict": banner, "constant/mesh": banner, "notes.txt": "do not forget\n", "a.png": "\x89PNG\x00",
		"sub/fields": banner + "FoamFile {}\n", "log.new": "",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	err := Once([]string{dir}, Options{}, func(Line) {})
	var unknown *UnknownError
	if !errors.As(err, &unknown) {
		t.Fatal(err)
	}
	for _, want := range []string{"1 binary (" + filepath.Join(dir, "a.png") + ")", "1 empty (",
		"1 dictionaries or fields", "1 text of no known format"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "controlDict") {
		t.Error(err)
	}
	must.Fail(t, Once([]string{filepath.Join(dir, "log.new")}, Options{}, func(Line) {}), ": the file is empty")
	field := write(t, filepath.Join(dir, "p"), "FoamFile { class volScalarField; }\n")
	must.Fail(t, Once([]string{field}, Options{}, func(Line) {}), "a dictionary or field of OpenFOAM")
	polar := write(t, filepath.Join(dir, "polar.csv"), "alpha,CL,iter\n0,0.1,250\n2,0.2,300\n4,0.3,360\n")
	if err := Once([]string{polar}, Options{}, func(Line) {}); err == nil ||
		!strings.Contains(err.Error(), "must not be over a place") {
		t.Error(err)
	}
}

// newFollower returns a follower of a folder, whose looks and readings a test makes.
func newFollower(t *testing.T, dir string, say func(Line)) (f *follower, step func()) {
	t.Helper()
	at := clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	f = &follower{options: Options{Leave: true}, clock: at, bell: newBell(), say: say, known: map[string]bool{},
		seen: map[string]sighting{}, folders: []*folder{{path: dir}}}
	t.Cleanup(f.close)
	return f, func() {
		t.Helper()
		must.OK(t, f.look(t.Context()))
		must.OK(t, f.poll(t.Context(), f.runs, true))
		at.Advance(lookTime)
	}
}

// A named file of no known format, which may be a log that begins, is waited for, and a warning says so, once.
func TestNamedFileOfNoKnownFormat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, step := newFollower(t, dir, func(Line) {})
	f.folders, f.named = nil, []string{write(t, filepath.Join(dir, "my.log"), "My solver 1.2\nstep=1 rms=1.0e-1\n")}
	var warnings []string
	f.options.Warn = func(text string) { warnings = append(warnings, text) }
	for range 3 * sayLooks {
		step()
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "watch new") || !strings.Contains(warnings[0], "--once") {
		t.Errorf("%q", warnings)
	}
}

// A log that is found with its banner alone names its case later, and then belongs to it.
func TestLogNamesItsCaseLater(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "case")
	write(t, filepath.Join(dir, "log.first"), solver(1, 50, "--> FOAM FATAL ERROR :\nFOAM exiting\n"))
	text := solver(1, 400, endsWell)
	whole := strings.Index(text, "Case")
	path := write(t, filepath.Join(dir, "log.second"), text[:whole])
	verdicts := Verdicts{}
	f, step := newFollower(t, dir, verdicts.Add)
	step()
	if len(f.runs) != 2 {
		t.Fatalf("%d runs", len(f.runs))
	}
	grow(t, path, text[whole:])
	for looks := 0; !f.done() && looks < 100; looks++ {
		step()
	}
	if !f.done() || !verdicts.Usable() {
		t.Errorf("%v, %v", f.done(), verdicts)
	}
}

// A log whose first iterations are read as soon as they are there has the tables of its folder, too.
func TestLogThatIteratesMeanwhile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "case")
	text := solver(1, 400, endsWell)
	iterates := strings.Index(text, "Time = ")
	path := write(t, filepath.Join(dir, "log"), text[:iterates])
	forces := write(t, filepath.Join(dir, "postProcessing", "forces", "0", "coefficient.dat"), table(300, 0))
	f, step := newFollower(t, dir, func(Line) {})
	for _, file := range []string{path, forces} { // both are written
		must.OK(t, os.Chtimes(file, f.clock.Now(), f.clock.Now()))
	}
	step()
	if len(f.runs) != 2 {
		t.Fatalf("%d runs", len(f.runs))
	}
	grow(t, path, text[iterates:len(text)/2])
	for _, r := range f.runs { // between a measurement and a reading of it
		r.sources[0].woken.Store(true)
		f.read(r, f.clock.Now())
	}
	step()
	if len(f.runs) != 1 || len(f.runs[0].sources) != 2 {
		t.Errorf("%d runs, %d files of the first", len(f.runs), len(f.runs[0].sources))
	}
}

// A failure of before is told, and the watch ends, also where something else in the folder grows for ever.
func TestUnrelatedGrowth(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "case")
	write(t, filepath.Join(dir, "log"), solver(1, 50, "--> FOAM FATAL ERROR :\nFOAM exiting\n"))
	said := 0
	f, step := newFollower(t, dir, func(l Line) {
		if l.Final {
			said++
		}
	})
	for looks := 0; !f.done() && looks < 4*toolLooks; looks++ {
		write(t, filepath.Join(dir, fmt.Sprint("other", looks)), "1 2 3\n")
		step()
	}
	if !f.done() || said != 1 {
		t.Errorf("ended: %v, with %d ends of runs", f.done(), said)
	}
}
