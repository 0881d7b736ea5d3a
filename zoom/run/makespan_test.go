package run_test

// Studies that are slowed on purpose: the report on their logs names what slowed them. Time is a bubble's.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// slowed are studies of three workers whose usual run takes 10 s.
var slowed = []struct {
	name   string
	jobs   func(n int) string // script of a job; empty: there is none
	policy run.Policy
	held   time.Duration // for which another process holds the first job's key
	hold   time.Duration // for which a user holds all jobs
	warm   int           // jobs whose answers the cache has
	cause  string
	job    string
}{
	{name: "all is well", jobs: of(3, usualRun), cause: makespan.ColdCache},
	{name: "many runs", jobs: of(30, usualRun), warm: 6, cause: makespan.ColdCache},
	{name: "a silent run", jobs: first(2, "iterate 5 1s; hang", of(9, usualRun)), policy: run.Policy{
		event.Hung: {{Retry: 1}}}, cause: makespan.SilentRun, job: "j02"},
	{name: "a straggler", jobs: first(8, "iterate 60 1s", of(9, usualRun)), cause: makespan.Straggler, job: "j08"},
	{name: "a worker too few", jobs: of(4, usualRun), cause: makespan.TooFew},
	{name: "long runs last", jobs: func(n int) string {
		if n < 6 {
			return "iterate 10 1s"
		} else if n < 7 {
			return "iterate 19 1s"
		}
		return ""
	}, cause: makespan.Order},
	{name: "retries", jobs: first(1, "iterate 15 1s; fail here", of(6, usualRun)), policy: run.Policy{
		event.Crashed: {{Retry: 2}}}, cause: makespan.Retries, job: "j01"},
	{name: "a held lock", jobs: of(3, usualRun), held: time.Minute, cause: makespan.HeldLock, job: "j00"},
	{name: "jobs are held", jobs: of(3, usualRun), hold: time.Minute, cause: makespan.Hold},
}

const usualRun = "iterate 10 1s"

// of is n jobs of a script.
func of(n int, script string) func(int) string {
	return func(i int) string {
		if i >= n {
			return ""
		}
		return script
	}
}

// first is other jobs with another script for job n.
func first(n int, script string, others func(int) string) func(int) string {
	return func(i int) string {
		if i == n {
			return script
		}
		return others(i)
	}
}

func TestReportNamesWhatSlowsAStudy(t *testing.T) {
	for _, c := range slowed {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStudy(t, nil)
				s.Pool.Workers, s.Pool.Policy, s.Pool.Limits.Hung = 3, c.policy, 20*time.Second
				var jobs []run.Job
				for i := 0; c.jobs(i) != ""; i++ {
					jobs = append(jobs, job(fmt.Sprintf("j%02d", i), float64(i), c.jobs(i)))
				}
				if c.warm > 0 {
					evaluate(t, s, jobs[:c.warm]...)
				}
				if c.held > 0 {
					hold := must.Value(s.Cache.Lock(t.Context(), must.Value(s.Key(jobs[0]))(t)))(t)
					time.AfterFunc(c.held, hold)
				}
				if c.hold > 0 {
					s.Pool.Live = live.New()
					s.Pool.Live.Hold(true)
					time.AfterFunc(c.hold, func() { s.Pool.Live.Hold(false) })
				}
				events := logged(t, s, jobs)
				r := makespan.Of(events)
				if r.Cause.Kind != c.cause || r.Cause.Run != c.job || !strings.HasPrefix(r.Cause.Text, c.cause) {
					t.Errorf("cause %+v, want %s %s", r.Cause, c.cause, c.job)
				}
				checkReport(t, r, c.warm)
				if c.held+c.hold > 0 && math.Abs(r.Cause.Seconds-60) > 0.5 {
					t.Errorf("without the wait %v s are saved, want 60", r.Cause.Seconds)
				}
				old := makespan.Of(slices.DeleteFunc(events, func(e event.Event) bool { return e.Kind == event.Span }))
				if c.held+c.hold == 0 { // only spans tell of locks and holds
					checkReport(t, old, c.warm)
					if old.Cause.Kind != c.cause {
						t.Errorf("without spans the cause is %+v, want %s", old.Cause, c.cause)
					}
				}
			})
		})
	}
}

// crowded has one machine, whose memory another user's runs fill for a time.
type crowded struct {
	launch.Launcher
	full time.Duration // 0: for no time
}

func (c crowded) Place(_ context.Context, _ launch.Need, wait func(lacks, why string)) (string, func(), error) {
	if wait != nil && c.full > 0 {
		wait(schedule.LacksMemory, "")
	}
	time.Sleep(c.full)
	return "there", func() {}, nil
}

func (crowded) Room() (int, <-chan struct{}) { return 1, nil }

// The log of a study and the report on it have the waits of its jobs: for one of two workers, for the end of the round
// whose nearest run a run starts from, and for the memory of a machine.
func TestReportHasTheWaits(t *testing.T) {
	for name, c := range map[string]struct {
		around func(launch.Launcher) launch.Launcher
		want   map[string]float64
	}{
		"workers": {nil, map[string]float64{"worker": 10, "round": 10}},
		"memory": {func(l launch.Launcher) launch.Launcher { return crowded{l, 5 * time.Second} },
			map[string]float64{"memory": 20}},
		"room": {func(l launch.Launcher) launch.Launcher { return crowded{l, 0} }, map[string]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStartedStudies(t)
				s.solver.takes, s.around = 10*time.Second, c.around
				s.solver.lone = map[float64]bool{3: true}
				s.policy = run.Policy{event.Diverged: {{Nearest: true}}}
				var events []event.Event
				log := studylog.New(clock.Real, func(e event.Event) { events = append(events, e) })
				s.record = log.Record
				log.Record(event.Event{Kind: event.StudyBegun, Study: "waits"})
				s.evaluate(startedJob("c", 3), startedJob("a", 1), startedJob("b", 2.5))
				log.Record(event.Event{Kind: event.StudyEnded, Class: event.Converged})
				spans := map[string]float64{}
				for _, e := range events {
					if e.Kind == event.Span && e.Name == attempt.SpanQueued {
						spans[e.WaitsFor] += e.Wall
					}
				}
				must.Equal(t, c.want, spans)
				must.Equal(t, c.want, makespan.Of(events).Queue.Waits)
			})
		})
	}
}

// checkReport checks that a report explains the study's span, and that its replay agrees with it.
func checkReport(t *testing.T, r *makespan.Report, warm int) {
	t.Helper()
	if r.Explained < 0.95 || math.Abs(r.Replay.Same-r.Span) > 0.02*r.Span || r.Workers.Cached != warm {
		t.Errorf("explains %.1f %% of %.3f s; the replay takes %.3f s; %d from the cache", 100*r.Explained,
			r.Span, r.Replay.Same, r.Workers.Cached)
	}
	end := 0.0
	for _, step := range r.Critical {
		if math.Abs(step.Begin-end) > 1e-6 {
			t.Errorf("the critical path has a gap at %v s, before %+v", end, step)
		}
		end = step.Begin + step.Seconds
	}
	if math.Abs(end-r.Span) > 1e-6 {
		t.Errorf("the critical path ends at %v s of %v s", end, r.Span)
	}
}

// logged makes a study's jobs and returns the events of its log.
func logged(t *testing.T, s *study.Study, jobs []run.Job) (events []event.Event) {
	t.Helper()
	log := studylog.New(clock.Real, func(e event.Event) { events = append(events, e) })
	log.Record(event.Event{Kind: event.StudyBegun, Study: "slow"})
	s.Pool.Record = log.Record
	_, err := s.Evaluate(context.Background(), jobs)
	must.OK(t, err)
	log.Record(event.Event{Kind: event.StudyEnded, Class: event.Converged})
	return events
}
