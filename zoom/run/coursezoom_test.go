package run_test

import (
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Limits that are set while a study goes on hold for the runs that start from then on.
func TestLimitsOfRunsToCome(t *testing.T) {
	p := without(t)
	p.Workers, p.Course = 1, run.NewCourse()
	p.Policy = run.Policy{}
	p.Observe = func(e event.Event) {
		if e.Kind == event.Ended && e.Folder != "" {
			p.Course.SetLimits(10*time.Millisecond, 0)
		}
	}
	out, err := p.Run(t.Context(), []run.Job{job("a", 1, "sleep 50ms"), job("b", 2, "sleep 60s")})
	if err != nil || out[0].Class != event.Converged || out[1].Class != event.Timeout {
		t.Errorf("%v, %s, %s", err, out[0].Class, out[1].Class)
	}
	if wall, hung := p.Course.Limits(); wall != 10*time.Millisecond || hung != 0 {
		t.Errorf("%v, %v", wall, hung)
	}
}

func TestParseAdded(t *testing.T) {
	for _, text := range []string{"fan n=95 % throttle=1.15", "fan throttle=1.15 n=0.95", "fan n=0.95 throttle=115 %"} {
		a, err := run.ParseAdded(text)
		if err != nil || a != (run.Added{Component: "fan", Speed: 0.95, Throttle: 1.15}) {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
	if a, err := run.ParseAdded("fan n=95 % throttle=1.15 alpha=-6"); err != nil || a != (run.Added{Component: "fan", Speed: 0.95, Throttle: 1.15, Alpha: -6}) {
		t.Errorf("%+v, %v", a, err)
	}
	for text, want := range map[string]string{
		"": "want a component", "fan": "want a component", "fan n=95 %": "want a component", "fan n=95 % throtle=1": "did you mean throttle?",
		"fan n=95 K throttle=1": "K", "fan n=nan throttle=1": "nan", "fan n= throttle=1": "n:", "n=1 throttle=1": "there is no",
	} {
		if a, err := run.ParseAdded(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", text, a, err, want)
		}
	}
}
