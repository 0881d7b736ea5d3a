package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// TestMain makes the test's executable four programs: a mock solver; one that does not
// hear signals, as peregrine would if it were stuck; peregrine,
// by its name or because peregrine started itself again; and the tests. Nothing
// may be printed before a plugin has shaken hands.
func TestMain(m *testing.M) {
	mock.Serve()
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		main()
		os.Exit(1) // or a process that serves nothing would run these tests, with processes that do the same
	}
	testscript.Main(m, map[string]func(){"peregrine": main, "deaf": deaf})
}

// TestScripts tests the verbs as users meet them: processes with arguments,
// files, output and exit codes. To the commands of testscript these are added:
//
//	exits CODE peregrine ARG... run the command line in this process; it must end with CODE
//	exits CODE PROGRAM ARG...   run another program; it must exit with CODE
//	study NAME RUN STEPS        run a scripted solver (mock.Mock) as a study of that name
//	studying NAME RUN STEPS     ... and go on once it has iterated
//	paused NAME RUN STEPS       ... and go on once a rule has paused it, at its third iteration
//	ended                       wait for the end of what is being studied
//	appears FILE                wait until it is there
//	long REASON                 a long test, as by testenv.Long
//	needs PACKAGE PROGRAM       skip without a program, as by testenv.Program
//	nothere REASON              skip on this system, as by testenv.NotHere
func TestScripts(t *testing.T) {
	dir, err := filepath.Abs("testdata/script") // commands change the folder of this process
	must.OK(t, err)
	examples := filepath.Join(dir, "../../../../config/examples")
	of := func(ts *testscript.TestScript) testing.TB { return ts.Value(testKey{}).(testing.TB) }
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			for name, folder := range map[string]string{"HOME": "home", "PEREGRINE_CACHE": "cache",
				"PEREGRINE_WORK": "runs"} {
				e.Setenv(name, filepath.Join(e.WorkDir, folder))
			}
			e.Setenv("EXAMPLES", examples)
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // a second for each process otherwise
			e.Values[testKey{}] = e.T()
			e.Values[studiesKey{}] = &mockStudies{work: filepath.Join(e.WorkDir, "runs")}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"appears": appears,
			"long":    func(ts *testscript.TestScript, _ bool, args []string) { testenv.Long(of(ts), args[0]) },
			"needs": func(ts *testscript.TestScript, _ bool, args []string) {
				testenv.Program(of(ts), args[0], args[1])
			},
			"nothere": func(ts *testscript.TestScript, _ bool, args []string) { testenv.NotHere(of(ts), args[0]) },
			"study": func(ts *testscript.TestScript, _ bool, args []string) {
				s := studiesOf(ts)
				ts.Check(s.start(args[0], args[1], args[2], nil, nil))
				ts.Check(s.wait())
			},
			"paused":   func(ts *testscript.TestScript, _ bool, args []string) { studying(ts, args, &pauser{}) },
			"studying": func(ts *testscript.TestScript, _ bool, args []string) { studying(ts, args, nil) },
			"ended":    func(ts *testscript.TestScript, _ bool, _ []string) { ts.Check(studiesOf(ts).wait()) },
		},
	})
}

// studying begins a study, and waits until it iterates, or until a monitor has commanded it.
func studying(ts *testscript.TestScript, args []string, monitor attempt.Monitor) {
	s, reached := studiesOf(ts), make(chan struct{})
	ts.Check(s.start(args[0], args[1], args[2], reached, monitor))
	ts.Defer(func() { _ = s.wait() }) // where the script fails before it waits
	select {
	case <-reached:
	case <-time.After(programtest.Patience):
		ts.Fatalf("study %s does not iterate, or is not commanded", args[0])
	}
}

// exits runs a program, or peregrine in this process, whose exit code must be the given one.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if args[1] == "peregrine" {
		got, err = inProcess(ts, args[2:])
		ts.Check(err)
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// oneCommand is held by the script whose folder, environment and standard files this process has.
var oneCommand sync.Mutex

// inProcess runs a command line of peregrine in the folder of a script, with its variables. A process of its own would
// take a tenth of a second to start. Scripts that need one use exec.
func inProcess(ts *testscript.TestScript, args []string) (code int, err error) {
	oneCommand.Lock()
	defer oneCommand.Unlock()
	back, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Chdir(back)) }()
	if err := os.Chdir(ts.MkAbs(".")); err != nil {
		return 0, err
	}
	for _, name := range scriptVariables {
		old, was := os.LookupEnv(name)
		defer func() {
			if was {
				err = errors.Join(err, os.Setenv(name, old))
			} else {
				err = errors.Join(err, os.Unsetenv(name))
			}
		}()
		if err := os.Setenv(name, ts.Getenv(name)); err != nil {
			return 0, err
		}
	}
	var texts [3]*os.File
	for i, standard := range []**os.File{&os.Stdin, &os.Stdout, &os.Stderr} {
		texts[i], err = os.CreateTemp("", "peregrine-script")
		if err != nil {
			return 0, err
		}
		old := *standard
		defer func() {
			*standard = old
			err = errors.Join(err, texts[i].Close(), os.Remove(texts[i].Name()))
		}()
		*standard = texts[i]
	}
	oldArgs := os.Args // a study records its command
	defer func() { os.Args = oldArgs }()
	os.Args = append([]string{"peregrine"}, args...)
	code = execute(context.Background(), args)
	for i, to := range map[int]io.Writer{1: ts.Stdout(), 2: ts.Stderr()} {
		if _, err := texts[i].Seek(0, io.SeekStart); err != nil {
			return 0, err
		}
		text, err := io.ReadAll(texts[i])
		if err != nil {
			return 0, err
		}
		if bytes.Contains(text, []byte("<nil>")) || bytes.Contains(text, []byte("%!")) {
			return 0, fmt.Errorf("a message lacks a value: %s", text)
		}
		if _, err := to.Write(text); err != nil {
			return 0, err
		}
	}
	return code, nil
}

// scriptVariables are the variables of the environment that scripts set and that peregrine reads.
var scriptVariables = []string{
	"HOME", "PATH", "WORK", "EXAMPLES", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PEREGRINE_CACHE",
	"PEREGRINE_HOSTS", "PEREGRINE_LAUNCHER", "PEREGRINE_SOLVERS", "PEREGRINE_WORK",
}

// appears waits for a file, which whoever writes it makes at one stroke.
func appears(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[0])
	there := func() bool { _, err := os.Stat(file); return err == nil }
	if !programtest.Comes(ts.Value(testKey{}).(testing.TB), there) {
		ts.Fatalf("%s does not appear", args[0])
	}
}

type (
	studiesKey struct{}
	testKey    struct{}
)

func studiesOf(ts *testscript.TestScript) *mockStudies { return ts.Value(studiesKey{}).(*mockStudies) }

// mockStudies are studies that this process makes while peregrine looks on.
type mockStudies struct {
	work  string
	going []*mockStudy
}

type mockStudy struct {
	cancel context.CancelFunc
	done   chan error
}

// pauser pauses a run at its third iteration, as a rule does.
type pauser struct{ due bool }

func (p *pauser) Observe(e event.Event) *attempt.Halt {
	p.due = e.Kind == event.Iteration && e.Source == event.Plugin && e.Values["iteration"] == 3
	return nil
}

func (p *pauser) Orders(string) []attempt.Instruction {
	if !p.due {
		return nil
	}
	return []attempt.Instruction{{Command: steer.Command{Verb: steer.Pause}, Reason: "rule wait: iteration == 3"}}
}

// start begins a study of one job. iterated, if it is not nil, is closed at its
// third iteration, or, where a monitor commands it, when it has taken a command.
func (s *mockStudies) start(study, name, steps string, iterated chan struct{}, monitor attempt.Monitor) error {
	host, err := attempt.NewHost(filepath.Join(s.work, study), cli.Launchers, local.Name)
	if err != nil {
		return err
	}
	command, env, err := mock.Command()
	if err != nil {
		return errors.Join(err, host.Close())
	}
	var once sync.Once
	pool := &pool.Pool{
		Runner: attempt.Runner{
			Host: host, Program: launch.Program{Command: command, Environment: env}, Study: study,
			Monitor: monitor,
		},
		Workers: 1,
		Observe: func(e event.Event) {
			reached := monitor == nil && e.Kind == event.Iteration && e.Values["iteration"] >= 3
			if iterated != nil && (reached || monitor != nil && e.Kind == event.Command) {
				once.Do(func() { close(iterated) })
			}
		},
	}
	job := run.Job{Name: name, Request: plugin.Request{
		Numbers: map[string]float64{"x": 3}, Arrays: map[string][]float64{"shape": {1, 2, 3}},
		Texts: map[string]string{"script": steps},
	}}
	ctx, cancel := context.WithCancel(context.Background())
	m := &mockStudy{cancel: cancel, done: make(chan error, 1)}
	s.going = append(s.going, m)
	go func() {
		_, err := pool.Run(ctx, []run.Job{job})
		m.done <- errors.Join(err, host.Close())
	}()
	return nil
}

// wait waits for the studies to end by themselves, and ends them if they do not.
func (s *mockStudies) wait() error {
	var problems []error
	for _, m := range s.going {
		late := time.AfterFunc(programtest.Patience, m.cancel)
		problems = append(problems, <-m.done)
		late.Stop()
		m.cancel()
	}
	s.going = nil
	return errors.Join(problems...)
}
