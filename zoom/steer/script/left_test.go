package script_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/script"
)

// leaving are scripts that are left on a fleet, and what was recorded of them.
type leaving struct {
	*script.Left
	study *steer.Registry

	mu     sync.Mutex
	events []event.Event
}

func newLeaving(t *testing.T, f *fleet) *leaving {
	l := &leaving{study: steer.New(clock.Real)}
	l.Left = &script.Left{
		Clock: clock.Real,
		Helm: func(name string) script.Helm {
			return &fleet{t: t, runs: f.runs, ended: f.ended, by: "script " + name}
		},
		Record: func(e event.Event) { l.mu.Lock(); defer l.mu.Unlock(); l.events = append(l.events, e) },
	}
	l.Register(l.study)
	ctx := t.Context()
	var attending sync.WaitGroup
	attending.Go(func() { l.study.Attend(ctx) })
	t.Cleanup(attending.Wait) // after the context has ended
	l.study.Begun(ctx)
	return l
}

// do gives the study a command, as a client does.
func (l *leaving) do(t *testing.T, verb steer.Verb, object string, v steer.Value) event.Receipt {
	t.Helper()
	last := make(chan event.Receipt, 1)
	l.study.Submit(steer.Command{
		ID: t.Name() + time.Now().String(), Verb: verb, Changes: []steer.Change{{Object: object, Value: v}},
	}, func(x event.Receipt) {
		if x.State.Final() {
			last <- x
		}
	})
	return <-last
}

func (l *leaving) leave(t *testing.T, name, text string) event.Receipt {
	t.Helper()
	return l.do(t, steer.CallOf, script.Function, steer.Value{Type: steer.Struct, Fields: []steer.Field{
		{Name: "name", Value: steer.TextValue(name)}, {Name: "text", Value: steer.TextValue(text)},
		{Name: "seconds", Value: steer.FloatValue(60)}, {Name: "attended", Value: steer.BoolValue(false)},
	}})
}

func (l *leaving) scripts(t *testing.T) string {
	t.Helper()
	return l.do(t, steer.Get, "scripts", steer.Value{}).Effects[0].New.Text
}

// await waits for a condition.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// until waits for what the list of scripts is to say.
func (l *leaving) until(t *testing.T, text string) {
	t.Helper()
	await(t, "the list never has "+text, func() bool { return strings.Contains(l.scripts(t), text) })
}

func TestLeft(t *testing.T) {
	f := newFleet(t, "fan-1")
	var mu sync.Mutex
	var by []string
	f.runs["fan-1"].Record = func(x event.Receipt) { mu.Lock(); defer mu.Unlock(); by = append(by, x.By) }
	l := newLeaving(t, f)
	if x := l.leave(t, "tune.star", "set('fan-1', cfl=7)\nlog('tuned')"); x.State != event.Applied ||
		x.Effects[0].New.Text != "tune-1" {
		t.Errorf("%+v", x)
	}
	l.until(t, "tune-1 has ended, 1 commands")
	l.leave(t, "bad.star", "\nget('fan-7', 'cfl')")
	l.until(t, "bad-2 has ended, 0 commands: bad.star:2:4: study test: there is no run")
	if x := l.leave(t, "worse.star", "get('fan-1'"); x.State != event.RolledBack ||
		!strings.Contains(x.Reason, "worse.star:1:12") {
		t.Errorf("%+v", x)
	}
	l.leave(t, "long.star", "sleep(1000)")
	l.until(t, "long-3 goes on")
	if x := l.do(t, steer.CallOf, "script.stop", steer.TextValue("lnog-3")); x.State != event.RolledBack ||
		!strings.Contains(x.Reason, "did you mean long-3?") {
		t.Errorf("%+v", x)
	}
	if x := l.do(t, steer.CallOf, "script.stop", steer.TextValue("long-3")); x.State != event.Applied {
		t.Errorf("%+v", x)
	}
	l.until(t, "long-3 has ended, 0 commands: stopped on command")
	l.Close()
	mu.Lock()
	if len(by) != 1 || by[0] != "script tune-1" {
		t.Errorf("commands by %q", by)
	}
	mu.Unlock()
	kinds := convert.All(l.events, func(e event.Event) string { return string(e.Kind) + " " + e.Name })
	if got := strings.Join(kinds, ", "); got != "message script tune-1, message script tune-1, warning script bad-2, "+
		"message script long-3" {
		t.Errorf("recorded: %s", got)
	}
}

// There are so many at a time, and none when they are closed, whatever they do.
func TestLeftAreBounded(t *testing.T) {
	f := newFleet(t, "fan-1")
	l := newLeaving(t, f)
	for _, text := range []string{"sleep(1000)", "while True:\n    pass", "wait('fan-1', when='residual < -1')",
		"pause('fan-1', attended=True)\nsleep(1000)"} {
		for range 2 {
			if x := l.leave(t, "s.star", text); x.State != event.Applied {
				t.Fatalf("%+v", x)
			}
		}
	}
	x := l.leave(t, "s.star", "sleep(1000)")
	ended := strings.Count(l.scripts(t), "ended") // by the limit of steps, perhaps
	if (x.State != event.RolledBack || !strings.Contains(x.Reason, "8 scripts go on, as many as may")) && ended == 0 {
		t.Errorf("%+v", x)
	}
	await(t, "it is not held", f.runs["fan-1"].Held)
	l.Close() // returns when all goroutines have
	if list := l.scripts(t); strings.Contains(list, "goes on") {
		t.Errorf("after the end: %s", list)
	}
	if f.runs["fan-1"].Held() {
		t.Error("the run stays held")
	}
	if x := l.leave(t, "s.star", "sleep(1000)"); x.State != event.RolledBack ||
		!strings.Contains(x.Reason, "the study ends") {
		t.Errorf("%+v", x)
	}
}
