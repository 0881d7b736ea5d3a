package main

// The histories of the built-in solvers.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/corpus"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// builtins lists the built-in solvers and how many cases each has.
var builtins = []struct {
	name  string
	cases int
}{{"throughflow", 70}, {"bladerow", 14}}

// envRun is the environment variable that gives a child process of this command its builtinRun.
const envRun = "PEREGRINE_CORPUS_RUN"

// builtinRun is a run of a built-in solver, made in a process of its own so that it can be killed.
type builtinRun struct {
	Solver   string
	Geometry string
	Folder   string
	Numbers  map[string]float64
	Texts    map[string]string
	Pt, Tt   float64
	KillAt   int // iteration; 0: never
	StopAt   int
}

// runChild makes the run that the environment variable describes.
func runChild(text string) error {
	var c builtinRun
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	geometry, err := os.ReadFile(filepath.Join("../../../config/examples/geometry", c.Geometry))
	if err != nil {
		return err
	}
	var s plugin.Solver = &solver.Throughflow{}
	if c.Solver == "bladerow" {
		s = &solver.BladeRow{}
	}
	d := s.Describe()
	req := d.WithDefaults(plugin.Request{
		Folder: c.Folder, Numbers: c.Numbers, Texts: map[string]string{machine.InGeometry: string(geometry)},
		Arrays: map[string][]float64{
			machine.InSpan: {0, 1}, machine.InPt: {c.Pt, c.Pt}, machine.InTt: {c.Tt, c.Tt}, machine.InAlpha: {0, 0},
		},
	})
	for name, v := range c.Texts {
		req.Texts[name] = v
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, err = s.Run(ctx, req, func(e event.Event) {
		switch n := int(e.Values["iteration"]); {
		case e.Kind != event.Iteration:
		case c.KillAt > 0 && n >= c.KillAt:
			process.Suicide(syscall.SIGKILL)
		case c.StopAt > 0 && n >= c.StopAt:
			stop()
		}
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// runBuiltin makes a run in a child process and returns its history, nil if it wrote none, and its exit status.
func (m *maker) runBuiltin(c builtinRun) (history []byte, status int, err error) {
	if c.Folder, err = os.MkdirTemp("", "corpus"); err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(c.Folder)
	text, err := json.Marshal(c)
	if err != nil {
		return nil, 0, err
	}
	cmd := exec.Command("nice", "-n", "10", os.Args[0])
	cmd.Env = append(os.Environ(), envRun+"="+string(text))
	if said, err := cmd.CombinedOutput(); err != nil && c.KillAt == 0 {
		fmt.Fprintf(m.log, "%v: %s\n", err, bytes.TrimSpace(said))
	}
	if cmd.ProcessState == nil {
		return nil, 0, errors.New("the child process did not start")
	}
	if history, err = os.ReadFile(filepath.Join(c.Folder, march.HistoryFile)); err != nil {
		return nil, 1, nil
	}
	state := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if state.Signaled() {
		return history, 128 + int(state.Signal()), nil
	}
	return history, state.ExitStatus(), nil
}

// marched is the contents of a history.
type marched struct {
	iteration []int
	residual  []float64
	values    [4][]float64 // W_in, W_out, PR, eff
	end       string       // the status, "" if it breaks off
}

func readMarched(text []byte) (m marched) {
	for _, l := range strings.Split(string(text), "\n") {
		f := strings.Fields(l)
		if len(f) > 1 && f[0] == "end" {
			m.end = f[1]
		}
		if len(f) != 8 || f[0] == "#" {
			continue
		}
		n, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		m.iteration = append(m.iteration, n)
		for i, at := range []int{2, 3, 4, 5} {
			v, _ := strconv.ParseFloat(f[at], 64)
			m.values[i] = append(m.values[i], v)
		}
		r, _ := strconv.ParseFloat(f[1], 64)
		m.residual = append(m.residual, r)
	}
	return m
}

// last returns the number of the last iteration.
func (m *marched) last() int { return m.iteration[len(m.iteration)-1] }

// spread returns the largest half range of the values over their mean in the last fifth, at least 50 iterations,
// and their largest distance from another run's last values.
func (m *marched) spread(other *marched) (half, off float64) {
	from := 0
	for m.iteration[from] < min(m.last()*8/10, m.last()-50) {
		from++
	}
	for i, v := range m.values {
		v = v[from:]
		top := other.values[i][len(other.values[i])-1]
		if top == 0 {
			continue
		}
		half = max(half, (slices.Max(v)-slices.Min(v))/2/math.Abs(top))
		off = max(off, math.Abs(v[len(v)-1]/top-1))
	}
	return half, off
}

// drawBuiltin draws the case i of a solver.
func (m *maker) drawBuiltin(solver string, i int) (c builtinRun, how string) {
	d := rand.New(rand.NewPCG(m.seed, uint64(i)+uint64(len(solver))<<32))
	pick := func(of ...float64) float64 { return of[d.IntN(len(of))] }
	c = builtinRun{Solver: solver, Geometry: "e3-fan.yaml", Pt: 101325, Tt: 288.15, Texts: map[string]string{}}
	speed := pick(0.55, 0.7, 0.8, 0.9, 0.95, 1, 1, 1.05)
	throttle := pick(0.6, 0.8, 0.9, 1, 1, 1.1, 1.2, 1.5, 2.5)
	c.Numbers = map[string]float64{
		machine.InSpeed: speed * 3727.7, machine.InGamma: 1.4, machine.InR: 287.05,
		machine.InThrottle: throttle * 0.2973,
	}
	if solver == "throughflow" {
		maps.Copy(c.Numbers, map[string]float64{
			"cells_z": pick(64, 80), "cells_r": pick(16, 20, 24), "cfl": pick(5, 10, 20, 20, 40, 80),
			"orders": pick(3, 4, 4, 5, 11), "deviation_offset": pick(0, 0, 0.05), "loss_change": pick(0, 0, 0.5),
			"max_iterations": 2500,
		})
	} else {
		maps.Copy(c.Numbers, map[string]float64{
			"refine": pick(0.25, 0.3), "cfl": pick(10, 20, 50, 200), "orders": pick(2, 2, 3, 9), "max_iterations": 1200,
		})
		c.Texts["model"], c.Texts["start"] = []string{"euler", "spalart-helicity"}[d.IntN(2)], "rest"
		if d.IntN(2) == 0 {
			c.Geometry, c.Pt, c.Tt = "hpt-stage.yaml", 4.4e5, 1450
			c.Numbers[machine.InSpeed], c.Numbers[machine.InGamma], c.Numbers[machine.InR] =
				12600*pick(0.8, 1, 1.1), 1.3, 287
			throttle = pick(120, 150, 160, 185, 230)
			c.Numbers[machine.InThrottle] = throttle
		}
	}
	how = fmt.Sprintf("%s speed %g throttle %g", strings.TrimSuffix(c.Geometry, ".yaml"), speed, throttle)
	for _, name := range []string{"cells_z", "cells_r", "refine", "cfl", "orders"} {
		if v, ok := c.Numbers[name]; ok {
			how += fmt.Sprintf(" %s %g", name, v)
		}
	}
	return c, how
}

// builtin makes the histories of a case, and labels them by the rules of package corpus.
func (m *maker) builtin(name, solver string, i int) (rows []corpus.History, err error) {
	d := rand.New(rand.NewPCG(m.seed+1, uint64(i)+uint64(len(solver))<<32))
	c, how := m.drawBuiltin(solver, i)
	add := func(text []byte, status, limit int, label corpus.Label, why string) error {
		n := fmt.Sprintf("%s%c", name, 'a'+len(rows))
		rows = append(rows, corpus.History{
			Name: n, Files: []string{march.HistoryFile}, Solver: solver, Family: solver, Label: label, Alone: label,
			Limit: limit, Status: status, HasStatus: true, How: how + "; " + why,
		})
		fmt.Fprintf(m.log, "%s\t%s\t%s\n", n, label, why)
		return writeFile(filepath.Join(m.out, "history", n, march.HistoryFile), string(text))
	}
	text, status, err := m.runBuiltin(c)
	if err != nil {
		return nil, err
	}
	long := readMarched(text)
	if len(long.iteration) < 8 {
		fmt.Fprintf(m.log, "%s\tleft out: %d reports, %s\n", name, len(long.iteration), long.end)
		return nil, nil
	}
	switch march.Status(long.end) {
	case march.Diverged, march.Stalled:
		err = add(text, status, 0, corpus.Diverged, "the solver gave up: "+long.end)
		return rows, err
	case march.Converged:
		err = add(text, status, 0, corpus.Converged, "its criterion")
	case march.NotConverged:
		unlike, errRun := m.unlikeConverged(c, &long)
		if errRun != nil {
			return nil, errRun
		}
		if unlike != "" {
			fmt.Fprintf(m.log, "%s\tleft out: %s\n", name, unlike)
			return nil, nil
		}
		err = add(text, status, long.last(), corpus.ConvergedByValue, "values stand and are those of a converged run")
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// Before its end the same run is cut short.
	end := float64(long.last())
	switch k := d.IntN(10); {
	case k < 4:
		c.Numbers["max_iterations"] = math.Round(end * (0.1 + 0.3*d.Float64()))
	case k < 6:
		c.StopAt = int(end * (0.3 + 0.4*d.Float64()))
	case k < 9:
		c.KillAt = int(end * (0.2 + 0.7*d.Float64()))
	default:
		return rows, nil
	}
	if text, status, err = m.runBuiltin(c); err != nil {
		return nil, err
	}
	short := readMarched(text)
	if label, why := labelShort(&short, &long, status); label == corpus.Limit {
		// The limit counts on the finest mesh; the monitor gets the iteration at which the run ended.
		err = add(text, status, short.last(), label, why)
	} else if label != "" {
		err = add(text, status, 0, label, why)
	}
	return rows, err
}

// unlikeConverged returns the difference between a run that reached its limit and a converged run of the same case, ""
// if its values are steady and the same.
func (m *maker) unlikeConverged(c builtinRun, long *marched) (string, error) {
	c.Numbers = maps.Clone(c.Numbers)
	c.Numbers["orders"] = 3
	text, _, err := m.runBuiltin(c)
	if err != nil {
		return "", err
	}
	reference := readMarched(text)
	if reference.end != string(march.Converged) {
		return "there is no converged solution", nil
	}
	if half, off := long.spread(&reference); half > 0.0007 || off > 0.005 {
		return fmt.Sprintf("values spread by %.2g, %.2g off", half, off), nil
	}
	return "", nil
}

// labelShort labels a run that was cut short by its longer run; "" if no rule decides.
func labelShort(short, long *marched, status int) (label corpus.Label, why string) {
	n := len(short.iteration)
	switch march.Status(short.end) {
	case "":
		if n >= 3 && status == 128+int(syscall.SIGKILL) {
			return corpus.Dead, "killed"
		}
	case march.NotConverged:
		if n < 8 {
			break
		}
		if half, off := short.spread(long); half > 0.003 && off > 0.001 {
			return corpus.Limit, "the same run converges later"
		}
	case march.Stopped:
		if n == 0 {
			break
		}
		if half, _ := short.spread(long); half > 0.003 {
			return corpus.EndedEarly, "stopped; the same run converges later"
		}
	}
	return "", ""
}
