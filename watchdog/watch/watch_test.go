package watch

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// log writes what simpleFoam writes, as far as it is read, with a residual that falls by rate orders an iteration.
func log(n int, rate float64, criterion, ending string) string {
	var b strings.Builder
	b.WriteString("Build  : _f3950763fe-20191219 OPENFOAM=1912\nExec   : simpleFoam\nCreate time\n\n")
	if criterion != "" {
		b.WriteString("SIMPLE: convergence criteria\n    field p\t tolerance " + criterion +
			"\n    field \"(U|k)\"\t tolerance " + criterion + "\n\n")
	}
	b.WriteString("Starting time loop\n\n")
	for i := 1; i <= n; i++ {
		r := math.Pow(10, -rate*float64(i))
		fmt.Fprintf(&b,
			"Time = %d\n\nsmoothSolver:  Solving for Ux, Initial residual = %.8g, Final residual = %.8g, No "+
				"Iterations 2\n"+
				"GAMG:  Solving for p, Initial residual = %.8g, Final residual = %.8g, No Iterations 5\n"+
				"GAMG:  Solving for p, Initial residual = %.8g, Final residual = %.8g, No Iterations 5\n"+
				"time step continuity errors : sum local = %.8g, global = 1e-9, cumulative = 1e-8\n"+
				"ExecutionTime = %.2f s  ClockTime = %d s\n\n",
			i, r/2, r/20, r, r/10, r/10, r/100, r/1000, 0.01*float64(i), i/100)
	}
	return b.String() + ending
}

const (
	endsWell = "\nSIMPLE solution converged in 400 iterations\n\nEnd\n\n"
	ends     = "End\n\n"
	signal   = "#0  Foam::error::printStack(Foam::Ostream&)\n#1  Foam::sigFpe::sigHandler(int)\n"
)

func write(t testing.TB, path, text string) string {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func grow(t *testing.T, path, text string) {
	t.Helper()
	f := must.Value(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	must.Value(f.WriteString(text))(t)
	must.OK(t, f.Close())
}

// table is a value that settles at 3, or swings on.
func table(n int, swing float64) string {
	var b strings.Builder
	b.WriteString("# Force coefficients\n# Time        \tCd\tCl\n")
	for i := 1; i <= n; i++ {
		x := float64(i)
		fmt.Fprintf(&b, "%d\t%.6e\t%.6e\n", i, 3+math.Exp(-x/40), 1+swing*math.Sin(x/10))
	}
	return b.String()
}

func TestOnce(t *testing.T) {
	stands := log(300, 0.01, "1e-4", "")
	for i := 301; i <= 1000; i++ { // at 1e-3
		stands += fmt.Sprintf("Time = %d\n\nsmoothSolver:  Solving for Ux, Initial residual = 5e-5, Final residual = "+
			"1e-6, No Iterations 2\nGAMG:  Solving for p, Initial residual = %.5g, Final residual = 1e-5, No "+
			"Iterations 5\n\n", i, 1e-3*(1+0.1*math.Sin(float64(i*i))))
	}
	cases := []struct {
		name  string
		files map[string]string
		o     Options
		want  state.State
	}{
		{"the solver's sentence", map[string]string{"log": log(400, 0.01, "1e-4", endsWell)}, Options{},
			state.Converged},
		{"its criterion, without a sentence", map[string]string{"log": log(420, 0.01, "1e-4", ends)}, Options{},
			state.Converged},
		{"limit", map[string]string{"log": log(200, 0.01, "1e-4", ends)}, Options{Options: state.Options{Limit: 200}},
			state.Limit},
		{
			"early", map[string]string{"log": log(200, 0.01, "1e-4", ends)},
			Options{Options: state.Options{Limit: 900}, Ending: state.Ending{Known: true}}, state.EndedEarly,
		},
		{"breaks off", map[string]string{"log": log(200, 0.01, "1e-4", "Time = 20")}, Options{}, state.Dead},
		{"floating-point error", map[string]string{"log": log(200, 0.01, "1e-4", signal)}, Options{}, state.NonFinite},
		{"stands", map[string]string{"log": stands + ends}, Options{}, state.Stalled},
		{
			"stands, with steady values",
			map[string]string{"log": stands + ends, "postProcessing/forces/0/coefficient.dat": table(1000, 0)},
			Options{}, state.ConvergedByValue,
		},
		{
			"stands, with values that swing",
			map[string]string{"log": stands + ends, "postProcessing/forces/0/coefficient.dat": table(1000, 0.2)},
			Options{}, state.Oscillating,
		},
		{"an empty table", map[string]string{"log": log(400, 0.01, "1e-4", endsWell), "postProcessing/x/0/y.dat": ""},
			Options{}, state.Converged},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var files []string
			for name, text := range c.files {
				files = append(files, write(t, filepath.Join(dir, name), text))
			}
			finals := map[string]Line{}
			must.OK(t, Once(files, c.o, func(l Line) {
				if l.Final {
					finals[l.File] = l
				}
			}))
			for _, f := range files {
				if l, ok := finals[f]; !ok || l.State != c.want {
					t.Errorf("%s: %+v, not %s", f, l.Judgement, c.want)
				}
			}
		})
	}
}

// The reason of a failure is in the lines below its heading, and not in what the solver prints last.
func TestReasonOfAFailure(t *testing.T) {
	const serial = "--> FOAM FATAL IO ERROR: \nkeyword div(phi,U) is undefined in dictionary \"x\"\n\nFOAM exiting\n"
	for name, ending := range map[string]string{
		"serial":         serial,
		"parallel":       "[1] --> FOAM FATAL ERROR: \n[1] \n[1] keyword div(phi,U) is undefined\n[1] FOAM exiting\n",
		"two processors": serial + "[0] --> FOAM FATAL ERROR: \n[0] another\nFOAM parallel run exiting\nFOAM exiting\n",
		"Windows":        strings.ReplaceAll(serial, "\n", "\r\n"),
	} {
		file, last := write(t, filepath.Join(t.TempDir(), "log"), log(200, 0.01, "1e-4", ending)), Line{}
		must.OK(t, Once([]string{file}, Options{}, func(l Line) { last = l }))
		const want = "keyword div(phi,U) is undefined"
		if last.State != state.Dead || !strings.Contains(last.Reasons[0], want) {
			t.Errorf("%s: %s, %q; want dead, %q", name, last.State, last.Reasons, want)
		}
	}
}

// A run of particles marches in time, if its log has a time step or simulated time a day: a minimization has none.
func TestParticleLogs(t *testing.T) {
	var rows strings.Builder
	for i := range 41 {
		x := float64(i * i)
		fmt.Fprintf(&rows, "%8d %12.8g %12.8g\n", 50*i, 1.7+0.02*math.Sin(x), -4.8+0.01*math.Cos(x))
	}
	const (
		head  = "LAMMPS (8 Apr 2021)\nPer MPI rank memory allocation = 3.2\nStep Temp E_pair\n"
		loop  = "Loop time of 1.6 on 1 procs for 2000 steps with 4000 atoms\n\n"
		pace  = "Performance: 67062.020 tau/day, 155.236 timesteps/s\n"
		least = "Minimization stats:\n  Stopping criterion = "
		lost  = "ERROR: Lost atoms: original 4000 current 3998 (thermo.cpp:488)\nLast command: run 2000\n"
	)
	for text, want := range map[string]state.State{
		head + rows.String() + loop + pace:                                         state.Complete,
		head + rows.String() + loop + least + "max iterations\n":                   state.Limit,
		head + rows.String() + loop + least + "energy tolerance\n":                 state.Converged,
		head + rows.String() + lost:                                                state.Dead,
		head + rows.String():                                                       state.Dead,
		"SPARTA (13 Apr 2023)\ntimestep 7e-9\n" + head[20:] + rows.String() + loop: state.Complete,
	} {
		file, last := write(t, filepath.Join(t.TempDir(), "log"), text), Line{}
		must.OK(t, Once([]string{file}, Options{}, func(l Line) { last = l }))
		if last.State != want {
			t.Errorf("%s, %q; want %s:\n%s", last.State, last.Reasons, want, text)
		}
	}
}

func TestOnceFiles(t *testing.T) {
	dir := t.TempDir()
	var unknown *UnknownError
	err := Once([]string{write(t, filepath.Join(dir, "a"), "This is a letter.\n")}, Options{}, func(Line) {})
	if !errors.As(err, &unknown) {
		t.Error(err)
	}
	if err := Once([]string{filepath.Join(dir, "none")}, Options{}, func(Line) {}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := Once([]string{dir}, Options{}, func(Line) {}); !errors.As(err, &unknown) {
		t.Errorf("a folder without histories: %v", err)
	}
	write(t, filepath.Join(dir, "case", "log"), log(400, 0.01, "1e-4", endsWell))
	var files []string
	if err := Once([]string{dir}, Options{}, func(l Line) {
		if l.Final {
			files = append(files, l.File)
		}
	}); err != nil || len(files) != 1 {
		t.Errorf("a folder with one history: %v, %v", files, err)
	}
}

// A run is followed from before its file is there to the solver's sentence.
func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	text := log(400, 0.01, "1e-4", endsWell)
	var said []state.State
	must.OK(t, follow(t, []string{path}, Options{}, func(l Line) { said = append(said, l.State) }, func(ticks int) {
		switch ticks {
		case 5:
			write(t, path, text[:len(text)/4])
		case 1300: // after two minutes
			grow(t, path, text[len(text)/4:len(text)/2])
		case 1310:
			grow(t, path, text[len(text)/2:])
		}
	}))
	must.Equal(t, []state.State{state.Converging, state.Hung, state.Converging, state.Converged}, said)
}

// Rest is called once files have come to rest, and not again within a minute.
func TestFollowRests(t *testing.T) {
	path, rests := filepath.Join(t.TempDir(), "log"), []int64{}
	var ticks atomic.Int64
	text := log(400, 0.01, "1e-4", endsWell)
	write(t, path, text[:len(text)/4])
	grows := map[int]int{100: 3, 300: 4, 1300: 5} // eighths of the text
	rest := func() { rests = append(rests, ticks.Load()/100) }
	must.OK(t, follow(t, []string{path}, Options{Rest: rest}, func(Line) {},
		func(now int) {
			ticks.Store(int64(now))
			if n := grows[now]; n > 0 {
				grow(t, path, text[len(text)*(n-1)/8:len(text)*n/8])
			}
			if now == 1400 {
				grow(t, path, text[len(text)*5/8:])
			}
		}))
	must.Equal(t, []int64{0, 6, 13}, rests)
}

// A run that ends by a floating-point error ends the following, too; one in a folder that goes on ends twice.
func TestFollowEnds(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "log"), log(100, 0.01, "1e-4", signal))
	var last Line
	if err := Follow(t.Context(), []string{path}, Options{}, func(l Line) { last = l }); err != nil || !last.Final ||
		last.State != state.NonFinite {
		t.Errorf("%v, %+v", err, last)
	}
	path = write(t, filepath.Join(dir, "case", "log"), log(100, 0.01, "1e-4", ends))
	finals := 0
	must.OK(t, follow(t, []string{filepath.Dir(path)}, Options{Leave: true}, func(l Line) {
		if l.Final {
			finals++
		}
	}, func(ticks int) {
		if ticks == 5 {
			must.Equal(t, 1, finals)
			grow(t, path, "Time = 101\n\nGAMG:  Solving for p, Initial residual = 0.05, Final residual = 0.005, "+
				"No Iterations 5\n\nEnd\n\n")
		}
	}))
	must.Equal(t, 2, finals)
}

// A file of a solver that nobody knows, by a user's description.
func TestUserFormat(t *testing.T) {
	p, err := fileformat.Parse("my.yaml",
		[]byte("name: a\nlines:\n  - \"iter {iteration} res {residual}\"\n  - {line: done, status: converged}\n"))
	must.OK(t, err)
	path := write(t, filepath.Join(t.TempDir(), "run.txt"), "hello\niter 1 res 0.5\niter 2 res 0.25\ndone\n")
	var last Line
	must.OK(t, Once([]string{path}, Options{Formats: []fileformat.Preset{*p}}, func(l Line) { last = l }))
	if last.State != state.Converged || last.Iteration != 2 || last.Values["residual"] != 0.25 {
		t.Errorf("%+v", last)
	}
}

// A live watch says early, and once, that no line is as its user described.
func TestUserFormatThatDoesNotFit(t *testing.T) {
	p := must.Value(fileformat.Parse("my.yaml", []byte("name: a\nlines: [\"iter {iteration} res {residual}\"]\n")))(t)
	for _, c := range []struct {
		name, first string
		lines, want int
	}{
		{"a prelude", "", manyLines - 2, 0},
		{"none fits", "", manyLines, 1},
		{"one fits", "iter 1 res 0.5\n", 2 * manyLines, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			f, step := newFollower(t, dir, func(Line) {})
			var said []string
			f.named, f.folders, f.options.Formats = []string{filepath.Join(dir, "out")}, nil, []fileformat.Preset{*p}
			f.options.Warn = func(text string) { said = append(said, text) }
			write(t, f.named[0], c.first+strings.Repeat("step 1: 0.5\n", c.lines))
			step()
			grow(t, f.named[0], "step\n")
			f.runs[0].sources[0].woken.Store(true)
			step()
			if len(said) != c.want || c.want > 0 && (!strings.Contains(said[0], "iter {iteration}") ||
				!strings.Contains(said[0], "    1: step 1: 0.5")) {
				t.Errorf("%q", said)
			}
		})
	}
}

// Tables of one function object do not share their columns.
func TestPrefix(t *testing.T) {
	for path, want := range map[string]string{
		"case/postProcessing/forces/0/force.dat":              "forces.force.",
		"case/postProcessing/forces/0/moment.dat":             "forces.moment.",
		"case/postProcessing/inlet/0/surfaceFieldValue.dat":   "inlet.",
		"case/postProcessing/inlet/0/surfaceFieldValue_0.dat": "inlet.",
		"postProcessing/forces/0/force.dat":                   "forces.force.",
		"case/history.dat":                                    "",
	} {
		if got := prefix(path); got != want {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
	dir := filepath.Join(t.TempDir(), "case")
	files := []string{write(t, filepath.Join(dir, "log"), log(300, 0.01, "1e-4", ends))}
	for name, level := range map[string]float64{"force": 1, "moment": 100} {
		var b strings.Builder
		b.WriteString("# Time        \t(total_x total_y total_z)\n")
		for i := 1; i <= 300; i++ {
			fmt.Fprintf(&b, "%d\t(%g %g 0)\n", i, level*(1+math.Exp(-float64(i)/20)),
				level*(2-math.Exp(-float64(i)/20)))
		}
		files = append(files, write(t, filepath.Join(dir, "postProcessing", "forces", "0", name+".dat"), b.String()))
	}
	must.OK(t, Once(files, Options{}, func(l Line) {
		if l.Final && l.State != state.ConvergedByValue {
			t.Errorf("%+v", l.Judgement)
		}
	}))
}

// A folder whose runs have ended is left where that is wanted, with their verdicts.
func TestFollowLeaves(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a", "log"), log(100, 0.01, "1e-4", signal))
	write(t, filepath.Join(dir, "b", "log"), log(100, 0.01, "1e-4", ends))
	var finals []Line
	must.OK(t, follow(t, []string{dir}, Options{Leave: true}, func(l Line) {
		if l.Final {
			finals = append(finals, l)
		}
	}, func(int) {}))
	if len(finals) != 2 || strings.Join(finals[0].Reasons, "") != "crashed: floating point exception" ||
		finals[1].State != state.Limit {
		t.Errorf("%+v", finals)
	}
}
