package script

// The names of runs in a script, and commands to several runs at the same time.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// targets returns the runs that a value refers to: a name, a pattern such as fan-*, a result of runs(), or a list of
// these. many reports whether the answer is a list. A pattern includes transients only if transients is set: holding a
// study holds its transients too.
func (s *session) targets(v starlark.Value, transients bool) (names []string, many bool, err error) {
	switch v := v.(type) {
	case starlark.String:
		if !strings.ContainsAny(string(v), `*?[\`) {
			return []string{string(v)}, false, nil
		}
		going, err := s.helm.Going(s.ctx, string(v))
		for _, g := range going {
			if transients || !g.Transient {
				names = append(names, g.Name)
			}
		}
		return names, true, err
	case *starlarkstruct.Struct:
		if name, err := v.Attr("name"); err == nil {
			return s.targets(name, transients)
		}
	case *starlark.List, starlark.Tuple:
		for one := range starlark.Elements(v.(starlark.Iterable)) {
			more, _, err := s.targets(one, transients)
			if err != nil {
				return nil, true, err
			}
			names = append(names, more...)
		}
		return names, true, nil
	}
	return nil, false, fmt.Errorf(
		"run: got %s; want a name, a pattern as \"fan-*\", a run of runs(), or a list of these", v.Type())
}

// each calls a function for all runs at the same time, and returns its results: a single value for one run, else a
// list.
func (s *session) each(runs starlark.Value, do func(run string) (starlark.Value, error)) (starlark.Value, error) {
	return s.eachOf(runs, false, do)
}

func (s *session) eachOf(runs starlark.Value, transients bool, do func(run string) (starlark.Value, error)) (
	starlark.Value, error) {
	names, many, err := s.targets(runs, transients)
	if err != nil {
		return nil, err
	}
	values, problems := make([]starlark.Value, len(names)), make([]error, len(names))
	var calls sync.WaitGroup
	for i, name := range names {
		calls.Go(func() { values[i], problems[i] = do(name) })
	}
	calls.Wait()
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	for _, err := range problems {
		if err != nil {
			return nil, err
		}
	}
	if !many {
		return values[0], nil
	}
	return starlark.NewList(values), nil
}

// give gives a run a command, and returns its last receipt, or with Arms the receipt that it is armed. An attended hold
// lasts until the script ends.
func (s *session) give(ctx context.Context, run string, o client.Order,
	report func(string, event.Receipt)) (event.Receipt, error) {
	last, done := make(chan event.Receipt, 1), make(chan error, 1)
	s.work.Go(func() {
		done <- s.helm.Give(ctx, run, o, func(x event.Receipt) {
			report(run, x)
			if x.State.Final() || o.Arms && x.State == event.Armed {
				select {
				case last <- x:
				default:
				}
			}
		})
	})
	select {
	case x := <-last:
		return x, nil
	case err := <-done:
		select {
		case x := <-last:
			return x, nil
		default:
		}
		if err == nil {
			err = fmt.Errorf("run %s: %s: what became of it is not known", run, o.Verb)
		}
		return event.Receipt{}, err
	}
}

// order gives the runs a command and returns the receipts. A command that is kept for later need not find its run.
func (s *session) order(runs starlark.Value, o client.Order, kept bool) (starlark.Value, error) {
	o.Holds = o.Holds || s.options.Attended && (o.Verb == steer.Pause || o.Verb == steer.Sync)
	transients := o.Verb == steer.Pause || o.Verb == steer.Resume || o.Verb == steer.Release
	return s.eachOf(runs, transients, func(run string) (starlark.Value, error) {
		x, err := s.give(s.ctx, run, o, s.report)
		var unknown *client.UnknownRunError
		if kept && errors.As(err, &unknown) {
			x, err = o.Kept(), nil
		}
		return receiptOf(run, x), err
	})
}
