package predict_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/predict"
)

// timed is runs of sizes, in s, with so many at a time.
func timed(sizes []float64, workers []int, time func(size float64, together int) float64) (h predict.History) {
	for i, size := range sizes {
		h.Attempts = append(h.Attempts, predict.Measured{Job: fmt.Sprint(i), Solver: "own", Class: event.Converged,
			Workers: workers[i], Wall: time(size, workers[i]), Settings: map[string]float64{"cells": size}})
	}
	return h
}

// law is a start of 5 s and 2 us for each cell, a quarter more for each other run.
func law(size float64, together int) float64 {
	return 5 + size*(2e-6+0.5e-6*float64(max(1, together)-1))
}

// The terms of a law come out again; those that the runs do not determine are named, and not guessed.
func TestCalibrate(t *testing.T) {
	t.Parallel()
	const no = math.MaxFloat64
	for _, x := range []struct {
		name                 string
		sizes                []float64
		workers              []int
		start, cell, slowing float64 // no: unknown
		unknown              string
	}{
		{"sizes and numbers at a time", []float64{1e6, 2e6, 4e6, 4e6}, []int{1, 2, 1, 3}, 5, 2e-6, 0.5e-6, ""},
		{"one at a time", []float64{1e6, 2e6, 4e6}, []int{1, 1, 1}, 5, 2e-6, no, "slow each other"},
		{"one size", []float64{1e6, 1e6, 1e6}, []int{1, 2, 2}, no, 7e-6, 0.5e-6, "time of a start"},
		{"larger ones beside others", []float64{1e6, 2e6, 2e6}, []int{1, 2, 2}, no, no, no, "time of a start"},
		{"two runs", []float64{1e6, 9e6}, []int{1, 2}, no, no, no, "time of a start"},
		{"no size", []float64{0, 0}, []int{1, 1}, no, no, no, "time of a cell"},
	} {
		c := predict.Calibrate(timed(x.sizes, x.workers, law), nil)
		s := c.Solvers[0]
		for name, is := range map[string]struct {
			got  *predict.Estimated
			want float64
		}{"start": {s.Start, x.start}, "cell": {s.Cell, x.cell}, "slowing": {s.Slowing, x.slowing}} {
			switch {
			case is.want == no && name == "cell":
			case is.want == no && is.got != nil, is.want != no && is.got == nil:
				t.Errorf("%s: %s is %+v, want %v", x.name, name, is.got, is.want)
			case is.want != no:
				must.Near(t, x.name+": "+name, is.got.Value, is.want, 1e-6)
			}
		}
		if said := strings.Join(c.Unknown, "\n"); !strings.Contains(said, x.unknown) {
			t.Errorf("%s: unknown is %q, want %q", x.name, said, x.unknown)
		}
	}
}

// A standard error is that of the fit: in most of many histories with noise the value is within two of it. One run that
// took a hundred times as long moves no term by more than its own.
func TestCalibrateErrors(t *testing.T) {
	t.Parallel()
	inside := 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 7))
		var sizes []float64
		var workers []int
		for i := range 40 {
			sizes, workers = append(sizes, 1e6*float64(1+i%8)), append(workers, 1+i/8%3)
		}
		h := timed(sizes, workers, func(size float64, together int) float64 {
			return law(size, together) * math.Exp(0.1*random.NormFloat64())
		})
		h.Attempts[3].Wall *= 100
		s := predict.Calibrate(h, nil).Solvers[0]
		if math.Abs(s.Cell.Value-2e-6) < 2*s.Cell.Deviation && math.Abs(s.Start.Value-5) < 2*s.Start.Deviation {
			inside++
		}
	}
	if inside < 85 {
		t.Errorf("in %d of 100 the values are within two standard errors", inside)
	}
}

// Studies that were held out count as their forecasts say.
func TestCalibrateHolds(t *testing.T) {
	t.Parallel()
	runs := []predict.RunBeside{{Run: "a", Solver: "own", Predicted: 10, Measured: 11}}
	c := predict.Calibrate(timed([]float64{1}, []int{1}, law), []*predict.Comparison{
		{Study: "s", Measured: 11, Predicted: predict.Quantiles{P10: 9, P50: 10, P90: 12}, Runs: runs},
		{Study: "t", Measured: 13, Predicted: predict.Quantiles{P10: 9, P50: 10, P90: 12}},
	})
	must.Equal(t, 1, c.Inside)
	must.Equal(t, 2, len(c.Studies))
	must.Near(t, "ratio", c.Solvers[0].Ratio.P50, 1.1, 1e-12)
	for _, u := range c.Unknown {
		if strings.Contains(u, "held out") {
			t.Errorf("%q, and a run was held out", u)
		}
	}
}

// Runs that a busy machine slows study by study have a spread in common: the makespan of one more study is as uncertain
// as one of its runs.
func TestCommonSpread(t *testing.T) {
	t.Parallel()
	forecast := func(common, own float64) predict.Quantiles {
		random := rand.New(rand.NewPCG(1, 1))
		h := predict.History{}
		for study := range 12 {
			z := random.NormFloat64()
			for job := range 8 {
				h.Attempts = append(h.Attempts, predict.Measured{Study: fmt.Sprint(study), Job: fmt.Sprint(job),
					Solver: "own", Class: event.Converged, Workers: 1, Settings: map[string]float64{"cells": 1e6},
					Wall: 10 * math.Exp(common*z+own*random.NormFloat64())})
			}
		}
		c := must.Value(predict.ParseCluster(t.Context(), "cluster.yaml", []byte("nodes: 1")))(t)
		g := &predict.Graph{}
		for job := range 8 {
			g.Runs = append(g.Runs, predict.Run{Name: fmt.Sprint(job), Cores: 1, Solver: "own",
				Settings: map[string]float64{"cells": 1e6}})
		}
		must.OK(t, g.Check(c))
		g.Estimate(h, c)
		return must.Value(g.Forecast(t.Context(), c, predict.Options{Samples: 400, Seed: 1}))(t).Makespan
	}
	if q := forecast(0.3, 0.03); q.P90/q.P10 < 1.7 { // of the lognormal: 2.16
		t.Errorf("studies that differ by 30 %%: %+v", q)
	}
	if q := forecast(0, 0.3); q.P90/q.P10 > 1.5 { // of the mean of 8: 1.31
		t.Errorf("runs that differ by 30 %%: %+v", q)
	}
}
