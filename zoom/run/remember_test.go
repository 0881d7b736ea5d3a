package run_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// A remembered failure ends a study as the failure itself does.
func TestRememberedFailureAborts(t *testing.T) {
	kept := openCache(t, t.TempDir())
	for n := range 2 {
		p := without(t)
		p.Policy = run.DefaultPolicy()
		for class := range p.Policy {
			p.Policy[class] = []config.FailureStep{{Retry: 1}, {Abort: true}}
		}
		s := &study.Study{Pool: p, Cache: kept, Remember: time.Hour}
		out, err := s.Evaluate(t.Context(), []run.Job{job("point", 3, "fail")})
		if _, aborts := errors.AsType[*run.AbortError](err); !aborts || out[0].Cached != (n == 1) {
			t.Errorf("study %d: cached %t, %v", n, out[0].Cached, err)
		}
	}
}

// A request whose solver failed twice alike is not run by later studies until the failure is too old; its limits are
// part of what is remembered. A failure that may have another cause is not.
func TestFailuresAreRemembered(t *testing.T) {
	kept, at := openCache(t, t.TempDir()), clock.NewManual(clock.Real.Now())
	try := func(remember time.Duration, change func(*pool.Pool), name, script string) run.Outcome {
		t.Helper()
		p := without(t)
		p.Clock, p.Policy = at, run.DefaultPolicy()
		if change != nil {
			change(p)
		}
		out, _ := evaluate(t, &study.Study{Pool: p, Cache: kept, Remember: remember}, job(name, 3, script))
		return out[0]
	}
	for _, c := range []struct {
		name, script string
		remember     time.Duration
		change       func(*pool.Pool)
		later        time.Duration
		attempts     int // 0: the failure was remembered
	}{
		{"first", "fail", time.Hour, nil, 0, 2},
		{"again", "fail", time.Hour, nil, 59 * time.Minute, 0},
		{"never remembered", "fail", 0, nil, 0, 2},
		{"another limit", "fail", time.Hour, func(p *pool.Pool) { p.Limits.Disk = 1 << 30 }, 0, 2},
		{"another request", "fail; iterate 1", time.Hour, nil, 0, 2},
		{"too old", "fail", time.Hour, nil, time.Minute, 2},
		{"made anew", "fail", time.Hour, nil, time.Minute, 0},
		{"no licence", "fail no licence is free", time.Hour, nil, 0, 2},
		{"no licence again", "fail no licence is free", time.Hour, nil, 0, 2},
		{"no library", "fail error while loading shared libraries: libmpi.so.40", time.Hour, nil, 0, 2},
		{"no library again", "fail error while loading shared libraries: libmpi.so.40", time.Hour, nil, 0, 2},
		{"other retries", "fail", time.Hour, func(p *pool.Pool) {
			p.Policy[event.BadOutput] = []config.FailureStep{{Retry: 2}}
		}, 0, 2},
		{"changed meanwhile", "fail; iterate 2", time.Hour, func(p *pool.Pool) {
			p.Program.Watch = func() func() error { return func() error { return errors.New("it has changed") } }
		}, 0, 2},
		{"changed before", "fail; iterate 2", time.Hour, nil, 0, 2},
		{"killed", "class killed", time.Hour, nil, 0, 1},
		{"killed again", "class killed", time.Hour, nil, 0, 1},
		{"two causes", "class bad_output", time.Hour, nil, 0, 1}, // no retry, so that it has failed once
		{"two studies", "class bad_output", time.Hour, nil, 0, 1},
		{"three studies", "class bad_output", time.Hour, nil, 0, 0},
	} {
		at.Advance(c.later)
		o := try(c.remember, c.change, "point", c.script)
		if o.OK() || o.Attempts != c.attempts || o.Cached != (c.attempts == 0) {
			t.Errorf("%s: %s after %d attempts, want %d; cached %v: %v", c.name, o.Class, o.Attempts, c.attempts,
				o.Cached, o.Err)
		}
		if o.Cached && !strings.Contains(o.Reason(), "--remember-failures 0") {
			t.Errorf("%s does not say how it is run: %q", c.name, o.Reason())
		}
		if told := strings.Contains(o.Reason(), "failed before at 20"); told != (c.attempts == 0) {
			t.Errorf("%s: %q", c.name, o.Reason())
		}
	}
}
