package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// factor is a step with a setting times a factor, and others with values.
func factor(name string, x float64, others ...config.ChangeSetting) config.FailureStep {
	return config.FailureStep{Change: append([]config.ChangeSetting{{Name: name, Factor: x}}, others...)}
}

func value(name string, x float64) config.ChangeSetting {
	return config.ChangeSetting{Name: name, Number: true, Value: config.Value{Num: x}}
}

// Other settings are taken in steps from the first request, each under its own key: the cache has the failures, and
// the answer under the settings that gave it.
func TestOtherSettingsInSteps(t *testing.T) {
	kept := openCache(t, t.TempDir())
	study := func(like *study.Study) *study.Study {
		s := newStudy(t, kept)
		s.Description = (&mock.Mock{}).Describe()
		s.Pool.Policy = run.Policy{
			event.Diverged: {factor("cfl", 0.5), factor("cfl", 0.2, value("gain", 0.25)), {LeaveOut: true}},
		}
		return s
	}
	first := study(nil)
	var ends []string
	first.Pool.Observe = func(e event.Event) {
		if e.Kind == event.Ended {
			ends = append(ends, fmt.Sprint(e.Run, " ", e.Class, " ", e.Attempt, " ", e.Follows))
		}
	}
	first.Pool.Workers = 1
	out, _ := evaluate(t, first, job("steps", 2, "cfl 0.5"), job("hopeless", 3, "cfl 0.1"))
	got := out[0]
	if !got.OK() || got.Attempts != 3 || got.Run != "steps~3" || got.Job.Request.Numbers["cfl"] != 0.4 ||
		got.Job.Request.Numbers["gain"] != 0.25 {
		t.Errorf("%s after %d attempts in %s, of %v", got.Class, got.Attempts, got.Run, got.Job.Request.Numbers)
	}
	if bad := out[1]; bad.Class != event.Diverged || bad.Attempts != 3 {
		t.Errorf("%s after %d attempts", bad.Class, bad.Attempts)
	}
	want := []string{
		"steps diverged 1 true", "steps~2 diverged 2 true", "steps~3 converged 3 false",
		"hopeless diverged 1 true", "hopeless~2 diverged 2 true", "hopeless~3 diverged 3 false",
	}
	must.Equal(t, want, ends)
	next, _ := evaluate(t, study(first), job("other", 2, "cfl 0.5"))
	if !next[0].OK() || !next[0].Cached {
		t.Errorf("in the next study: %s, cached %t", next[0].Class, next[0].Cached)
	}
	sameSettings := job("asked", 2, "cfl 0.5")
	sameSettings.Request.Numbers["cfl"], sameSettings.Request.Numbers["gain"] = 0.4, 0.25
	if out, runs := evaluate(t, study(first), sameSettings); runs != 0 || !out[0].OK() {
		t.Errorf("%d runs for the settings that gave the answer", runs)
	}
	none := study(first)
	none.Pool.Policy = nil
	if out, runs := evaluate(t, none, job("bare", 2, "cfl 0.5")); runs != 0 || out[0].Class != event.Diverged {
		t.Errorf("without a policy: %d runs, %s; want the failure of the request itself", runs, out[0].Class)
	}
}

// A job that was varied without the steps from the nearest run goes on with the step that follows in the whole policy.
func TestStepsWithoutNearestKeepTheirPlace(t *testing.T) {
	p := run.Policy{event.Diverged: {{Nearest: true}, factor("cfl", 0.5), factor("cfl", 0.2)}}
	d := (&mock.Mock{}).Describe()
	next := p.WithoutNearest().Vary(job("a", 2, "cfl 0.1"), event.Diverged, 1, d)
	if next = p.Vary(*next, event.Diverged, 2, d); next == nil || next.Request.Numbers["cfl"] != 0.4 {
		t.Errorf("%+v", next)
	}
}

// So many retries of the same request are made as the policy says, class by class, and what another class's step
// changed stays.
func TestRetriesAreCounted(t *testing.T) {
	p := mortal(t, 1, 2, 3, 5, 6, 7, 8, 10, 12)
	p.Policy = run.Policy{
		event.Killed:   {{Retry: 3}, {LeaveOut: true}},
		event.Crashed:  {{Retry: 1}, {Abort: true}},
		event.Diverged: {factor("cfl", 0.25)},
	}
	out := runAll(t, p,
		// 11 diverges
		job("thrice", 1, ""), job("killed", 1, ""), job("stalled", 1, "class stalled"), job("both", 1, "cfl 0.5"),
	)
	var got []string
	for _, o := range out {
		got = append(got, fmt.Sprintf("%s %s %d", o.Run, o.Class, o.Attempts))
	}
	want := []string{"thrice~4 converged 4", "killed~4 killed 4", "stalled stalled 1", "both~4 converged 4"}
	must.Equal(t, want, got)
	if _, err := p.Run(t.Context(), []run.Job{job("crashed", 1, "fail")}); err == nil ||
		!strings.Contains(err.Error(), "ends with job crashed") {
		t.Errorf("error %v", err)
	}
}

// A run that is to start from the nearest good one waits for all others of its batch, whoever ends first. Where there
// is none, the next step is taken.
func TestFromTheNearest(t *testing.T) {
	s := newStartedStudies(t)
	s.solver.lone = map[float64]bool{3: true, 7: true}
	s.policy = run.Policy{event.Diverged: {{Nearest: true}, {LeaveOut: true}}}
	jobs := []run.Job{startedJob("c", 3), startedJob("a", 1), startedJob("b", 2.5), startedJob("g", 7),
		startedJob("h", 8)}
	out, runs := s.evaluate(jobs...)
	must.Equal(t, []string{"a", "b", "c", "c neighbour", "g", "g neighbour", "h"}, runs)
	for i, want := range []float64{3.0025, 1, 2.5, 7.008, 8} {
		if y := out[i].Result.Numbers["y"]; y != want {
			t.Errorf("%s: %g, want %g", out[i].Job.Name, y, want)
		}
	}
	slices.Reverse(jobs)
	if repeated, runs := s.evaluate(jobs...); len(runs) > 0 || repeated[4].Result.Numbers["y"] != 3.0025 {
		t.Errorf("%q once more", runs)
	}
	s.solver.lone = map[float64]bool{30: true}
	if out, runs := s.evaluate(startedJob("alone", 30)); out[0].Class != event.Diverged || len(runs) != 1 {
		t.Errorf("%s after %q", out[0].Class, runs)
	}
}

// Other settings of a run that starts from a neighbour have a key without the path of the neighbour's file: the next
// study finds the answer.
func TestOtherSettingsBesideANeighbour(t *testing.T) {
	s := newStartedStudies(t)
	s.solver.hard = map[float64]bool{2: true}
	s.policy = run.Policy{event.Diverged: {factor(run.Orders, 2), {LeaveOut: true}}}
	for n, want := range [][]string{{"b neighbour", "b neighbour"}, nil} {
		first, _ := s.evaluate(startedJob("a", 1))
		b := startedJob("b", 2)
		b.Neighbour = first[0].Solution
		out, runs := s.evaluate(b)
		if !slices.Equal(runs, want) || !out[0].OK() || out[0].Result.Numbers["y"] != 2.001 {
			t.Errorf("study %d: runs %q, want %q; %s, y = %g", n, runs, want, out[0].Class, out[0].Result.Numbers["y"])
		}
	}
}

// What follows a failure depends on its class, on how often the request has failed and on the steps that are used up.
func TestPolicyNext(t *testing.T) {
	p := run.Policy{event.Hung: {
		{Retry: 1}, {Change: []config.ChangeSetting{{Name: "cfl", Factor: 0.5}}}, {Retry: 2},
		{Nearest: true}, {Abort: true},
	}}
	for _, c := range []struct {
		class        event.Class
		failed, used int
		want         run.Action
		step         int
	}{
		{event.Hung, 1, 0, run.Retry, 0}, {event.Hung, 3, 0, run.Retry, 0}, {event.Hung, 4, 0, run.Change, 1},
		{event.Hung, run.NoRetry, 2, run.Change, 3}, {event.Hung, run.NoRetry, 4, run.Abort, 0},
		{event.Lost, 1, 0, run.LeaveOut, 0},
	} {
		if a, step := p.Next(c.class, c.failed, c.used); a != c.want || step != c.step {
			t.Errorf("%s, failed %d times, %d steps used: %d, step %d", c.class, c.failed, c.used, a, step)
		}
	}
}
