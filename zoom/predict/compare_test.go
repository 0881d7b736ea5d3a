package predict_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/predict"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
)

// courseOf is a study of two batches on two workers: three runs of 10 s, of which the first fails once after 5 s, and
// after 2 s of the executive a run of 4 s; then 1 s of the executive.
func courseOf() *makespan.Course {
	var events []event.Event
	put := func(at float64, e event.Event) {
		e.Time = time.Unix(0, 0).Add(time.Duration(at * float64(time.Second)))
		events = append(events, e)
	}
	job := func(name string, begin, end, batch float64, attempts ...float64) {
		for i, long := range attempts {
			run, class := name, event.Converged
			if i > 0 {
				run = fmt.Sprintf("%s~%d", name, i+1)
			}
			if i < len(attempts)-1 {
				class = event.Hung
			}
			put(begin, event.Event{Kind: event.Started, Source: event.Host, Run: run, Attempt: i + 1})
			begin += long
			put(begin, event.Event{Kind: event.Ended, Source: event.Host, Run: run, Attempt: i + 1, Class: class})
		}
		put(end, event.Event{Kind: event.Span, Name: "slot", Run: name, Wall: end - begin + sum(attempts),
			Values: map[string]float64{"batch": batch, "workers": 2}})
	}
	put(0, event.Event{Kind: event.StudyBegun, Source: event.Executive, Study: "s", Name: "engine"})
	job("a", 1, 16, 1, 5, 10)
	job("b", 1, 11, 1, 10)
	job("c", 11, 21, 1, 10)
	job("d", 23, 27, 2, 4)
	for _, waited := range []float64{30, 60} {
		put(27, event.Event{Kind: event.Accounted, Name: "site", Used: &event.Account{Nodes: []event.Usage{
			{Node: "n1", Waited: 7}, {Block: "12", Waited: waited}}}})
	}
	put(28, event.Event{Kind: event.StudyEnded, Source: event.Executive})
	return makespan.CourseOf(events)
}

func sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}

// A study beside its forecast: what earlier studies said wrong is named, with the seconds that it costs.
func TestCompare(t *testing.T) {
	t.Parallel()
	course := courseOf()
	must.Equal(t, []float64{60}, course.Waits)
	if got := fmt.Sprint(course.Executive()); got != "[1 2 1]" || course.Length != 28 || !course.Ended {
		t.Fatalf("executive %s, length %v", got, course.Length)
	}
	g := predict.OfCourse(course, func(r *predict.Run) { r.Solver = "mock" })
	c := &predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: 2, Speed: 1}}}
	must.OK(t, g.Check(c))
	h := predict.History{Executive: [][]float64{{1, 2, 1}}}
	for _, name := range []string{"a", "b", "c", "d"} {
		for range 3 { // earlier studies had runs of 10 s, and d of 9 s
			wall := 10.0
			if name == "d" {
				wall = 9
			}
			h.Attempts = append(h.Attempts, predict.Measured{Study: "before", Job: name, Solver: "mock",
				Class: event.Converged, Wall: wall, Workers: 2})
		}
	}
	g.Estimate(h, c)
	got := must.Value(g.Compare(t.Context(), course, c, predict.Options{Samples: 20, Seed: 1}))(t)
	if got.Measured != 28 || math.Abs(got.Predicted.P50-33) > 2 {
		t.Errorf("%+v", got)
	}
	// d took 5 s less, and a's failure hid behind c: its 5 s cost nothing
	if o := got.Off[0]; o.Assumption != "times of other runs" || math.Abs(o.Seconds+5) > 1 {
		t.Errorf("%+v", got.Off)
	}
	for _, o := range got.Off[1:] {
		if math.Abs(o.Seconds) > 1 {
			t.Errorf("%+v", o)
		}
	}
	course.Length = 0
	if got := must.Value(g.Compare(t.Context(), course, c, predict.Options{Seed: 1}))(t); got.Error != 0 {
		t.Errorf("of a study without a length: %v", got.Error)
	}
	if r := got.Runs[0]; r.Run != "a" && r.Run != "d" || math.Abs(math.Abs(r.Measured-r.Predicted)-5) > 1 {
		t.Errorf("%+v", got.Runs)
	}
}

// Times come from the nearest earlier runs: of the same name and as many at a time, then of the same settings, then of
// other settings by cells, and what was taken is said.
func TestEstimate(t *testing.T) {
	t.Parallel()
	c := &predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: 2, Speed: 1}}}
	attempt := func(job string, refine, wall float64, workers int, class event.Class) predict.Measured {
		return predict.Measured{Job: job, Solver: "bladerow", Class: class, Wall: wall, Workers: workers,
			Settings: map[string]float64{"refine": refine}}
	}
	all := predict.History{Attempts: []predict.Measured{
		attempt("a", 1, 100, 2, event.Converged), attempt("a", 1, 50, 1, event.Converged),
		attempt("b", 1, 50, 1, event.Converged), attempt("e", 2, 30, 1, event.Hung), attempt("e", 2, 30, 1, event.Hung),
	}}
	for _, x := range []struct {
		run    string
		refine float64
		want   float64
		note   string
	}{
		{"a", 1, 100, "1 run: time of earlier runs of bladerow of the same name, 2 at a time"},
		{"b", 1, 100, "of the same name, corrected to 2 at a time"}, // twice as slow as alone
		{"c", 1, 100, "with the same settings, 2 at a time"},
		{"d", 2, 8 * 100, "3 earlier attempts by bladerow with other settings"},
		{"e", 2, 0, "of the same name, corrected to 2 at a time"}, // it failed always
	} {
		g := &predict.Graph{Runs: []predict.Run{{Name: x.run, Cores: 1, Solver: "bladerow",
			Settings: map[string]float64{"refine": x.refine}}}}
		g.Estimate(all, c)
		got := g.Runs[0].Time.Median
		if math.Abs(got-x.want) > 1e-6*x.want || !strings.Contains(g.Assumptions[0], x.note) {
			t.Errorf("%s: %v s, %v; want %v s, %s", x.run, got, g.Assumptions, x.want, x.note)
		}
		f := g.Runs[0].Failures
		if (x.run == "e") != (len(f) == 1 && f[0].Rate == 1 && math.Abs(f[0].Time.Median-30) < 1e-9) {
			t.Errorf("%s: %+v", x.run, f)
		}
	}
}

// Times that are not known, as those of killed studies, leave the forecast as it is.
func TestUnknownTimes(t *testing.T) {
	t.Parallel()
	if makespan.CourseOf([]event.Event{{Kind: event.StudyEnded}, {Kind: event.StudyBegun}}).Ended {
		t.Error("a study that runs once more has ended")
	}
	c := &predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: 1, Speed: 1}}}
	g := &predict.Graph{Runs: []predict.Run{{Name: "a", Cores: 1, Solver: "s"},
		{Name: "engine", After: []string{"a"}, Executive: 1}}}
	must.OK(t, g.Check(c))
	h := predict.History{Executive: [][]float64{{1, 0}, {1, 0}, {1, 2}}}
	for _, m := range []predict.Measured{{Job: "a", Wall: 8}, {Job: "a", Wall: 8}, {Job: "a"}, {Job: "b", Wall: 80}} {
		m.Solver, m.Class = "s", event.Converged
		h.Attempts = append(h.Attempts, m)
	}
	g.Estimate(h, c)
	f := must.Value(g.Forecast(t.Context(), c, predict.Options{Samples: 50, Seed: 1}))(t)
	if m := f.Makespan; math.Abs(m.P50-10) > 2 || m.P90 > 16 {
		t.Errorf("%+v", m)
	}
	g = &predict.Graph{Runs: []predict.Run{{Name: "c", Job: "a", Cores: 1, Solver: "s"}}}
	h.Attempts = append(h.Attempts[2:], predict.Measured{Job: "a", Solver: "s", Class: event.Hung, Wall: 1})
	g.Estimate(h, c)
	if got := g.Runs[0].Time.Median; math.Abs(got-80) > 1e-6 {
		t.Errorf("%v s, want that of the other run", got)
	}
}

// A run of which only the cells are known takes its time from them, not from a run of any size.
func TestCells(t *testing.T) {
	t.Parallel()
	c := &predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: 1, Speed: 1}}}
	g := &predict.Graph{Runs: []predict.Run{{Name: "a", Cores: 1, Solver: "s", Cells: 1e6, Iterations: 100}}}
	g.Estimate(predict.History{Attempts: []predict.Measured{
		{Job: "b", Solver: "s", Class: event.Converged, Wall: 7}}}, c)
	if got := g.Runs[0].Time.Median; math.Abs(got-100) > 1e-6 {
		t.Errorf("%v s, %v", got, g.Assumptions)
	}
}
