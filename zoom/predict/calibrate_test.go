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

// steep is the time of runs that slow each other by more than their number.
func steep(size float64, together int) float64 { return size * 1e-6 * math.Pow(float64(together), 3) }

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
		time                 func(float64, int) float64
	}{
		{"sizes and numbers at a time", []float64{1e6, 2e6, 4e6, 4e6}, []int{1, 2, 1, 3}, 5, 2e-6, 0.5e-6, "", law},
		{"one at a time", []float64{1e6, 2e6, 4e6}, []int{1, 1, 1}, 5, 2e-6, no, "slow each other", law},
		{"one size", []float64{1e6, 1e6, 1e6}, []int{1, 2, 2}, no, 7e-6, 0.5e-6, "time of a start", law},
		{"larger ones beside others", []float64{1e6, 2e6, 2e6}, []int{1, 2, 2}, no, no, no, "time of a start", law},
		{"two runs", []float64{1e6, 9e6}, []int{1, 2}, no, no, no, "time of a start", law},
		{"no size", []float64{0, 0}, []int{1, 1}, no, no, no, "time of a cell", law},
		{"steep", []float64{1e6, 1e6, 1e6, 1e6}, []int{2, 2, 4, 4}, no, no, no, "not in proportion", steep},
	} {
		c := predict.Calibrate(timed(x.sizes, x.workers, x.time), nil)
		s := c.Solvers[0]
		for name, is := range map[string]struct {
			got  *predict.Estimated
			want float64
		}{"start": {s.Start, x.start}, "cell": {s.Cell, x.cell}, "slowing": {s.Slowing, x.slowing}} {
			switch {
			case is.want == no && name == "cell":
				if (is.got == nil) != (x.unknown == "time of a cell") {
					t.Errorf("%s: %s is %+v", x.name, name, is.got)
				}
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

// near reports whether a value is within two standard errors of the true one.
func near(x *predict.Estimated, want float64) bool { return math.Abs(x.Value-want) < 2**x.Deviation }

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
		if near(s.Cell, 2e-6) && near(s.Start, 5) {
			inside++
		}
	}
	if inside < 85 {
		t.Errorf("in %d of 100 the values are within two standard errors", inside)
	}
	three := predict.Calibrate(timed([]float64{1e6, 2e6, 9e6}, []int{1, 3, 1}, law), nil).Solvers[0]
	if x := three.Slowing; x == nil || x.Deviation != nil {
		t.Errorf("three runs leave three terms no standard error: %+v", x)
	}
}

// If the runs of a study are alike their standard errors are about those of as many runs as there are studies. Weights
// that the runs decide make them no smaller than they are. Of 12 studies 93 % are within two.
func TestCalibrateErrorsOfStudies(t *testing.T) {
	t.Parallel()
	for _, x := range [][2]float64{{0.3, 0.03}, {0.1, 0.01}, {0, 0.1}} {
		inside := 0
		for seed := range uint64(200) {
			h := busy(rand.New(rand.NewPCG(seed, 9)), x[0], x[1])
			if near(predict.Calibrate(h, nil).Solvers[0].Cell, 1e-5) {
				inside++
			}
		}
		if inside < 178 || inside > 198 {
			t.Errorf("%g between studies, %g within: in %d of 200 the value is within two standard errors", x[0], x[1],
				inside)
		}
	}
}

// busy is 8 runs of 10 s of each of 12 studies, whose logarithms of times have deviations in common and of their own.
func busy(random *rand.Rand, common, own float64) (h predict.History) {
	for study := range 12 {
		z := random.NormFloat64()
		for job := range 8 {
			h.Attempts = append(h.Attempts, predict.Measured{Study: fmt.Sprint(study), Job: fmt.Sprint(job),
				Solver: "own", Class: event.Converged, Workers: 1, Settings: map[string]float64{"cells": 1e6},
				Wall: 10 * math.Exp(common*z+own*random.NormFloat64())})
		}
	}
	return h
}

// Runs of unknown size have the time that was measured, whatever is known of how runs slow each other.
func TestUnknownSize(t *testing.T) {
	t.Parallel()
	h := timed([]float64{1e6, 1e6, 1e6, 0}, []int{1, 2, 2, 2}, law)
	c := must.Value(predict.ParseCluster(t.Context(), "cluster.yaml", []byte("nodes: 1")))(t)
	g := &predict.Graph{Runs: []predict.Run{{Name: "3", Cores: 1, Solver: "own"}}}
	must.OK(t, g.Check(c))
	g.Estimate(h, c)
	must.Near(t, "time", g.Runs[0].Time.Median, 5, 1e-12)
}

// Studies that were held out count as their forecasts say.
func TestCalibrateHolds(t *testing.T) {
	t.Parallel()
	runs := []predict.RunBeside{{Run: "a", Solver: "own", Predicted: 10, Measured: 11}}
	between := predict.Quantiles{P10: 9, P50: 10, P90: 12}
	c := predict.Calibrate(timed([]float64{1}, []int{1}, law), []*predict.Comparison{
		{StudyBeside: predict.StudyBeside{Study: "s", Measured: 11, Predicted: between}, Runs: runs},
		{StudyBeside: predict.StudyBeside{Study: "t", Measured: 13, Predicted: between}},
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
		h := busy(rand.New(rand.NewPCG(1, 1)), common, own)
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
