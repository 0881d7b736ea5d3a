package solver

// The part of the corpus of labelled histories (package watchdog/corpus) that the built-in solvers write. It stands
// here because package watchdog/corpus must not know the solvers:
//
//	PEREGRINE_CORPUS=DIR go test ./zoom/solver -run TestMakeCorpus -timeout 0
//
// DIR is the folder -out of watchdog/corpus/_make, which packs what is made here, too.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/corpus"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

const (
	envCorpus = "PEREGRINE_CORPUS"      // folder of the corpus
	envCase   = "PEREGRINE_CORPUS_CASE" // a corpusRun, for the child process
)

// corpusRun is a run of a built-in solver, made in a process of its own so that it can be killed.
type corpusRun struct {
	Solver   string
	Geometry string
	Folder   string
	Numbers  map[string]float64
	Texts    map[string]string
	Pt, Tt   float64
	KillAt   int // iteration; 0: never
	StopAt   int
}

// TestCorpusChild is the child process of TestMakeCorpus.
func TestCorpusChild(t *testing.T) {
	text := os.Getenv(envCase)
	if text == "" {
		testenv.OnlyManual(t, envCase)
	}
	var c corpusRun
	must.OK(t, json.Unmarshal([]byte(text), &c))
	geometry := must.Value(os.ReadFile("../../config/examples/geometry/" + c.Geometry))(t)
	var s plugin.Solver = &Throughflow{}
	if c.Solver == "bladerow" {
		s = &BladeRow{}
	}
	d := s.Describe()
	req := d.WithDefaults(plugin.Request{
		Folder: c.Folder, Numbers: c.Numbers, Texts: map[string]string{zoom.InGeometry: string(geometry)},
		Arrays: map[string][]float64{zoom.InSpan: {0, 1}, zoom.InPt: {c.Pt, c.Pt}, zoom.InTt: {c.Tt, c.Tt}, zoom.InAlpha: {0, 0}},
	})
	for name, v := range c.Texts {
		req.Texts[name] = v
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	_, err := s.Run(ctx, req, func(e event.Event) {
		switch n := int(e.Values["iteration"]); {
		case e.Kind != event.Iteration:
		case c.KillAt > 0 && n >= c.KillAt:
			process.Suicide(syscall.SIGKILL)
		case c.StopAt > 0 && n >= c.StopAt:
			stop()
		}
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// run makes the run and returns its history and the exit status.
func (c corpusRun) run(t *testing.T) (history []byte, status int) {
	t.Helper()
	c.Folder = t.TempDir()
	text := must.Value(json.Marshal(c))(t)
	cmd := exec.CommandContext(t.Context(), "nice", "-n", "10", os.Args[0], "-test.run=^TestCorpusChild$")
	cmd.Env = append(os.Environ(), envCase+"="+string(text))
	if said, err := cmd.CombinedOutput(); err != nil && c.KillAt == 0 {
		t.Logf("%v: %s", err, bytes.TrimSpace(said))
	}
	history, err := os.ReadFile(filepath.Join(c.Folder, march.HistoryFile))
	if err != nil {
		return nil, 1
	}
	state := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if state.Signaled() {
		return history, 128 + int(state.Signal())
	}
	return history, state.ExitStatus()
}

// marched is what a history says.
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

// corpusCase draws the case i of a solver.
func corpusCase(solver string, i int) (c corpusRun, how string) {
	d := rand.New(rand.NewPCG(14, uint64(i)+uint64(len(solver))<<32))
	pick := func(of ...float64) float64 { return of[d.IntN(len(of))] }
	c = corpusRun{Solver: solver, Geometry: "e3-fan.yaml", Pt: 101325, Tt: 288.15, Texts: map[string]string{}}
	speed, throttle := pick(0.55, 0.7, 0.8, 0.9, 0.95, 1, 1, 1.05), pick(0.6, 0.8, 0.9, 1, 1, 1.1, 1.2, 1.5, 2.5)
	c.Numbers = map[string]float64{zoom.InSpeed: speed * 3727.7, zoom.InGamma: 1.4, zoom.InR: 287.05, zoom.InThrottle: throttle * 0.2973}
	if solver == "throughflow" {
		for name, v := range map[string]float64{"cells_z": pick(64, 80), "cells_r": pick(16, 20, 24), "cfl": pick(5, 10, 20, 20, 40, 80),
			"orders": pick(3, 4, 4, 5, 11), "deviation_offset": pick(0, 0, 0.05), "loss_change": pick(0, 0, 0.5), "max_iterations": 2500} {
			c.Numbers[name] = v
		}
	} else {
		for name, v := range map[string]float64{"refine": pick(0.25, 0.3), "cfl": pick(10, 20, 50, 200), "orders": pick(2, 2, 3, 9), "max_iterations": 1200} {
			c.Numbers[name] = v
		}
		c.Texts["model"], c.Texts["start"] = []string{"euler", "spalart-helicity"}[d.IntN(2)], "rest"
		if d.IntN(2) == 0 {
			c.Geometry, c.Pt, c.Tt = "hpt-stage.yaml", 4.4e5, 1450
			c.Numbers[zoom.InSpeed], c.Numbers[zoom.InGamma], c.Numbers[zoom.InR] = 12600*pick(0.8, 1, 1.1), 1.3, 287
			throttle = pick(120, 150, 160, 185, 230)
			c.Numbers[zoom.InThrottle] = throttle
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

func TestMakeCorpus(t *testing.T) {
	dir := os.Getenv(envCorpus)
	if dir == "" {
		testenv.OnlyManual(t, envCorpus)
	}
	for _, s := range []struct {
		name string
		n    int
	}{{"throughflow", 70}, {"bladerow", 14}} {
		for i := range s.n {
			name := fmt.Sprintf("%s-%02d", s.name, i)
			path := filepath.Join(dir, "row", name+".json")
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			text := must.Value(json.MarshalIndent(marchedHistories(t, dir, name, s.name, i), "", " "))(t)
			must.OK(t, os.WriteFile(path, text, 0o644))
		}
	}
}

// marchedHistories makes the histories of one case, and labels them by the rules of package corpus.
func marchedHistories(t *testing.T, dir, name, solver string, i int) (rows []corpus.History) {
	d := rand.New(rand.NewPCG(15, uint64(i)+uint64(len(solver))<<32))
	c, how := corpusCase(solver, i)
	add := func(text []byte, status, limit int, label, alone corpus.Label, why string) {
		n := fmt.Sprintf("%s%c", name, 'a'+len(rows))
		to := filepath.Join(dir, "history", n, march.HistoryFile)
		must.OK(t, os.MkdirAll(filepath.Dir(to), 0o755))
		must.OK(t, os.WriteFile(to, text, 0o644))
		rows = append(rows, corpus.History{Name: n, Files: []string{march.HistoryFile}, Solver: solver, Family: solver, Label: label, Alone: alone,
			Limit: limit, Status: status, HasStatus: true, How: how + "; " + why})
		t.Logf("%s\t%s\t%s", n, label, why)
	}
	text, status := c.run(t)
	long := readMarched(text)
	if len(long.iteration) < 8 {
		t.Logf("%s\tleft out: %d reports, %s", name, len(long.iteration), long.end)
		return nil
	}
	switch march.Status(long.end) {
	case march.Diverged, march.Stalled:
		add(text, status, 0, corpus.Diverged, corpus.Diverged, "the solver gave up: "+long.end)
		return rows
	case march.Converged:
		add(text, status, 0, corpus.Converged, corpus.Converged, "its criterion")
	case march.NotConverged:
		easy := c
		easy.Numbers = map[string]float64{}
		for k, v := range c.Numbers {
			easy.Numbers[k] = v
		}
		easy.Numbers["orders"] = 3
		other, _ := easy.run(t)
		reference := readMarched(other)
		if reference.end != string(march.Converged) {
			t.Logf("%s\tleft out: there is no converged solution", name)
			return nil
		}
		half, off := long.spread(&reference)
		if half > 0.0007 || off > 0.005 {
			t.Logf("%s\tleft out: values spread by %.2g, %.2g off", name, half, off)
			return nil
		}
		add(text, status, long.last(), corpus.ConvergedByValue, corpus.ConvergedByValue, "values stand and are those of a converged run")
	default:
		return nil
	}
	// Before its end the same run is cut short.
	switch k := d.IntN(10); {
	case k < 4:
		// The limit counts on the finest mesh; what is told is where the run ended.
		short := c
		short.Numbers["max_iterations"] = math.Round(float64(long.last()) * (0.1 + 0.3*d.Float64()))
		text, status := short.run(t)
		m := readMarched(text)
		if len(m.iteration) < 8 || m.end != string(march.NotConverged) {
			break
		}
		if half, off := m.spread(&long); half > 0.003 && off > 0.001 {
			add(text, status, m.last(), corpus.Limit, corpus.Limit, "the same run converges later")
		}
	case k < 6:
		c.StopAt = int(float64(long.last()) * (0.3 + 0.4*d.Float64()))
		text, status := c.run(t)
		m := readMarched(text)
		if half, _ := m.spread(&long); half > 0.003 && m.end == string(march.Stopped) {
			add(text, status, 0, corpus.EndedEarly, corpus.EndedEarly, "stopped; the same run converges later")
		}
	case k < 9:
		c.KillAt = int(float64(long.last()) * (0.2 + 0.7*d.Float64()))
		text, status := c.run(t)
		if m := readMarched(text); m.end == "" && len(m.iteration) >= 3 && status == 137 {
			add(text, status, 0, corpus.Dead, corpus.Dead, "killed")
		}
	}
	return rows
}
