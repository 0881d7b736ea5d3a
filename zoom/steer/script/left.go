package script

// Scripts that are left in the process that works on a study: they continue when their client has ended, and end with
// the study.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Function is the name of the study's function that takes a [Text], starts the script and returns its name.
const Function = "script"

// Text is a script left in a process.
type Text struct {
	Name     string  `json:"name"` // of its file
	Text     string  `json:"text"`
	Seconds  float64 `json:"seconds"`  // time limit
	Attended bool    `json:"attended"` // its holds end with it
}

// Left holds the scripts left in a process. Close it before the study that they steer.
type Left struct {
	Clock  clock.Clock
	Helm   func(script string) Helm // on which the script with the name gives its commands
	Record func(event.Event)        // gets the log lines of scripts, and their ends

	mu     sync.Mutex
	closed bool
	all    []*left // the last
	number int
	work   sync.WaitGroup
}

// left is such a script.
type left struct {
	name     string
	end      context.CancelCauseFunc
	ended    bool
	err      error
	commands int // completed
}

const (
	mostLeft  = 8  // scripts that run at a time
	mostShown = 16 // scripts in the list, with the last that have ended
)

// errStopped ends a script on command.
var errStopped = errors.New("stopped on command")

// errOver ends the scripts with their study.
var errOver = errors.New("the study ends")

// start starts a script and returns its new name.
func (l *Left) start(t Text) (string, error) {
	base := strings.TrimSuffix(filepath.Base(t.Name), filepath.Ext(t.Name))
	if t.Name == "" || strings.ContainsFunc(base, func(r rune) bool { return r <= ' ' || r == '/' || r == 0x7f }) ||
		len(base) > 100 {
		return "", fmt.Errorf("script %q: want a name without blanks", t.Name)
	}
	if t.Seconds <= 0 || t.Seconds > 1e9 {
		return "", fmt.Errorf("script %s: seconds %g; want the time that it may take, above 0", t.Name, t.Seconds)
	}
	program, err := Parse(t.Name, t.Text)
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch going := l.going(); {
	case l.closed:
		return "", errOver
	case len(going) >= mostLeft:
		return "", fmt.Errorf("%d scripts go on, as many as may: %s; end one by script.stop", len(going),
			spell.List(going, "and"))
	}
	ctx, end := context.WithCancelCause(context.Background())
	l.number++
	s := &left{name: fmt.Sprintf("%s-%d", base, l.number), end: end}
	l.all = append(l.all, s)
	for i := 0; len(l.all) > mostShown; i++ { // fewer than mostShown are running
		if l.all[i].ended {
			l.all = slices.Delete(l.all, i, i+1)
			i = -1
		}
	}
	o := Options{
		Clock: l.Clock, Attended: t.Attended, Limits: Limits{Time: time.Duration(t.Seconds * float64(time.Second))},
		Report: func(_ string, x event.Receipt) { l.count(s, x) },
		Log: func(text string) {
			l.Record(event.Event{Kind: event.Message, Name: "script " + s.name, Text: text})
		},
	}
	l.work.Go(func() { l.run(ctx, s, program, o) })
	return s.name, nil
}

// run runs a script to its end.
func (l *Left) run(ctx context.Context, s *left, program *Script, o Options) {
	defer s.end(nil)
	err := program.Run(ctx, l.Helm(s.name), o)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	l.mu.Lock()
	over := *s
	l.mu.Unlock()
	over.ended, over.err = true, err
	e := event.Event{Kind: event.Message, Name: "script " + s.name, Text: over.does()}
	if err != nil && !errors.Is(err, errStopped) && !errors.Is(err, errOver) {
		e.Kind = event.Warning
	}
	l.Record(e) // before anybody sees that it has ended
	l.mu.Lock()
	defer l.mu.Unlock()
	*s = over
}

func (l *Left) count(s *left, x event.Receipt) {
	if x.State.Final() {
		l.mu.Lock()
		defer l.mu.Unlock()
		s.commands++
	}
}

// going returns the names of the running scripts. The caller holds the lock.
func (l *Left) going() (names []string) {
	for _, s := range l.all {
		if !s.ended {
			names = append(names, s.name)
		}
	}
	return names
}

// does describes the state of a script. The caller holds the lock.
func (s *left) does() string {
	count := fmt.Sprintf("%d commands", s.commands)
	switch {
	case !s.ended:
		return "goes on, " + count
	case s.err != nil:
		return fmt.Sprintf("has ended, %s: %v", count, s.err)
	}
	return "has ended, " + count
}

// list describes the state of all scripts.
func (l *Left) list() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	texts := convert.All(l.all, func(s *left) string { return s.name + " " + s.does() })
	return strings.Join(texts, "; ")
}

// stop ends a script.
func (l *Left) stop(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.all {
		if s.name == name && !s.ended {
			s.end(errStopped)
			return nil
		}
	}
	return fmt.Errorf("no script %q goes on%s", name, spell.Hint(name, l.going()))
}

// Close ends all scripts, and returns when they have ended.
func (l *Left) Close() {
	l.mu.Lock()
	l.closed = true
	for _, s := range l.all {
		s.end(errOver)
	}
	l.mu.Unlock()
	l.work.Wait()
}

// Register registers the scripts with a study's objects.
func (l *Left) Register(r *steer.Registry) {
	call := []steer.Operation{steer.Call}
	fields := []steer.Part{
		{Name: "name", Type: steer.Text}, {Name: "text", Type: steer.Text},
		{Name: "seconds", Type: steer.Float, Unit: "s"}, {Name: "attended", Type: steer.Bool},
	}
	start := func(_ context.Context, v steer.Value) (steer.Value, error) {
		var t Text
		text, err := v.MarshalJSON()
		if err == nil {
			err = json.Unmarshal(text, &t)
		}
		if err != nil {
			return steer.Value{}, err
		}
		name, err := l.start(t)
		if err != nil {
			return steer.Value{}, err
		}
		return steer.TextValue(name), nil
	}
	r.Add(steer.Object{Name: Function, Type: steer.Struct, Fields: fields, Effect: steer.Monitor, Operations: call,
		Doc: "runs a script in Starlark, and returns its name"}, steer.Binding{Call: start})
	r.Add(steer.Object{Name: Function + ".stop", Type: steer.Text, Effect: steer.Monitor, Operations: call,
		Doc: "ends the script of a name"}, steer.Binding{
		Call: func(_ context.Context, v steer.Value) (steer.Value, error) { return steer.Value{}, l.stop(v.Text) },
	})
	r.Add(steer.Object{
		Name: "scripts", Type: steer.Text, Effect: steer.Monitor, Operations: []steer.Operation{steer.Read},
		Doc: "the scripts that were left here, and what they do",
	}, steer.Binding{
		Get: func() steer.Value { return steer.TextValue(l.list()) },
	})
}
