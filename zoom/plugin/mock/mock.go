// Package mock holds a mock solver that fails by script, and the conformance test that every solver's plugin must pass.
package mock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// MockEnv, set in the environment of a process, makes Serve serve.
const MockEnv = "PEREGRINE_MOCK_SOLVER"

// Serve serves a Mock and ends the process if MockEnv is set. A test binary calls it at
// the beginning of TestMain and can then start itself as a plugin.
func Serve() {
	if os.Getenv(MockEnv) == "" {
		return
	}
	plugin.Serve(&Mock{Reusable: os.Getenv(MockEnv) == reusable, Plain: os.Getenv(MockEnv) == plain})
	os.Exit(0)
}

// Values of MockEnv.
const (
	reusable = "reusable" // a Mock that takes run after run
	plain    = "plain"    // a Mock that does not steer
)

// Plain returns the command and environment that start this executable as a Mock that does not steer.
func Plain() (command, env []string, err error) {
	command, _, err = Command()
	return command, []string{MockEnv + "=" + plain}, err
}

// Reusable returns the command and environment that start this executable as a Mock that makes run after run.
func Reusable() (command, env []string, err error) {
	command, _, err = Command()
	return command, []string{MockEnv + "=" + reusable}, err
}

// Command returns the command and environment that start this executable as a Mock.
func Command() (command, env []string, err error) {
	self, err := os.Executable()
	return []string{self}, []string{MockEnv + "=1"}, err
}

// Mock is a solver whose flow is y = x^2 and whose behaviour is a script: the text "script", steps separated by ";".
// Without a script it answers at once.
//
//	iterate N [D]  report N iterations, D apart (a duration), and write them to history.txt
//	emit N         report N iterations at once, and write none
//	sleep D        make no report for D
//	wait PATH      make no report until a file is there
//	hang           make no report until the command to stop
//	deaf           ignore the command to stop from here on
//	crash          exit with status 7
//	panic          panic
//	abort          die of SIGABRT, as C code does
//	kill           die of SIGKILL
//	fail TEXT      return an error
//	full           return the error of a full disk
//	print TEXT     print to standard output and error
//	nan            answer NaN
//	missing        answer without the value
//	extra          answer a value that is not described
//	bounds         answer a value out of bounds
//	class C        end with class C
//	huge N         answer a profile of N values
//	garbage        write binary noise into history.txt
//	truncate       cut history.txt to zero length
//	infinite       report an iteration whose residual is NaN
//	eat N          use N megabytes of memory, and report the number of bytes
//	fork N         start N processes that would outlive this one by minutes
//	flood N        print N megabytes
//	fill N         write N megabytes into its folder
//	child          start a process that would outlive this one by minutes
//	daemon         the same, in a new session, for three seconds
//	cfl LIMIT      diverge if the setting cfl exceeds LIMIT
//	stuck NAME     if the file NAME does not exist, make it and make no report until the command to stop
//	once NAME      if the file NAME does not exist, make it and die of SIGKILL
type Mock struct {
	Reusable bool // as it describes itself
	Plain    bool // it does not steer, and has one control

	ignoresStop bool
	gain        steer.Gauge // of the residual per iteration; set by the control "gain"
}

// Describe describes the mock.
func (m *Mock) Describe() plugin.Description {
	return plugin.Description{
		Name: "mock", Version: "1", Fidelity: "none: y = x squared",
		Inputs: []plugin.Quantity{
			{Name: "x", Unit: "m", Dim: unit.Length, Shape: plugin.Scalar, Required: true, Min: new(-1e6),
				Max: new(1e6), Doc: "where"},
			{Name: "shape", Unit: "m", Dim: unit.Length, Shape: plugin.Profile, Doc: "answered back"},
			{Name: plugin.InRestart, Shape: plugin.FileName, Doc: "checkpoint to go on from"},
		},
		Settings: []plugin.Quantity{
			{Name: "script", Shape: plugin.Text, Doc: "what to do"},
			{Name: "cfl", Shape: plugin.Scalar, Default: new(2.0), Min: new(0.01), Doc: "as a real solver has it"},
			{Name: "gain", Shape: plugin.Scalar, Default: new(0.5), Min: new(0.0), Max: new(1.0),
				Doc: "of the residual per iteration"},
		},
		Outputs: []plugin.Quantity{
			{Name: "y", Unit: "m2", Dim: unit.Area, Shape: plugin.Scalar, Required: true, Min: new(0.0),
				Doc: "x squared"},
			{Name: "shape", Unit: "m", Dim: unit.Length, Shape: plugin.Profile, Doc: "the input"},
		},
		Controls: []string{"gain"},
		Files:    []history.File{{Pattern: "history.txt", Format: "columns", Doc: "iteration residual flow"}},
		Pauses:   !m.Plain,
		Reusable: m.Reusable,
		Steers:   !m.Plain,
	}
}

// SetControl sets the gain, of a plain Mock.
func (m *Mock) SetControl(_ string, value float64) error {
	m.gain.Put(value)
	return nil
}

// play is one run of the script.
type play struct {
	mock *Mock
	ctx  context.Context
	req  plugin.Request
	emit func(event.Event)
	res  plugin.Result
	n    int
	made int // iterations of the script still to be skipped: those before the checkpoint
	resd float64
	helm *helm

	eaten [][]byte
}

// Run plays the script.
func (m *Mock) Run(ctx context.Context, req plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	x := req.Numbers["x"]
	m.gain.Put(req.Numbers["gain"])
	m.ignoresStop = false
	p := &play{mock: m, ctx: ctx, req: req, emit: emit, resd: 1, res: plugin.Result{
		Class: event.Converged, Numbers: map[string]float64{"y": x * x}, Arrays: map[string][]float64{},
	}}
	if err := p.restart(); err != nil {
		return p.res, err
	}
	p.helm = p.take()
	if shape := req.Arrays["shape"]; shape != nil {
		p.res.Arrays["shape"] = shape
	}
	for _, step := range strings.Split(req.Texts["script"], ";") {
		words := strings.Fields(step)
		if len(words) == 0 {
			continue
		}
		if err := p.step(words[0], words[1:]); err != nil {
			return p.res, err
		}
		if ctx.Err() != nil && !m.ignoresStop {
			p.res.Class, p.res.Message = event.Killed, context.Cause(ctx).Error()
			return p.res, nil
		}
		if p.helm.ends {
			p.res.Class, p.res.Message = event.Killed, plugin.ErrStopped.Error()
			return p.res, nil
		}
	}
	return p.res, nil
}

func (p *play) step(verb string, args []string) error {
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch verb {
	case "iterate":
		n, _ := strconv.Atoi(arg(0))
		pause, _ := time.ParseDuration(arg(1))
		return p.iterate(n, pause)
	case "emit":
		n, _ := strconv.Atoi(arg(0))
		for i := range n {
			p.emit(event.Event{
				Kind: event.Iteration, Values: map[string]float64{"iteration": float64(i), "residual": 1},
			})
		}
	case "sleep":
		pause, _ := time.ParseDuration(arg(0))
		p.rest(pause)
	case "wait":
		path := strings.Join(args, " ") // a temporary folder may have a blank in its name
		for there := false; !there && p.ctx.Err() == nil; p.rest(time.Millisecond) {
			_, err := os.Stat(path)
			there = err == nil
		}
	case "hang":
		p.rest(time.Hour)
	case "stuck":
		if p.first(arg(0)) {
			p.rest(time.Hour)
		}
	case "deaf":
		p.mock.ignoresStop = true
	case "print":
		fmt.Println(strings.Join(args, " "))
		fmt.Fprintln(os.Stderr, strings.Join(args, " "))
	case "fail":
		return errors.New(strings.Join(args, " "))
	case "full":
		return &os.PathError{Op: "write", Path: "solution.bin", Err: syscall.ENOSPC}
	case "garbage", "truncate":
		return p.spoil(verb)
	case "child":
		return exec.Command("sleep", "300").Start()
	case "eat":
		n, _ := strconv.Atoi(args[0])
		for i := range n {
			p.eaten = append(p.eaten, bytes.Repeat([]byte{1}, 1<<20))
			if i%8 == 7 {
				p.emit(event.Event{
					Kind:   event.Iteration,
					Values: map[string]float64{"iteration": float64(i), "eaten": float64(len(p.eaten) << 20)},
				})
			}
			p.rest(time.Millisecond)
		}
	case "fork":
		return fork(arg(0))
	case "flood", "fill":
		return p.pour(verb, arg(0))
	case "daemon":
		cmd := exec.Command("sleep", "3")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		process.Detach(cmd)
		return cmd.Start()
	default:
		if !p.die(verb, args) && !p.answer(verb, args) {
			return fmt.Errorf("mock solver: no step %q", verb)
		}
	}
	return nil
}

// fork starts the given number of processes.
func fork(number string) error {
	n, err := strconv.Atoi(number)
	for range n {
		err = errors.Join(err, exec.Command("sleep", "300").Start())
	}
	return err
}

// pour writes the given number of megabytes, one a millisecond, to standard error or into a file.
func (p *play) pour(verb, megabytes string) error {
	out := os.Stderr
	if verb == "fill" {
		f, err := os.Create(p.path("field.bin"))
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		out = f
	}
	n, err := strconv.Atoi(megabytes)
	for range n {
		if _, werr := out.Write(bytes.Repeat([]byte("flood of text\n"), 1<<20/14)); werr != nil ||
			p.ctx.Err() != nil && !p.mock.ignoresStop {
			return errors.Join(err, werr)
		}
		p.rest(time.Millisecond)
	}
	return err
}

// rest waits for d or, unless deaf, for the end of the run.
func (p *play) rest(d time.Duration) {
	ctx := p.ctx
	if p.mock.ignoresStop {
		ctx = context.Background()
	}
	_ = clock.Sleep(ctx, clock.Real, d)
}

// restart continues from a checkpoint, if the request has one.
func (p *play) restart() error {
	path := p.req.Texts[plugin.InRestart]
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err == nil {
		_, err = fmt.Sscan(string(data), &p.n, &p.resd)
	}
	p.made = p.n
	return err
}

func (p *play) iterate(n int, pause time.Duration) error {
	passed := min(n, p.made)
	n, p.made = n-passed, p.made-passed
	f, err := os.OpenFile(p.path("history.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if p.n == 0 {
		_, _ = fmt.Fprintln(f, "# iteration residual flow")
	}
	for range n {
		if p.obey(); p.helm.ends {
			return nil
		}
		p.rest(pause)
		if p.ctx.Err() != nil && !p.mock.ignoresStop {
			return nil
		}
		p.n++
		p.resd *= p.mock.gain.Number()
		_, _ = fmt.Fprintf(f, "%d %g %g\n", p.n, p.resd, 10+p.resd)
		p.emit(event.Event{
			Kind: event.Iteration, Values: map[string]float64{"iteration": float64(p.n), "residual": p.resd},
		})
	}
	return nil
}

// spoil damages the history file as crashed solvers and full disks do.
func (p *play) spoil(how string) error {
	if how == "truncate" {
		return os.Truncate(p.path("history.txt"), 0)
	}
	f, err := os.OpenFile(p.path("history.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{0, 0xff, 'x', '\n', 0x1b, '7'}, 20000))
	return errors.Join(err, f.Close())
}

// die ends the process in the way named by the verb.
func (p *play) die(verb string, args []string) bool {
	switch verb {
	case "crash":
		os.Exit(7)
	case "panic":
		panic("mock solver: scripted panic")
	case "kill":
		process.Suicide(syscall.SIGKILL)
	case "abort":
		process.Suicide(syscall.SIGABRT)
	case "once":
		if p.first(args[0]) {
			process.Suicide(syscall.SIGKILL)
		}
	default:
		return false
	}
	return true
}

// first makes a file in the study's folder, and reports whether it did not exist.
func (p *play) first(name string) bool {
	path := filepath.Join(filepath.Dir(p.req.Folder), name)
	_, err := os.Stat(path)
	if err != nil {
		_ = os.WriteFile(path, nil, 0o644)
	}
	return err != nil
}

// answer changes the result.
func (p *play) answer(verb string, args []string) bool {
	switch verb {
	case "nan":
		p.res.Numbers["y"] = math.NaN()
	case "missing":
		delete(p.res.Numbers, "y")
	case "extra":
		p.res.Numbers["z"] = 1
	case "bounds":
		p.res.Numbers["y"] = -1
	case "class":
		p.res.Class = event.Class(args[0])
	case "huge":
		n, _ := strconv.Atoi(args[0])
		p.res.Arrays["shape"] = make([]float64, n)
	case "infinite":
		p.n++
		p.emit(event.Event{
			Kind: event.Iteration, Values: map[string]float64{"iteration": float64(p.n), "residual": math.NaN()},
		})
	case "cfl":
		limit, _ := strconv.ParseFloat(args[0], 64)
		if p.req.Numbers["cfl"] > limit {
			p.res = plugin.Result{Class: event.Diverged, Message: "CFL number too high"}
		}
	default:
		return false
	}
	return true
}

func (p *play) path(name string) string { return filepath.Join(p.req.Folder, name) }
