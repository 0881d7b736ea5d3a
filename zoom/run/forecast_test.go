package run_test

// Forecasts of studies beside their measured times, by the pool and the mock solver in the time of a bubble. Studies
// that calibrate are not those that test.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/predict"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
)

// kindOfStudy is how the runs of a study differ.
type kindOfStudy struct {
	jobs, workers int
	sizes         bool    // each run has cells of its own, of 0.5 s each, beside 3 s for a start
	spread        float64 // deviation of the logarithm of a time
	hangs         string  // a job that is silent for a minute at each attempt
	hung          float64 // share of the first attempts that report nothing; after 20 s the run is repeated
}

var repeatHung = run.Policy{event.Hung: {{Retry: 2}}}

// made is a study that was made.
type made struct {
	hangs    string
	course   *makespan.Course
	settings map[string]map[string]float64 // by job
}

// make makes a study of random runs.
func (k kindOfStudy) make(t *testing.T, seed uint64) (m made) {
	m.hangs, m.settings = k.hangs, map[string]map[string]float64{}
	random := rand.New(rand.NewPCG(seed, 0))
	synctest.Test(t, func(t *testing.T) {
		s := newStudy(t, nil)
		s.Pool.Workers, s.Pool.Policy, s.Pool.Limits.Hung = k.workers, repeatHung, 20*time.Second
		var jobs []run.Job
		for i := range k.jobs {
			name := fmt.Sprintf("j%02d", i)
			took, settings := 20.0, map[string]float64{"cells": 1}
			if k.sizes {
				settings["cells"] = float64(20 + random.IntN(60))
				took = 3 + 0.5*settings["cells"]
			}
			took *= math.Exp(k.spread * random.NormFloat64())
			script := fmt.Sprintf("iterate %.0f 500ms", 2*took)
			if random.Float64() < k.hung {
				script = "stuck once-" + name + "; " + script
			}
			if name == k.hangs {
				script, settings["cells"], s.Pool.Limits.Hung = "iterate 3 500ms; hang", 2, time.Minute
			}
			jobs, m.settings[name] = append(jobs, job(name, float64(i), script)), settings
		}
		m.course = makespan.CourseOf(logged(t, s, jobs))
	})
	return m
}

// learned is the history of studies.
func learned(of ...made) (h predict.History) {
	for k, m := range of {
		h.Executive = append(h.Executive, m.course.Executive())
		for _, b := range m.course.Batches {
			for _, j := range b.Jobs {
				for _, a := range j.Attempts {
					x := predict.Measured{Study: fmt.Sprint(k), Solver: "mock", Job: fmt.Sprint(k, j.Name),
						Class: a.Class, Settings: m.settings[j.Name]}
					if j.Name == m.hangs {
						x.Job = j.Name
					}
					x.Measure(m.course, a.Run)
					h.Attempts = append(h.Attempts, x)
				}
			}
		}
	}
	return h
}

// compared predicts a study and puts the forecast beside it.
func compared(t *testing.T, m made, h predict.History, workers int) *predict.Comparison {
	t.Helper()
	c := &predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: workers, Speed: 1}}}
	g := predict.OfCourse(m.course, func(r *predict.Run) {
		r.Solver, r.Settings, r.Policy = "mock", m.settings[r.Job], repeatHung
	})
	must.OK(t, g.Check(c))
	g.Estimate(h, c)
	return must.Value(g.Compare(t.Context(), m.course, c, predict.Options{Samples: 400, Seed: 1}))(t)
}

// Runs of other sizes, made by a single worker, predict a study within 2 %, and the saving of a second worker within
// 5 %.
func TestForecastOfOtherSizes(t *testing.T) {
	one := kindOfStudy{jobs: 12, workers: 1, sizes: true}
	two := one
	two.workers = 2
	h := learned(one.make(t, 1))
	a, b := compared(t, one.make(t, 2), h, 1), compared(t, two.make(t, 2), h, 2)
	for _, c := range []*predict.Comparison{a, b} {
		if math.Abs(c.Error) > 0.02 {
			t.Errorf("took %v s, predicted %+v", c.Measured, c.Predicted)
		}
	}
	saved, predicted := a.Measured-b.Measured, a.Predicted.P50-b.Predicted.P50
	if math.Abs(predicted/saved-1) > 0.05 {
		t.Errorf("a second worker saved %v s, predicted %v s", saved, predicted)
	}
}

// A study by a single worker, in which no attempt is beside another, predicts one by four, in which attempts at runs
// that hang are.
func TestForecastOfAttemptsBesideSilentOnes(t *testing.T) {
	one := kindOfStudy{jobs: 5, workers: 1, hangs: "j03"}
	four := one
	four.workers = 4
	a, b := one.make(t, 1), four.make(t, 2)
	if b.course.Batches[0].Jobs[3].Beside == 0 {
		t.Fatal("no attempt was beside another")
	}
	for _, c := range []*predict.Comparison{compared(t, b, learned(a), 4), compared(t, a, learned(b), 1)} {
		if math.Abs(c.Error) > 0.02 || math.Abs(c.Off[0].Seconds) > 0.02*c.Measured {
			t.Errorf("took %v s, predicted %+v: %+v, %+v", c.Measured, c.Predicted, c.Off, c.Runs[:2])
		}
	}
}

// Of 20 studies in which runs hang and are repeated, 13 to 19 end between the quantiles of 10 and 90 %.
func TestForecastsHoldFailures(t *testing.T) {
	testenv.Long(t, "24 studies")
	kind := kindOfStudy{jobs: 20, workers: 3, spread: 0.4, hung: 0.15}
	h := learned(kind.make(t, 101), kind.make(t, 102), kind.make(t, 103), kind.make(t, 104))
	inside := 0
	for seed := range uint64(20) {
		c := compared(t, kind.make(t, 1+seed), h, kind.workers)
		if c.Measured >= c.Predicted.P10 && c.Measured <= c.Predicted.P90 {
			inside++
		}
	}
	if inside < 13 || inside > 19 {
		t.Errorf("%d of 20 are inside", inside)
	}
}
