package steer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// sense reads the objects of a command.
func (r *Registry) sense(p *pending) (list []event.Done) {
	for i, t := range p.targets {
		d := t.done(&p.Changes[i])
		v := t.Get().Clone()
		r.show(t.object, v)
		d.New, _ = t.place.of(v) // the place was found when the command came; an array does not shrink
		list = append(list, d)
	}
	return list
}

func (t target) done(c *Change) event.Done {
	d := event.Done{Object: c.Object, Number: t.Number, Effect: t.Effect, Seen: c.Seen}
	if t.place == whole {
		d.Setting = t.Setting
	}
	return d
}

// show records a value that was read, for the mirrors.
func (r *Registry) show(o *object, v Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o = r.objects[o.Number] // it may be a copy
	if o != nil && !o.shown.Equal(v) {
		o.shown = v
		r.tell(o, false)
	}
}

// set changes the objects of a command, all or none.
func (r *Registry) set(p *pending, x *event.Receipt) {
	before, after, err := p.prepare()
	if err != nil {
		x.State, x.Reason = event.Refused, err.Error()
		return
	}
	for i, t := range p.targets {
		if err = t.Set(after[i]); err != nil {
			err = fmt.Errorf("%s: %w", t.Name, err)
			break
		}
	}
	for i := 0; err == nil && i < len(p.targets); i++ {
		if t := p.targets[i]; t.Verify != nil {
			if err = t.Verify(); err != nil {
				err = fmt.Errorf("%s: %w", t.Name, err)
			}
		}
	}
	p.before = before
	if err != nil {
		p.undo(x, err)
	}
	r.changed(p, x)
}

// undo sets the objects of a command back, for a reason.
func (p *pending) undo(x *event.Receipt, why error) {
	x.State, x.Reason = event.RolledBack, why.Error()
	for i := len(p.targets) - 1; i >= 0; i-- { // the last of several changes of one object first
		if failed := p.targets[i].Set(p.before[i]); failed != nil {
			x.Reason += fmt.Sprintf("; %s could not be set back: %v", p.targets[i].Name, failed)
		}
	}
}

// changed completes a receipt with the old and new values of the objects.
func (r *Registry) changed(p *pending, x *event.Receipt) {
	x.Effects = nil
	for i, t := range p.targets {
		d := t.done(&p.Changes[i])
		d.Old, _ = t.place.of(p.before[i])
		now := t.Get().Clone()
		d.New, _ = t.place.of(now)
		x.Effects = append(x.Effects, d)
		r.mu.Lock()
		t.steered = t.steered || x.State == event.Applied
		r.mu.Unlock()
		r.show(t.object, now)
	}
}

// confirms reports whether an object of the command needs confirmation of a change.
func (p *pending) confirms() bool {
	return slices.ContainsFunc(p.targets, func(t target) bool { return t.Confirm != nil })
}

// confirm waits until a change is confirmed, and reports its result. Other Set commands wait for this; commands that
// change no object do not.
func (r *Registry) confirm(p *pending, x event.Receipt) {
	for _, t := range p.targets {
		if t.Confirm == nil {
			continue
		}
		at, err := t.Confirm(r.life)
		x.Iteration = max(x.Iteration, at)
		var unsure *UnconfirmedError
		switch {
		case errors.As(err, &unsure):
			x.State, x.Reason = event.Unconfirmed, fmt.Sprintf("%s: %v", t.Name, err)
			continue // another target may be refused
		case err == nil:
			continue
		}
		p.undo(&x, fmt.Errorf("%s: %w", t.Name, err))
		break
	}
	r.changed(p, &x)
	r.say(p, x)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unsure = false
	r.aside(p)
}

// prepare returns the values of a command's objects before and after it. The error is the reason why the command cannot
// be applied. Several changes of one object build on each other.
func (p *pending) prepare() (before, after []Value, err error) {
	now := map[*object]Value{}
	for i, t := range p.targets {
		c := &p.Changes[i]
		whole, known := now[t.object]
		if !known {
			whole = t.Get().Clone()
		}
		before = append(before, whole)
		if whole.Type == "" {
			return nil, nil, fmt.Errorf("%s: its solver could not read its present value", c.Object)
		}
		old, err := t.place.of(whole)
		if err == nil && c.Expect.Type != "" && !old.Equal(c.Expect) {
			err = fmt.Errorf("it is %v, not %v as expected", old, c.Expect)
		}
		if err == nil {
			whole, err = t.place.put(whole, c.Value)
		}
		if err == nil {
			whole, err = t.Convert(whole)
		}
		if err == nil && t.Check != nil {
			err = t.Check(whole)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.Object, err)
		}
		now[t.object], after = whole, append(after, whole)
	}
	return before, after, nil
}

// call calls a function, which may panic.
func (r *Registry) call(ctx context.Context, p *pending, x *event.Receipt) {
	t := p.targets[0]
	d := t.done(&p.Changes[0])
	defer func() {
		if fault := recover(); fault != nil {
			x.State, x.Reason = event.RolledBack, fmt.Sprintf("%s panicked: %v", t.Name, fault)
		}
	}()
	v, err := t.Call(ctx, p.Changes[0].Value)
	if err != nil {
		x.State, x.Reason = event.RolledBack, fmt.Sprintf("%s: %v", t.Name, err)
	}
	d.New, d.Argument = v, p.Changes[0].Value
	x.Effects = []event.Done{d}
}

// checkpoint has the solver save its state.
func (r *Registry) checkpoint(ctx context.Context, p *pending, x *event.Receipt) {
	r.mu.Lock()
	o := r.names[CheckpointFunction]
	r.mu.Unlock()
	if o == nil {
		x.State, x.Reason = event.Refused, "this solver writes no checkpoints"
		return
	}
	file, err := o.Call(ctx, TextValue(p.Name))
	if err != nil {
		x.State, x.Reason = event.RolledBack, err.Error()
	}
	x.File = file.Text
}

// atOnce applies a command that needs no safe point.
func (r *Registry) atOnce(p *pending, x *event.Receipt) {
	if p.Verb == Poke {
		r.poking.Lock()
		defer r.poking.Unlock()
		r.set(p, x)
		return
	}
	for i, t := range p.targets {
		d := t.done(&p.Changes[i])
		d.Old, d.New = r.allow(t.object, p.Operation, p.Changes[i].Value.Bool)
		x.Effects = append(x.Effects, d)
	}
}

// allow switches an operation of an object, and returns its old and new state. An object has only the operations with
// which it was registered.
func (r *Registry) allow(o *object, op Operation, on bool) (old, now Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old = BoolValue(o.Allows(op))
	switched := slices.DeleteFunc(slices.Clone(o.able),
		func(a Operation) bool { return a == op && !on || a != op && !o.Allows(a) })
	o.Operations = switched
	r.tell(o, false)
	return old, BoolValue(o.Allows(op))
}

// now applies a command that needs no safe point.
func (r *Registry) now(p *pending) {
	r.mu.Lock()
	x := event.Receipt{State: event.Applied, Iteration: r.at}
	if p.Verb != Switch {
		p.copyTargets()
	}
	if p.Verb == CallOf {
		r.beside = append(r.beside, p)
	}
	r.mu.Unlock()
	switch p.Verb {
	case Get:
		p.quiet = true
		x.Effects = r.sense(p)
	case CallOf:
		go r.callBeside(p, x) // Close waits for it
		return
	default:
		r.atOnce(p, &x)
	}
	r.say(p, x)
}

// copyTargets gives a command copies of its objects: it runs beside the solver, which may replace them meanwhile.
func (p *pending) copyTargets() {
	for i := range p.targets {
		o := *p.targets[i].object
		p.targets[i].object = &o
	}
}

func (r *Registry) callBeside(p *pending, x event.Receipt) {
	r.call(r.life, p, &x)
	r.say(p, x)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aside(p)
}

// aside removes a command that has ended beside the solver. The caller holds the lock.
func (r *Registry) aside(p *pending) {
	r.beside = slices.DeleteFunc(r.beside, func(b *pending) bool { return b == p })
	r.change.Broadcast()
}
