package script

// A script from its text to its end: it is parsed and run with its limits, and its errors get their place in the text.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Script is the program of a text.
type Script struct {
	name    string
	program *starlark.Program
}

// MostText is how long a script may be, bytes.
const MostText = 64 << 10

// Parse reads a script. Errors name it as their file. Every fault found without running the script is an [*Error].
func Parse(name, text string) (*Script, error) {
	if len(text) > MostText {
		return nil, fmt.Errorf("script %s has %d bytes; it may have %d", name, len(text), MostText)
	}
	dialect := &syntax.FileOptions{While: true, TopLevelControl: true, GlobalReassign: true}
	file, err := dialect.Parse(name, text, 0)
	if err != nil {
		return nil, faultIn(err)
	}
	for _, s := range file.Stmts {
		if load, ok := s.(*syntax.LoadStmt); ok {
			return nil, &Error{
				Places: []string{load.Load.String()},
				Err:    errors.New("load: a script has no other files; put the functions into this one"),
			}
		}
	}
	if err := bound(file); err != nil {
		return nil, err
	}
	names := (&session{}).names()
	program, err := starlark.FileProgram(file, names.Has)
	if err != nil {
		return nil, faultIn(err)
	}
	return &Script{name: name, program: program}, nil
}

// Name returns the name of the script's file.
func (s *Script) Name() string { return s.name }

// Run runs a script to its end. The error is an [*Error], or the error of ctx if it has ended.
func (s *Script) Run(ctx context.Context, helm Helm, o Options) error {
	o.Limits = o.withDefaults()
	inner, end := context.WithCancelCause(ctx)
	run := &session{ctx: inner, helm: helm, options: o}
	defer run.work.Wait()
	defer end(nil) // ends its attended holds
	timer := o.Clock.AfterFunc(o.Time, func() {
		end(&LimitError{"time", o.Time.String(), "give it more by --timeout, or have it end by itself"})
	})
	defer timer.Stop()
	thread := &starlark.Thread{Name: s.name, Print: func(_ *starlark.Thread, text string) {
		if err := run.say(text); err != nil {
			end(err)
		}
	}}
	spent := o.spending()
	thread.SetMaxExecutionSteps(1)
	thread.OnMaxSteps = func(*starlark.Thread) {
		next, over := spent(thread.Steps)
		if over != nil {
			end(over)
			thread.Cancel(over.Error())
		}
		thread.SetMaxExecutionSteps(next)
	}
	stop := context.AfterFunc(inner, func() { thread.Cancel(context.Cause(inner).Error()) })
	defer stop()
	_, err := s.program.Init(thread, run.names())
	if cause := context.Cause(inner); cause != nil && err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &Error{Places: placesOf(err), Err: cause}
	}
	return faultIn(err)
}

// session is a running script.
type session struct {
	ctx     context.Context // ends with the script
	helm    Helm
	options Options
	work    sync.WaitGroup // commands that hold

	mu   sync.Mutex
	said int // bytes
}

// report passes a receipt on.
func (s *session) report(run string, x event.Receipt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Report != nil {
		s.options.Report(run, x)
	}
}

// say writes a line to the log.
func (s *session) say(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.said += len(text) + 1; s.said > s.options.Output {
		return &LimitError{"output", fmt.Sprintf("%d bytes", s.options.Output), "have it log less"}
	}
	if s.options.Log != nil {
		s.options.Log(text)
	}
	return nil
}

// faultIn converts an error of the interpreter to an error of the script.
func faultIn(err error) error {
	if err == nil {
		return nil
	}
	var unknown resolve.ErrorList
	var grammar syntax.Error
	switch {
	case errors.As(err, &unknown):
		return &Error{
			Places: []string{unknown[0].Pos.String()}, Err: errors.New(unknown[0].Msg + nearest(unknown[0].Msg)),
		}
	case errors.As(err, &grammar):
		return &Error{Places: []string{grammar.Pos.String()}, Err: errors.New(grammar.Msg)}
	}
	cause := err
	var evaluation *starlark.EvalError
	if errors.As(err, &evaluation) {
		cause = errors.New(evaluation.Msg)
		if inner := evaluation.Unwrap(); inner != nil {
			cause = inner
		}
	}
	return &Error{Places: placesOf(err), Err: cause}
}

// nearest returns a hint at the known name nearest to an unknown name.
func nearest(message string) string {
	name, unknown := strings.CutPrefix(message, "undefined: ")
	if !unknown {
		return ""
	}
	known := slices.Sorted(maps.Keys((&session{}).names()))
	return spell.Hint(name, slices.DeleteFunc(known, func(n string) bool { return n[0] < 'a' })) // operators
}
