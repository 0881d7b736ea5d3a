package script

// The functions that a script may call.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// verb is a function of a script. It gets its name and arguments.
type verb func(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

// names returns this package's names in the language.
func (s *session) names() starlark.StringDict {
	all := checks()
	for name, do := range map[string]verb{
		"runs": s.runs, "objects": s.objects, "get": s.get, "set": s.set, "call": s.call, "wait": s.wait,
		"rewind": s.rewind, "sleep": s.sleep, "log": s.log, "fail": fail,
		"pause": s.plain(steer.Pause), "resume": s.plain(steer.Resume), "stop": s.plain(steer.Stop),
		"step": s.plain(steer.Step), "checkpoint": s.plain(steer.Checkpoint), "sync": s.plain(steer.Sync),
		"release": s.release,
	} {
		all[name] = starlark.NewBuiltin(name,
			func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple,
				kwargs []starlark.Tuple) (starlark.Value, error) {
				if s.ctx.Err() != nil {
					return nil, context.Cause(s.ctx)
				}
				if of := ofFunctions[b.Name()]; of != nil {
					if err := tooMuch(b.Name(), of(nil, args)); err != nil {
						return nil, err
					}
				}
				return do(b.Name(), args, kwargs)
			})
	}
	return all
}

// runs(pattern="*") lists the runs in progress.
func (s *session) runs(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	pattern := "*"
	if err := starlark.UnpackArgs(name, args, kwargs, "pattern?", &pattern); err != nil {
		return nil, err
	}
	going, err := s.helm.Going(s.ctx, pattern)
	list := starlark.NewList(nil)
	for _, g := range going {
		state := "running"
		switch {
		case g.Transient:
			continue
		case g.Orphan:
			state = "orphan"
		}
		// it is not frozen
		_ = list.Append(newStruct(starlark.StringDict{"name": starlark.String(g.Name), "state": starlark.String(state),
			"solver": starlark.String(g.Solver)}))
	}
	return list, err
}

// objects(run) lists the objects of a run; empty: the run has ended.
func (s *session) objects(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var runs starlark.Value
	if err := starlark.UnpackArgs(name, args, kwargs, "run", &runs); err != nil {
		return nil, err
	}
	return s.each(runs, func(run string) (starlark.Value, error) {
		all, err := s.helm.Objects(s.ctx, run)
		if errors.Is(err, client.ErrEnded) {
			err = nil
		}
		list := convert.All(all, func(o steer.Listed) starlark.Value { return objectOf(o) })
		return starlark.NewList(list), err
	})
}

// get(run, object) reads an object now; None: the run has ended.
func (s *session) get(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var runs starlark.Value
	var object string
	if err := starlark.UnpackArgs(name, args, kwargs, "run", &runs, "object", &object); err != nil {
		return nil, err
	}
	return s.each(runs, func(run string) (starlark.Value, error) {
		read, err := s.helm.Read(s.ctx, run, []string{object})
		switch {
		case errors.Is(err, client.ErrEnded):
			return starlark.None, nil
		case err != nil:
			return nil, err
		}
		return valueOf(read[0].Value), nil
	})
}

// timing is the time of a command, and whether the script waits for it.
type timing struct {
	at, until int64
	when      string
	wait      bool
}

func newTiming() *timing { return &timing{wait: true} }

func (t *timing) pairs() []any {
	return []any{"at?", &t.at, "when?", &t.when, "until?", &t.until, "wait?", &t.wait}
}

func (t *timing) in(o client.Order) (client.Order, error) {
	if t.at < 0 || t.until < 0 || t.until > 0 && t.until < t.at {
		return o, fmt.Errorf("at=%d, until=%d: want numbers of iterations, the second no less than the first", t.at,
			t.until)
	}
	o.At, o.When, o.Until, o.Arms = t.at, t.when, t.until, !t.wait
	return o, nil
}

// set(run, {"limits.k4[2]": 0.02}, cfl=5, at=, when=, until=, expect=, wait=, future=) changes objects, all or none.
func (s *session) set(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var runs, expect starlark.Value
	var values *starlark.Dict
	var future bool
	t := newTiming()
	pairs := append([]any{"run", &runs, "values?", &values, "expect?", &expect, "future?", &future}, t.pairs()...)
	parameters, objects := split(kwargs, pairs)
	if err := starlark.UnpackArgs(name, args, parameters, pairs...); err != nil {
		return nil, err
	}
	wishes, err := wishesOf(values, objects, expect)
	if err != nil {
		return nil, err
	}
	o, err := t.in(client.Order{Command: s.helm.Command(steer.Set), Wishes: wishes})
	if err != nil {
		return nil, err
	}
	if future {
		if err := s.keep(runs, &o); err != nil {
			return nil, err
		}
	}
	return s.order(runs, o, future)
}

// split divides named arguments into the function's parameters and others, which name objects.
func split(kwargs []starlark.Tuple, pairs []any) (parameters, others []starlark.Tuple) {
	for _, k := range kwargs {
		name := string(k[0].(starlark.String)) // as every name of an argument
		declared := slices.ContainsFunc(pairs,
			func(p any) bool { text, ok := p.(string); return ok && strings.TrimSuffix(text, "?") == name })
		if declared {
			parameters = append(parameters, k)
		} else {
			others = append(others, k)
		}
	}
	return parameters, others
}

// wishesOf returns the wishes in a dict and in named arguments.
func wishesOf(values *starlark.Dict, objects []starlark.Tuple,
	expect starlark.Value) (wishes []client.Wish, err error) {
	if values != nil {
		objects = append(values.Items(), objects...)
	}
	for _, o := range objects {
		object, ok := o[0].(starlark.String)
		if !ok {
			return nil, fmt.Errorf("the object %s is named by no text", o[0])
		}
		w := client.Wish{Object: string(object)}
		if w.Value, err = textOf(o[1]); err != nil {
			return nil, fmt.Errorf("%s: %w", w.Object, err)
		}
		wishes = append(wishes, w)
	}
	if len(wishes) == 0 {
		return nil, errors.New(`it changes nothing; name objects, as cfl=5 or {"limits.k4[2]": 0.02}`)
	}
	return wishes, expectIn(wishes, expect)
}

// expectIn sets the expected present values of the wishes.
func expectIn(wishes []client.Wish, expect starlark.Value) (err error) {
	switch v := expect.(type) {
	case nil, starlark.NoneType:
		return nil
	case *starlark.Dict:
		for _, item := range v.Items() {
			i := slices.IndexFunc(wishes, func(w client.Wish) bool { return item[0] == starlark.String(w.Object) })
			if i < 0 {
				return fmt.Errorf("expect: %s is not set here", item[0])
			}
			if wishes[i].Expect, err = textOf(item[1]); err != nil {
				return fmt.Errorf("expect: %w", err)
			}
		}
		return nil
	}
	if len(wishes) != 1 {
		return fmt.Errorf("expect: several objects are set; say of which, as expect={%q: %s}", wishes[0].Object, expect)
	}
	if wishes[0].Expect, err = textOf(expect); err != nil {
		err = fmt.Errorf("expect: %w", err)
	}
	return err
}

// keep keeps an order for runs that are yet to start. The order does not wait in running runs either: the time of its
// application is unknown.
func (s *session) keep(runs starlark.Value, o *client.Order) error {
	pattern, ok := runs.(starlark.String)
	if !ok {
		return errors.New("future: want the name or pattern of runs that are yet to start")
	}
	o.Arms = true
	if err := s.helm.Keep(string(pattern), *o); err != nil {
		return err
	}
	s.report(string(pattern), o.Kept())
	return nil
}

// call(run, function, argument=None, at=, when=, until=, wait=) calls a function of runs: its result is the field new
// of the receipt.
func (s *session) call(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var runs starlark.Value
	var function string
	var argument starlark.Value = starlark.None
	t := newTiming()
	if err := starlark.UnpackArgs(name, args, kwargs,
		append([]any{"run", &runs, "function", &function, "argument?", &argument}, t.pairs()...)...); err != nil {
		return nil, err
	}
	w := client.Wish{Object: function}
	if argument != starlark.None {
		var err error
		if w.Value, err = textOf(argument); err != nil {
			return nil, err
		}
	}
	o, err := t.in(client.Order{Command: s.helm.Command(steer.CallOf), Wishes: []client.Wish{w}})
	if err != nil {
		return nil, err
	}
	return s.order(runs, o, false)
}

// plain is a verb that has no objects: pause, resume, stop, step(run, n=1), checkpoint(run, name), sync(run, name).
func (s *session) plain(v steer.Verb) verb {
	return func(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var runs starlark.Value
		c, t := s.helm.Command(v), newTiming()
		pairs := []any{"run", &runs}
		switch v {
		case steer.Step:
			c.Steps = 1
			pairs = append(pairs, "n?", &c.Steps)
		case steer.Checkpoint, steer.Sync:
			pairs = append(pairs, "name", &c.Name)
		}
		if v == steer.Pause || v == steer.Sync {
			pairs = append(pairs, "attended?", &c.Holds)
		}
		if err := starlark.UnpackArgs(name, args, kwargs, append(pairs, t.pairs()...)...); err != nil {
			return nil, err
		}
		o, err := t.in(client.Order{Command: c})
		if err != nil {
			return nil, err
		}
		return s.order(runs, o, false)
	}
}

// release(run="*", name="") releases runs from a sync point, or from all holds, including runs that are yet to start.
func (s *session) release(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var runs starlark.Value = starlark.String("*")
	o := client.Order{Command: s.helm.Command(steer.Release)}
	if err := starlark.UnpackArgs(name, args, kwargs, "run?", &runs, "name?", &o.Name); err != nil {
		return nil, err
	}
	_, pattern := runs.(starlark.String)
	if pattern {
		if err := s.keep(runs, &o); err != nil {
			return nil, err
		}
	}
	return s.order(runs, o, pattern)
}

// rewind(run, checkpoint, {"limits.k4[2]": 0.02}, cfl=5) restarts a run at one of its checkpoints, as the next attempt.
func (s *session) rewind(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var run starlark.Value
	var checkpoint string
	var values *starlark.Dict
	pairs := []any{"run", &run, "checkpoint", &checkpoint, "values?", &values}
	parameters, objects := split(kwargs, pairs)
	if err := starlark.UnpackArgs(name, args, parameters, pairs...); err != nil {
		return nil, err
	}
	if checkpoint == "" {
		return nil, errors.New("rewind: the name of the checkpoint is empty")
	}
	o := client.Order{Command: s.helm.Command(steer.Stop), Rewind: &checkpoint}
	if values != nil || len(objects) > 0 {
		var err error
		if o.Wishes, err = wishesOf(values, objects, nil); err != nil {
			return nil, err
		}
	}
	return s.order(run, o, false)
}

// everAfter is an iteration that no run reaches.
const everAfter = 1 << 52

// errWaited ends a wait at its timeout.
var errWaited = errors.New("it has waited long enough")

// wait(run, when="residual < 1e-3", at=, timeout=) waits for a condition, an iteration, or the run's end. The state
// of its receipt is applied, late if the run ends before, or expired.
func (s *session) wait(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var runs, timeout starlark.Value
	o := client.Order{Command: s.helm.Command(steer.Get)}
	var at int64
	if err := starlark.UnpackArgs(name, args, kwargs, "run", &runs, "when?", &o.When, "at?", &at, "timeout?",
		&timeout); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancelCause(s.ctx)
	defer end(nil)
	if timeout != nil && timeout != starlark.None {
		after, err := seconds("timeout", timeout)
		if err != nil {
			return nil, err
		}
		defer s.options.Clock.AfterFunc(after, func() { end(errWaited) }).Stop()
	}
	switch reached := fmt.Sprintf("iteration >= %d", at); {
	case at != 0 && o.When != "":
		o.When = reached + " and (" + o.When + ")"
	case at != 0: // true at once for a run past this iteration
		o.When = reached
	case o.When == "":
		o.At = everAfter
	}
	o.Holds = true // withdrawn when the wait ends
	return s.each(runs, func(run string) (starlark.Value, error) {
		x, err := s.await(ctx, run, o)
		x.Verb, x.Effects = "wait", nil
		return receiptOf(run, x), err
	})
}

// await gives a run a Get of an object, which is applied when the condition holds.
func (s *session) await(ctx context.Context, run string, o client.Order) (x event.Receipt, err error) {
	list, err := s.helm.Objects(ctx, run)
	i := slices.IndexFunc(list, func(l steer.Listed) bool { return l.Allows(steer.Sense) || l.Allows(steer.Read) })
	switch {
	case errors.Is(err, client.ErrEnded):
		return event.Receipt{State: event.Late, Reason: client.ErrEnded.Error()}, nil
	case err == nil && i < 0:
		err = fmt.Errorf("run %s: nothing of it can be seen, by which one could wait", run)
	case err == nil:
		o.Changes = []steer.Change{{Object: list[i].Name}}
		x, err = s.give(ctx, run, o, func(string, event.Receipt) {})
	}
	switch {
	case errors.Is(context.Cause(ctx), errWaited):
		return event.Receipt{State: event.Expired, Reason: "it did not come about in time"}, nil
	case err == nil && x.State == event.Refused:
		err = fmt.Errorf("run %s: %s", run, x.Reason)
	}
	return x, err
}

// seconds reads a duration.
func seconds(name string, v starlark.Value) (time.Duration, error) {
	x, ok := starlark.AsFloat(v)
	if !ok || math.IsNaN(x) || x < 0 || x > 1e9 {
		return 0, fmt.Errorf("%s: got %s; want seconds, from 0 to 1e9", name, v)
	}
	return time.Duration(x * float64(time.Second)), nil
}

// sleep(seconds) waits.
func (s *session) sleep(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(name, args, kwargs, "seconds", &v); err != nil {
		return nil, err
	}
	d, err := seconds("seconds", v)
	if err == nil && clock.Sleep(s.ctx, s.options.Clock, d) != nil {
		err = context.Cause(s.ctx)
	}
	return starlark.None, err
}

// log(value, ...) writes a line.
func (s *session) log(_ string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, errors.New("log: it takes values without names")
	}
	return starlark.None, s.say(joined(args))
}

// joined returns values as one line.
func joined(args starlark.Tuple) string {
	var words []string
	for _, v := range args {
		if text, ok := starlark.AsString(v); ok {
			words = append(words, text)
		} else {
			words = append(words, v.String())
		}
	}
	return strings.Join(words, " ")
}

// fail(value, ...) ends the script.
func fail(_ string, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return nil, &FailedError{joined(args)}
}
