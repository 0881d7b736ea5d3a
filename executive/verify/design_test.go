package verify

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/steady"
)

// draw is a design of a type: the parameters that a point of the Sobol sequence gives, and how a
// user asks for it.
type draw struct {
	t      *designType
	values map[string]float64 // by path
	wishes []wish
}

// drawDesign is design i of a type.
func (t *designType) draw(i int) draw {
	u := sobol(i, len(t.drawn)+1)
	d := draw{t: t, values: map[string]float64{}, wishes: t.wishes[int(u[len(t.drawn)]*float64(len(t.wishes)))]}
	for k, s := range t.drawn {
		d.values[s.path] = s.lo + u[k]*(s.hi-s.lo)
	}
	return d
}

// parse reads the type's file with balances and settings.
func (t *designType) parse(balances, sets []string) (*steady.Solver, error) {
	text := t.text
	if len(balances) > 0 {
		text += "design:\n  - " + strings.Join(balances, "\n  - ") + "\n"
	}
	cfg, err := config.Parse(t.name, []byte(text), components.Catalogue(), sets)
	if err != nil {
		return nil, err
	}
	m, err := graph.New(cfg)
	return steady.New(m), err
}

func assign(path string, x float64) string {
	return path + "=" + strconv.FormatFloat(x, 'g', -1, 64)
}

func vary(path, until string, x float64) string {
	return fmt.Sprintf("{vary: %s, until: %s = %s}", path, until, strconv.FormatFloat(x, 'g', -1, 64))
}

// forward solves the drawn design with its parameters given.
func (d draw) forward() (*steady.Solver, error) {
	var balances, sets []string
	for _, s := range d.t.drawn {
		if s.by != "" {
			balances = append(balances, vary(s.by, s.path, d.values[s.path]))
		} else {
			sets = append(sets, assign(s.path, d.values[s.path]))
		}
	}
	m, err := d.t.parse(balances, sets)
	if err != nil {
		return nil, fmt.Errorf("bad engine: %w", err)
	}
	_, err = m.Design(context.Background())
	return m, err
}

// wished returns the design as a user writes it, whose solution is that of the model.
func (d draw) wished(m *steady.Solver) (balances, sets []string, err error) {
	left := map[string]bool{}
	for _, w := range d.wishes {
		read, err := m.Read(w.until)
		if err != nil {
			return nil, nil, err
		}
		left[w.leave] = true
		if w.give != "" {
			sets = append(sets, assign(w.give, read.Get()))
		} else {
			balances = append(balances, vary(w.leave, w.until, read.Get()))
		}
	}
	for _, s := range d.t.drawn {
		path, value := s.path, d.values[s.path]
		if s.by != "" {
			_, at, _, err := m.Parameter(s.by)
			if err != nil {
				return nil, nil, err
			}
			path, value = s.by, *at
		}
		if !left[path] {
			sets = append(sets, assign(path, value))
		}
	}
	return balances, sets, nil
}

// sane reports whether a drawn engine is one: it gives its product.
func sane(m *steady.Solver) bool {
	fn, _ := m.Read("performance.Fn")
	w, _ := m.Read("ambient.W")
	power, _ := m.Read("performance.power")
	return fn.Get() > 50*w.Get() || power.Get() > 20e3*w.Get()
}

// outcome is how a drawn design was solved.
type outcome struct {
	index       int
	drawn       bool   // it is an engine, and the forward solution is there
	why         string // that it is not, or that the design was not found
	converged   bool
	away        float64 // greatest relative difference from the forward solution
	where       string
	evaluations int
	ask         string
}

// anywhere are starting values of a design's varied parameters, from a range far wider than that of engines.
func (d draw) anywhere(i int) (sets []string) {
	wide := map[string][2]float64{
		"ambient.W": {1, 2000}, "burner.FAR": {0.004, 0.06}, "afterburner.FAR": {1e-4, 0.05}, "fan.PR": {1.1, 8},
		"hpc.PR":        {1.5, 40},
		"compressor.PR": {1.5, 40}, "ipc.PR": {1.2, 15}, "fan.BPR": {0.1, 20}, "splitter.BPR": {0.05, 3},
		"power_turbine.PR": {1.1, 10},
	}
	u := sobol(i, len(d.wishes))
	for k, w := range d.wishes {
		if span, ok := wide[w.leave]; ok && w.give == "" {
			sets = append(sets, assign(w.leave, span[0]*math.Pow(span[1]/span[0], u[k])))
		}
	}
	return sets
}

// solve solves design i, from anywhere or from a user's values in the file.
func (t *designType) solve(i int, anywhere bool) (o outcome) {
	o.index = i
	d := t.draw(i)
	m, err := d.forward()
	if err != nil || !sane(m) {
		o.why = fmt.Sprint(err)
		return o
	}
	o.drawn = true
	balances, sets, err := d.wished(m)
	if err != nil {
		panic(err)
	}
	if anywhere {
		sets = append(sets, d.anywhere(i)...)
	}
	o.ask = strings.Join(balances, "; ")
	u, err := t.parse(balances, sets)
	if err != nil {
		panic(fmt.Sprintf("%s: %v: %v %v", t.name, err, balances, sets))
	}
	info, err := u.Design(context.Background())
	o.evaluations, o.converged = info.Evaluations, err == nil
	if err != nil {
		o.why = graph.Advise(err) + " [" + strings.Join(sets, " ") + "]"
		return o
	}
	for _, path := range compared {
		a, errA := m.Read(path)
		b, errB := u.Read(path)
		if errA != nil || errB != nil {
			continue
		}
		x, y := a.Get(), b.Get()
		if away := math.Abs(y-x) / max(math.Abs(x), 1e-3); away > o.away {
			o.away, o.where = away, fmt.Sprintf("%s %.8g instead of %.8g", path, y, x)
		}
	}
	return o
}

// compared are the values in which solutions are to agree.
var compared = []string{
	"ambient.W", "burner.FAR", "afterburner.FAR", "fan.PR", "fan.BPR", "splitter.BPR", "compressor.PR", "ipc.PR",
	"hpc.PR",
	"turbine.PR", "hpt.PR", "ipt.PR", "lpt.PR", "power_turbine.PR", "mixer.MN_core", "mixer.MN_bypass", "mixer.ER",
	"performance.Fn", "performance.TSFC", "performance.OPR",
	"performance.power", "nozzle.PR", "core_nozzle.PR", "recuperator.Q", "nozzle.A", "core_nozzle.A",
}

// solveDesigns solves n drawn designs of a type that have a solution.
func (t *designType) solveDesigns(n int, anywhere bool) []outcome {
	const most = 3
	out := make([]outcome, most*n)
	var wg sync.WaitGroup
	var mu sync.Mutex
	next, had := 0, 0
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				enough := i >= len(out) || had >= n
				mu.Unlock()
				if enough {
					return
				}
				o := t.solve(i+1, anywhere)
				mu.Lock()
				out[i] = o
				if o.drawn {
					had++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	had = 0
	return slices.DeleteFunc(out, func(o outcome) bool {
		if o.drawn {
			had++
		}
		return o.index == 0 || had > n // two may have been at work on the last one
	})
}

// tally counts the outcomes of a type's designs.
type tally struct {
	solved, none, converged, other int
	evaluations                    []int // of those that converged
}

func tallied(outcomes []outcome) (c tally) {
	for _, o := range outcomes {
		switch {
		case !o.drawn:
			c.none++
			continue
		case o.converged:
			c.converged++
			c.evaluations = append(c.evaluations, o.evaluations)
			if o.away > sameRoot {
				c.other++
			}
		}
		c.solved++
	}
	slices.Sort(c.evaluations)
	return c
}

// sameRoot is the relative difference up to which two solutions are the same.
const sameRoot = 1e-7

func (c tally) String() string {
	return fmt.Sprintf("%d designs (%d draws give no engine): %d converge, %d to another solution; %d evaluations in "+
		"the median, %d at most",
		c.solved, c.none, c.converged, c.other, quantile(c.evaluations, 0.5), quantile(c.evaluations, 1))
}

func quantile(sorted []int, share float64) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// Designs drawn at random, with their outputs as targets, are found without any starting value. A distant starting
// value does no harm.
func TestDesigns(t *testing.T) {
	for i := range designTypes {
		d := &designTypes[i]
		for _, anywhere := range []bool{false, true} {
			n := enginetest.Trials(t, 2, 15, 40)
			if anywhere {
				n = enginetest.Trials(t, 1, 5, 10)
			}
			t.Run(fmt.Sprintf("%s/anywhere=%t", d.name, anywhere), func(t *testing.T) {
				outcomes := d.solveDesigns(n, anywhere)
				t.Log(tallied(outcomes))
				for _, o := range outcomes {
					if o.drawn && (!o.converged || o.away > sameRoot) {
						t.Errorf("design %d (%s): %s%s", o.index, o.ask, o.why, o.where)
					}
				}
			})
		}
	}
}

// BenchmarkDesigns is a thousand designs of each of the twelve types. Target: 99.5 % converge.
func BenchmarkDesigns(b *testing.B) { benchmarkDesigns(b, 1000, false) }

// BenchmarkDesignsFromAnywhere is a hundred of each, with starting values that are far off.
func BenchmarkDesignsFromAnywhere(b *testing.B) { benchmarkDesigns(b, 100, true) }

func benchmarkDesigns(b *testing.B, n int, anywhere bool) {
	for i := range designTypes {
		d := &designTypes[i]
		b.Run(d.name, func(b *testing.B) {
			for b.Loop() {
				outcomes := d.solveDesigns(n, anywhere)
				c := tallied(outcomes)
				b.Log(c)
				for _, o := range outcomes {
					if o.drawn && (!o.converged || o.away > sameRoot) {
						b.Logf("design %d (%s): %s%s", o.index, o.ask, o.why, o.where)
					}
				}
				b.ReportMetric(100*float64(c.converged)/float64(c.solved), "%converged")
				b.ReportMetric(100*float64(c.other)/float64(c.solved), "%other")
				b.ReportMetric(float64(quantile(c.evaluations, 0.5)), "evaluations/design")
				b.ReportMetric(float64(quantile(c.evaluations, 1)), "evaluations/most")
			}
		})
	}
}
