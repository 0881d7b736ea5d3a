package plugin

// A solver that does not steer has controls all the same: inputs and settings that it may be told to change. The
// client shows them as objects, and carries out by Control what that can.

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// controls are those of one plugin, as its client knows them.
type controls struct {
	mu          sync.Mutex
	description *Description
	objects     *steer.Registry // of the present run
}

func (k *controls) describe(d Description) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.description = &d
}

// described returns the description; nil: nobody has asked for it.
func (k *controls) described() *Description {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.description
}

// begin makes the objects of a run that this client begins: their values are those of the request.
func (k *controls) begin(r Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := k.description; d != nil && !d.Steers {
		k.objects = d.objects(d.WithDefaults(r).Numbers)
	}
}

// registry returns the objects of the run that goes on; of one that another client has begun without values.
func (k *controls) registry() *steer.Registry {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.objects == nil {
		k.objects = k.description.objects(nil)
	}
	return k.objects
}

func (k *controls) follow(ctx context.Context, update func(steer.Update)) error {
	return k.registry().Follow(ctx, func(u steer.Update) error {
		update(u)
		return nil
	})
}

// objects returns the controls with the values that are known.
func (d *Description) objects(values map[string]float64) *steer.Registry {
	r := steer.New(clock.Real)
	for _, name := range d.Controls {
		q, effect := find(name, d.Settings), steer.Numerics
		if q == nil {
			q, effect = find(name, d.Inputs), steer.Answer
		}
		if q == nil { // the description was not checked
			continue
		}
		o := steer.Object{
			Name: name, Type: steer.Float, Unit: q.Unit, Doc: q.Doc, Min: q.Min, Max: q.Max, Effect: effect,
			Setting:    name,
			Operations: []steer.Operation{steer.Actuate},
		}
		x, known := values[name]
		r.Replace(o, last(x, known))
	}
	return r
}

// last binds the value that a control was last given.
func last(x float64, known bool) steer.Binding {
	if !known {
		return steer.Binding{}
	}
	return steer.Seen(func() steer.Value { return steer.FloatValue(x) })
}

// control carries out a command by Control.
func (c *Client) control(ctx context.Context, cmd steer.Command, run string, report func(steer.Receipt)) error {
	say := func(state steer.State, reason string, effects ...steer.Done) {
		report(steer.Receipt{
			ID: cmd.ID, Verb: cmd.Verb, Name: cmd.Name, State: state, Reason: reason, Effects: effects,
			By: cmd.By, From: cmd.From, Time: clock.Real.Now().UTC(),
		})
	}
	d := c.controls.described()
	old := Command{Run: run, Verb: Verb(cmd.Verb)}
	if reason := d.uncontrolled(cmd); reason != "" {
		say(steer.Refused, reason)
		return nil
	}
	var done []steer.Done
	if cmd.Verb == steer.Set {
		effect, err := c.controls.prepare(cmd.Changes[0])
		if err != nil {
			say(steer.Refused, err.Error())
			return nil
		}
		old.Name, old.Value, done = effect.Object, effect.New.Number, []steer.Done{effect}
	}
	say(steer.Accepted, "")
	switch err := c.Control(ctx, old); status.Code(err) {
	case codes.OK:
		if cmd.Verb == steer.Set {
			c.controls.changed(old)
		}
		say(steer.Unconfirmed, "its solver has accepted it, and does not say when it is done", done...)
	case codes.InvalidArgument, codes.Unimplemented, codes.Internal:
		say(steer.Refused, status.Convert(err).Message())
	default: // whether it arrived is not known
		return notRunning(err)
	}
	return nil
}

// uncontrolled says why Control cannot do what a command wants. Empty: it may.
func (d *Description) uncontrolled(c steer.Command) string {
	switch {
	case !slices.Contains([]steer.Verb{steer.Set, steer.Pause, steer.Resume, steer.Checkpoint, steer.Stop}, c.Verb):
		return fmt.Sprintf("solver %s cannot be steered; it may take set, pause, resume, checkpoint and stop", d.Name)
	case c.At != 0 || c.When != "" || c.Until != 0:
		return fmt.Sprintf("solver %s cannot be steered: nothing can be armed for later", d.Name)
	case c.Holds:
		return fmt.Sprintf("solver %s cannot be steered: what is held by its caller would not end with that", d.Name)
	case c.Verb == steer.Set && len(c.Changes) != 1:
		return fmt.Sprintf("solver %s cannot be steered: several changes would not be all or none", d.Name)
	}
	return ""
}

// prepare checks a change, and returns it as it would be done.
func (k *controls) prepare(x steer.Change) (steer.Done, error) {
	list := k.registry().List()
	i := slices.IndexFunc(list, func(o steer.Listed) bool { return o.Name == x.Object })
	if i < 0 {
		return steer.Done{}, &steer.UnknownError{
			Name: x.Object, Nearest: spell.Nearest(x.Object, slices.Values(k.described().Controls)),
		}
	}
	o := &list[i]
	v, err := o.Convert(x.Value)
	switch {
	case err != nil:
		return steer.Done{}, err
	case x.Number != 0 && x.Number != o.Number:
		return steer.Done{}, fmt.Errorf("%s is object %d; number %d is not used again", o.Name, o.Number, x.Number)
	case x.Expect.Type != "" && !o.Value.Equal(x.Expect):
		return steer.Done{}, fmt.Errorf("%s was last given %v, not %v as expected", o.Name, o.Value, x.Expect)
	}
	return steer.Done{Object: o.Name, Number: o.Number, Effect: o.Effect, Old: o.Value, New: v, Seen: x.Seen}, nil
}

// changed notes what a control was given.
func (k *controls) changed(c Command) {
	r := k.registry()
	for _, o := range r.List() {
		if o.Name == c.Name {
			r.Replace(o.Object, last(c.Value, true))
		}
	}
}
